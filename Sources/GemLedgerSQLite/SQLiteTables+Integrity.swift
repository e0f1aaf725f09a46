internal import CSQLite
internal import GemLedger
internal import Synchronization

/// What SQLite itself finds wrong with the file.
extension SQLiteTables {
  /// A check takes as long as half a replay, so that it goes on beside that, over a connection of its own.
  ///
  /// Where it finds damaged pages, what this connection reads ends at once: statements over such pages may have no end.
  /// What is given back then throws `storage_damaged` with what was found.
  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String] {
    let path = connection.path
    let stop = StopSign()
    connection.obey(stop)
    let check = SideWork { () throws(LedgerError) in
      let findings = try Self.integrityFindings(path: path)
      if !findings.pages.isEmpty { stop.isUp.store(true, ordering: .relaxed) }
      return findings
    }
    return { () throws(LedgerError) in
      defer { self.connection.obey(nil) }
      let findings = try check.wait()
      guard findings.pages.isEmpty else { throw Self.damaged(path, findings.pages) }
      return try findings.rows + self.rowProblems()
    }
  }

  private struct IntegrityFindings: Sendable {
    /// What is wrong with pages: rows that are read over them mean nothing.
    var pages: [String] = []
    /// What is wrong with rows and indexes on sound pages.
    var rows: [String] = []
  }

  private static func integrityFindings(path: String) throws(LedgerError) -> IntegrityFindings {
    let failedBefore = SQLiteVFS.failedReadCount.load(ordering: .sequentiallyConsistent)
    do throws(SQLiteFailure) {
      let connection = try SQLiteConnection(path: path)
      try connection.execute(SQL.settings)
      let statement = try connection.prepare("PRAGMA integrity_check(20)")
      var findings = IntegrityFindings()
      while try statement.step() {
        let text = statement.text(0)
        if text == "ok" { continue }
        guard text.hasPrefix(pagesPrefix) else {
          findings.rows.append(text)
          continue
        }
        // All pages come before the first row, and rows on damaged pages may have no end.
        findings.pages = text.split(separator: "\n").dropFirst().map(String.init)
        if findings.pages.isEmpty { findings.pages = [text] }
        break
      }
      statement.reset()
      // A page that cannot be read is no damage, and SQLite's check tells both in the same words.
      guard SQLiteVFS.failedReadCount.load(ordering: .sequentiallyConsistent) == failedBefore else {
        throw SQLiteFailure(extendedCode: SQLITE_IOERR, message: findings.pages.first ?? "a page could not be read")
      }
      return findings
    } catch {
      throw error.ledgerError(path: path)
    }
  }

  /// How SQLite begins what it says of pages.
  private static let pagesPrefix = "*** in database"

  private static func damaged(_ path: String, _ findings: [String]) -> LedgerError {
    var details: [LedgerError.Detail] = [.text("file", path)]
    for (place, finding) in findings.prefix(20).enumerated() { details.append(.text("findings[\(place)]", finding)) }
    return LedgerError(
      .storageDamaged,
      "\(path) is damaged: SQLite's own check finds \(findings.prefix(3).joined(separator: "; ")). Its rows were not "
        + "believed. Restore it from a backup.", details: details)
  }
}

/// Tells a connection to stop reading.
final class StopSign: Sendable {
  let isUp = Atomic(false)
}

extension SQLiteConnection {
  /// Ends statements soon after the sign is up; nil for none.
  func obey(_ sign: StopSign?) {
    stopSign = sign
    guard let sign else {
      sqlite3_progress_handler(database, 0, nil, nil)
      return
    }
    // The connection keeps the sign as long as SQLite knows of it.
    sqlite3_progress_handler(
      database, Self.operationsBetweenLooks,
      { context in
        guard let context else { return 0 }
        return Unmanaged<StopSign>.fromOpaque(context).takeUnretainedValue().isUp.load(ordering: .relaxed) ? 1 : 0
      }, Unmanaged.passUnretained(sign).toOpaque())
  }

  /// A look at the sign every few hundred microseconds costs nothing that could be measured.
  private static let operationsBetweenLooks: Int32 = 20_000
}
