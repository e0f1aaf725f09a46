#if Server
import Foundation
import GemLedger
import GemTestSupport
import StoreBackend
import Synchronization
import SystemCrypto
import SystemHTTP
import XCTest

@testable import GemServer

/// Google's token endpoint and Developer API on a loopback port, for one service account.
final class FakeGoogle: FakeStore, Sendable {
  struct State {
    /// Answers of `purchases.productsv2`, by purchase token.
    var purchases: [String: JSONValue] = [:]
    /// Answers of `purchases.products`, by product and purchase token with a slash between.
    var singlePurchases: [String: JSONValue] = [:]
    /// Answers of `purchases.subscriptionsv2`, by purchase token.
    var subscriptions: [String: JSONValue] = [:]
    /// The list of voided purchases, page by page.
    var voids: [[JSONValue]] = [[]]
    /// Whether `purchases.productsv2` exists.
    var hasProductsV2 = true
    /// What look-ups and completions are refused with; nil for nothing.
    var refusal: (status: Int, reason: String)?
    /// The status of all look-ups; nil for the answers above.
    var lookUpStatus: Int?
    /// Called while the list of voided purchases is read.
    var whileListing: (@Sendable () -> Void)?
    /// What completions alone are refused with.
    var completionRefusal: (status: Int, reason: String)?
    var isDown = false
    /// The header field `Date` of its answers.
    var date: String?
    /// The access tokens that it takes: each exchange gives a further one, and the earlier ones hold too.
    var accessTokens: Set<String> = []
    /// The completions, such as `consume gems_300 t1`.
    var completed: [String] = []
    /// What a request for a refund is answered with.
    var refundStatus = 204
    /// Whether a request that is refused comes after one that was not.
    var refundsAllTheSame = false
    /// Whether a refunded purchase says so at once.
    var showsRefunds = true
    var assertions: [String] = []
  }

  static let key = Crypto.makeKey(.rsa)
  let state = Mutex(State())
  let web = FakeServer()

  init() throws { try web.begin { [weak self] request in self?.answer(request) } }

  /// How often an access token was asked for.
  var exchangeCount: Int { requests.count { $0.path == "/token" } }
  /// The requests for refunds.
  var refunds: [String] { requests.map(\.line).filter { $0.contains(":refund") } }
  /// The requests for the list of voided purchases.
  var voidLists: [String] { requests.map(\.path).filter { $0.contains("/voidedpurchases?") } }
  /// How often purchases were looked up.
  var lookUpCount: Int { requests.count { $0.path.contains("/productsv2/") } }

  /// The key file of the service account.
  func keyFile(key: Crypto.SigningKey = FakeGoogle.key) -> JSONObject {
    [
      "type": "service_account", "client_email": "play@example.iam.gserviceaccount.com", "private_key_id": "k1",
      "private_key": .string(Crypto.pem(of: key)), "token_uri": .string(url + "/token"),
    ]
  }

  /// Makes a purchase, or changes it.
  func set(
    _ token: String, product: String = "gems_300", state: String = "PURCHASED", quantity: Int64 = 1,
    refundable: Int64? = nil, buyer: String? = "alice", isTest: Bool = false, isAcknowledged: Bool = false,
    isConsumed: Bool = false, isDeclined: Bool = false, others: [(product: String, quantity: Int64)] = []
  ) throws {
    let others = others.map { Self.line($0.product, quantity: $0.quantity, left: $0.quantity, isConsumed: isConsumed) }
    var purchase: JSONObject = [
      "productLineItem": .array(
        [Self.line(product, quantity: quantity, left: refundable ?? quantity, isConsumed: isConsumed)] + others),
      "purchaseStateContext": ["purchaseState": .string(state)], "orderId": "GPA.1", "regionCode": "US",
      "acknowledgementState": isAcknowledged ? "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED" : "ACKNOWLEDGEMENT_STATE_PENDING",
    ]
    if state != "PENDING", !isDeclined { purchase["purchaseCompletionTime"] = "2025-12-31T23:00:00Z" }
    if let buyer {
      purchase["obfuscatedExternalAccountId"] = .string(AccountToken(of: try CustomerID(buyer)).description)
    }
    if isTest { purchase["testPurchaseContext"] = ["fopType": "TEST"] }
    self.state.withLock { $0.purchases[token] = .object(purchase) }
  }

  private static func line(_ product: String, quantity: Int64, left: Int64, isConsumed: Bool) -> JSONValue {
    let consumption = isConsumed ? "CONSUMPTION_STATE_CONSUMED" : "CONSUMPTION_STATE_YET_TO_BE_CONSUMED"
    return [
      "productId": .string(product),
      "productOfferDetails": [
        "quantity": .integer(quantity), "refundableQuantity": .integer(left), "consumptionState": .string(consumption),
      ],
    ]
  }

  /// Makes a subscription, or renews it.
  func set(
    subscription token: String, product: String = "monthly", plan: String? = nil, order: String = "GPA.5",
    state: String = "ACTIVE", buyer: String = "alice", isAcknowledged: Bool = false, isTest: Bool = false,
    others: [(product: String, order: String?)] = [], replaces: String? = nil
  ) throws {
    let lines = ([(product, order)] + others).map { (product, order) -> JSONValue in
      var line: JSONObject = ["productId": .string(product), "expiryTime": "2026-01-31T23:00:00Z"]
      if let order { line["latestSuccessfulOrderId"] = .string(order) }
      if let plan { line["offerDetails"] = ["basePlanId": .string(plan)] }
      return .object(line)
    }
    var purchase: JSONObject = [
      "startTime": "2025-12-31T23:00:00Z", "subscriptionState": .string("SUBSCRIPTION_STATE_\(state)"),
      "lineItems": .array(lines),
      "acknowledgementState": isAcknowledged ? "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED" : "ACKNOWLEDGEMENT_STATE_PENDING",
      "externalAccountIdentifiers": [
        "obfuscatedExternalAccountId": .string(AccountToken(of: try CustomerID(buyer)).description)
      ],
    ]
    if isTest { purchase["testPurchase"] = [:] }
    if let replaces { purchase["linkedPurchaseToken"] = .string(replaces) }
    self.state.withLock { $0.subscriptions[token] = .object(purchase) }
  }

  private func answer(_ request: LoopbackServer.Request) -> String {
    state.withLock { state in
      guard !state.isDown else { return LoopbackServer.answer(503, "{}") }
      if request.path == "/token" { return Self.exchange(request, &state) }
      guard let token = request.field("Authorization"), state.accessTokens.contains(token) else {
        return LoopbackServer.answer(401, "{}")
      }
      let app = "/androidpublisher/v3/applications/com.example.gems/purchases/"
      if request.path.hasPrefix(app) { return Self.purchase(String(request.path.dropFirst(app.count)), &state) }
      if request.line.hasPrefix("POST "), request.path.hasSuffix("/orders/GPA.1:refund?revoke=true") {
        if state.refundStatus == 204 && state.showsRefunds || state.refundsAllTheSame {
          state.purchases = state.purchases.mapValues(Self.canceled)
        }
        return LoopbackServer.answer(state.refundStatus)
      }
      return LoopbackServer.answer(400, "{}")
    }
  }

  /// Answers a request for the resource below `purchases`.
  private static func purchase(_ path: String, _ state: inout State) -> String {
    if let refusal = state.refusal { return Self.refusal(refusal.status, refusal.reason) }
    let parts = path.split(separator: "/").map(String.init)
    if path.hasPrefix("voidedpurchases?") {
      state.whileListing?()
      return voided(path, state)
    }
    if let status = state.lookUpStatus { return refusal(status, "backendError") }
    let found: JSONValue?
    switch (parts.first, parts.count) {
    case ("productsv2", 3):
      guard state.hasProductsV2 else { return LoopbackServer.answer(404, "<html></html>") }
      found = state.purchases[parts[2]]
    case ("subscriptionsv2", 3): found = state.subscriptions[parts[2]]
    case ("products", 4) where !parts[3].contains(":"): found = state.singlePurchases["\(parts[1])/\(parts[3])"]
    case ("products", 4), ("subscriptions", 4):
      if let refusal = state.completionRefusal { return Self.refusal(refusal.status, refusal.reason) }
      let (token, verb) = (parts[3].split(separator: ":")[0], parts[3].split(separator: ":")[1])
      state.completed.append("\(verb) \(parts[1]) \(token)")
      return LoopbackServer.answer(204)
    default: return LoopbackServer.answer(400, "{}")
    }
    let date = state.date.map { ["Date: \($0)"] } ?? []
    return found.map { LoopbackServer.answer(200, $0.text(), date) } ?? refusal(404, "purchaseTokenNotFound")
  }

  /// Answers a request for a page of the list, whose token is its number.
  private static func voided(_ path: String, _ state: State) -> String {
    let number = path.split(separator: "&").first { $0.hasPrefix("token=") }.flatMap { Int($0.dropFirst(6)) } ?? 0
    var answer: JSONObject = ["voidedPurchases": .array(state.voids[number])]
    if number + 1 < state.voids.count { answer["tokenPagination"] = ["nextPageToken": .string("\(number + 1)")] }
    return LoopbackServer.answer(200, JSONValue.object(answer).text())
  }

  private static func refusal(_ status: Int, _ reason: String) -> String {
    let error: JSONValue = ["error": ["code": .integer(Int64(status)), "errors": [["reason": .string(reason)]]]]
    return LoopbackServer.answer(status, error.text())
  }

  private static func canceled(_ purchase: JSONValue) -> JSONValue {
    var members = purchase.object ?? JSONObject()
    members["purchaseStateContext"] = ["purchaseState": "CANCELLED"]
    return .object(members)
  }

  private static func exchange(_ request: LoopbackServer.Request, _ state: inout State) -> String {
    let fields = String(decoding: request.body, as: UTF8.self).split(separator: "&")
    guard fields.first == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
      let assertion = fields.last?.dropFirst("assertion=".count).split(separator: "."), assertion.count == 3,
      // The signature of these bytes by this key is always the same.
      assertion[2]
        == Base64URL.text(Crypto.serviceSignature(of: Array(assertion[..<2].joined(separator: ".").utf8), by: key))
    else { return LoopbackServer.answer(400, "{\"error\":\"invalid_grant\"}") }
    state.assertions.append(assertion.joined(separator: "."))
    let token = "ya29.\(state.assertions.count)"
    state.accessTokens.insert("Bearer " + token)
    return LoopbackServer.answer(
      200, "{\"access_token\":\"\(token)\",\"expires_in\":3599,\"token_type\":\"Bearer\"}")
  }
}

/// A project whose server asks a ``FakeGoogle``.
struct PlayWorld {
  let google: FakeGoogle
  /// The time of day, by which tokens end.
  let time = ManualClock()
  let world: APIWorld
  let api: PlayDeveloperAPI
  let logged = LoggedLines()

  final class LoggedLines: Sendable {
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }
    func add(_ line: String) { kept.withLock { $0.append(line) } }
  }

  init(
    pushToken: String? = nil, policy: BackendPolicy = BackendPolicy(), key: Crypto.SigningKey = FakeGoogle.key,
    verifier: (any ReceiptVerifier)? = nil, wait: Duration = .seconds(30)
  ) throws {
    google = try FakeGoogle()
    let sender = HTTPSender(to: try OutgoingTarget(allowedHosts: ["127.0.0.1"]), threadCount: 4)
    let account = try GoogleServiceAccount(json: Array(JSONValue.object(google.keyFile(key: key)).text().utf8))
    api = try PlayDeveloperAPI(account: account, sender: sender, baseURL: google.url + "/", clock: time.clock)
    let notices = PlayNotices(api: api, pushToken: pushToken, wait: wait) { [logged] message, facts in
      logged.add(message + " " + facts.sorted { $0.key < $1.key }.map { "\($0)=\($1.text())" }.joined(separator: " "))
    }
    world = try APIWorld(policy: policy, playNotices: notices, verifier: verifier)
  }

  /// Plays with a world in which Alice is registered, and ends its server.
  static func play(_ body: (PlayWorld) async throws -> Void) async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    _ = try await play.world.backend.register(CustomerID("alice"))
    try await body(play)
  }

  private static let moreProducts = """
    [{"code":"monthly","store_ids":{"google":"monthly"},"type":"auto_renewable_subscription","active":true,
      "localizations":[],"prices":{},"discount_prices":{},"item_grants":[],"entitlement":"premium","period":"P1M",
      "grants":[{"currency":"GEM","amount":50,"bonus":0,"expires_at_cycle_end":false}]},
     {"code":"no_ads","store_ids":{"google":"no_ads"},"type":"non_consumable","active":true,"localizations":[],
      "prices":{},"discount_prices":{},"grants":[],"item_grants":[],"entitlement":"no_ads","period":null},
     {"code":"gems_500","store_ids":{"google":"gems_500"},"type":"consumable","active":true,"localizations":[],
      "prices":{},"discount_prices":{},"item_grants":[],"entitlement":null,"period":null,
      "grants":[{"currency":"GEM","amount":500,"bonus":0,"expires_at_cycle_end":false}]},
     {"code":"gold","store_ids":{"google":"gold"},"type":"auto_renewable_subscription","active":true,
      "localizations":[],"prices":{},"discount_prices":{},"item_grants":[],"entitlement":"gold","period":"P1M",
      "grants":[{"currency":"GEM","amount":80,"bonus":0,"expires_at_cycle_end":false}]},
     {"code":"season","store_ids":{"google":"season"},"type":"non_renewing_subscription","active":true,
      "localizations":[],"prices":{},"discount_prices":{},"item_grants":[],"entitlement":"season","period":"P1M",
      "grants":[{"currency":"GEM","amount":70,"bonus":0,"expires_at_cycle_end":false}]}]
    """

  /// Adds a subscription and a non-consumable to the catalog.
  ///
  /// - Parameters:
  ///   - gems500: Whether to add a pack of 500 gems too.
  ///   - all: Whether to add that pack, a second subscription and a season pass.
  func addProducts(gems500: Bool = false, all: Bool = false) throws {
    var catalog = try XCTUnwrap(JSONValue.parse(Fixture.bytes("gems.json")).object)
    let more = try XCTUnwrap(JSONValue.parse(Self.moreProducts).array)
    catalog["products"] = .array((catalog["products"]?.array ?? []) + more.prefix(all ? more.count : gems500 ? 3 : 2))
    try world.ledger.apply(Catalog.load(Array(JSONValue.object(catalog).text().utf8)))
  }

  static func push(_ notification: String, package: String = "com.example.gems") -> JSONValue {
    let data =
      "{\"version\":\"1.0\",\"packageName\":\"\(package)\",\"eventTimeMillis\":\"1767225600000\",\(notification)}"
    return [
      "message": [
        "data": .string(Data(data.utf8).base64EncodedString()), "messageId": "m-1", "message_id": "m-1",
        "publishTime": "2026-01-01T00:00:00Z", "attributes": [:],
      ],
      "subscription": "projects/p/subscriptions/s", "deliveryAttempt": 1,
    ]
  }

  static func purchased(_ token: String, product: String = "gems_300") -> String {
    "\"oneTimeProductNotification\":{\"version\":\"1.0\",\"notificationType\":1,\"purchaseToken\":\"\(token)\","
      + "\"sku\":\"\(product)\"}"
  }

  static func canceled(_ token: String) -> String {
    "\"oneTimeProductNotification\":{\"version\":\"1.0\",\"notificationType\":2,\"purchaseToken\":\"\(token)\","
      + "\"sku\":\"gems_300\"}"
  }

  static func voided(_ token: String) -> String {
    "\"voidedPurchaseNotification\":{\"purchaseToken\":\"\(token)\",\"orderId\":\"GPA.1\",\"productType\":2,"
      + "\"refundType\":1}"
  }

  /// Pushes a notification, and says its outcome, or the code of the refusal.
  func push(
    _ notification: String, package: String = "com.example.gems", query: String = ""
  ) async throws -> (status: Int, outcome: String?, code: String?) {
    let answer = try await world.send(
      "POST", "/v1/incoming-webhooks/google/default" + query, Self.push(notification, package: package))
    return (answer.status, answer.body["outcome"]?.text, answer.body["code"]?.text)
  }

  func balance() throws -> Int64 {
    try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance
  }

  /// Posts a purchase token, as RevenueCat's SDK for Android does.
  func post(
    _ token: String, as customer: String = "alice", products: [String] = [], source: String = "purchase"
  ) async throws -> APIWorld.Answer {
    let body: JSONObject = [
      "fetch_token": .string(token), "app_user_id": .string(customer), "initiation_source": .string(source),
      "product_ids": .array(products.map(JSONValue.string)),
    ]
    return try await world.send(
      "POST", "/v1/receipts", .object(body), headers: [(name: "X-Platform", value: "android")])
  }

  /// Does the work that a server repeats: the quarantine and the completions.
  @discardableResult
  func maintain() async throws -> MaintenanceReport {
    let watch = ReceiptWatch(world.project, ServerLog(clock: world.time.clock) { _ in })
    let completions = try XCTUnwrap(world.project.playNotices).completions(of: world.project)
    return try await MaintenanceRunner(backend: world.backend, jobs: [watch.job, completions]).runOnce()
  }

  /// The completions that Google was asked for.
  var completed: [String] { google.state.withLock { $0.completed } }
}
#endif
