internal import CSQLite
internal import GemLedger

extension SQLiteTables {
  /// Takes the file's write lock, waiting for other processes.
  func begin() throws(LedgerError) {
    // Where groups follow each other, the look after the last commit was only just now.
    if let misplaced = connection.files?.lookNowAndThen(connection, every: Self.lookNanoseconds) {
      throw misplaced.unavailable(connection.path)
    }
    try translating { () throws(SQLiteFailure) in try hot(.begin).run() }
  }

  private static let lookNanoseconds: UInt64 = 1_000_000

  /// Makes what was written durable.
  ///
  /// - Throws: `outcome_unknown` where the file may or may not hold the commit: ask again with the same key.
  func commit() throws(LedgerError) {
    let path = connection.path
    do throws(SQLiteFailure) {
      try hot(.commit).run()
    } catch {
      guard error.code == SQLITE_IOERR else { throw error.ledgerError(path: path) }
      throw LedgerError(
        .outcomeUnknown,
        "Writing the commit to \(path) failed (\(error.message)); it may or may not be there. Ask again with the same "
          + "key.", details: [.text("file", path)])
    }
    if let misplaced = connection.misplaced() { throw misplaced.outcomeUnknown(path) }
  }

  /// Forgets what was written since ``begin()``; the first error matters, not one of this.
  func rollBack() {
    knownTerms = [:]
    newlyListed.count = nil
    guard connection.isInTransaction else { return }
    sqlite3_exec(connection.database, "ROLLBACK", nil, nil, nil)
  }
}

extension SQLiteConnection {
  /// Brings the schema up to date, each step in a transaction of its own.
  ///
  /// - Parameters:
  ///   - project: What a new ledger is; nil where the file holds one already.
  ///   - instant: When the steps are applied.
  /// - Returns: Whether this made the ledger, and not another process that was quicker.
  @discardableResult
  func migrate(project: ProjectRow?, at instant: Timestamp) throws(SQLiteFailure) -> Bool {
    var isMade = false
    for (index, migration) in Migration.all.enumerated() {
      try execute("BEGIN IMMEDIATE")
      // Another process may have been quicker.
      guard try integer("PRAGMA user_version") == index else {
        try execute("ROLLBACK")
        continue
      }
      try execute(migration.sql)
      try execute(
        "INSERT INTO migrations VALUES ('\(migration.name)', \(instant.milliseconds))")
      if index == 0, let project {
        try execute(
          "INSERT INTO project VALUES (1, \(Int64(bitPattern: project.salt)), \(project.createdAt.milliseconds))")
      }
      try execute("PRAGMA user_version = \(index + 1); COMMIT")
      if index == 0 { isMade = true }
    }
    return isMade
  }
}
