#if Server
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreReceipts
import SystemHTTP
import XCTest

@testable import GemServer

/// A server with a simulated store, without a network: its handler over routes of both.
final class SimulatorWorld: Sendable {
  let clock: VirtualClock
  let ledger: Ledger
  let simulator: Simulator
  let backend: LocalBackend
  let keys: KeysInMemory
  let handler: APIHandler
  let secretKey: String
  let appKey: String
  let sessions = SessionTokens(projectID: "default", secret: [UInt8](repeating: 7, count: 32))

  /// - Parameters:
  ///   - directory: Keeps the ledger, the store and its keys; nil for in memory.
  ///   - keepClock: As for a simulator.
  ///   - delivery: Its orders are refunded where it does not confirm them by the last try.
  init(
    _ store: Store = .apple, catalog: Catalog? = nil, in directory: TemporaryDirectory? = nil,
    clock: VirtualClock = VirtualClock(),
    keepClock: (@Sendable (Int64) throws(LedgerError) -> Void)? = { _ in },
    policy: BackendPolicy = BackendPolicy(sandboxReceipts: .anybody), delivery: (any DeliveryTarget)? = nil
  ) throws {
    self.clock = clock
    ledger = try Self.ledger(in: directory, clock)
    let catalog = try catalog ?? Catalog.load(Fixture.bytes("gems.json"))
    try ledger.apply(catalog)
    let setUp = ShopSetUp(store: store, session: "s1")
    let receipts = try Self.receipts(store, try setUp.environment, in: directory)
    let log = try directory.map { try FileEventLog(path: $0.path("store.log")) }
    let shop = try setUp.open(selling: catalog, clock: clock, signer: receipts, eventLog: log)
    backend = LocalBackend(
      ledger: ledger, verifier: receipts, policy: policy, delivery: delivery, refundIssuer: ShopRefunds(shop))
    let project = ServerProject(ledger: ledger, backend: backend, sessions: sessions)
    simulator = try Simulator(shop: shop, project: project, keepClock: keepClock)
    let secret = APIKey.make(.secret(scopes: []), at: clock.now)
    let app = APIKey.make(.app(.apple), at: clock.now)
    keys = KeysInMemory([secret.key, app.key])
    (secretKey, appKey) = (secret.text, app.text)
    let gate = Gatekeeper([GuardedProject(project, keys: keys)], clock: ledger.clock)
    handler = APIHandler(
      routes: Routes.all + SimulatorRoutes(simulator).all, gatekeeper: gate, limiter: RateLimiter(limits: [:]),
      clock: ledger.clock)
  }

  private static func ledger(in directory: TemporaryDirectory?, _ clock: VirtualClock) throws -> Ledger {
    guard let directory else { return .inMemory(clock: clock.ledgerClock, salt: 1) }
    let path = directory.path("ledger.sqlite")
    return FileManager.default.fileExists(atPath: path)
      ? try .openSQLite(at: path, clock: clock.ledgerClock) : try .createSQLite(at: path, clock: clock.ledgerClock)
  }

  private static func receipts(
    _ store: Store, _ environment: StoreEnvironment, in directory: TemporaryDirectory?
  ) throws -> any SimulatedReceipts {
    guard let directory else { return try SignedReceipts.withNewKeys(store, environment) }
    return try LocalReceipts(authority: LocalAuthority(file: directory.path("authority.pem")), environment: environment)
  }

  // MARK: Requests

  /// Sends a request with the app's key, unless another one is given, and waits for the answer.
  @discardableResult
  func send(
    _ method: String, _ target: String, _ body: JSONValue? = nil, key: String? = nil
  ) async throws -> APIWorld.Answer {
    let parts = target.split(separator: "?", maxSplits: 1)
    let query = parts.dropFirst().first?.split(separator: "&").map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (name: String(sides[0]), value: String(sides[1]))
    }
    var fields = HTTPHeaders([])
    fields.add("Authorization", "Bearer \(key ?? appKey)")
    if body != nil { fields.add("Content-Type", "application/json") }
    let request = HTTPRequest(
      method: method, path: parts[0].split(separator: "/").map(String.init), query: query ?? [], headers: fields,
      body: body.map { Array($0.text().utf8) } ?? [], id: "r1")
    switch handler.answer(request) {
    case .now(let response): return try APIWorld.Answer(response)
    case .later(let work): return try APIWorld.Answer(await work())
    }
  }

  /// Buys, and expects that to be answered.
  func buy(
    _ product: String = "gems_1200", _ customer: String = "alice", _ more: JSONObject = [:],
    file: StaticString = #filePath, line: UInt = #line
  ) async throws -> JSONValue {
    var body: JSONObject = ["product_id": .string(product), "app_user_id": .string(customer)]
    for member in more.members { body[member.name] = member.value }
    let answer = try await send("POST", "/simulator/purchases", .object(body))
    XCTAssertEqual(answer.status, 200, answer.body.text(), file: file, line: line)
    return answer.body
  }

  /// Does something to a purchase.
  @discardableResult
  func act(_ action: String, on id: String, _ body: JSONValue? = nil) async throws -> APIWorld.Answer {
    try await send("POST", "/simulator/purchases/\(id)/actions/\(action)", body)
  }

  /// Posts a receipt, as the client does that paid; returns the server's answer, which may be a refusal.
  func tryPosting(_ bought: JSONValue, as customer: String = "alice") async throws -> APIWorld.Answer {
    let token = try XCTUnwrap(bought["fetch_token"]?.text, bought.text())
    return try await send("POST", "/v1/receipts", ["fetch_token": .string(token), "app_user_id": .string(customer)])
  }

  /// Posts a receipt, and expects it to be taken; returns whether it was credited before.
  @discardableResult
  func post(
    _ bought: JSONValue, as customer: String = "alice", file: StaticString = #filePath, line: UInt = #line
  ) async throws -> Bool {
    let answer = try await tryPosting(bought, as: customer)
    XCTAssertEqual(answer.status, 200, answer.body.text(), file: file, line: line)
    return try XCTUnwrap(answer.body["receipt"]?["booking"]?["replayed"]?.bool, answer.body.text())
  }

  /// Buys, posts the receipt and finishes the purchase; returns its id.
  func buyAll(_ product: String = "gems_1200", _ customer: String = "alice", _ more: JSONObject = [:]) async throws
    -> String
  {
    let bought = try await buy(product, customer, more)
    try await post(bought, as: customer)
    let id = try XCTUnwrap(bought["store_transaction_id"]?.text)
    let finished = try await act("finish", on: id, [:])
    XCTAssertEqual(finished.status, 200, finished.body.text())
    return id
  }

  func balance(_ customer: String = "alice") throws -> Int64 {
    try ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(customer)).balance
  }
}
#endif
