#if PostgreSQL
internal import GemLedger

/// A failure of the server or of the connection.
package struct PostgresFailure: Error, Sendable {
  /// The SQLSTATE of five characters; empty if the connection itself failed.
  package let state: String
  package let message: String

  package init(state: String, message: String) {
    self.state = state
    self.message = message
  }

  /// Whether the connection is lost or about to be: the request may be repeated over another connection.
  ///
  /// State 40003 means that it is unknown whether the statement was completed.
  var isConnectionLost: Bool {
    state.isEmpty || state == Self.unknownCompletion
      || Self.classesOfLostConnections.contains { state.hasPrefix($0) }
  }

  static let unknownCompletion = "40003"

  /// Whether the server reported that it does not know the outcome.
  var isOfUnknownCompletion: Bool { state == Self.unknownCompletion }

  fileprivate static let classesOfLostConnections = ["08", "57P"]

  /// Whether the server aborted this transaction because of a conflict; a retry does not meet the same conflict.
  var isTransient: Bool {
    // 23505, and XX000 on a distributed engine, result from a concurrent claim by another transaction.
    (state.hasPrefix("40") && !isOfUnknownCompletion) || state == "55006" || state == "23505"
      || (state == "XX000" && message.contains("duplicate key"))
  }

  /// Whether the server refuses writes: it is a standby, or was made read-only before its replacement.
  var isOfReadOnlyServer: Bool { state == "25006" }

  /// Whether a lock was not available, at once or within the time limit.
  var isLockNotAvailable: Bool { state == "55P03" }

  /// Whether a time limit of the server was reached.
  var isTimeout: Bool { isLockNotAvailable || state == "57014" }

  /// Whether the role lacks a right.
  var isOfMissingRight: Bool { state == "42501" }

  /// Whether the function does not exist.
  var isMissingFunction: Bool { state == "42883" }

  /// Whether the table or schema does not exist.
  var isMissing: Bool { state == "42P01" || state == "3F000" }

  /// Returns the failure of a wait for the sync of rows that were read.
  static func unsynced(_ reason: String) -> Self { Self(state: stateOfUnsynced, message: reason) }
  private static let stateOfUnsynced = "GEM01"

  /// - Parameter server: The readable name of the database.
  func ledgerError(_ server: String) -> LedgerError {
    let details: [LedgerError.Detail] =
      [.init(name: "storage", value: .text(server))]
      + (state.isEmpty ? [] : [.init(name: "sqlstate", value: .text(state))])
    func error(_ code: LedgerError.Code, _ text: String) -> LedgerError {
      LedgerError(code, "\(server): \(text)", details: details)
    }
    if isOfSharedSession {
      return error(
        .storageUnavailable,
        "a pooler gives each transaction another session (\(message)). Set pool_mode=session for this database in "
          + "PgBouncer, or connect directly to the server.")
    }
    switch state {
    case "53100":
      return error(.inputOutput, "the server's disk is full; nothing was booked. Free space and try again.")
    case "58030": return error(.inputOutput, "the server cannot read or write its files: \(message)")
    case "25006":
      return error(
        .storageUnavailable,
        "the server is read-only, like a standby. Specify the primary in the URL (or all hosts, "
          + "with target_session_attrs=read-write).")
    case "28P01", "28000":
      if message.contains("no encryption") || message.contains("SSL off") {
        return error(.storageUnavailable, "the server requires TLS: \(message). Add sslmode=require to the URL.")
      }
      let hint =
        message.contains("SSL") || message.contains("certificate")
        ? "See sslmode and sslrootcert in libpq's manual." : "Check user, password and pg_hba.conf."
      return error(.storageUnavailable, "the server refused the login: \(message). \(hint)")
    case "3D000":
      return error(.storageUnavailable, "\(message). Create the database, or specify another one in the URL.")
    case "42501":
      return error(
        .storageUnavailable,
        "\(message). Creating a ledger needs the right to create a schema in the database; to grant the rights for "
          + "using one, run gemctl storage grant.")
    case "42704": return error(.invalidRequest, "\(message). Create it first, or specify another one.")
    case "53300": return error(.storageUnavailable, "\(message). Raise max_connections, or lower the ledger's lanes.")
    case "55P03", "57014": return error(.storageUnavailable, "the statement timed out: \(message)")
    case Self.stateOfUnsynced:
      return error(
        .storageUnavailable,
        "rows that another process committed are not on the server's disk yet, and a sync failed (\(message)). "
          + "Nothing new was booked. An earlier attempt may have been booked: try again with the same key.")
    case Self.damagedRow: return error(.storageDamaged, "\(message). Run verify, and restore a backup.")
    case "XX002": return error(.storageDamaged, "\(message). Restore the database from a backup.")
    case "42P01", "3F000", "42703":
      return error(.storageForeign, "there is no ledger of this version: \(message). Create one with gemctl init.")
    case Self.unknownCompletion:
      return error(.storageUnavailable, "the server does not know the outcome of a commit: \(message)")
    case _ where isConnectionLost: return error(.storageUnavailable, "the server cannot be reached: \(message)")
    default: return error(.unexpected, "the server returned \(state): \(message)")
    }
  }
}

extension LedgerError {
  /// Whether the server could not be reached, as opposed to a refusal by the server.
  var isOfLostConnection: Bool {
    guard code == .storageUnavailable, text("storage") != nil else { return false }
    guard let state = text("sqlstate") else { return true }
    return PostgresFailure.classesOfLostConnections.contains { state.hasPrefix($0) }
  }
}

extension LedgerError {
  /// Makes an error with the storage's name as its detail.
  init(_ code: Code, _ message: String, of storage: String) {
    self.init(code, message, details: [.init(name: "storage", value: .text(storage))])
  }
}
#endif
