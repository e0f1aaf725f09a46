internal import GemLedger

// Whom the ledger forgets. What is looked up first is little, so that nothing is joined: a statement that gathers rows
// in a table of its own costs more than all of it.

extension SQLiteTables {
  /// Frees the ids of who is erased, before anybody new comes under them.
  func freeIDs(of rows: [ErasureRow]) throws(LedgerError) {
    for row in rows {
      try free(zip(row.numbers, row.former).map { AddedIDRow(customer: $0, id: $1) } + row.added)
    }
  }

  /// An id that is somebody else's by now stays theirs.
  private func free(_ rows: [AddedIDRow]) throws(LedgerError) {
    try run("DELETE FROM aliases WHERE id = ?1 AND customer = ?2", rows) {
      $0.bind(1, $1.id.text)
      $0.bind(2, $1.customer)
    }
  }

  /// Who has what is left of an erased id, which tells the number.
  func erased(_ id: CustomerID) throws(LedgerError) -> CustomerRow? {
    guard let number = id.numberOfErased(salt: try project().salt), let row = try customer(number: number) else {
      return nil
    }
    return row.id == id ? row : nil
  }

  /// The customers' own rows were written with what changed of them; what is left of an erased id needs no alias.
  private func rename(_ row: ErasureRow) throws(LedgerError) {
    let others = zip(row.numbers, row.ids).filter { !$1.isOfErased }
    try run("INSERT OR REPLACE INTO aliases (customer, id) VALUES (?1, ?2)", others) {
      $0.bind(1, $1.0)
      $0.bind(2, $1.1.text)
    }
  }

  /// Forgets who they were and what was said about them, after all that the commit wrote.
  ///
  /// - Parameter new: The ids that the commit itself gave.
  func erase(_ rows: [ErasureRow], new: [AddedIDRow]) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    let numbers = Set(rows.flatMap(\.numbers))
    try free(new.filter { numbers.contains($0.customer) })
    let withMore = Set(rows.flatMap(\.added).map(\.customer)).union(new.map(\.customer)).intersection(numbers)
    try run("DELETE FROM added_ids WHERE customer = ?1", withMore.sorted()) { $0.bind(1, $1) }
    for row in rows {
      try run("INSERT OR IGNORE INTO erasures VALUES (?1, ?2)", row.numbers) {
        $0.bind(1, $1)
        $0.bind(2, row.transaction)
      }
      try rename(row)
      for number in row.numbers {
        try eraseNotes(of: number)
        try eraseOrders(of: number)
      }
    }
    try eraseKeys(of: rows)
  }

  private func eraseOrders(of customer: CustomerNumber) throws(LedgerError) {
    let hasOrders =
      try first("SELECT 1 FROM orders WHERE customer = ?1 LIMIT 1", { $0.bind(1, customer) }, { _ in true }) ?? false
    guard hasOrders else { return }
    try run("UPDATE orders SET request = ?2, key = NULL WHERE customer = ?1", [customer]) {
      $0.bind(1, $1)
      $0.bind(2, OrderRow.erasedRequest)
    }
  }

  // MARK: Notes

  /// Notes are found by the customer's history: from each account's newest entry backwards, and by what has no entry.
  private func eraseNotes(of customer: CustomerNumber) throws(LedgerError) {
    let newest = try all(
      "SELECT last_entry FROM accounts WHERE account >= ?1 AND account < ?2",
      {
        $0.bind(1, AccountNumber(customer: customer, currency: 0).rawValue)
        $0.bind(2, AccountNumber(customer: customer + 1, currency: 0).rawValue)
      }, { (row) throws(SQLiteFailure) in try row.entry(0) })
    for entry in newest {
      var number = entry
      while number != 0, let (transaction, previous) = try step(back: number) {
        // Entries of baskets and merges may be of somebody else's transaction, whose note stays.
        try eraseNote(of: transaction, by: customer)
        guard previous < number else { throw SQLiteFailure.notAscending.ledgerError(path: connection.path) }
        number = previous
      }
    }
    let others = try all(
      """
      SELECT number FROM customer_lists WHERE customer = ?1 AND list = 1
      UNION ALL
      SELECT number FROM customer_lists_buffer WHERE customer = ?1 AND list = 1
      """, { $0.bind(1, customer) }, { (row) throws(SQLiteFailure) in try row.transaction(0) })
    try run("DELETE FROM notes WHERE transaction_number = ?1", others) { $0.bind(1, $1) }
  }

  private func step(
    back entry: EntryNumber
  ) throws(LedgerError) -> (transaction: TransactionNumber, previous: EntryNumber)? {
    try first(
      "SELECT transaction_number, previous FROM entries WHERE number = ?1", { $0.bind(1, entry) },
      { (row) throws(SQLiteFailure) in (try row.transaction(0), try row.entry(1)) })
  }

  private func eraseNote(of transaction: TransactionNumber, by customer: CustomerNumber) throws(LedgerError) {
    // Most transactions have none, and then nobody asks whose it is.
    let hasNote = try first(
      "SELECT 1 FROM notes WHERE transaction_number = ?1", { $0.bind(1, transaction) }, { _ in true })
    guard hasNote != nil, try self.transaction(transaction)?.customer == customer else { return }
    try run("DELETE FROM notes WHERE transaction_number = ?1", [transaction]) { $0.bind(1, $1) }
  }

  // MARK: Keys

  /// Forgets the keys of all who are erased by a commit: keys lie by themselves, not by customers, so that this goes
  /// over all of them, and once.
  private func eraseKeys(of erasures: [ErasureRow]) throws(LedgerError) {
    guard let first = erasures.map(\.transaction).min() else { return }
    try run(
      "DELETE FROM keys WHERE customer IN (SELECT customer FROM erasures WHERE transaction_number >= ?1)", [first]
    ) { $0.bind(1, $1) }
  }
}
