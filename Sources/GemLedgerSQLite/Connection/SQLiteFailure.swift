internal import CSQLite
internal import GemLedger

/// A failure reported by SQLite.
struct SQLiteFailure: Error {
  let extendedCode: Int32
  let message: String
  /// The file's schema, if a newer version of the program migrated it in the meantime.
  var newerSchema: Int32?
  /// The system's error number, if the system refused; 0 if unknown.
  var systemError: Int32 = 0

  /// Whether rows were not in the order of their positions.
  var isOfOrder = false

  /// The failure for pages that are not linked in the order of their rows.
  static let notAscending: Self = {
    var failure = SQLiteFailure(extendedCode: SQLITE_CORRUPT, message: "rows are not in their order")
    failure.isOfOrder = true
    return failure
  }()

  var code: Int32 { extendedCode & 0xFF }

  init(extendedCode: Int32, message: String) {
    self.extendedCode = extendedCode
    self.message = message
  }

  /// Makes a failure from the result code of a file method.
  init(fileCode: Int32) {
    self.init(extendedCode: fileCode, message: String(cString: sqlite3_errstr(fileCode)))
  }

  /// Whether the disk is full.
  ///
  /// SQLite reports it in two ways: with a separate code when it writes a page, and as a system error when it creates
  /// the log or its index.
  private func isFullDisk(_ path: String) -> Bool {
    switch code {
    case SQLITE_FULL: true
    case SQLITE_IOERR: SystemFailure(systemError).isFullDisk
    case SQLITE_CANTOPEN: SystemFailure(systemError).isFullDisk || SystemFailure.isDiskFull(beside: path)
    default: false
    }
  }

  /// Whether the system denies opening or writing the file or a file next to it.
  var isOfRights: Bool { [SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH].contains(code) }

  /// Whether a row was refused, usually because another row has its key.
  static func isOfConstraint(_ error: LedgerError) -> Bool {
    error.integer("sqlite_code").map { $0 & 0xFF == Int64(SQLITE_CONSTRAINT) } ?? false
  }

  /// Returns the ledger's error for it; all of SQLite's codes are translated here.
  func ledgerError(path: String) -> LedgerError {
    if let newerSchema { return SQLiteFile(path: path).newer(newerSchema) }
    var details: [LedgerError.Detail] = [
      .text("file", path), .text("sqlite", message), .integer("sqlite_code", Int64(extendedCode)),
    ]
    if isOfOrder { details.append(.outOfOrder) }
    if isFullDisk(path) {
      return LedgerError(
        .inputOutput, "The disk of \(path) is full. Nothing was changed; free space and try again.",
        details: details)
    }
    switch code {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return LedgerError(
        .storageUnavailable,
        "\(path) stayed locked by another process for \(SQLiteConnection.lockTimeoutSeconds) seconds. Nothing was "
          + "changed; try again.", details: details)
    // If SQLite does not understand one of our statements, the schema is not ours. An oversized text or row results
    // from wrong lengths. Only a check that found damage interrupts.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_FORMAT,
      SQLITE_INTERRUPT:
      return LedgerError(
        .storageDamaged, "\(path) is damaged: \(message). Restore it from a backup.", details: details)
    case _ where isOfRights:
      return LedgerError(
        .inputOutput, "\(path) cannot be opened for writing: \(message). Check the rights of the file and its folder.",
        details: details)
    case SQLITE_IOERR:
      return LedgerError(.inputOutput, "Reading or writing \(path) failed: \(message).", details: details)
    case SQLITE_CONSTRAINT:
      return LedgerError(
        .storageDamaged, "\(path) has contradictory rows: \(message). Run verify.", details: details)
    default:
      return LedgerError(.unexpected, "SQLite failed on \(path): \(message).", details: details)
    }
  }
}
