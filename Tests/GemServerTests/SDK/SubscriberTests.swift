#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import XCTest

@testable import GemServer

/// Customers, receipts and the shop, as RevenueCat's SDKs ask for them.
final class SubscriberTests: XCTestCase {
  func testASubscriberIsMadeOnceAndThenGot() async throws {
    let shop = try SDKShop()
    let first = try await shop.send("GET", "/v1/subscribers/\(shop.alice)")
    XCTAssertEqual(first.status, 201)
    XCTAssertEqual(first.body["subscriber"]?["original_app_user_id"]?.text, shop.alice)
    XCTAssertEqual(first.body["request_date_ms"]?.integer, shop.world.time.now.milliseconds)
    XCTAssertEqual(first.body["request_date"]?.text?.utf8.count, 20)
    let again = try await shop.send("GET", "/v1/subscribers/\(shop.alice)")
    XCTAssertEqual(again.status, 200)
  }

  func testANewCustomerHasEveryCurrencyAtZero() async throws {
    let shop = try SDKShop()
    let answer = try await shop.send("GET", "/v1/subscribers/\(shop.alice)/virtual_currencies")
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(answer.body["virtual_currencies"]?["GEM"]?["balance"]?.integer, 0)
    XCTAssertEqual(answer.body["virtual_currencies"]?["GEM"]?["code"]?.text, "GEM")
    XCTAssertEqual(answer.body["virtual_currencies"]?["GEM"]?["name"]?.text, "Gems")
  }

  func testABalanceIsWhatCanBeSpent() async throws {
    let shop = try SDKShop()
    try shop.world.grant(100, to: shop.alice)
    _ = try await shop.world.ledger.book(
      LedgerCommand.hold(
        [Adjustment(CurrencyCode("GEM"), 30)], customer: CustomerID(shop.alice), for: .seconds(60)))
    let answer = try await shop.send("GET", "/v1/subscribers/\(shop.alice)/virtual_currencies")
    XCTAssertEqual(answer.body["virtual_currencies"]?["GEM"]?["balance"]?.integer, 70)
    XCTAssertEqual(answer.body["virtual_currencies"]?["GEM"]?["held"]?.integer, 30)
  }

  func testIDsThatAppsSendByMistakeAreRefused() async throws {
    let shop = try SDKShop()
    for id in ["null", "undefined", "a%2Fb", "%20", "0"] {
      let answer = try await shop.send("GET", "/v1/subscribers/\(id)")
      shop.assertRefused(answer, 400, .invalidUserID, number: 7220)
    }
  }

  /// The body as RevenueCat's SDK writes it.
  func testAReceiptIsCreditedOnceHoweverOftenItIsPosted() async throws {
    let shop = try SDKShop()
    let body: JSONValue = [
      "fetch_token": .string(try shop.receipt("2000000000000001")), "app_user_id": .string(shop.alice),
      "is_restore": false, "observer_mode": false, "initiation_source": "purchase", "product_id": "gems_300",
      "price": .number("2.99"), "currency": "USD", "payload_version": 1, "presented_offering_identifier": "gems",
      "transaction_id": "2000000000000001", "sdk_originated": true, "attributes": [:],
    ]
    for isReplayed in [false, true] {
      let answer = try await shop.send("POST", "/v1/receipts", body)
      XCTAssertEqual(answer.status, 200, "\(answer.body)")
      let bought = answer.body["subscriber"]?["non_subscriptions"]?["gems_300"]?.array
      XCTAssertEqual(bought?.count, 1)
      XCTAssertEqual(bought?.first?["store_transaction_id"]?.text, "2000000000000001")
      XCTAssertEqual(bought?.first?["store"]?.text, "app_store")
      XCTAssertEqual(answer.body["receipt"]?["booking"]?["replayed"]?.bool, isReplayed)
      XCTAssertEqual(answer.body["receipt"]?["request_id"]?.text, "r1")
    }
    XCTAssertEqual(try shop.balance(shop.alice), 300)
    let other = try await shop.send(
      "POST", "/v1/receipts",
      ["fetch_token": body["fetch_token"] ?? nil, "app_user_id": .string(shop.bob), "source": "sweep"])
    XCTAssertEqual(other.body["receipt"]?["booking"]?["customer_id"]?.text, shop.alice)
    // The other id is named in the answer and made by nothing.
    XCTAssertEqual(other.body["subscriber"]?["original_app_user_id"]?.text, shop.bob)
    XCTAssertThrowsError(try shop.balance(shop.bob))
  }

  func testTheSameReceiptFromManyDevicesAtOnceIsCreditedOnce() async throws {
    let shop = try SDKShop()
    let body: JSONValue = [
      "fetch_token": .string(try shop.receipt("1")), "app_user_id": .string(shop.alice), "source": "purchase",
    ]
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await shop.send("POST", "/v1/receipts", body).status } }
      for try await status in group { XCTAssertEqual(status, 200) }
    }
    XCTAssertEqual(try shop.balance(shop.alice), 300)
  }

  /// An SDK gives up what is answered 400 to 499, so a form that this server does not know is kept for another version.
  func testReceiptsOfNoKnownFormAreKept() async throws {
    let shop = try SDKShop()
    let altered = String(try shop.receipt("1").dropLast(4)) + "AAAA"
    for (index, text) in ["x", altered].enumerated() {
      let answer = try await shop.send(
        "POST", "/v1/receipts", ["fetch_token": .string(text), "app_user_id": .string(shop.alice)])
      XCTAssertEqual(answer.status, 503)
      XCTAssertEqual(answer.body["code"]?.integer, 7103)
      XCTAssertNotNil(answer.header("Retry-After"))
      XCTAssertEqual(shop.world.project.quarantine.count, index + 1)
    }
    for body: JSONObject in [["fetch_token": "x"], ["app_user_id": 5, "fetch_token": "x"]] {
      let answer = try await shop.send("POST", "/v1/receipts", .object(body))
      shop.assertRefused(answer, 503, .invalidRequest, number: 7226)
    }
  }

  func testARestoreThatFoundNothingIsAnsweredWithTheCustomer() async throws {
    let shop = try SDKShop()
    _ = try await shop.send(
      "POST", "/v1/receipts", ["fetch_token": .string(try shop.receipt("1")), "app_user_id": .string(shop.alice)])
    for token: JSONValue? in [nil, nil as JSONValue?, .null, ""] {
      var body: JSONObject = ["app_user_id": .string(shop.alice), "app_transaction": "eyJ.x.y", "is_restore": true]
      if let token { body["fetch_token"] = token }
      let answer = try await shop.send("POST", "/v1/receipts", .object(body))
      XCTAssertEqual(answer.status, 200)
      XCTAssertEqual(answer.body["subscriber"]?["non_subscriptions"]?["gems_300"]?.array?.count, 1)
    }
    XCTAssertEqual(try shop.balance(shop.alice), 300)
  }

  func testOfferingsAndProductsOfTheKeysStore() async throws {
    let shop = try SDKShop()
    let answer = try await shop.send("GET", "/v1/subscribers/\(shop.alice)/offerings")
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(answer.body["current_offering_id"]?.text, "gems")
    let packages = answer.body["offerings"]?.array?.first?["packages"]?.array
    XCTAssertEqual(packages?.first?["platform_product_identifier"]?.text?.hasPrefix("gems_"), true)
    // Looking at the shop makes no customer.
    XCTAssertThrowsError(try shop.balance(shop.alice))
    let products = try await shop.send("GET", "/v1/products?storefront=JPN")
    XCTAssertEqual(products.body["products"]?.array?.isEmpty, false)
    XCTAssertEqual(products.body["products"]?.array?.first?["price"]?["currency"]?.text, "JPY")
    let nowhere = try await shop.send("GET", "/v1/products?storefront=ZZZ")
    shop.assertRefused(nowhere, 400, .invalidRequest, number: 7226)
    let none = try await shop.send("GET", "/v1/products?store=amazon")
    XCTAssertEqual(none.body["products"]?.array?.count, 0)
  }

  func testPagesOfPurchasesCountFromOne() async throws {
    let shop = try SDKShop()
    for number in 1...3 {
      _ = try await shop.send(
        "POST", "/v1/receipts",
        ["fetch_token": .string(try shop.receipt("\(number)")), "app_user_id": .string(shop.alice)])
    }
    let page = try await shop.send("GET", "/v1/subscribers/\(shop.alice)/purchases?page=2&size=2")
    XCTAssertEqual(page.body["purchases"]?.array?.compactMap { $0["store_transaction_id"]?.text }, ["1"])
    for query in ["page=0", "size=0", "size=1001", "page=-9223372036854775808"] {
      let answer = try await shop.send("GET", "/v1/subscribers/\(shop.alice)/purchases?\(query)")
      shop.assertRefused(answer, 400, .limitExceeded, number: 7226)
    }
    let far = try await shop.send("GET", "/v1/subscribers/\(shop.alice)/purchases?page=9223372036854775807&size=1000")
    XCTAssertEqual(far.body["purchases"]?.array?.count, 0)
    let unknown = try await shop.send("GET", "/v1/subscribers/nobody-1/purchases")
    shop.assertRefused(unknown, 404, .customerNotFound, number: 7226)
  }
}
#endif
