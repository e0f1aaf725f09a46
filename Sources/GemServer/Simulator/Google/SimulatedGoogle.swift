#if Server
internal import GemLedger
internal import SimulatedStores
internal import Synchronization
internal import SystemHTTP

/// Google's servers as a seller's backend calls them, for the purchases of a simulated Google Play.
///
/// It serves the token endpoint and the Play Developer API with Google's paths, bodies and errors. Every purchase is a
/// test purchase, and the credentials are generated here, so none of it is valid in production.
final class SimulatedGoogle: Sendable {
  /// The calls for which faults can be set.
  enum Call: String, Sendable, CaseIterable {
    case token
    case product
    case subscription
    case acknowledge
    case consume
    case refund
    case voided
  }

  /// The HTTP statuses of its error responses.
  static let statuses: [Int64] = [400, 401, 403, 404, 409, 410, 429, 500, 503]

  /// An additional product of a purchase: the simulated store itself sells one product per purchase.
  struct Line: Hashable, Sendable {
    let productID: String
    let quantity: Int64
    var isConsumed = false
  }

  struct State {
    /// The additional products, by purchase token.
    var lines: [StoreTransactionID: [Line]] = [:]
    /// The access tokens and their expiry times in milliseconds since 1970.
    var accessTokens: [String: Int64] = [:]
    /// The address that notifications are pushed to.
    var pushURL: OutgoingURL?
  }

  let simulator: Simulator
  let play: SimulatedPlayStore
  /// The real time, which callers use for signatures; the store's clock can be moved.
  let clock: LedgerClock
  let sender: HTTPSender
  /// `http` or `https`, as callers reach the server.
  let scheme: String
  let state = Mutex(State())

  /// Returns nil if the simulated store is not Google Play.
  init?(_ simulator: Simulator, sender: HTTPSender, scheme: String = "http", clock: LedgerClock = .system) {
    guard let play = simulator.shop.play else { return nil }
    (self.simulator, self.play, self.sender, self.scheme, self.clock) = (simulator, play, sender, scheme, clock)
    simulator.forwardNotices { [weak self] notice throws(LedgerError) in try await self?.push(notice) }
  }

  // MARK: Requests

  /// Returns whether a path belongs to Google's servers.
  static func answers(_ path: [String]) -> Bool { path == ["token"] || path.first == "androidpublisher" }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    guard let operation = Operation(request) else {
      return SimulatedGoogleAnswer.refusal(404, "notFound", "There is no such method.")
    }
    return await simulator.apiFaults.answer(operation.call.rawValue) {
      SimulatedGoogleAnswer.refusal(Int($0))
    } work: {
      await work(operation, request)
    }
  }

  private func work(_ operation: Operation, _ request: HTTPRequest) async -> HTTPResponse {
    if case .token = operation { return exchange(request) }
    guard let given = request.headers["Authorization"], given.hasPrefix("Bearer "),
      isAccessToken(String(given.dropFirst("Bearer ".count)))
    else { return SimulatedGoogleAnswer.refusal(401) }
    do throws(LedgerError) { return try await work(operation) } catch {
      return SimulatedGoogleAnswer.refusal(error)
    }
  }

  /// A request that Google's servers support.
  enum Operation: Hashable, Sendable {
    case token
    case productV2(token: String)
    case product(token: String, product: String)
    case subscription(token: String)
    case acknowledge(token: String, product: String, isSubscription: Bool)
    case consume(token: String, product: String)
    case refund(order: String)
    case voided(VoidedQuery)

    var call: Call {
      switch self {
      case .token: .token
      case .productV2, .product: .product
      case .subscription: .subscription
      case .acknowledge: .acknowledge
      case .consume: .consume
      case .refund: .refund
      case .voided: .voided
      }
    }

    init?(_ request: HTTPRequest) {
      if request.method == "POST", request.path == ["token"] {
        self = .token
        return
      }
      guard request.path.starts(with: ["androidpublisher", "v3", "applications"]), request.path.count > 5 else {
        return nil
      }
      let rest = Array(request.path[4...])
      // Google appends the method to the last path segment, separated by a colon.
      let (name, verb) = Self.verb(of: rest[rest.count - 1])
      switch (request.method, rest.dropLast().map(\.self), verb) {
      case ("GET", ["purchases"], nil) where name == "voidedpurchases": self = .voided(VoidedQuery(request.query))
      case ("GET", ["purchases", "productsv2", "tokens"], nil): self = .productV2(token: name)
      case ("GET", ["purchases", "subscriptionsv2", "tokens"], nil): self = .subscription(token: name)
      case ("POST", ["orders"], "refund"?): self = .refund(order: name)
      case (let method, let parts, let verb) where parts.count == 4 && parts[0] == "purchases" && parts[3] == "tokens":
        switch (method, parts[1], verb) {
        case ("GET", "products", nil): self = .product(token: name, product: parts[2])
        case ("POST", "products", "acknowledge"?):
          self = .acknowledge(token: name, product: parts[2], isSubscription: false)
        case ("POST", "subscriptions", "acknowledge"?):
          self = .acknowledge(token: name, product: parts[2], isSubscription: true)
        case ("POST", "products", "consume"?): self = .consume(token: name, product: parts[2])
        default: return nil
        }
      default: return nil
      }
    }

    private static func verb(of part: String) -> (name: String, verb: String?) {
      guard let colon = part.lastIndex(of: ":") else { return (part, nil) }
      return (String(part[..<colon]), String(part[part.index(after: colon)...]))
    }
  }

  /// The parameters of `purchases.voidedpurchases.list`.
  struct VoidedQuery: Hashable, Sendable {
    var from: Timestamp?
    var until: Timestamp?
    var limit = 1000
    var page: String?
    var listsSubscriptions = false
    var listsPartial = false

    init(_ query: [(name: String, value: String)]) {
      for (name, value) in query {
        switch name {
        case "startTime": from = Int64(value).map(Timestamp.init(milliseconds:))
        case "endTime": until = Int64(value).map(Timestamp.init(milliseconds:))
        case "maxResults": limit = min(max(Int(value) ?? 1000, 1), 1000)
        case "token": page = value
        case "type": listsSubscriptions = value == "1"
        case "includeQuantityBasedPartialRefund": listsPartial = value == "true"
        default: break
        }
      }
    }
  }
}

extension SimulatedGoogle {
  /// The paths of Google's servers.
  var area: HTTPArea {
    HTTPArea(contains: Self.answers) { [self] _ in
      .accepted(from: .unknown) { [self] request in
        .later { [self] in
          var response = await answer(request)
          response.label = "simulated_google"
          response.headers.append(("X-Request-Id", request.id))
          return response
        }
      }
    }
  }
}
#endif
