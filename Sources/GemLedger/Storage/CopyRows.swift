/// When a version of the catalog took effect; part of the journal.
package struct CatalogVersionRow: Hashable, Sendable {
  package var version: Int64
  package var appliedAt: Timestamp

  package init(version: Int64, appliedAt: Timestamp) {
    self.version = version
    self.appliedAt = appliedAt
  }
}

/// How far a copy came; while a storage has one, it is no ledger yet.
package struct CopyProgress: Hashable, Sendable {
  /// The step under way, and how many of its pages are there.
  package var step: Int64
  package var pages: Int64
  /// The newest transaction of the source, so that a copy does not continue from a ledger that has changed.
  package var source: TransactionNumber

  package init(step: Int64 = 0, pages: Int64 = 0, source: TransactionNumber) {
    self.step = step
    self.pages = pages
    self.source = source
  }
}

/// If the numbers of a copied journal have gaps, and if they have none again.
package struct CopiedJournal: Hashable, Sendable {
  /// The highest numbers that were copied, and how many rows have them.
  package var lastTransaction: TransactionNumber
  package var lastEntry: EntryNumber
  package var counts: JournalCounts
  /// The latest instant: several lanes may have booked it out of the order of numbers.
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
  /// How far the copy is with these changes; nil if it is complete with them.
  package var progress: CopyProgress?
  package var catalogVersions: [CatalogVersionRow] = []
  /// Attributes of lots with their former owners, for storages that keep them with each owner.
  package var formerLotAttributes: [FormerLotAttributes] = []
  /// The credited customers of the purchases that refunds of these changes name.
  package var purchaseOwners: [Int64: CustomerNumber] = [:]
  /// For storages with own numbers that have no gaps.
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
  /// Whether nothing was ever done with the ledger.
  package func isEmpty() throws(LedgerError) -> Bool {
    guard try catalogVersion() == 0, try sequences().transaction == 0 else { return false }
    return try customers(after: 0, limit: 1).isEmpty
  }

  /// Whether a copy may be written here: it brings documents too, which an import leaves as they are.
  package func hasRoomForCopy() throws(LedgerError) -> Bool {
    guard try isEmpty() else { return false }
    return try scan().documents(after: nil, limit: 1).isEmpty
  }
}
