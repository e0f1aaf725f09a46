#if PostgreSQL
internal import GemLedger

/// Reads of the journal by numbers alone: a transaction's number leads to its customers.
protocol PostgresUnownedReads: PostgresReads {}

extension PostgresUnownedReads {
  func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow? {
    if let deciding { return try deciding.located.first(number)?.row }
    return try first(
      "SELECT \(TransactionRow.columns) FROM transactions WHERE (number & 63) = $1 AND number = $2",
      {
        $0.add(Numbering.lane(of: number))
        $0.add(number)
      }, TransactionRow.read)
  }

  /// Returns the customers that rows of the transaction lie with.
  func owners(of transaction: TransactionNumber) throws(LedgerError) -> [CustomerNumber] {
    guard let row = try self.transaction(transaction) else { return [] }
    guard row.kind == .merge || row.kind == .unmerge else { return [row.customer] }
    // The balance of the other customer goes away by entries of the same transaction.
    return try all(
      "SELECT from_customer FROM merges WHERE customer = $1 AND transaction_number = $2",
      {
        $0.add(row.customer)
        $0.add(transaction)
      }, { $0.integer($1, 0) }) + [row.customer]
  }

  func entry(_ number: EntryNumber) throws(LedgerError) -> EntryRow? {
    for owner in try owners(of: Numbering.transaction(of: number)) {
      if let entry = try entry(number, of: owner) { return entry }
    }
    return nil
  }

  func entries(of transaction: TransactionNumber) throws(LedgerError) -> [EntryRow] {
    var found: [EntryRow] = []
    for owner in try owners(of: transaction) { found += try entries(of: transaction, of: owner) }
    return found.sorted { $0.number < $1.number }
  }

  func allocations(of entry: EntryNumber) throws(LedgerError) -> [AllocationRow] {
    var found: [AllocationRow] = []
    for owner in try owners(of: Numbering.transaction(of: entry)) { found += try allocations(of: entry, of: owner) }
    return found
  }

  func note(_ transaction: TransactionNumber) throws(LedgerError) -> NoteRow? {
    guard let row = try self.transaction(transaction) else { return nil }
    return try note(transaction, of: row.customer)
  }

  func items(of transaction: TransactionNumber) throws(LedgerError) -> [ItemEntryRow] {
    var found: [ItemEntryRow] = []
    for owner in try owners(of: transaction) { found += try items(of: transaction, of: owner) }
    return found
  }
}
#endif
