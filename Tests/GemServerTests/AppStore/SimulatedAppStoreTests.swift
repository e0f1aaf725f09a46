#if Server
import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreReceipts
import SystemHTTP
import XCTest

@testable import GemServer

/// The App Store Server API of the simulator: as any backend meets it, and our own look-ups over HTTP.
final class SimulatedAppStoreTests: XCTestCase {
  /// A simulator behind a port, and a project of another server that asks it.
  private final class Pair {
    let simulated: SimulatorWorld
    let server: GemServer
    let world: APIWorld
    let key: AppStoreServerKey

    init(wait: Duration = .seconds(30)) async throws {
      simulated = try SimulatorWorld()
      var settings = GemServer.Settings()
      settings.maintenanceInterval = nil
      server = try GemServer(
        settings, projects: [simulated.simulator.project], simulator: simulated.simulator,
        log: ServerLog(clock: simulated.ledger.clock) { _ in })
      key = try await Self.key(of: simulated)
      let api = AppStoreServerAPI(
        key: key, sender: HTTPSender(to: try OutgoingTarget(allowedHosts: ["127.0.0.1"]), threadCount: 4),
        addresses: try AppStoreServerAPI.Addresses(all: "http://127.0.0.1:\(server.port)"))
      let verifier = try XCTUnwrap(simulated.simulator.shop.apple?.signer as? LocalReceipts)
      let ledger = Ledger.inMemory(clock: simulated.clock.ledgerClock, salt: 2)
      world = try APIWorld(
        policy: BackendPolicy(sandboxReceipts: .anybody), ledger: ledger, verifier: verifier,
        appStore: AppStoreReceipts(api: api, verifier: verifier, wait: wait))
    }

    static func key(of world: SimulatorWorld) async throws -> AppStoreServerKey {
      let answer = try await world.send("GET", "/simulator/apple/in-app-purchase-key.json")
      XCTAssertEqual(answer.body["bundle_id"], "com.example.gems")
      return try AppStoreServerKey(
        pem: Array(XCTUnwrap(answer.body["private_key"]?.text).utf8), keyID: XCTUnwrap(answer.body["key_id"]?.text),
        issuerID: XCTUnwrap(answer.body["issuer_id"]?.text))
    }

    func buy(_ count: Int, _ product: String = "gems_300") async throws -> [(id: String, text: String)] {
      var bought: [(id: String, text: String)] = []
      for _ in 0..<count {
        let id = try await simulated.buyAll(product)
        let one = try await simulated.send("GET", "/simulator/purchases/\(id)")
        bought.append((id, try XCTUnwrap(one.body["fetch_token"]?.text)))
      }
      return bought
    }

    func fault(_ body: JSONObject) async throws {
      let answer = try await simulated.send("POST", "/simulator/api-faults", .object(body))
      XCTAssertEqual(answer.status, 200, answer.body.text())
    }

    func post(_ token: String, _ others: JSONObject) async throws -> Int {
      var body: JSONObject = ["fetch_token": .string(token), "app_user_id": "alice"]
      body.members += others.members
      return try await world.send("POST", "/v1/receipts", .object(body)).status
    }

    func gems() throws -> Int64 {
      try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance
    }

    func round(after seconds: Int64) async throws {
      simulated.clock.advance(by: .seconds(seconds))
      let watch = ReceiptWatch(world.project, ServerLog(clock: world.ledger.clock) { _ in })
      _ = try await MaintenanceRunner(backend: world.backend, jobs: [watch.job]).runOnce()
    }
  }

  // MARK: Our own look-ups

  func testARestoreReadsEveryPage() async throws {
    let pair = try await Pair()
    let bought = try await pair.buy(45)
    let status = try await pair.post(bought[44].text, ["initiation_source": "restore"])
    XCTAssertEqual(status, 200)
    XCTAssertEqual(try pair.gems(), 45 * 300)
    XCTAssertEqual(pair.world.project.quarantine.count, 0)
    await pair.server.stop()
  }

  func testEveryFaultHoldsAReceiptOfStoreKit1UntilItIsOver() async throws {
    let pair = try await Pair(wait: .milliseconds(100))
    let bought = try await pair.buy(5)
    let faults: [JSONObject] = [
      ["status": 404, "times": 2], ["status": 500, "times": 1], ["status": 401, "times": nil],
      ["status": 429, "times": nil], ["delay_milliseconds": 300, "times": 1],
    ]
    for (one, fault) in zip(bought, faults) {
      try await pair.fault(fault)
      let status = try await pair.post(StoreKit1Sample.text([]), ["transaction_id": .string(one.id)])
      XCTAssertEqual(status, 503, "\(fault)")
      _ = try await pair.simulated.send("DELETE", "/simulator/api-faults")
    }
    XCTAssertEqual(pair.world.project.quarantine.count, 5)
    try await pair.round(after: 61)
    XCTAssertEqual(try pair.gems(), 1500)
    XCTAssertEqual(pair.world.project.quarantine.count, 0)
    await pair.server.stop()
  }

  func testARestoreGoesOnBehindASlowStore() async throws {
    let pair = try await Pair(wait: .milliseconds(20))
    let bought = try await pair.buy(2)
    try await pair.fault(["delay_milliseconds": 300, "times": 1])
    try await pair.fault(["status": 500, "times": 1])
    let status = try await pair.post(bought[0].text, ["initiation_source": "restore"])
    XCTAssertEqual(status, 200)
    XCTAssertEqual(try pair.gems(), 300)
    _ = try await pair.simulated.send("DELETE", "/simulator/api-faults")
    try await pair.round(after: 61)
    XCTAssertEqual(try pair.gems(), 600)
    await pair.server.stop()
  }

  // MARK: As backends of any make meet it

  /// Sends a request with a good token, unless another one is given.
  private func ask(
    _ world: SimulatorWorld, _ method: String, _ path: String, _ body: JSONValue? = nil, token: String? = nil
  ) async throws -> APIWorld.Answer {
    let good = try await Pair.key(of: world).token(for: "com.example.gems", at: LedgerClock.system.now())
    return try await world.send(method, "/inApps\(path)", body, key: token ?? good)
  }

  /// The answer to a request with a token; a 401 is no JSON.
  private func look(_ world: SimulatorWorld, _ path: String, token: String) async throws -> HTTPResponse {
    let request = HTTPRequest(
      method: "GET", path: path.split(separator: "/").map(String.init), query: [],
      headers: HTTPHeaders([("Authorization", "Bearer \(token)")]), body: [], id: "r1")
    guard case .later(let work) = world.handler.answer(request) else { return HTTPResponse(status: 0) }
    return await work()
  }

  private func code(_ answer: APIWorld.Answer) -> Int64? { answer.body["errorCode"]?.integer }

  private func ids(_ answer: APIWorld.Answer, _ world: SimulatorWorld) throws -> [String] {
    let verifier = try XCTUnwrap(world.simulator.shop.apple?.signer as? LocalReceipts)
    return try (answer.body["signedTransactions"]?.array ?? []).map {
      try verifier.verify(StoreReceipt(XCTUnwrap($0.text))).id.text
    }
  }

  func testATokenIsCheckedAsAppleDoes() async throws {
    let world = try SimulatorWorld()
    let id = try await world.buyAll()
    let key = try await Pair.key(of: world)
    let now = LedgerClock.system.now()
    let other = try await Pair.key(of: SimulatorWorld())
    let good = key.token(for: "com.example.gems", at: now)
    let path = "/inApps/v1/transactions/\(id)"
    let answer = try await world.send("GET", path, key: good)
    XCTAssertEqual(answer.status, 200)
    let tokens = [
      key.token(for: "com.example.other", at: now),
      key.token(for: "com.example.gems", at: now.advanced(milliseconds: -301_000)),
      key.token(for: "com.example.gems", at: now.advanced(milliseconds: 120_000)), String(good.dropLast(4)),
      other.token(for: "com.example.gems", at: now), world.secretKey, "", "a.b.c",
    ]
    for token in tokens {
      let response = try await look(world, path, token: token)
      XCTAssertEqual(response.status, 401, token)
      XCTAssertFalse(response.headers.contains { $0.value.contains("json") })
    }
  }

  func testTransactionsAndErrorsHaveApplesForm() async throws {
    let world = try SimulatorWorld()
    let id = try await world.buyAll()
    let pending = try await world.buy("gems_300", "alice", ["ask_to_buy": true])
    let waiting = try XCTUnwrap(pending["store_transaction_id"]?.text)
    let found = try await ask(world, "GET", "/v1/transactions/\(id)")
    let verifier = try XCTUnwrap(world.simulator.shop.apple?.signer as? LocalReceipts)
    let text = try XCTUnwrap(found.body["signedTransactionInfo"]?.text)
    XCTAssertEqual(try verifier.verify(StoreReceipt(text)).id.text, id)
    for (path, status, number) in [
      ("/v1/transactions/1", 404, 4_040_010), ("/v1/transactions/\(waiting)", 404, 4_040_010),
      ("/v1/transactions/abc", 400, 4_000_006), ("/v2/history/1", 404, 4_040_010),
      ("/v2/refund/lookup/x", 400, 4_000_006), ("/v2/history/\(id)?revision=!", 400, 4_000_005),
      ("/v2/history/\(id)?sort=UP", 400, 4_000_021), ("/v2/history/\(id)?productType=GEMS", 400, 4_000_022),
      ("/v2/history/\(id)?revoked=1", 400, 4_000_030), ("/v2/history/\(id)?startDate=2&endDate=1", 400, 4_000_013),
      ("/v2/history/\(id)?inAppOwnershipType=MINE", 400, 4_000_026),
      ("/v1/notifications/test/x", 404, 4_040_008),
    ] as [(String, Int, Int64)] {
      let answer = try await ask(world, "GET", path)
      XCTAssertEqual(answer.status, status, path)
      XCTAssertEqual(code(answer), number, path)
      XCTAssertNotNil(answer.body["errorMessage"]?.text)
    }
  }

  func testAHistoryIsFilteredSortedAndPaged() async throws {
    let world = try SimulatorWorld()
    var bought: [String] = []
    for number in 0..<23 { bought.append(try await world.buyAll(number == 5 ? "gems_1200" : "gems_300")) }
    _ = try await world.buyAll("gems_300", "bob")
    let first = try await ask(world, "GET", "/v2/history/\(bought[3])")
    XCTAssertEqual(try ids(first, world), Array(bought[..<20]))
    XCTAssertEqual(first.body["hasMore"], true)
    XCTAssertEqual(first.body["bundleId"], "com.example.gems")
    XCTAssertEqual(first.body["environment"], "LocalTesting")
    let revision = try XCTUnwrap(first.body["revision"]?.text)
    let second = try await ask(world, "GET", "/v2/history/\(bought[3])?revision=\(revision)")
    XCTAssertEqual(try ids(second, world), Array(bought[20...]))
    XCTAssertEqual(second.body["hasMore"], false)
    // What is bought later is behind the last revision.
    let later = try await world.buyAll("gems_300")
    let last = try XCTUnwrap(second.body["revision"]?.text)
    let third = try await ask(world, "GET", "/v2/history/\(bought[3])?revision=\(last)")
    XCTAssertEqual(try ids(third, world), [later])
    let newest = try await ask(world, "GET", "/v2/history/\(bought[0])?sort=DESCENDING")
    XCTAssertEqual(try ids(newest, world).first, later)
    let big = try await ask(world, "GET", "/v2/history/\(bought[0])?productId=gems_1200&productId=none")
    XCTAssertEqual(try ids(big, world), [bought[5]])
    let other = try await ask(world, "GET", "/v2/history/\(bought[0])?productType=NON_CONSUMABLE")
    XCTAssertEqual(try ids(other, world), [])
    try await world.act("refund", on: bought[7], [:])
    let refunded = try await ask(world, "GET", "/v2/history/\(bought[0])?revoked=true")
    XCTAssertEqual(try ids(refunded, world), [bought[7]])
    let refunds = try await ask(world, "GET", "/v2/refund/lookup/\(bought[0])")
    XCTAssertEqual(try ids(refunds, world), [bought[7]])
    XCTAssertEqual(refunds.body["hasMore"], false)
  }

  func testConsumptionIsCheckedAndTaken() async throws {
    let world = try SimulatorWorld()
    let id = try await world.buyAll()
    let good: JSONObject = [
      "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
      "consumptionPercentage": 67_932, "refundPreference": "DECLINE",
    ]
    let taken = try await ask(world, "PUT", "/v2/transactions/consumption/\(id)", .object(good))
    XCTAssertEqual(taken.status, 202)
    XCTAssertEqual(taken.body, .null)
    for (name, value, number) in [
      ("customerConsented", false, 4_000_035), ("deliveryStatus", "LOST", 4_000_036),
      ("sampleContentProvided", nil, 4_000_041), ("refundPreference", "MAYBE", 4_000_044),
      ("consumptionPercentage", 100_001, 4_000_000), ("deliveryStatus", "UNDELIVERED_OTHER", 4_000_000),
    ] as [(String, JSONValue, Int64)] {
      var body = good
      body[name] = value
      let answer = try await ask(world, "PUT", "/v2/transactions/consumption/\(id)", .object(body))
      XCTAssertEqual(answer.status, 400, name)
      XCTAssertEqual(code(answer), number, name)
    }
    let unknown = try await ask(world, "PUT", "/v2/transactions/consumption/1", .object(good))
    XCTAssertEqual(code(unknown), 4_040_010)
    let old = try await ask(
      world, "PUT", "/v1/transactions/consumption/\(id)",
      ["customerConsented": true, "deliveryStatus": 0, "sampleContentProvided": true])
    XCTAssertEqual(old.status, 202)
  }

  func testATestNotificationIsSignedAndSent() async throws {
    let world = try SimulatorWorld()
    let made = try await ask(world, "POST", "/v1/notifications/test")
    let token = try XCTUnwrap(made.body["testNotificationToken"]?.text, made.body.text())
    let status = try await ask(world, "GET", "/v1/notifications/test/\(token)")
    XCTAssertEqual(status.body["sendAttempts"]?.array?.first?["sendAttemptResult"], "SUCCESS")
    let verifier = try XCTUnwrap(world.simulator.shop.apple?.signer as? LocalReceipts).verifier
    let notice = try verifier.notification(XCTUnwrap(status.body["signedPayload"]?.text))
    XCTAssertEqual(notice.type, "TEST")
    XCTAssertNil(notice.transaction)
  }

  func testFaultsStrikeInTheirOrderAndEnd() async throws {
    let world = try SimulatorWorld()
    let id = try await world.buyAll()
    let token = try await Pair.key(of: world).token(for: "com.example.gems", at: LedgerClock.system.now())
    let path = "/inApps/v1/transactions/\(id)"
    for body in [
      ["status": 404, "times": 2], ["status": 500, "times": 1],
      ["status": 401, "times": 1],
      ["delay_milliseconds": 1, "times": 1], ["status": 429, "times": nil],
    ] as [JSONValue] {
      let added = try await world.send("POST", "/simulator/api-faults", body)
      XCTAssertEqual(added.status, 200)
    }
    var found: [Int] = []
    for _ in 0..<7 { found.append(try await look(world, path, token: token).status) }
    XCTAssertEqual(found, [404, 404, 500, 401, 200, 429, 429])
    let left = try await world.send("GET", "/simulator/api-faults")
    XCTAssertEqual(left.body["items"]?.array?.count, 1)
    _ = try await world.send("DELETE", "/simulator/api-faults")
    let after = try await look(world, path, token: token)
    XCTAssertEqual(after.status, 200)
    for body in [[:], ["call": "x", "status": 404], ["status": 403], ["times": 2]] as [JSONValue] {
      let refused = try await world.send("POST", "/simulator/api-faults", body)
      XCTAssertEqual(refused.status, 400)
    }
  }

  /// A backend that has the key goes on after the simulator starts anew.
  func testTheKeyIsKeptWithTheLedger() async throws {
    let directory = try TemporaryDirectory()
    let first = try await SimulatorWorld(in: directory).send("GET", "/simulator/apple/in-app-purchase-key.json")
    let second = try await SimulatorWorld(in: directory).send("GET", "/simulator/apple/in-app-purchase-key.json")
    XCTAssertEqual(first.body, second.body)
    let play = try await SimulatorWorld(.google).send("GET", "/simulator/apple/in-app-purchase-key.json")
    XCTAssertEqual(play.status, 404)
  }
}
#endif
