internal import CSQLite
internal import GemLedger

/// What SQLite answered when it did not do what it was asked.
struct SQLiteFailure: Error {
  let extendedCode: Int32
  let message: String
  /// The schema that the file has by now, where a newer version of the program brought it up to date meanwhile.
  var newerSchema: Int32?

  /// Pages lead to each other in another order than that of their rows.
  static let notAscending = SQLiteFailure(extendedCode: SQLITE_CORRUPT, message: "rows are not in their order")

  var code: Int32 { extendedCode & 0xFF }

  /// The ledger's error for it; this is the one place where SQLite's codes are translated.
  func ledgerError(path: String) -> LedgerError {
    if let newerSchema { return SQLiteFile(path: path).newer(newerSchema) }
    let details: [LedgerError.Detail] = [
      .text("file", path), .text("sqlite", message), .integer("sqlite_code", Int64(extendedCode)),
    ]
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
    case SQLITE_FULL:
      return LedgerError(
        .inputOutput, "The disk that holds \(path) is full. Nothing was changed; make room and try again.",
        details: details)
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH:
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
