/// A version of the catalog with the time of its application; part of the journal.
package struct CatalogVersionRow: Hashable, Sendable {
  package var version: Int64
  package var appliedAt: Timestamp

  package init(version: Int64, appliedAt: Timestamp) {
    self.version = version
    self.appliedAt = appliedAt
  }
}

/// The progress of a copy; a storage that has one is not a ledger yet.
package struct CopyProgress: Hashable, Sendable {
  /// The current step, and the number of its pages already written.
  package var step: Int64
  package var pages: Int64
  /// The newest transaction of the source, so that a copy does not resume from a ledger that has changed.
  package var source: TransactionNumber

  package init(step: Int64 = 0, pages: Int64 = 0, source: TransactionNumber) {
    self.step = step
    self.pages = pages
    self.source = source
  }
}

/// The end of the numbers with gaps in a copied journal; later numbers have none.
package struct CopiedJournal: Hashable, Sendable {
  /// The highest copied numbers, and the number of rows that have them.
  package var lastTransaction: TransactionNumber
  package var lastEntry: EntryNumber
  package var counts: JournalCounts
  /// The latest instant: several lanes may have booked out of the order of numbers.
  package var createdAt: Timestamp

  package init(
    lastTransaction: TransactionNumber, lastEntry: EntryNumber, counts: JournalCounts, createdAt: Timestamp
  ) {
    self.lastTransaction = lastTransaction
    self.lastEntry = lastEntry
    self.counts = counts
    self.createdAt = createdAt
  }
}

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

  /// Whether a copy may be written here: unlike an import, it also writes documents.
  package func hasRoomForCopy() throws(LedgerError) -> Bool {
    guard try isEmpty() else { return false }
    return try scan().documents(after: nil, limit: 1).isEmpty
  }
}
