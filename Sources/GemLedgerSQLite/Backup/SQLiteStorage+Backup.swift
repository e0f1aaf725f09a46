internal import CSQLite
package import GemLedger

extension SQLiteStorage {
  private static let pagesPerStep: Int32 = 1024

  /// Copies the ledger as it is at one instant into a file, beside whoever books.
  ///
  /// The copy has no log, and a generation of its own: no log that lies beside it by accident passes for its own. It is
  /// durable when this returns.
  ///
  /// - Parameters:
  ///   - path: A file that does not exist, or is empty.
  ///   - generation: Tells the copy's logs from all others.
  ///   - progress: Called with the done and the whole number of pages.
  /// - Throws: `LedgerError` with `input_output`, also where the disk is full, or as reading does.
  package func backUp(
    to path: String, generation: UInt32 = .random(in: 1..<1 << 24), progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) {
    try read { (snapshot) throws(LedgerError) in
      guard let snapshot = snapshot as? SQLiteSnapshot else { throw .defect("A snapshot of another storage") }
      // A transaction has its snapshot from its first read on.
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

/// What a ledger's file is, for deciding whether another may take its place.
package struct SQLiteLedgerState: Sendable {
  /// Names the project.
  package let salt: UInt64
  package let transactions: Int64
  /// The instant of the newest transaction; that of the making where there is none.
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
