#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import SystemCrypto
import SystemHTTP
import XCTest

@testable import GemServer

/// The App Store Server API on a loopback port: production under `/production`, the sandbox under `/sandbox`.
final class FakeAppStore: FakeStore, Sendable {
  enum Place: String, Sendable, CaseIterable {
    case production
    case sandbox
  }

  struct State {
    /// Signed transactions by id.
    var transactions: [Place: [String: String]] = [:]
    /// The pages of every history.
    var pages: [[String]] = []
    /// Whether a history has more without saying where.
    var namesNoPage = false
    /// What a place answers to everything; nil for what it knows.
    var failures: [Place: (status: Int, body: String)] = [:]
  }

  static let key = Crypto.makeKey(.p256)
  static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"
  let state = Mutex(State())
  let web = FakeServer()

  init() throws { try web.begin { [weak self] request in self?.answer(request) } }

  var lines: [String] { requests.map(\.line) }

  func api(clock: LedgerClock = .system) throws -> AppStoreServerAPI {
    AppStoreServerAPI(
      key: try AppStoreServerKey(
        pem: Array(Crypto.pem(of: Self.key).utf8), keyID: "2X9R4HXF34", issuerID: Self.issuerID),
      sender: HTTPSender(to: try OutgoingTarget(allowedHosts: ["127.0.0.1"]), threadCount: 4),
      addresses: try AppStoreServerAPI.Addresses(
        production: url + "/production", sandbox: url + "/sandbox/", testSessions: url + "/sandbox"), clock: clock)
  }

  func fail(_ place: Place, _ status: Int, code: Int64? = nil) {
    let body = code.map { "{\"errorCode\":\($0),\"errorMessage\":\"Text.\"}" } ?? ""
    state.withLock { $0.failures[place] = (status, body) }
  }

  func mend() { state.withLock { $0.failures = [:] } }

  private func answer(_ request: LoopbackServer.Request) -> String {
    state.withLock { state in
      let parts = request.path.split(separator: "?")[0].split(separator: "/").map(String.init)
      guard parts.count == 5, let place = Place(rawValue: parts[0]) else { return LoopbackServer.answer(400) }
      if let failure = state.failures[place] { return LoopbackServer.answer(failure.status, failure.body) }
      if parts[2] == "v1", parts[3] == "transactions" {
        guard let text = state.transactions[place]?[parts[4]] else {
          return LoopbackServer.answer(404, "{\"errorCode\":4040010,\"errorMessage\":\"Transaction id not found.\"}")
        }
        return LoopbackServer.answer(200, "{\"signedTransactionInfo\":\"\(text)\"}")
      }
      let revision = request.path.split(separator: "=").dropFirst().last.flatMap { Int($0) } ?? 0
      let page = state.pages.indices.contains(revision) ? state.pages[revision] : []
      let body: JSONValue = [
        "signedTransactions": .array(page.map(JSONValue.string)),
        "revision": state.namesNoPage ? .null : .string("\(revision + 1)"),
        "hasMore": .bool(revision + 1 < state.pages.count), "bundleId": "com.example.gems",
        "environment": "LocalTesting",
      ]
      return LoopbackServer.answer(200, body.text())
    }
  }
}

/// A project whose server asks a ``FakeAppStore``.
struct AppStoreWorld {
  let store: FakeAppStore
  let receipts: LocalReceipts
  let world: APIWorld
  let appStore: AppStoreReceipts
  let logged = PlayWorld.LoggedLines()

  /// - Parameters:
  ///   - hasKey: Whether the server has a key of the App Store.
  ///   - wait: How long answers wait for the App Store.
  init(
    hasKey: Bool = true, testSession: String? = nil, wait: Duration = .seconds(30), ledger: Ledger? = nil,
    receipts: LocalReceipts? = nil, store: FakeAppStore? = nil, policy: BackendPolicy = BackendPolicy()
  ) throws {
    let store = try store ?? FakeAppStore()
    self.store = store
    let receipts = try receipts ?? LocalReceipts(session: "s1")
    self.receipts = receipts
    appStore = AppStoreReceipts(
      api: hasKey ? try store.api() : nil, verifier: receipts, testSession: testSession, wait: wait
    ) { [logged] message, _ in logged.add(message) }
    world = try APIWorld(policy: policy, ledger: ledger, verifier: receipts, appStore: appStore)
  }

  func transaction(
    _ id: String, product: String = "gems_300", boughtAgo seconds: Int64 = 0, buyer: String? = nil,
    type: ProductType = .consumable, isRefunded: Bool = false
  ) throws -> StoreTransaction {
    let now = world.time.now
    return StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID(id),
      bundleID: "com.example.gems", storeProductID: product, productType: type,
      accountToken: try buyer.map { AccountToken(of: try CustomerID($0)) },
      purchasedAt: now.advanced(milliseconds: -seconds * 1000),
      revocation: isRefunded ? StoreTransaction.Revocation(revokedAt: now) : nil, signedAt: now)
  }

  /// A signed transaction.
  func signed(_ id: String, product: String = "gems_300", buyer: String? = nil) throws -> String {
    receipts.receipt(for: try transaction(id, product: product, buyer: buyer)).text
  }

  func post(
    _ token: String, as customer: String = "alice", key: String? = nil, with others: JSONObject = [:]
  ) async throws -> APIWorld.Answer {
    var body: JSONObject = ["fetch_token": .string(token), "app_user_id": .string(customer)]
    body.members += others.members
    return try await world.send("POST", "/v1/receipts", .object(body), key: key)
  }

  func gems(_ customer: String = "alice") throws -> Int64 {
    do throws(LedgerError) {
      return try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(customer)).balance
    } catch {
      guard error.code == .customerNotFound else { throw error }
      return 0
    }
  }

  @discardableResult
  func round() async throws -> MaintenanceReport {
    let watch = ReceiptWatch(world.project, ServerLog(clock: world.time.clock) { _ in })
    return try await MaintenanceRunner(backend: world.backend, jobs: [watch.job]).runOnce()
  }
}
#endif
