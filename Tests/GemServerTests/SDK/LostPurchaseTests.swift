#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import XCTest

@testable import GemServer

/// Purchases that a change of the catalog, a step of the clock, a silent store or the form of an answer could lose.
final class LostPurchaseTests: XCTestCase {
  private func catalog(_ more: String = "[]", change: (inout String) -> Void = { _ in }) throws -> Catalog {
    var text = String(decoding: try Fixture.bytes("gems.json"), as: UTF8.self)
    change(&text)
    var members = try XCTUnwrap(JSONValue.parse(Array(text.utf8)).object)
    members["products"] = .array((members["products"]?.array ?? []) + (try JSONValue.parse(more).array ?? []))
    return try Catalog.load(Array(JSONValue.object(members).text().utf8))
  }

  private func withPlay(_ body: (PlayWorld) async throws -> Void) async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    _ = try await play.world.backend.register(CustomerID("alice"))
    try await body(play)
  }

  // MARK: Catalog

  /// The SDK for Android looks for the id that Google sold the product under.
  func testAProductWhoseIDChangesBeforeTheCreditIsConsumed() async throws {
    try await withPlay { play in
      play.world.time.advance(seconds: 60)
      try play.world.ledger.apply(
        catalog { text in text = text.replacing("\"google\": \"gems_300\"", with: "\"google\": \"gems_300_v2\"") })
      try play.google.set("t1")
      for _ in 0..<2 {
        let answer = try await play.post("t1", products: ["gems_300"])
        XCTAssertEqual(answer.status, 200, answer.body.text())
        XCTAssertEqual(answer.body["purchased_products"]?["gems_300"]?["should_consume"], true)
      }
      XCTAssertEqual(try play.balance(), 300)
    }
  }

  private static func club(_ id: String, _ code: String = "club") -> String {
    """
    {"code":"\(code)","store_ids":{"google":"\(id)"},"type":"auto_renewable_subscription","active":true,
     "localizations":[],"prices":{},"discount_prices":{},"item_grants":[],"entitlement":"\(code)","period":"P1M",
     "grants":[{"currency":"GEM","amount":\(code == "club" ? 50 : 70),"bonus":0,"expires_at_cycle_end":false}]}
    """
  }

  /// Catalogs name a base plan, as `subscription:plan`; Google states both apart.
  func testASubscriptionIsCreditedByItsBasePlan() async throws {
    let catalogs: [(products: [String], gems: Int64)] = [
      ([Self.club("vip:monthly")], 50), ([Self.club("vip")], 50),
      ([Self.club("vip:yearly", "year"), Self.club("vip:monthly")], 50),
      ([Self.club("vip:yearly"), Self.club("vip:monthly", "month")], 70),
    ]
    for (products, gems) in catalogs {
      try await withPlay { play in
        try play.world.ledger.apply(catalog("[\(products.joined(separator: ","))]"))
        try play.google.set(subscription: "s1", product: "vip", plan: "monthly")
        let answer = try await play.post("s1", products: ["vip"])
        XCTAssertEqual(answer.status, 200, answer.body.text())
        XCTAssertEqual(try play.balance(), gems, "\(products)")
        play.world.time.advance(seconds: 601)
        try await play.maintain()
        XCTAssertEqual(play.completed, ["acknowledge vip s1"])
        let told = try await play.post("s1", products: ["vip"])
        XCTAssertEqual(told.status, 200)
        XCTAssertEqual(try play.balance(), gems)
      }
    }
  }

  // MARK: Clocks

  /// The clock that dated the post was right, and that of the next try is behind.
  func testAKeptPostOutlivesAClockThatIsBehind() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let clock = ManualClock()
    let ledger = Ledger.inMemory(clock: clock.clock, salt: 1)
    let before = try APIWorld(ledger: ledger, verifier: StoreVerifiers(apple: nil, google: nil))
    clock.advance(seconds: 10 * 86_400)
    let transaction = StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID("1"),
      bundleID: "com.example.gems", storeProductID: "gems_300", productType: .consumable,
      purchasedAt: clock.now, signedAt: clock.now)
    _ = try await before.send(
      "POST", "/v1/receipts",
      ["fetch_token": .string(receipts.receipt(for: transaction).text), "app_user_id": "alice"])
    clock.advance(seconds: -10 * 86_400)
    let after = try APIWorld(ledger: ledger, verifier: receipts)
    let watch = ReceiptWatch(after.project, ServerLog(clock: after.time.clock) { _ in })
    let runner = MaintenanceRunner(backend: after.backend, jobs: [watch.job])
    _ = try await runner.runOnce()
    XCTAssertEqual(after.project.quarantine.count, 1)
    clock.advance(seconds: 10 * 86_400)
    after.time.advance(seconds: 3600)
    _ = try await runner.runOnce()
    XCTAssertEqual(after.project.quarantine.count, 0)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, 300)
  }

  /// A body that was kept while the clock was ahead does not wait for that day.
  func testAKeptBodyOutlivesAClockThatWasAhead() async throws {
    let world = try APIWorld()
    world.time.advance(seconds: 10 * 366 * 86_400)
    XCTAssertTrue(try world.project.quarantine.keep(.init(.receipt, "x"), from: "k"))
    world.time.advance(seconds: -10 * 366 * 86_400)
    let round = try await world.project.quarantine.retry(all: false, isOver: { _ in }, { _ in .later })
    XCTAssertEqual(round.tried, 1)
    let next = try await world.project.quarantine.retry(all: false, isOver: { _ in }, { _ in .later })
    XCTAssertEqual(next.tried, 0)
  }

  /// Nor does a purchase that is to be consumed.
  func testACompletionOutlivesAClockThatWasAhead() async throws {
    try await withPlay { play in
      try play.google.set("t1")
      play.world.time.advance(seconds: 30 * 86_400)
      _ = try await play.post("t1", products: ["gems_300"])
      play.world.time.advance(seconds: -29 * 86_400)
      try await play.maintain()
      XCTAssertEqual(play.completed, ["consume gems_300 t1"])
    }
  }

  // MARK: Quarantine

  /// A round asks a store that does not answer three times, not once for each kept post.
  func testASilentStoreDoesNotHoldTheRoundUp() async throws {
    try await withPlay { play in
      play.google.state.withLock { $0.isDown = true }
      for number in 0..<10 { _ = try await play.post("t\(number)") }
      let before = play.google.exchangeCount
      try await play.maintain()
      XCTAssertEqual(play.google.exchangeCount - before, 3)
      play.google.state.withLock { $0.isDown = false }
      for number in 0..<10 { try play.google.set("t\(number)") }
      play.world.time.advance(seconds: 3600)
      try await play.maintain()
      XCTAssertEqual(try play.balance(), 3000)
    }
  }

  /// The SDK for Android makes one call at a time, and waits for an answer for ever.
  func testASlowGoogleKeepsNobodyWaiting() async throws {
    let play = try PlayWorld(wait: .milliseconds(20))
    defer { play.google.stop() }
    try play.google.set("t1")
    play.google.state.withLock { $0.isSlow = true }
    let answer = try await play.post("t1")
    XCTAssertEqual(answer.status, 503)
    XCTAssertNotNil(answer.header("Retry-After"))
    XCTAssertEqual(play.world.project.quarantine.count, 1)
    // What was asked goes on; here it is tried again before.
    play.google.release()
    play.world.time.advance(seconds: 61)
    try await play.maintain()
    XCTAssertEqual(try play.balance(), 300)
    XCTAssertEqual(play.world.project.quarantine.count, 0)
  }

  /// The purchases of an app that is not named yet are credited once it is.
  func testAPostOfAnotherAppAtGooglePlayIsKept() async throws {
    try await withPlay { play in
      try play.google.set("t1")
      let answer = try await play.world.send(
        "POST", "/v1/receipts", ["fetch_token": "t1", "app_user_id": "alice"],
        headers: [("X-Platform", "android"), ("X-Client-Bundle-ID", "com.example.debug")])
      XCTAssertEqual(answer.status, 503)
      XCTAssertEqual(play.world.project.quarantine.count, 1)
    }
  }

  /// A post that asks for the order of its purchase asks for it too when it is tried again.
  func testAKeptPostFindsItsOrder() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    let before = try APIWorld(ledger: ledger, verifier: StoreVerifiers(apple: nil, google: nil))
    let order = try await before.backend.initPayment(
      OrderRequest(
        customer: CustomerID("alice"), product: ProductCode("gems_300"), store: .apple,
        bundleID: "com.example.gems", key: IdempotencyKey("k")))
    let transaction = StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID("1"),
      bundleID: "com.example.gems", storeProductID: "gems_300", productType: .consumable,
      purchasedAt: before.time.now, signedAt: before.time.now)
    let post: JSONObject = ["fetch_token": .string(receipts.receipt(for: transaction).text), "app_user_id": "alice"]
    for search in ["none", "find"] {
      var body = post
      body["order_search"] = .string(search)
      let kept = try await before.send("POST", "/v1/receipts", .object(body))
      XCTAssertEqual(kept.status, 503)
    }
    let after = try APIWorld(ledger: ledger, verifier: receipts)
    let watch = ReceiptWatch(after.project, ServerLog(clock: after.time.clock) { _ in })
    _ = try await MaintenanceRunner(backend: after.backend, jobs: [watch.job]).runOnce()
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, 300)
    XCTAssertEqual(try after.backend.order(order.code).status, .success)
  }

  /// Restores while the App Store is silent take no place of a purchase.
  func testHistoriesHaveRoomOfTheirOwn() async throws {
    let quarantine = try APIWorld().project.quarantine
    for number in 0..<Quarantine.messagesPerKeyMax {
      XCTAssertTrue(try quarantine.keep(.init(.appleHistory, "h\(number)"), from: "k"))
    }
    XCTAssertFalse(try quarantine.keep(.init(.appleHistory, "h"), from: "k"))
    XCTAssertTrue(try quarantine.keep(.init(.receipt, "r"), from: "k"))
  }

  /// A history that has more, and does not say where, is read again.
  func testAHistoryWithoutItsNextPageIsReadAgain() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    let texts = try ["1", "2"].map { try world.signed($0) }
    world.store.state.withLock {
      $0.pages = [[texts[0]], [texts[1]]]
      $0.namesNoPage = true
    }
    _ = try await world.post(texts[0], with: ["initiation_source": "restore"])
    XCTAssertEqual(world.world.project.quarantine.count, 1)
    world.store.state.withLock { $0.namesNoPage = false }
    world.world.time.advance(seconds: 61)
    try await world.round()
    XCTAssertEqual(try world.gems(), 600)
    XCTAssertEqual(world.world.project.quarantine.count, 0)
  }

  /// The bound is one of all that is kept of a post, not of its evidence alone.
  func testNoMemberOfAPostFillsTheQuarantine() async throws {
    let world = try APIWorld()
    let token = "test_1700000000000_7B5F6A7C-0000-4000-8000-000000000000"
    let long = String(repeating: "p", count: 900_000)
    let answer = try await world.send(
      "POST", "/v1/receipts",
      ["fetch_token": .string(token), "app_user_id": "alice", "product_id": .string(long), "product_ids": ["a", "b"]],
      key: world.testKey)
    XCTAssertEqual(answer.status, 503)
    for document in try world.ledger.documents(withPrefix: "quarantine/") {
      XCTAssertLessThan(document.content.utf8.count, Quarantine.bodyBytesMax)
    }
  }

  // MARK: Answers

  /// An SDK takes the attributes that it sends with a purchase for delivered.
  func testAttributesOfAPostAreKept() async throws {
    let world = try APIWorld()
    let receipts = world.receipts
    let transaction = StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID("1"),
      bundleID: "com.example.gems", storeProductID: "gems_300", productType: .consumable,
      purchasedAt: world.time.now, signedAt: world.time.now)
    let token = JSONValue.string(receipts.receipt(for: transaction).text)
    let answer = try await world.send(
      "POST", "/v1/receipts",
      [
        "fetch_token": token, "app_user_id": "alice",
        "attributes": ["$email": ["value": "a@example.com", "updated_at_ms": 1_700_000_000_000]],
      ], key: world.appKey)
    XCTAssertEqual(answer.status, 200, answer.body.text())
    XCTAssertNil(answer.body["attributes_error_response"])
    XCTAssertEqual(try world.ledger.attributes(of: CustomerID("alice"))["$email"]?.value, "a@example.com")
    // None of them holds the purchase up.
    let forms: [JSONValue] = [5, nil, [:], ["": ["value": "x"]], ["a": 5], .object(Self.many)]
    for (place, attributes) in forms.enumerated() {
      let again = try await world.send(
        "POST", "/v1/receipts", ["fetch_token": token, "app_user_id": "alice", "attributes": attributes])
      XCTAssertEqual(again.status, 200)
      XCTAssertEqual(again.body["attributes_error_response"] != nil, place >= 3, attributes.text())
    }
    // A restore that finds nothing brings some too.
    let nothing = try await world.send(
      "POST", "/v1/receipts", ["app_user_id": "bob", "attributes": ["$email": ["value": "b@example.com"]]])
    XCTAssertEqual(nothing.status, 200)
    XCTAssertEqual(try world.ledger.attributes(of: CustomerID("bob"))["$email"]?.value, "b@example.com")
  }

  private static var many: JSONObject {
    JSONObject((0..<10_000).map { ("a\($0)", ["value": "x"] as JSONValue) })
  }

  /// What is no text removes nothing.
  func testAnAttributeOfAnotherFormIsRefused() async throws {
    let world = try APIWorld()
    let path = "/v1/subscribers/alice/attributes"
    _ = try await world.send("POST", path, ["attributes": ["a": ["value": "x"]]])
    for value: JSONValue in [["value": 5], 5, "x", ["value": ["x"]]] {
      let answer = try await world.send("POST", path, ["attributes": ["a": value]])
      XCTAssertEqual(answer.status, 200)
      XCTAssertNotNil(answer.body["attributes_error_response"], value.text())
      XCTAssertEqual(try world.ledger.attributes(of: CustomerID("alice"))["a"]?.value, "x", value.text())
    }
    _ = try await world.send("POST", path, ["attributes": ["a": ["value": nil]]])
    XCTAssertNil(try world.ledger.attributes(of: CustomerID("alice"))["a"])
  }

  /// Lists that no SDK sends take no time.
  func testLongListsAreBounded() async throws {
    let shop = try SDKShop()
    let ids = (0..<10_000).map { JSONValue.string("\($0 % 5000 + 10_000)") }
    let intro = try await shop.send(
      "POST", "/v1/subscribers/\(shop.alice)/intro_eligibility", ["product_identifiers": .array(ids)])
    XCTAssertEqual(intro.status, 200)
    XCTAssertEqual(intro.body.object?.members.count, 5000)
    let offer: JSONValue = ["offer_id": "o", "product_id": "p"]
    let offers = try await shop.send(
      "POST", "/v1/offers",
      ["app_user_id": .string(shop.alice), "generate_offers": .array([JSONValue](repeating: offer, count: 10_000))])
    XCTAssertEqual(offers.status, 400)
    let attributes = try await shop.send(
      "POST", "/v1/subscribers/\(shop.alice)/attributes", ["attributes": .object(Self.many)])
    XCTAssertEqual(attributes.status, 200)
    XCTAssertNotNil(attributes.body["attributes_error_response"])
  }

  /// An SDK gives up what is answered 400 to 499, so that a body that cannot be read is no such answer.
  func testNoBodyMakesAnSDKGiveUp() async throws {
    try await withPlay { play in
      try play.google.set("t1")
      let token: JSONObject = ["fetch_token": "t1", "app_user_id": "alice"]
      let others: [(String, JSONValue)] = [
        ("app_user_id", nil), ("app_user_id", 5), ("app_user_id", ""), ("app_user_id", "a/b"),
        ("app_user_id", .string(String(repeating: "a", count: 2000))), ("fetch_token", 5), ("fetch_token", []),
        ("fetch_token", .string(String(repeating: "t", count: 5000))), ("fetch_token", " "), ("fetch_token", "e.e.e"),
        ("fetch_token", "MIIB"), ("fetch_token", "eyJ"), ("fetch_token", "t1/x?y#z%00"), ("source", "x"),
        ("initiation_source", 5), ("initiation_source", "some_future_source"), ("is_restore", "x"), ("order_search", 1),
        ("product_ids", 5), ("product_ids", [5, nil]),
        ("product_ids", .array([JSONValue](repeating: "x", count: 10_000))),
        ("transaction_id", [:]), ("transaction_id", -1), ("product_id", 9_223_372_036_854_775_807), ("attributes", "x"),
        ("price", .number("1e999")), ("quantity", -1),
      ]
      for (name, value) in others {
        for platform in ["iOS", "android"] {
          var body = token
          body[name] = value
          let answer = try await play.world.send(
            "POST", "/v1/receipts", .object(body), headers: [(name: "X-Platform", value: platform)])
          XCTAssertTrue([200, 503].contains(answer.status), "\(name) \(value.text().prefix(50)) \(answer.status)")
          let code = answer.status == 200 ? answer.body["request_date"] : answer.body["code"]
          XCTAssertNotNil(code, "\(name)")
        }
      }
      XCTAssertEqual(try play.balance(), 300)
    }
  }

  /// Posts of one purchase at once, of two users, while it is tried again.
  func testConcurrentPostsOfOnePurchase() async throws {
    try await withPlay { play in
      play.google.state.withLock { $0.isDown = true }
      _ = try await play.post("t1", as: "bob")
      play.google.state.withLock { $0.isDown = false }
      try play.google.set("t1", buyer: nil, others: [("gems_1200", 2)])
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<20 {
          group.addTask { try await play.post("t1", as: number % 2 == 0 ? "alice" : "bob").status }
        }
        group.addTask {
          try await play.maintain()
          return 200
        }
        for try await status in group { XCTAssertEqual(status, 200) }
      }
      let gems = try ["alice", "bob"].map { (name) throws(LedgerError) -> Int64 in
        do throws(LedgerError) {
          return try play.world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(name)).balance
        } catch {
          guard error.code == .customerNotFound else { throw error }
          return 0
        }
      }
      XCTAssertEqual(gems.reduce(0, +), 300 + 2 * 1200, "\(gems)")
      XCTAssertTrue(gems.contains(0), "\(gems)")
    }
  }

  // MARK: Erasure, refunds, removals

  /// The store still owes the purchase to nobody: an SDK has to be able to finish it.
  func testAnErasedBuyersPurchaseIsFinished() async throws {
    try await withPlay { play in
      try play.google.set("t1")
      _ = try await play.post("t1", products: ["gems_300"])
      let erased = try await play.world.send("DELETE", "/v2/projects/default/customers/alice")
      XCTAssertEqual(erased.status, 200, erased.body.text())
      for poster in ["alice", "bob"] {
        let answer = try await play.post("t1", as: poster, products: ["gems_300"], source: "restore")
        XCTAssertEqual(answer.status, 200, answer.body.text())
        XCTAssertEqual(answer.body["purchased_products"]?["gems_300"]?["should_consume"], true)
        XCTAssertEqual(
          answer.body["subscriber"]?["non_subscriptions"]?["gems_300"]?.array?.last?["store_transaction_id"], "t1")
      }
    }
  }

  func testARefundedPurchaseIsFinished() async throws {
    try await withPlay { play in
      try play.google.set("t1")
      _ = try await play.post("t1", products: ["gems_300"])
      play.world.time.advance(seconds: 60)
      try play.google.set("t1", state: "CANCELLED")
      let answer = try await play.post("t1", as: "bob", products: ["gems_300"])
      XCTAssertEqual(answer.status, 200, answer.body.text())
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  /// The purchase comes while its currency is not in use, with its product or without it.
  func testAPurchaseOutlivesItsCurrency() async throws {
    let all = try JSONValue.parse(Fixture.bytes("gems.json")).object
    for hasProduct in [true, false] {
      try await withPlay { play in
        var members = try XCTUnwrap(all)
        let currencies = members["currencies"]?.array ?? []
        members["currencies"] = .array(
          currencies.map { currency in
            var currency = currency.object ?? [:]
            currency["active"] = false
            return .object(currency)
          })
        if !hasProduct { (members["products"], members["offerings"], members["current_offering"]) = ([], [], nil) }
        play.world.time.advance(seconds: 60)
        try play.world.ledger.apply(Catalog.load(Array(JSONValue.object(members).text().utf8)))
        try play.google.set("t1")
        let answer = try await play.post("t1", products: ["gems_300"])
        XCTAssertEqual(answer.status, 200, answer.body.text())
        XCTAssertEqual(try play.balance(), 300, "\(hasProduct)")
      }
    }
  }

  /// SDKs take the last purchase of a list for the newest.
  func testPurchasesAreListedInTheOrderOfTheirDates() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    _ = try await world.post(world.signed("new"))
    let old = world.receipts.receipt(for: try world.transaction("old", boughtAgo: 3600)).text
    _ = try await world.post(old)
    let middle = world.receipts.receipt(for: try world.transaction("middle", boughtAgo: 60)).text
    let answer = try await world.post(middle)
    let listed = answer.body["subscriber"]?["non_subscriptions"]?["gems_300"]?.array
    XCTAssertEqual(listed?.map { $0["store_transaction_id"] }, ["old", "middle", "new"])
  }

  /// A history that was read while the clock was ahead is no recent one.
  func testARestoreOutlivesAClockThatWasAhead() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    let texts = try ["1", "2"].map { try world.signed($0) }
    world.store.state.withLock { $0.pages = [[texts[0]]] }
    world.world.time.advance(seconds: 86_400)
    _ = try await world.post(texts[0], with: ["initiation_source": "restore"])
    world.world.time.advance(seconds: -86_300)
    world.store.state.withLock { $0.pages = [texts] }
    _ = try await world.post(texts[0], with: ["initiation_source": "restore"])
    XCTAssertEqual(try world.gems(), 600)
  }
}
#endif
