/// The author of a change of the catalog, the reason, and the version that the change is based on.
package struct CatalogChangeDetails: Hashable, Sendable {
  /// The person or program that makes the change.
  package var actor: ActorName?
  /// The reason that a person gave.
  package var reason: Reason?
  /// The version that the catalog must have; nil for any.
  package var baseVersion: Int64?

  package init(actor: ActorName? = nil, reason: Reason? = nil, baseVersion: Int64? = nil) {
    self.actor = actor
    self.reason = reason
    self.baseVersion = baseVersion
  }
}

/// The result of a change of the catalog.
package struct AppliedCatalog: Hashable, Sendable {
  /// The version after the change; the former version if nothing changed.
  package let version: Int64
  package let difference: CatalogDifference
}

/// A version of the catalog with its author.
///
/// The version and its time are part of the journal. Actor, reason and changes are in a document of the storage, which
/// no digest and no export covers and which can be removed.
package struct CatalogVersion: Hashable, Sendable {
  /// From 1.
  package let version: Int64
  package let appliedAt: Timestamp
  /// Nil if the version has no record, or if nobody was named.
  package let actor: ActorName?
  package let reason: Reason?
  /// The number of objects that changed; nil if the version has no record.
  package let changeCount: Int64?
  /// The changes against the version before, at most ``CatalogDifference/recordedEntries`` of them; nil if the version
  /// has no record.
  package let changes: CatalogDifference?
}

extension CatalogVersion {
  static func documentName(_ version: Int64) -> DocumentName { DocumentName(unchecked: "catalog-change/\(version)") }

  static func record(of difference: CatalogDifference, _ details: CatalogChangeDetails) -> JSONValue {
    [
      "actor": JSONValue(details.actor), "reason": JSONValue(details.reason),
      "change_count": .integer(Int64(difference.count)), "changes": difference.shortened().json,
    ]
  }

  init(_ row: CatalogVersionRow, _ record: DocumentRow?) throws(LedgerError) {
    (version, appliedAt) = (row.version, row.appliedAt)
    guard let record else {
      (actor, reason, changeCount, changes) = (nil, nil, nil, nil)
      return
    }
    let document = try StoredJSON(record.content, named: record.name.text)
    actor = try document["actor"].optional?.identifier()
    reason = try document["reason"].optional?.identifier()
    changeCount = try document["change_count"].integer()
    changes = try CatalogDifference(reading: document["changes"])
  }
}
