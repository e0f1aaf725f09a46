#if PostgreSQL
internal import GemLedger

/// Why the server, or the way to it, failed.
package struct PostgresFailure: Error, Sendable {
  /// Five characters that name the kind of failure; empty where the connection itself failed.
  package let state: String
  package let message: String

  package init(state: String, message: String) {
    self.state = state
    self.message = message
  }

  /// Whether the connection is gone, or about to go: the request may be repeated on another one.
  ///
  /// 40003 states that it is unknown whether the statement was completed.
  var isConnectionLost: Bool {
    state.isEmpty || state == Self.unknownCompletion
      || Self.classesOfLostConnections.contains { state.hasPrefix($0) }
  }

  static let unknownCompletion = "40003"

  /// Whether the server answered that it does not know the outcome.
  var isOfUnknownCompletion: Bool { state == Self.unknownCompletion }

  fileprivate static let classesOfLostConnections = ["08", "57P"]

  /// Whether the server chose this transaction to give way; a second try meets no conflict.
  var isTransient: Bool {
    // 23505, and XX000 on a distributed engine, stand for a claim that another transaction made at the same instant.
    (state.hasPrefix("40") && !isOfUnknownCompletion) || state == "55006" || state == "23505"
      || (state == "XX000" && message.contains("duplicate key"))
  }

  /// Whether the server takes no writes: it is a standby, or was set to be read-only before it is replaced.
  var isOfReadOnlyServer: Bool { state == "25006" }

  /// The role may not do it.
  var isOfMissingRight: Bool { state == "42501" }

  /// There is no such function.
  var isMissingFunction: Bool { state == "42883" }

  /// There is no such table or schema.
  var isMissing: Bool { state == "42P01" || state == "3F000" }

  /// - Parameter server: Which database, for people.
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
          + "PgBouncer, or connect to the server itself.")
    }
    switch state {
    case "53100":
      return error(.inputOutput, "the server's disk is full; nothing was booked. Make room and ask again.")
    case "58030": return error(.inputOutput, "the server cannot read or write its files: \(message)")
    case "25006":
      return error(
        .storageUnavailable,
        "the server only reads, as a standby does. Name the primary in the URL (or all hosts, "
          + "with target_session_attrs=read-write).")
    case "28P01", "28000":
      if message.contains("no encryption") || message.contains("SSL off") {
        return error(.storageUnavailable, "the server wants TLS: \(message). Add sslmode=require to the URL.")
      }
      let hint =
        message.contains("SSL") || message.contains("certificate")
        ? "See sslmode and sslrootcert in libpq's manual." : "Check user, password and pg_hba.conf."
      return error(.storageUnavailable, "the server refuses the login: \(message). \(hint)")
    case "3D000":
      return error(.storageUnavailable, "\(message). Create the database, or name another one in the URL.")
    case "42501":
      return error(
        .storageUnavailable,
        "\(message). Who makes a ledger must be allowed to make a schema in the database; who uses one gets its "
          + "rights by gemctl storage grant.")
    case "42704": return error(.invalidRequest, "\(message). Create it first, or name another one.")
    case "53300": return error(.storageUnavailable, "\(message). Raise max_connections, or lower the ledger's lanes.")
    case "55P03", "57014": return error(.storageUnavailable, "the server did not get to it in time: \(message)")
    case Self.damagedRow: return error(.storageDamaged, "\(message). Run verify, and restore a backup.")
    case "XX002": return error(.storageDamaged, "\(message). Restore the database from a backup.")
    case "42P01", "3F000", "42703":
      return error(.storageForeign, "there is no ledger of this version: \(message). Make one with gemctl init.")
    case Self.unknownCompletion:
      return error(.storageUnavailable, "the server does not know whether it completed a commit: \(message)")
    case _ where isConnectionLost: return error(.storageUnavailable, "the server cannot be reached: \(message)")
    default: return error(.unexpected, "the server answers \(state): \(message)")
    }
  }
}

extension LedgerError {
  /// Whether the server could not be reached, as opposed to one that was and refused.
  var isOfLostConnection: Bool {
    guard code == .storageUnavailable, text("storage") != nil else { return false }
    guard let state = text("sqlstate") else { return true }
    return PostgresFailure.classesOfLostConnections.contains { state.hasPrefix($0) }
  }
}
#endif
