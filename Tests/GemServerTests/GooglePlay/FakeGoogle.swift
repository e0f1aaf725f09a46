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
final class FakeGoogle: Sendable {
  struct State {
    /// Answers of `purchases.productsv2`, by purchase token.
    var purchases: [String: JSONValue] = [:]
    var isDown = false
    /// The header field `Date` of its answers.
    var date: String?
    /// The access tokens that it takes: each exchange gives a further one, and the earlier ones hold too.
    var accessTokens: Set<String> = []
    var acknowledged: [String] = []
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
  private let server = Mutex<LoopbackServer?>(nil)

  init() throws {
    let server = try LoopbackServer { [weak self] request in self?.answer(request) }
    self.server.withLock { $0 = server }
  }

  func stop() { server.withLock { $0 }?.stop() }

  var url: String { "http://127.0.0.1:\(server.withLock { $0?.port ?? 0 })" }
  var requests: [LoopbackServer.Request] { server.withLock { $0?.requests ?? [] } }

  /// How often an access token was asked for.
  var exchangeCount: Int { requests.count { $0.path == "/token" } }
  /// The requests for refunds.
  var refunds: [String] { requests.map(\.line).filter { $0.contains(":refund") } }
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
    isDeclined: Bool = false
  ) throws {
    var purchase: JSONObject = [
      "productLineItem": [
        [
          "productId": .string(product),
          "productOfferDetails": [
            "quantity": .integer(quantity), "refundableQuantity": .integer(refundable ?? quantity),
            "consumptionState": "CONSUMPTION_STATE_YET_TO_BE_CONSUMED",
          ],
        ]
      ],
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

  private func answer(_ request: LoopbackServer.Request) -> String {
    state.withLock { state in
      guard !state.isDown else { return LoopbackServer.answer(503, "{}") }
      if request.path == "/token" { return Self.exchange(request, &state) }
      guard let token = request.field("Authorization"), state.accessTokens.contains(token) else {
        return LoopbackServer.answer(401, "{}")
      }
      let app = "/androidpublisher/v3/applications/com.example.gems/purchases"
      let (lookUp, acknowledging) = (app + "/productsv2/tokens/", app + "/products/gems_300/tokens/")
      if request.line.hasPrefix("GET "), request.path.hasPrefix(lookUp) {
        let purchase = state.purchases[String(request.path.dropFirst(lookUp.count))]
        let date = state.date.map { ["Date: \($0)"] } ?? []
        return purchase.map { LoopbackServer.answer(200, $0.text(), date) } ?? LoopbackServer.answer(404, "{}")
      }
      if request.line.hasPrefix("POST "), request.path.hasPrefix(acknowledging), request.path.hasSuffix(":acknowledge")
      {
        state.acknowledged.append(String(request.path.dropFirst(acknowledging.count).dropLast(12)))
        return LoopbackServer.answer(204)
      }
      if request.line.hasPrefix("POST "), request.path.hasSuffix("/orders/GPA.1:refund?revoke=true") {
        if state.refundStatus == 204 && state.showsRefunds || state.refundsAllTheSame {
          state.purchases = state.purchases.mapValues(Self.canceled)
        }
        return LoopbackServer.answer(state.refundStatus)
      }
      return LoopbackServer.answer(400, "{}")
    }
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
    pushToken: String? = nil, policy: BackendPolicy = BackendPolicy(), key: Crypto.SigningKey = FakeGoogle.key
  ) throws {
    google = try FakeGoogle()
    let sender = HTTPSender(to: try OutgoingTarget(allowedHosts: ["127.0.0.1"]), threadCount: 4)
    let account = try GoogleServiceAccount(json: Array(JSONValue.object(google.keyFile(key: key)).text().utf8))
    api = try PlayDeveloperAPI(account: account, sender: sender, baseURL: google.url + "/", clock: time.clock)
    let notices = PlayNotices(api: api, pushToken: pushToken) { [logged] message, facts in
      logged.add(message + " " + facts.sorted { $0.key < $1.key }.map { "\($0)=\($1.text())" }.joined(separator: " "))
    }
    world = try APIWorld(policy: policy, playNotices: notices)
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
}
#endif
