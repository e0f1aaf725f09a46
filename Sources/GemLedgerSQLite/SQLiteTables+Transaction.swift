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
