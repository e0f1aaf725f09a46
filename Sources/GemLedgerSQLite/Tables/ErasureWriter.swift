internal import GemLedger

/// Removes the ids, notes and keys of erased customers.
///
/// Each look-up before a deletion is small, so there are no joins: a statement that collects rows in a temporary table
/// costs more than all look-ups.
struct ErasureWriter {
  let tables: SQLiteTables

  private var statements: StatementRunner { tables.statements }

  /// Erases the customers' ids and notes, after all other writes of the commit.
  ///
  /// - Parameter new: The ids that the same commit added.
  func erase(_ rows: [ErasureRow], new: [AddedIDRow]) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    let numbers = Set(rows.flatMap(\.numbers))
    try tables.customers.free(new.filter { numbers.contains($0.customer) })
    let withMore = Set(rows.flatMap(\.added).map(\.customer)).union(new.map(\.customer)).intersection(numbers)
    try statements.run("DELETE FROM added_ids WHERE customer = ?1", withMore.sorted()) { $0.bind(1, $1) }
    for row in rows {
      try statements.run("INSERT OR IGNORE INTO erasures VALUES (?1, ?2)", row.numbers) {
        $0.bind(1, $1)
        $0.bind(2, row.transaction)
      }
      try tables.customers.rename(row)
      for number in row.numbers {
        try eraseNotes(of: number)
        try tables.orders.erase(of: number)
      }
    }
    try tables.keys.erase(of: rows)
  }

  // MARK: Notes

  /// Erases the notes of the customer's history.
  ///
  /// It reads each account's entries from the newest back, and then the transactions without entries.
  private func eraseNotes(of customer: CustomerNumber) throws(LedgerError) {
    let newest = try statements.all(
      "SELECT last_entry FROM accounts WHERE account >= ?1 AND account < ?2",
      {
        $0.bind(1, AccountNumber(customer: customer, currency: 0).rawValue)
        $0.bind(2, AccountNumber(customer: customer + 1, currency: 0).rawValue)
      }, { (row) throws(SQLiteFailure) in try row.entry(0) })
    for last in newest {
      var number = last
      while number != 0, let entry = try tables.journal.entry(number) {
        // Entries of baskets and merges may belong to another customer's transaction, which keeps its note.
        try eraseNote(of: entry.transaction, by: customer)
        guard entry.previous < number else { throw SQLiteFailure.notAscending.ledgerError(path: statements.path) }
        number = entry.previous
      }
    }
    let others = try statements.all(
      """
      SELECT number FROM customer_lists WHERE customer = ?1 AND list = 1
      UNION ALL
      SELECT number FROM customer_lists_buffer WHERE customer = ?1 AND list = 1
      """, { $0.bind(1, customer) }, { (row) throws(SQLiteFailure) in try row.transaction(0) })
    try statements.run("DELETE FROM notes WHERE transaction_number = ?1", others) { $0.bind(1, $1) }
  }

  private func eraseNote(of transaction: TransactionNumber, by customer: CustomerNumber) throws(LedgerError) {
    // Most transactions have no note, and then their customer is not looked up.
    let hasNote = try statements.first(
      "SELECT 1 FROM notes WHERE transaction_number = ?1", { $0.bind(1, transaction) }, { _ in true })
    guard hasNote != nil, try tables.journal.transaction(transaction)?.customer == customer else { return }
    try statements.run("DELETE FROM notes WHERE transaction_number = ?1", [transaction]) { $0.bind(1, $1) }
  }
}
