#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import XCTest

@testable import GemServer

/// Purchases that a change of the catalog, an erasure, a refund or the form of an answer could lose.
final class LostPurchaseTests: XCTestCase {
  private func catalog(_ more: String = "[]", change: (inout String) -> Void = { _ in }) throws -> Catalog {
    var text = String(decoding: try Fixture.bytes("gems.json"), as: UTF8.self)
    change(&text)
    var members = try XCTUnwrap(JSONValue.parse(Array(text.utf8)).object)
    members["products"] = .array((members["products"]?.array ?? []) + (try JSONValue.parse(more).array ?? []))
    return try Catalog.load(Array(JSONValue.object(members).text().utf8))
  }

  // MARK: Catalog

  /// The SDK for Android looks for the id that Google sold the product under.
  func testAProductWhoseIDChangesBeforeTheCreditIsConsumed() async throws {
    try await PlayWorld.play { play in
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
      try await PlayWorld.play { play in
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
    XCTAssertEqual(try world.ledger.attributes.all(of: CustomerID("alice"))["$email"]?.value, "a@example.com")
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
    XCTAssertEqual(try world.ledger.attributes.all(of: CustomerID("bob"))["$email"]?.value, "b@example.com")
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
      XCTAssertEqual(try world.ledger.attributes.all(of: CustomerID("alice"))["a"]?.value, "x", value.text())
    }
    _ = try await world.send("POST", path, ["attributes": ["a": ["value": nil]]])
    XCTAssertNil(try world.ledger.attributes.all(of: CustomerID("alice"))["a"])
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
    try await PlayWorld.play { play in
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
    try await PlayWorld.play { play in
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
    try await PlayWorld.play { play in
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
    try await PlayWorld.play { play in
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
      try await PlayWorld.play { play in
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
}
#endif
