internal import GemLedger

/// The sums of all rows' digests, in one row that every commit changes.
extension SQLiteTables {
  func recordSums() throws(LedgerError) -> RecordSums? {
    try translating { () throws(SQLiteFailure) in
      let statement = try hot(.sums)
      defer { statement.reset() }
      guard try statement.step() else { return nil }
      var sums = RecordSums()
      sums.transactions = statement.integer(0)
      sums.undigested = statement.integer(1)
      sums.customers = statement.integer(2)
      sums.addedIDs = statement.integer(3)
      sums.accountTokens = statement.integer(4)
      sums.orders = statement.integer(5)
      sums.environments = statement.integer(6)
      sums.catalogVersions = statement.integer(7)
      sums.catalog = statement.integer(8)
      return sums
    }
  }

  /// Adds what a commit changed.
  ///
  /// Rows of an older file are counted once and whole: until then there is nothing to add to. Sums that were taken away
  /// stay so, and `verify` reports them.
  func add(_ changes: RecordSums) throws(LedgerError) {
    guard changes != RecordSums(), let sums = try recordSums() else { return }
    try set(sums + changes)
  }

  func set(_ sums: RecordSums) throws(LedgerError) {
    try translating { () throws(SQLiteFailure) in
      let statement = try hot(.setSums)
      statement.bind(1, sums.transactions)
      statement.bind(2, sums.undigested)
      statement.bind(3, sums.customers)
      statement.bind(4, sums.addedIDs)
      statement.bind(5, sums.accountTokens)
      statement.bind(6, sums.orders)
      statement.bind(7, sums.environments)
      statement.bind(8, sums.catalogVersions)
      statement.bind(9, sums.catalog ?? 0)
      try statement.run()
    }
  }
}
