#if PostgreSQL
internal import CDelayLoad
internal import CPostgreSQL
package import GemLedger

/// The database and schema of a ledger.
package struct PostgresTarget: Sendable {
  /// The URL for libpq, without the ledger's parameters.
  private var connectionURL: String
  /// The same without the addresses that would take precedence over the name of a node.
  private let nodeURL: String
  /// The schema of the ledger.
  package let schema: String
  /// The number of lanes of a new ledger.
  package let lanes: Int?
  /// Whether groups of one lane use the node of a distributed engine that holds the lane.
  let usesNodes: Bool
  /// The readable name of the database, without its password.
  package let description: String

  /// Shared by all connections to this target.
  private(set) var pooler = PoolerCheck()
  /// The node in place of the URL's host and port.
  private var node: NodeAddress?

  static let lanesByDefault = 2

  /// Reads `postgres://user@host:port/database?schema=NAME&lanes=N&nodes=direct` with any further parameters of libpq.
  ///
  /// - Throws: ``LedgerError`` with `input_output` if libpq cannot be loaded, and `invalid_request`.
  package init(url: String) throws(LedgerError) {
    if let problem = gem_load_library(GEM_LIBPQ) {
      throw LedgerError(.inputOutput, String(cString: problem))
    }
    let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var (schema, lanes, usesNodes) = ("gemledger", Int?.none, false)
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
      case "nodes":
        guard ["direct", "coordinator"].contains(value) else {
          throw LedgerError(
            .invalidRequest, "nodes=\(value) in the storage's URL is neither direct nor coordinator.")
        }
        usesNodes = value == "direct"
      default: others.append(item)
      }
    }
    guard Self.isName(schema) else {
      throw LedgerError(
        .invalidRequest,
        "schema=\(schema) in the storage's URL is not a name of 1 to 63 characters a-z, 0-9 and _, no digit first.")
    }
    connectionURL = Self.url(parts[0], others)
    // Neither the URL's numeric address nor that of the environment is a node's.
    nodeURL = Self.url(parts[0], others.filter { !$0.hasPrefix("hostaddr=") } + ["hostaddr="])
    self.schema = schema
    self.lanes = lanes
    self.usesNodes = usesNodes
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

  private static func url(_ start: Substring, _ parameters: [Substring]) -> String {
    String(start) + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
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

  /// Returns the same database and settings on a node of the cluster.
  func at(_ node: NodeAddress) -> Self {
    var target = self
    (target.connectionURL, target.node) = (nodeURL, node)
    // The node may be behind a pooler even if the coordinator is not.
    target.pooler = PoolerCheck()
    return target
  }

  /// Returns an open connection, or a connection that reports the reason for its failure.
  func connect() -> OpaquePointer? {
    // Later settings take precedence: first those of the URL, and then those of a node.
    var settings: [(String, String)] = [
      ("fallback_application_name", "gemledger"), ("connect_timeout", "10"), ("tcp_user_timeout", "30000"),
      ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"), ("client_encoding", "UTF8"),
      ("dbname", connectionURL),
    ]
    if let node { settings += [("host", node.host), ("port", "\(node.port)"), ("connect_timeout", "3")] }
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
