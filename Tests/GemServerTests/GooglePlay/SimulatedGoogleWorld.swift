#if Server
import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import SystemHTTP
import XCTest

@testable import GemServer

/// A server with a simulated Google Play, and a seller's server that asks it, both on loopback ports.
final class SimulatedGoogleWorld: Sendable {
  let store: SimulatorWorld
  let seller: APIWorld
  let api: PlayDeveloperAPI
  let sender: HTTPSender
  private let storeServer: GemServer
  private let sellerServer: GemServer
  private let key: String

  var url: String { "http://127.0.0.1:\(storeServer.port)" }
  /// The seller's address for notifications.
  var pushURL: String { "http://127.0.0.1:\(sellerServer.port)/v1/incoming-webhooks/google/default" }

  /// - Parameter timeout: How long the seller waits for an answer of Google's.
  init(timeout: Duration) async throws {
    var catalog = try XCTUnwrap(JSONValue.parse(Fixture.bytes("gems.json")).object)
    let more = try JSONValue.parse(
      """
      [{"code":"monthly","store_ids":{"google":"monthly"},"type":"auto_renewable_subscription","active":true,
        "localizations":[{"locale":"en_US","title":"Club","description":"Gems each month"}],"prices":{"USA":"4.99"},
        "discount_prices":{},"item_grants":[],"entitlement":"club","period":"P1M",
        "grants":[{"currency":"GEM","amount":50,"bonus":0,"expires_at_cycle_end":false}]}]
      """)
    catalog["products"] = .array((catalog["products"]?.array ?? []) + (more.array ?? []))
    let bytes = Array(JSONValue.object(catalog).text().utf8)
    store = try SimulatorWorld(.google, catalog: .load(bytes), clock: VirtualClock(following: .system))
    key = try KeyRing(store.ledger).create(.secret(scopes: [])).text
    storeServer = try Self.serve(store.simulator.project, store.simulator)
    sender = HTTPSender(to: try OutgoingTarget(allowedHosts: ["127.0.0.1"]), threadCount: 4)
    let file = try await Self.get("\(Self.url(storeServer))/simulator/google/service-account.json", key, sender)
    let account = try GoogleServiceAccount(json: file.body)
    api = try PlayDeveloperAPI(account: account, sender: sender, baseURL: Self.url(storeServer), timeout: timeout)
    let verifier = StoreVerifiers(apple: nil, google: nil)
    seller = try APIWorld(
      ledger: .inMemory(clock: store.clock.ledgerClock, salt: 1), playNotices: PlayNotices(api: api),
      verifier: verifier)
    try seller.ledger.apply(Catalog.load(bytes))
    sellerServer = try Self.serve(seller.project, nil)
    _ = try await seller.backend.register(CustomerID("alice"))
  }

  func stop() async {
    await storeServer.stop()
    await sellerServer.stop()
  }

  private static func serve(_ project: ServerProject, _ simulator: Simulator?) throws -> GemServer {
    var settings = GemServer.Settings()
    settings.http.port = 0
    settings.maintenanceInterval = nil
    return try GemServer(
      settings, projects: [project], simulator: simulator, log: ServerLog(clock: .system) { _ in })
  }

  private static func url(_ server: GemServer) -> String { "http://127.0.0.1:\(server.port)" }

  // MARK: Requests

  static func get(_ url: String, _ key: String, _ sender: HTTPSender) async throws -> HTTPReply {
    let headers = [(name: "Authorization", value: "Bearer \(key)")]
    return try await sender.get(OutgoingURL(url), headers: headers).get()
  }

  /// Calls a control of the simulator.
  @discardableResult
  func control(_ path: String, _ body: JSONValue = [:]) async throws -> JSONValue {
    let headers = [(name: "Authorization", value: "Bearer \(key)"), (name: "Content-Type", value: "application/json")]
    let url = try OutgoingURL("\(url)/simulator\(path)")
    let reply = try await sender.post(url, headers: headers, body: Array(body.text().utf8)).get()
    let answer = try XCTUnwrap(reply.json)
    XCTAssertEqual(reply.status, 200, answer.text())
    return answer
  }

  /// Buys at the simulated store, and returns the purchase token.
  func buy(_ product: String = "gems_300", quantity: Int64 = 1) async throws -> String {
    let bought = try await control(
      "/purchases", ["product_id": .string(product), "app_user_id": "alice", "quantity": .integer(quantity)])
    XCTAssertEqual(bought["notice_error"], .null, bought.text())
    return try XCTUnwrap(bought["store_transaction_id"]?.text)
  }

  /// Posts a purchase token to the seller, as RevenueCat's SDK for Android does.
  func post(_ token: String, source: String = "purchase", products: [String] = []) async throws -> APIWorld.Answer {
    try await seller.send(
      "POST", "/v1/receipts",
      [
        "fetch_token": .string(token), "app_user_id": "alice", "initiation_source": .string(source),
        "product_ids": .array(products.map(JSONValue.string)),
      ], headers: [(name: "X-Platform", value: "android")])
  }

  /// Does the seller's repeated work.
  func maintain() async throws {
    let watch = ReceiptWatch(seller.project, ServerLog(clock: .system) { _ in })
    let notices = try XCTUnwrap(seller.project.playNotices)
    let jobs = [watch.job, notices.completions(of: seller.project), notices.voids(of: seller.project)]
    _ = try await MaintenanceRunner(backend: seller.backend, jobs: jobs).runOnce()
  }

  func gems() throws -> Int64 {
    try seller.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance
  }

  func purchase(_ token: String) throws -> PlayPurchase {
    try XCTUnwrap(store.simulator.shop.play?.purchase(token: StoreTransactionID(token)))
  }
}
#endif
