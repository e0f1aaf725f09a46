#if PostgreSQL
  internal import CPostgreSQL
  package import GemLedger

  /// Which database and schema a ledger lies in.
  package struct PostgresTarget: Sendable {
    /// The URL for libpq, without what is ours.
    private let connectionURL: String
    /// The schema that holds the ledger.
    package let schema: String
    /// How many lanes a new ledger gets.
    package let lanes: Int?

    static let lanesByDefault = 8

    /// Reads `postgres://user@host:port/database?schema=NAME&lanes=N` with whatever else libpq knows.
    ///
    /// - Throws: ``LedgerError`` with `invalid_request`.
    package init(url: String) throws(LedgerError) {
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
          .invalidRequest, "schema=\(schema) in the storage's URL is no name: 1 to 63 of a-z, 0-9 and _, no digit first.")
      }
      connectionURL = String(parts[0]) + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
      self.schema = schema
      self.lanes = lanes
      let path = parts[0].split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3).first
      if path?.contains("@") == true {
        // libpq would take the start of the password for a port and quote it.
        throw .invalid("The password in the storage's URL has a / in it; write it as %2F.")
      }
      var error: UnsafeMutablePointer<CChar>?
      guard let parsed = PQconninfoParse(connectionURL, &error) else {
        let message = error.map { String(cString: $0) } ?? ""
        PQfreemem(error)
        if message.hasPrefix("invalid URI query parameter") {
          throw .invalid("The storage's URL is wrong: \(message.filter { !$0.isNewline })")
        }
        // What else libpq says would quote the URL, and with it the password.
        throw .invalid(
          "The storage's URL cannot be read. It is postgres://user:password@host:port/database?name=value, with each "
            + "%, :, /, ?, # and @ inside of a name or a password written as % and two digits.")
      }
      PQconninfoFree(parsed)
    }

    private static func isName(_ text: String) -> Bool {
      (1...63).contains(text.utf8.count) && !(text.first?.isNumber ?? true)
        && text.utf8.allSatisfy {
          (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
        }
    }

    /// The database for people, without its password.
    package var description: String {
      // What comes after the second slash; a URL without one names the default database.
      let parts = connectionURL.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
      let rest = parts.count > 2 ? parts[2] : ""
      let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
      let host = rest[..<end].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
      let path = rest[end...].split(separator: "?", omittingEmptySubsequences: false).first ?? ""
      return "postgres://\(host)\(path) (schema \(schema))"
    }

    /// A connection that is open or says why it is not.
    func connect() -> OpaquePointer? {
      // What the URL says comes last and wins.
      let settings: [(String, String)] = [
        ("fallback_application_name", "gemledger"), ("connect_timeout", "10"), ("tcp_user_timeout", "30000"),
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"), ("client_encoding", "UTF8"),
        ("dbname", connectionURL),
      ]
      return withCStrings(settings.map(\.0)) { names in
        withCStrings(settings.map(\.1)) { values in PQconnectdbParams(names, values, 1) }
      }
    }

    /// What each session begins with.
    ///
    /// Read committed with locks of rows, and every commit on disk. Who leaves a transaction lying, or whose machine is
    /// gone, loses it before others wait for long.
    var settings: [String] {
      [
        "SET search_path = \(schema)", "SET synchronous_commit = on",
        "SET default_transaction_isolation = 'read committed'", "SET lock_timeout = '15s'",
        "SET statement_timeout = '45s'", "SET idle_in_transaction_session_timeout = '20s'",
        "SET client_min_messages = warning", "SET jit = off", "SET plan_cache_mode = force_generic_plan",
      ]
    }

    /// libpq gives no code with a refused login, only the server's words.
    func state(ofRefusal message: String) -> String {
      let refusals = [
        "authentication failed", "no password supplied", "no pg_hba.conf entry", "FATAL:  role ",
        "is not permitted to log in",
      ]
      if refusals.contains(where: message.contains) { return "28P01" }
      if message.contains("database"), message.contains("does not exist") { return "3D000" }
      if message.contains("too many clients") || message.contains("remaining connection slots") { return "53300" }
      return ""
    }
  }

  /// The texts as a list of C strings that ends with null.
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
