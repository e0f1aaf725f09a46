#if Server
internal import GemLedger
internal import GemServer

/// A page of the console, or a form that it takes.
struct ConsoleRoute: Sendable {
  enum Work: Sendable {
    /// Reads and bookings, on a thread that may wait.
    case blocking(@Sendable (Visit) throws(LedgerError) -> Reply)
    /// Work that suspends.
    case suspending(@Sendable (Visit) async throws(LedgerError) -> Reply)
  }

  let method: String
  /// The parts behind `/console`, with names in braces.
  let parts: [String]
  /// The permissions that the session's key needs; none for every secret key.
  let scopes: [Scope]
  let work: Work

  /// - Parameter path: Such as `customers/{customer}`.
  init(_ method: String, _ path: String, _ scopes: [Scope], _ work: Work) {
    self.method = method
    parts = path.split(separator: "/").map(String.init)
    self.scopes = scopes
    self.work = work
  }

  /// A page that is only read.
  static func get(
    _ path: String, _ scope: Scope?, _ work: @escaping @Sendable (Visit) throws(LedgerError) -> Reply
  ) -> Self { Self("GET", path, scope.map { [$0] } ?? [], .blocking(work)) }

  static func post(
    _ path: String, _ scope: Scope, _ work: @escaping @Sendable (Visit) throws(LedgerError) -> Reply
  ) -> Self { Self("POST", path, [scope], .blocking(work)) }

  /// Returns the values of the names in the path; nil for another path.
  func names(in path: [String]) -> [String: String]? {
    guard path.count == parts.count else { return nil }
    var names: [String: String] = [:]
    for (part, value) in zip(parts, path) {
      if part.hasPrefix("{") { names[String(part.dropFirst().dropLast())] = value } else if part != value { return nil }
    }
    return names
  }

  /// A fixed part is before a name.
  static func find(_ path: [String], in routes: [ConsoleRoute]) -> [(route: ConsoleRoute, names: [String: String])] {
    let found = routes.compactMap { route in route.names(in: path).map { (route: route, names: $0) } }
    let fewest = found.map(\.names.count).min() ?? 0
    return found.filter { $0.names.count == fewest }
  }
}
#endif
