internal import CSQLite
internal import GemLedger

/// The failure that SQLite reported.
struct SQLiteFailure: Error {
  let extendedCode: Int32
  let message: String
  /// The schema that the file has by now, where a newer version of the program brought it up to date meanwhile.
  var newerSchema: Int32?
  /// The system's number for it, where the system refused; 0 where it is not known.
  var systemError: Int32 = 0

  /// Whether rows came in another order than that of their positions.
  var isOfOrder = false

  /// Pages lead to each other in another order than that of their rows.
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

  /// Takes the result code of a file method.
  init(fileCode: Int32) {
    self.init(extendedCode: fileCode, message: String(cString: sqlite3_errstr(fileCode)))
  }

  /// Whether the disk is full, which SQLite tells in several ways: by a code of its own where it writes a page, and as
  /// an error of the system where it makes the log or its index.
  private func isFullDisk(_ path: String) -> Bool {
    switch code {
    case SQLITE_FULL: true
    case SQLITE_IOERR: SystemFailure(systemError).isFullDisk
    case SQLITE_CANTOPEN: SystemFailure(systemError).isFullDisk || SystemFailure.isDiskFull(beside: path)
    default: false
    }
  }

  /// Whether the system does not let the file, or one beside it, be opened or written.
  var isOfRights: Bool { [SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH].contains(code) }

  /// Whether a row was refused, most often since another row has its key.
  static func isOfConstraint(_ error: LedgerError) -> Bool {
    error.integer("sqlite_code").map { $0 & 0xFF == Int64(SQLITE_CONSTRAINT) } ?? false
  }

  /// The ledger's error for it; this is the one place where SQLite's codes are translated.
  func ledgerError(path: String) -> LedgerError {
    if let newerSchema { return SQLiteFile(path: path).newer(newerSchema) }
    var details: [LedgerError.Detail] = [
      .text("file", path), .text("sqlite", message), .integer("sqlite_code", Int64(extendedCode)),
    ]
    if isOfOrder { details.append(.outOfOrder) }
    if isFullDisk(path) {
      return LedgerError(
        .inputOutput, "The disk that holds \(path) is full. Nothing was changed; make room and try again.",
        details: details)
    }
    switch code {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return LedgerError(
        .storageUnavailable,
        "\(path) stayed locked by another process for \(SQLiteConnection.lockTimeoutSeconds) seconds. Nothing was "
          + "changed; try again.", details: details)
    // A statement of ours that SQLite does not understand meets another schema than ours; a text or a row too big comes
    // of lengths that are not true; only a check that found damage interrupts.
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
        .storageDamaged, "\(path) holds rows that contradict each other: \(message). Run verify.", details: details)
    default:
      return LedgerError(.unexpected, "SQLite failed on \(path): \(message).", details: details)
    }
  }
}
