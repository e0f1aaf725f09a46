#if PostgreSQL
internal import CDelayLoad
internal import CPostgreSQL
package import GemLedger

/// The database and schema of a ledger.
package struct PostgresTarget: Sendable {
  /// The URL for libpq, without the ledger's parameters.
  private let connectionURL: String
  /// The schema of the ledger.
  package let schema: String
  /// The number of lanes of a new ledger.
  package let lanes: Int?
  /// The readable name of the database, without its password.
  package let description: String

  /// Shared by all connections to this target.
  let pooler = PoolerCheck()

  static let lanesByDefault = 2

  /// Reads `postgres://user@host:port/database?schema=NAME&lanes=N` with any further parameters of libpq.
  ///
  /// - Throws: ``LedgerError`` with `input_output` if libpq cannot be loaded, and `invalid_request`.
  package init(url: String) throws(LedgerError) {
    if let problem = gem_load_library(GEM_LIBPQ) {
      throw LedgerError(.inputOutput, String(cString: problem))
    }
    let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var (schema, lanes) = ("gemledger", Int?.none)
    var others: [Substring] = []
    for item in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = pair.count > 1 ? String(pair[1]) : ""
      switch pair[0] {
      case "schema": schema = value
      case "lanes":
        guard let count = Int(value), (1...Numbering.laneCountMax).contains(count) else {
          throw LedgerError(
            .invalidRequest, "lanes=\(value) in the storage's URL is out of range: 1 to \(Numbering.laneCountMax).")
        }
        lanes = count
      default: others.append(item)
      }
    }
    guard Self.isName(schema) else {
      throw LedgerError(
        .invalidRequest,
        "schema=\(schema) in the storage's URL is not a name of 1 to 63 characters a-z, 0-9 and _, no digit first.")
    }
    connectionURL = String(parts[0]) + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
    self.schema = schema
    self.lanes = lanes
    guard let server = Self.server(connectionURL) else {
      // The message omits the URL and libpq's text about it: both may contain a part of the password.
      throw LedgerError(
        .invalidRequest,
        "The storage's URL is not postgres://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE. Write @ : / ? # & and % "
          + "within a part as % and two hexadecimal digits. The password can also be set with PGPASSWORD or a "
          + "password file.")
    }
    description = "\(server) (schema \(schema))"
  }

  /// Returns host, port and database; nil if they could contain a part of the password.
  private static func server(_ url: String) -> String? {
    guard let first = PQconninfoParse(url, nil) else { return nil }
    defer { PQconninfoFree(first) }
    var values: [String: String] = [:]
    var option = first
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let database = values["dbname"] ?? ""
    // An "@" in a password that is not written as %40 would put parts of it into the host or the database.
    guard ports.allSatisfy({ $0.allSatisfy(\.isNumber) }), !database.contains("@"),
      values["host"]?.contains("@") != true
    else { return nil }
    let hosts = (values["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let positions = hosts.enumerated().map { index, host in
      let port = ports.count == hosts.count ? ports[index] : ports[0]
      return port.isEmpty ? String(host) : "\(host):\(port)"
    }
    return "postgres://\(positions.joined(separator: ","))\(database.isEmpty ? "" : "/\(database)")"
  }

  private static func isName(_ text: String) -> Bool {
    (1...63).contains(text.utf8.count) && !(text.first?.isNumber ?? true)
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
      }
  }

  /// Returns an open connection, or a connection that reports the reason for its failure.
  func connect() -> OpaquePointer? {
    // The URL's settings are last and take precedence.
    let settings: [(String, String)] = [
      ("fallback_application_name", "gemledger"), ("connect_timeout", "10"), ("tcp_user_timeout", "30000"),
      ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"), ("client_encoding", "UTF8"),
      ("dbname", connectionURL),
    ]
    return withCStrings(settings.map(\.0)) { names in
      withCStrings(settings.map(\.1)) { values in PQconnectdbParams(names, values, 1) }
    }
  }

  /// The settings of each session.
  ///
  /// Read committed with row locks, and every commit on disk. An abandoned transaction, also of a lost machine, is
  /// ended before other sessions wait for long.
  var settings: [String] {
    [
      "SET search_path = \(schema)", "SET synchronous_commit = on",
      "SET default_transaction_isolation = 'read committed'", "SET lock_timeout = '15s'",
      "SET statement_timeout = '45s'", "SET idle_in_transaction_session_timeout = '20s'",
      "SET client_min_messages = warning", "SET jit = off",
    ]
  }

  /// Returns the SQLSTATE of a refused login: libpq gives no code, only the server's message.
  func state(ofRefusal message: String) -> String {
    let refusals = [
      "authentication failed", "no password supplied", "no pg_hba.conf entry", "FATAL:  role ",
      "is not permitted to log in",
    ]
    if refusals.contains(where: message.contains) { return "28P01" }
    let refusalsOfTLS = ["SSL was required", "SSL required", "certificate verify failed"]
    if refusalsOfTLS.contains(where: message.contains) { return "28000" }
    if message.contains("database"), message.contains("does not exist") { return "3D000" }
    if message.contains("too many clients") || message.contains("remaining connection slots") { return "53300" }
    return ""
  }
}

/// Passes the texts as a null-terminated list of C strings.
private func withCStrings<Answer>(
  _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Answer
) -> Answer {
  let copies = texts.map { text -> UnsafeMutablePointer<CChar> in
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { (copy + index).initialize(to: byte) }
    return copy
  }
  defer { for copy in copies { copy.deallocate() } }
  return body(copies.map { UnsafePointer($0) } + [nil])
}
#endif
