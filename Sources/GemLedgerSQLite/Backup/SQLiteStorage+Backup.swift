internal import CSQLite
package import GemLedger

extension SQLiteStorage {
  private static let pagesPerStep: Int32 = 1024

  /// Copies the ledger's state at one instant into a file, while others may book.
  ///
  /// The copy has no log and a new generation, so a log that is next to it by accident is not taken for its log. The
  /// copy is durable when this returns.
  ///
  /// - Parameters:
  ///   - path: A file that does not exist, or is empty.
  ///   - generation: Distinguishes the copy's logs from all others.
  ///   - progress: Called with the number of pages copied and their total.
  /// - Throws: `LedgerError` with `input_output`, also for a full disk, or the errors of reading.
  package func backUp(
    to path: String, generation: UInt32 = .random(in: 1..<1 << 24), progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) {
    try read { (snapshot) throws(LedgerError) in
      guard let snapshot = snapshot as? SQLiteSnapshot else { throw .defect("A snapshot of another storage") }
      // A transaction's snapshot begins with its first read.
      _ = try snapshot.sequences()
      do throws(SQLiteFailure) {
        let copy = try SQLiteConnection(path: path, .create)
        try Self.copyPages(from: snapshot.tables.statements.connection, to: copy, progress)
        try copy.configure()
        var version = try copy.version()
        version.generation = generation
        try copy.execute("PRAGMA user_version = \(version.userVersion); PRAGMA wal_checkpoint(TRUNCATE)")
      } catch {
        throw error.ledgerError(path: path)
      }
    }
  }

  private static func copyPages(
    from source: SQLiteConnection, to copy: SQLiteConnection, _ progress: (Int64, Int64) -> Void
  ) throws(SQLiteFailure) {
    guard let backup = sqlite3_backup_init(copy.database, "main", source.database, "main") else {
      throw SQLiteConnection.failure(sqlite3_errcode(copy.database), copy.database)
    }
    var code = SQLITE_OK
    while code == SQLITE_OK {
      code = sqlite3_backup_step(backup, pagesPerStep)
      let count = Int64(sqlite3_backup_pagecount(backup))
      progress(count - Int64(sqlite3_backup_remaining(backup)), count)
    }
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw SQLiteConnection.failure(code == SQLITE_DONE ? end : code, copy.database)
    }
  }
}

/// The identity and extent of a ledger's file, for deciding whether another file may replace it.
package struct SQLiteLedgerState: Sendable {
  /// The identity of the project.
  package let salt: UInt64
  package let transactions: Int64
  /// The instant of the newest transaction; that of the ledger's creation if there is none.
  package let newest: Timestamp
}

extension SQLiteStorage {
  package func state() throws(LedgerError) -> SQLiteLedgerState {
    try read { (snapshot) throws(LedgerError) in
      let (project, last) = (try snapshot.project(), try snapshot.sequences())
      let count = try snapshot.journalCounts()?.transactions ?? last.transaction
      return SQLiteLedgerState(
        salt: project.salt, transactions: count, newest: max(project.createdAt, last.createdAt))
    }
  }
}
