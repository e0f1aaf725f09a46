internal import GemLedger

/// The sums of all rows' digests, in one row that every commit changes.
struct RecordSumsTable {
  let statements: StatementRunner

  func recordSums() throws(LedgerError) -> RecordSums? {
    try statements.translating { () throws(SQLiteFailure) in
      let statement = try statements.hot(.sums)
      defer { statement.reset() }
      guard try statement.step() else { return nil }
      var sums = RecordSums()
      sums.transactions = statement.integer(0)
      sums.customers = statement.integer(1)
      sums.addedIDs = statement.integer(2)
      sums.accountTokens = statement.integer(3)
      sums.orders = statement.integer(4)
      sums.environments = statement.integer(5)
      sums.catalogVersions = statement.integer(6)
      sums.catalog = statement.integer(7)
      return sums
    }
  }

  /// Adds the changes of a commit.
  ///
  /// Sums that were removed outside the ledger stay missing, and `verify` reports them.
  func add(_ changes: RecordSums) throws(LedgerError) {
    guard changes != RecordSums(), let sums = try recordSums() else { return }
    try set(sums + changes)
  }

  private func set(_ sums: RecordSums) throws(LedgerError) {
    try statements.translating { () throws(SQLiteFailure) in
      let statement = try statements.hot(.setSums)
      statement.bind(1, sums.transactions)
      statement.bind(2, sums.customers)
      statement.bind(3, sums.addedIDs)
      statement.bind(4, sums.accountTokens)
      statement.bind(5, sums.orders)
      statement.bind(6, sums.environments)
      statement.bind(7, sums.catalogVersions)
      statement.bind(8, sums.catalog ?? 0)
      try statement.run()
    }
  }
}
