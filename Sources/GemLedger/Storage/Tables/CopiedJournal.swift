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

/// At most one row, in storages that draw numbers without gaps.
extension CopiedJournal: StoredRow {
  package static let table: StaticString = "copied_journal"
  package static var blank: Self {
    Self(
      lastTransaction: 0, lastEntry: 0, counts: JournalCounts(transactions: 0, entries: 0, isSparse: false),
      createdAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("last_transaction", &lastTransaction, .local)
    columns.number("transactions", &counts.transactions, .local)
    columns.entry("last_entry", &lastEntry, .local)
    columns.number("entries", &counts.entries, .local)
    columns.instant("created_at", &createdAt, .local)
  }
}

/// The numbers of the journal's rows, as the storage counts them separately.
package struct JournalCounts: Hashable, Sendable {
  package var transactions: Int64
  package var entries: Int64
  /// Whether the storage draws sparse numbers (``Numbering``); false if it only keeps another storage's numbers.
  package var isSparse: Bool

  package init(transactions: Int64, entries: Int64, isSparse: Bool = true) {
    self.transactions = transactions
    self.entries = entries
    self.isSparse = isSparse
  }
}
