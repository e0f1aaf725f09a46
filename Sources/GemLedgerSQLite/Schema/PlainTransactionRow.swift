internal import GemLedger

/// A transaction with its only entry, in one row: most transactions are such.
///
/// The entry has the transaction's kind and customer, and leaves no debt. Its number is not stored: an ``EntryRun`` has
/// it.
struct PlainTransactionRow {
  var transaction: TransactionRow
  var entry: EntryRow

  init(_ transaction: TransactionRow, _ entry: EntryRow) {
    self.transaction = transaction
    self.entry = entry
  }

  /// - Parameter entries: All entries of the transaction.
  /// - Returns: nil if the row cannot hold the transaction.
  @inline(__always)
  init?(_ transaction: TransactionRow, entries: ArraySlice<EntryRow>) {
    guard entries.count == 1, let entry = entries.first, entry.number == transaction.firstEntry,
      entry.kind == transaction.kind, entry.account.customer == transaction.customer, entry.debt == 0
    else { return nil }
    self.init(transaction, entry)
  }
}

extension PlainTransactionRow: StoredRow {
  static let table: StaticString = "plain_transactions"
  static let checks = ["amount <> 0", "balance >= 0"]
  static var blank: Self { Self(.blank, .blank) }

  mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("number", &transaction.number, .local)
    columns.kind("kind", &transaction.kind, else: .mixed, .local)
    columns.instant("created_at", &transaction.createdAt, .local)
    columns.account(&entry.account, .local)
    columns.amount("amount", &entry.amount, .local)
    columns.amount("balance", &entry.balance, .local)
    columns.number("version", &entry.version, .local)
    columns.entry("previous", &entry.previous, .local)
    columns.number("lot", &entry.lot, .local)
    columns.integer("digest", .any, &transaction.digest, .local)
    var part = transaction.erasable == 0 ? nil : transaction.erasable
    columns.integer("erasable_digest", .any, optional: &part, .local)
    transaction.erasable = part ?? 0
    (transaction.customer, entry.kind, entry.transaction) =
      (entry.account.customer, transaction.kind, transaction.number)
  }
}

/// A range of plain transactions whose entries have the transactions' numbers, shifted by one distance.
///
/// A run goes on to the next run. Transactions within the range that are not plain have the numbers of their entries in
/// their own rows.
struct EntryRun {
  /// The first plain transaction, and its entry.
  var transaction: TransactionNumber
  var firstEntry: EntryNumber

  /// The distance from an entry's number to that of its transaction.
  var lag: Int64 { transaction &- firstEntry }
}

extension EntryRun: StoredRow {
  static let table: StaticString = "entry_runs"
  static var blank: Self { Self(transaction: 0, firstEntry: 0) }

  mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("transaction_number", &transaction, .local)
    columns.entry("first_entry", &firstEntry, .local)
  }
}
