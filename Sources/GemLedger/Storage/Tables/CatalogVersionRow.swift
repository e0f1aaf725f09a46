/// A version of the catalog with the time of its application; part of the journal.
package struct CatalogVersionRow: Hashable, Sendable {
  package var version: Int64
  package var appliedAt: Timestamp

  package init(version: Int64, appliedAt: Timestamp) {
    self.version = version
    self.appliedAt = appliedAt
  }
}

extension CatalogVersionRow: ExportedRow {
  package static let table: StaticString = "catalog_versions"
  package static var blank: Self { Self(version: 0, appliedAt: Timestamp(milliseconds: 0)) }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.number("version", &version, .exported)
    columns.instant("applied_at", &appliedAt, .exported)
  }
}

// MARK: Digest

extension RowDigest {
  static func catalogVersion(appliedAt instant: Timestamp) -> UInt64 {
    var digest = RowDigest(.catalogVersion)
    digest.add(instant)
    return digest.value
  }
}
