#if Server
import Foundation
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import XCTest

@testable import GemServer

/// Evidence that is no signed transaction: receipts of StoreKit 1, of tests in Xcode, and of the test store.
final class AppStoreEvidenceTests: XCTestCase {
  private let token = "test_1767225600000_9F1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9"

  // MARK: StoreKit 1

  func testAReceiptOfStoreKit1IsLookedUpByTheTransactionOfThePost() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    let text = try world.signed("20001")
    world.store.state.withLock { $0.transactions[.sandbox] = ["20001": text] }
    let receipt = StoreKit1Sample.text([("10001", "2025-01-01T00:00:00Z")])
    let answer = try await world.post(
      receipt, with: ["transaction_id": "20001", "initiation_source": "purchase", "is_restore": false])
    XCTAssertEqual(answer.status, 200, answer.body.text())
    XCTAssertEqual(
      answer.body["subscriber"]?["non_subscriptions"]?["gems_300"]?.array?.first?["store_transaction_id"], "20001")
    XCTAssertEqual(try world.gems(), 300)
    XCTAssertEqual(
      world.store.lines.map { $0.split(separator: "/")[0...1].joined() }, ["GET production", "GET sandbox"])
  }

  /// A project of several apps asks as the one that posts.
  func testAReceiptOfStoreKit1IsLookedUpAsItsApp() async throws {
    let apps: Set = ["com.example.gems", "com.example.gems.lite"]
    let world = try AppStoreWorld(policy: BackendPolicy(bundleIDs: apps))
    defer { world.store.stop() }
    for (app, asked) in [("com.example.gems.lite", "com.example.gems.lite"), ("com.example.x", "com.example.gems")] {
      _ = try await world.world.send(
        "POST", "/v1/receipts",
        ["fetch_token": .string(StoreKit1Sample.text([("1", "2026-01-01T00:00:00Z")])), "app_user_id": "alice"],
        headers: [("X-Client-Bundle-ID", app)])
      let token = try XCTUnwrap(world.store.requests.last?.field("Authorization")).split(separator: ".")
      let claims = try JSONValue.parse(XCTUnwrap(Base64URL.decode(Array(token[1].utf8))))
      XCTAssertEqual(claims["bid"]?.text, asked)
    }
  }

  /// Without an id nobody knows which purchase a receipt is about, so all are credited.
  func testAReceiptOfStoreKit1NamesTransactionsByItself() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    let texts = try ["20001", "20002"].map { try world.signed($0) }
    world.store.state.withLock {
      $0.transactions[.production] = ["20002": texts[1]]
      $0.pages = [texts]
    }
    let answer = try await world.post(
      StoreKit1Sample.text([("20002", "2026-01-02T00:00:00Z"), ("20001", "2026-01-01T00:00:00Z")]))
    XCTAssertEqual(answer.status, 200, answer.body.text())
    XCTAssertEqual(try world.gems(), 600)
  }

  func testAReceiptOfStoreKit1IsHeldWhateverFails() async throws {
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    let store = try FakeAppStore()
    defer { store.stop() }
    let receipts = try LocalReceipts(session: "s1")
    let without = try AppStoreWorld(hasKey: false, ledger: ledger, receipts: receipts, store: store)
    let receipt = StoreKit1Sample.text([])
    func post(_ world: AppStoreWorld, _ id: String, _ text: String? = nil) async throws {
      let answer = try await world.post(text ?? receipt, with: ["transaction_id": .string(id)])
      XCTAssertEqual(answer.status, 503, id)
      XCTAssertNotNil(answer.header("Retry-After"))
    }
    try await post(without, "1")
    let world = try AppStoreWorld(ledger: ledger, receipts: receipts, store: store)
    let forged = try LocalReceipts(session: "s1").receipt(for: world.transaction("4")).text
    let (other, long) = (try world.signed("9"), "MII" + String(repeating: "A", count: Quarantine.bodyBytesMax))
    store.state.withLock { $0.transactions[.production] = ["4": forged, "5": other] }
    // Unknown, forged by the way, about something else, too long to be kept whole.
    for id in ["2", "4", "5"] { try await post(world, id) }
    try await post(world, "6", long)
    for (status, code) in [(500, nil), (400, 4_000_006), (401, nil)] as [(Int, Int64?)] {
      for place in FakeAppStore.Place.allCases { store.fail(place, status, code: code) }
      try await post(world, "3")
    }
    // Neither the post nor the receipt names a transaction.
    let nameless = try await world.post(receipt)
    XCTAssertEqual(nameless.status, 503)
    XCTAssertEqual(world.world.project.quarantine.count, 7)
    // One receipt, and a purchase for each of its posts.
    store.mend()
    let texts = try ["1", "2", "3", "4", "5", "6"].map { ($0, try world.signed($0)) }
    store.state.withLock { $0.transactions[.production] = Dictionary(uniqueKeysWithValues: texts) }
    world.world.time.advance(seconds: 3600)
    try await world.round()
    XCTAssertEqual(try world.gems(), 1800)
    XCTAssertEqual(world.world.project.quarantine.count, 1)
  }

  /// More posts than requests can be under way: none waits for another one's.
  func testPostsDoNotQueueUpBehindAStoreThatDoesNotAnswer() async throws {
    let world = try AppStoreWorld(wait: .milliseconds(20))
    defer { world.store.stop() }
    world.store.web.holdBack()
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for id in 1...12 {
        group.addTask {
          try await world.post(StoreKit1Sample.text([]), with: ["transaction_id": .string("\(id)")]).status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(statuses, Array(repeating: 503, count: 12))
    XCTAssertEqual(world.world.project.quarantine.count, 12)
  }

  /// A text from outside is no part of a path.
  func testTransactionIDsOfAnotherFormAreNotAskedFor() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    let long = String(repeating: "1", count: 65)
    for id in ["..", "1/2", "1?x=1", "", .string(long), 1, nil, ["1"]] as [JSONValue] {
      let answer = try await world.post(StoreKit1Sample.text([]), with: ["transaction_id": id])
      XCTAssertEqual(answer.status, 503, id.text())
    }
    XCTAssertEqual(world.store.lines, [])
  }

  // MARK: The app transaction

  func testAnAppTransactionChangesNothing() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    for (id, member) in [("1", nil), ("2", "eyJ.eyJ.x"), ("3", ["any": 1])] as [(String, JSONValue)] {
      let answer = try await world.post(world.signed(id), with: ["app_transaction": member])
      XCTAssertEqual(answer.status, 200)
    }
    XCTAssertEqual(try world.gems(), 900)
  }

  // MARK: Tests in Xcode

  private func xcodeReceipt(_ transactions: [String]) -> String {
    let value: JSONValue = [
      "environment": "xcode", "bundle_id": "com.example.gems", "subscription_status": [:],
      "transactions": .array(transactions.map(JSONValue.string)),
    ]
    return Data(value.text().utf8).base64EncodedString()
  }

  private func xcodeTransaction(
    _ world: AppStoreWorld, _ id: String, quantity: Int64 = 1, boughtAgo: Int64 = 0
  ) throws -> String {
    var transaction = try world.transaction(id, boughtAgo: boughtAgo)
    transaction.environment = try .xcode(session: "tests")
    transaction.quantity = quantity
    // Xcode's own certificate is like that of any other authority.
    return try LocalReceipts(authority: LocalAuthority(), environment: transaction.environment)
      .receipt(for: transaction).text
  }

  private func worldOfTests(_ ledger: Ledger? = nil) throws -> (AppStoreReceipts, APIWorld) {
    let verifier = try AppleVerifier(
      app: AppleApp(
        environments: [.localTesting(session: "tests")], unverifiedEnvironments: [.xcode(session: "tests")]),
      roots: [])
    let appStore = AppStoreReceipts(api: nil, verifier: verifier, testSession: "tests")
    return (appStore, try APIWorld(ledger: ledger, verifier: verifier, appStore: appStore))
  }

  func testReceiptsOfTestsAreHeldUnlessTheServerTakesThem() async throws {
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    let world = try AppStoreWorld(ledger: ledger)
    defer { world.store.stop() }
    let texts = try (1...3).map { try xcodeTransaction(world, "\($0)", quantity: Int64($0)) }
    let bodies: [(String, String?, JSONObject)] = [
      (xcodeReceipt(Array(texts[1...])), nil, [:]), (texts[0], nil, [:]),
      (token, world.world.testKey, ["product_id": "gems_300"]), (token, world.world.appKey, ["product_id": "gems_300"]),
    ]
    for (text, key, others) in bodies {
      let answer = try await world.post(text, key: key, with: others)
      XCTAssertEqual(answer.status, 503, text)
      XCTAssertEqual(answer.body["error"]?["code"]?.text, "receipt_unverified")
      XCTAssertTrue(answer.body["message"]?.text?.contains("--test-receipts") ?? false)
    }
    XCTAssertEqual(world.logged.lines.count, 1)
    XCTAssertTrue(world.logged.lines.first?.contains("--test-receipts SESSION") ?? false)
    XCTAssertEqual(try world.gems(), 0)
    let (_, after) = try worldOfTests(ledger)
    let watch = ReceiptWatch(after.project, ServerLog(clock: after.time.clock) { _ in })
    _ = try await MaintenanceRunner(backend: after.backend, jobs: [watch.job]).runOnce()
    // Six units of the receipts, and one purchase at the test store: the post under another key still waits.
    XCTAssertEqual(try after.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, 2100)
  }

  func testEveryTransactionOfATestReceiptIsCredited() async throws {
    let (_, world) = try worldOfTests()
    let samples = try AppStoreWorld()
    defer { samples.store.stop() }
    let texts = try [(1, 60), (2, 0), (3, 120)].map {
      try xcodeTransaction(samples, "\($0.0)", quantity: Int64($0.0), boughtAgo: $0.1)
    }
    for (hint, found) in [(nil, "2"), ("3", "3")] as [(String?, String)] {
      var body: JSONObject = ["fetch_token": .string(xcodeReceipt(texts)), "app_user_id": "alice"]
      if let hint { body["transaction_id"] = .string(hint) }
      let answer = try await world.send("POST", "/v1/receipts", .object(body), key: world.appKey)
      XCTAssertEqual(answer.status, 200, answer.body.text())
      XCTAssertEqual(answer.body["receipt"]?["purchase"]?["store_transaction_id"]?.text, found)
    }
    XCTAssertEqual(try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, 1800)
    let purchase = try world.ledger.purchase(
      store: .apple, environment: .xcode(session: "tests"), transactionID: StoreTransactionID("1"))
    XCTAssertNotNil(purchase)
  }

  func testATestReceiptPaysForAnOrder() async throws {
    let (_, world) = try worldOfTests()
    let samples = try AppStoreWorld()
    defer { samples.store.stop() }
    let code = try await world.backend.initPayment(
      OrderRequest(
        customer: CustomerID("alice"), product: ProductCode("gems_300"), store: .apple, bundleID: "com.example.gems",
        key: IdempotencyKey("k"))
    ).code
    let receipt = xcodeReceipt(try [("1", 60), ("2", 0)].map { try xcodeTransaction(samples, $0.0, boughtAgo: $0.1) })
    let answer = try await world.send(
      "POST", "/v1/orders/\(code)/complete", ["fetch_token": .string(receipt), "app_user_id": "alice"])
    XCTAssertEqual(answer.status, 200, answer.body.text())
    XCTAssertEqual(try world.backend.order(code).status, .success)
    XCTAssertEqual(try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, 600)
  }

  // MARK: The test store

  func testATokenOfTheTestStoreNeedsItsKey() async throws {
    let (_, world) = try worldOfTests()
    func post(_ key: String, _ product: JSONObject) async throws -> APIWorld.Answer {
      var body: JSONObject = ["fetch_token": .string(token), "app_user_id": "alice", "transaction_id": .string(token)]
      body.members += product.members
      return try await world.send("POST", "/v1/receipts", .object(body), key: key)
    }
    let other = try await post(world.appKey, ["product_id": "gems_300"])
    XCTAssertEqual(other.status, 503)
    for product in [["product_id": "gems_300"], ["product_ids": ["gems_300"]]] as [JSONObject] {
      let answer = try await post(world.testKey, product)
      XCTAssertEqual(answer.status, 200, answer.body.text())
      XCTAssertEqual(answer.body["purchased_products"]?["gems_300"]?["should_consume"], true)
    }
    XCTAssertEqual(try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, 300)
    XCTAssertNotNil(
      try world.ledger.purchase(
        store: .test, environment: .localTesting(session: "tests"), transactionID: StoreTransactionID(token)))
  }
}
#endif
