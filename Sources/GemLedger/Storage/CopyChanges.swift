/// Writes that only a copy of a whole ledger makes.
package struct CopyChanges: Sendable {
  /// The progress after these changes; nil if the copy is then complete.
  package var progress: CopyProgress?
  package var catalogVersions: [CatalogVersionRow] = []
  /// Attributes of lots with their former owners, for storages that keep them with each owner.
  package var formerLotAttributes: [FormerLotAttributes] = []
  /// The credited customers of the purchases in these changes' refunds.
  package var purchaseOwners: [Int64: CustomerNumber] = [:]
  /// The copied numbers, for storages that draw numbers without gaps.
  package var journal: CopiedJournal?

  package init(progress: CopyProgress?) { self.progress = progress }

  /// Whether a copy may be written here: unlike an import, it also writes documents.
  package static func haveRoom(in snapshot: any StorageSnapshot) throws(LedgerError) -> Bool {
    guard try snapshot.isEmpty() else { return false }
    return try snapshot.scan().documents(after: nil, limit: 1).isEmpty
  }

  package struct FormerLotAttributes: Hashable, Sendable {
    package var attributes: LotAttributesRow
    package var customer: CustomerNumber

    package init(attributes: LotAttributesRow, customer: CustomerNumber) {
      self.attributes = attributes
      self.customer = customer
    }
  }
}

extension StorageSnapshot {
  /// Whether the ledger was never used.
  package func isEmpty() throws(LedgerError) -> Bool {
    guard try catalogVersion() == 0, try sequences().transaction == 0 else { return false }
    return try customers(after: 0, limit: 1).isEmpty
  }
}
