#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import XCTest

@testable import GemServer

/// What a public key and a session token may do, and to whom.
final class SDKRightsTests: XCTestCase {
  func testSigningInIsAnsweredAsMadeOnce() async throws {
    let shop = try SDKShop()
    try shop.world.grant(40, to: shop.anonymous)
    let body: JSONValue = ["app_user_id": .string(shop.anonymous), "new_app_user_id": .string(shop.alice)]
    let preview = try await shop.send("POST", "/v1/subscribers/identify/preview", body)
    XCTAssertEqual(preview.body["merges"]?.array?.first?["balances"]?.array?.first?["balance"]?.integer, 40)
    XCTAssertEqual(try shop.balance(shop.anonymous), 40)
    let first = try await shop.send("POST", "/v1/subscribers/identify", body)
    XCTAssertEqual(first.status, 201)
    XCTAssertEqual(first.body["created"]?.bool, true)
    let again = try await shop.send("POST", "/v1/subscribers/identify", body)
    XCTAssertEqual(again.status, 200)
    XCTAssertEqual(try shop.balance(shop.alice), 40)
    // From an id that has signed in, nothing moves.
    let switched = try await shop.send(
      "POST", "/v1/subscribers/identify", ["app_user_id": .string(shop.alice), "new_app_user_id": .string(shop.bob)])
    XCTAssertEqual(switched.status, 201)
    XCTAssertEqual(try shop.balance(shop.alice), 40)
    XCTAssertEqual(try shop.balance(shop.bob), 0)
  }

  /// The public key lies in every app: with it, nobody becomes another customer's second id.
  func testAPublicKeyGivesNoAliasOfACustomerWhoSignedIn() async throws {
    let shop = try SDKShop()
    try shop.world.grant(500, to: shop.alice)
    for other in ["mallory-1", shop.bob] {
      for (path, alias) in [(shop.alice, other), ("nobody-1", other)] {
        let answer = try await shop.send(
          "POST", "/v1/subscribers/\(path)/alias", ["new_app_user_id": .string(alias)])
        shop.assertRefused(answer, 403, .forbidden, number: 7224)
        XCTAssertEqual(answer.body["error"]?["details"]?["needs"]?.text, "session_token")
      }
    }
    let own = try await shop.send(
      "POST", "/v1/subscribers/\(shop.alice)/alias",
      ["new_app_user_id": "alice-2", "new_session_token": .string(try shop.token("alice-2"))],
      key: try shop.token(shop.alice))
    XCTAssertEqual(own.status, 201)
    XCTAssertEqual(try shop.balance("alice-2"), 500)
    let anonymous = try await shop.send(
      "POST", "/v1/subscribers/\(shop.anonymous)/alias", ["new_app_user_id": .string(shop.bob)])
    XCTAssertEqual(anonymous.status, 201)
  }

  func testOnlyASecretKeyMergesCustomersByARestore() async throws {
    let shop = try SDKShop()
    try shop.world.grant(500, to: shop.alice)
    let receipt = try shop.receipt("1")
    _ = try await shop.send(
      "POST", "/v1/receipts", ["fetch_token": .string(receipt), "app_user_id": .string(shop.bob)])
    func restore(_ sharing: String, key: String? = nil) async throws -> APIWorld.Answer {
      try await shop.send(
        "POST", "/v1/subscribers/\(shop.alice)/restore",
        ["receipts": [.string(receipt)], "sharing": .string(sharing)], key: key)
    }
    for key in [nil, try shop.token(shop.alice)] {
      for sharing in ["alias", "transfer", "keep_with_owner"] {
        let answer = try await restore(sharing, key: key)
        XCTAssertEqual(answer.status, 200)
      }
    }
    XCTAssertEqual(try shop.balance(shop.alice), 500)
    XCTAssertEqual(try shop.balance(shop.bob), 300)
    let merged = try await restore("alias", key: shop.world.secretKey)
    XCTAssertEqual(merged.status, 200)
    XCTAssertEqual(try shop.balance(shop.bob), 800)
  }

  func testASessionTokenReadsAndSpendsForItsCustomerAlone() async throws {
    let shop = try SDKShop(policy: BackendPolicy(clientSpending: .anyAmount))
    try shop.world.grant(500, to: shop.alice)
    try shop.world.grant(500, to: shop.bob)
    let token = try shop.token(shop.bob)
    for path in ["", "/virtual_currencies", "/purchases", "/orders", "/offerings"] {
      let own = try await shop.send("GET", "/v1/subscribers/\(shop.bob)\(path)", key: token)
      XCTAssertEqual(own.status, 200, path)
      let other = try await shop.send("GET", "/v1/subscribers/\(shop.alice)\(path)", key: token)
      shop.assertRefused(other, 403, .forbidden, number: 7224)
    }
    let spend = try await shop.send(
      "POST", "/v1/customer/virtual_currencies/spend",
      ["amounts": ["GEM": 5], "app_user_id": .string(shop.alice)], key: token, idempotencyKey: "k")
    shop.assertRefused(spend, 403, .forbidden, number: 7224)
    XCTAssertEqual(try shop.balance(shop.alice), 500)
    XCTAssertEqual(try shop.balance(shop.bob), 500)
  }

  func testTokensThatDoNotHoldAreRefused() async throws {
    let shop = try SDKShop()
    try shop.world.grant(500, to: shop.alice)
    let token = try shop.token(shop.alice, seconds: 60)
    shop.world.time.advance(seconds: 61)
    let forged = try shop.token(shop.alice).dropLast(2) + "AA"
    for key in [token, String(forged), "gst_", "gst_.", "gst_x.y", "appl_unknown", "Bearer"] {
      let answer = try await shop.send(
        "POST", "/v1/customer/items/buy", ["item_id": "extra_life"], key: key, idempotencyKey: "k")
      shop.assertRefused(answer, 401, .unauthenticated, number: 7225)
      XCTAssertFalse("\(answer.body)".contains(key), "an answer repeats its key")
    }
    XCTAssertEqual(try shop.balance(shop.alice), 500)
  }

  /// An order that holds a customer's currency is a spend.
  func testAnOrderThatCostsCurrencyNeedsItsCustomer() async throws {
    var policy = BackendPolicy()
    policy.currencyPrices = [try ProductCode("gems_1200"): [Adjustment(try CurrencyCode("GEM"), 50)]]
    let shop = try SDKShop(policy: policy)
    try shop.world.grant(500, to: shop.alice)
    func order(_ product: String, key: String? = nil) async throws -> APIWorld.Answer {
      try await shop.send(
        "POST", "/v1/orders",
        [
          "app_user_id": .string(shop.alice), "product": .string(product), "store": "apple",
          "bundle_id": "com.example.gems", "key": .string(product),
        ], key: key)
    }
    let refused = try await order("gems_1200")
    shop.assertRefused(refused, 403, .forbidden, number: 7224)
    let own = try await order("gems_1200", key: try shop.token(shop.alice))
    XCTAssertEqual(own.status, 201)
    let free = try await order("gems_300")
    XCTAssertEqual(free.status, 201)
    let again = try await order("gems_300")
    XCTAssertEqual(again.status, 200)
    XCTAssertEqual(again.body["order"]?["purchase_code"], free.body["order"]?["purchase_code"])
  }

  /// Knowing the code of an order is not enough for another customer's token.
  func testAnOrderIsItsCustomersAlone() async throws {
    let shop = try SDKShop()
    for customer in [shop.alice, shop.bob] { try shop.world.grant(1, to: customer) }
    let opened = try await shop.send(
      "POST", "/v1/orders",
      [
        "app_user_id": .string(shop.alice), "product": "gems_300", "store": "apple", "bundle_id": "com.example.gems",
        "key": "k",
      ], key: try shop.token(shop.alice))
    let code = try XCTUnwrap(opened.body["order"]?["purchase_code"]?.text, "\(opened.body)")
    let thief = try shop.token(shop.bob)
    let read = try await shop.send("GET", "/v1/orders/\(code)/payment?app_user_id=\(shop.bob)", key: thief)
    shop.assertRefused(read, 403, .forbidden, number: 7224)
    let cancelled = try await shop.send("POST", "/v1/orders/\(code)/cancel", [:], key: thief)
    shop.assertRefused(cancelled, 403, .forbidden, number: 7224)
    // A receipt of the other customer's own is credited, and says nothing of this order.
    let paid = try await shop.send(
      "POST", "/v1/orders/\(code)/complete",
      ["fetch_token": .string(try shop.receipt("1", buyer: shop.bob)), "app_user_id": .string(shop.bob)], key: thief)
    XCTAssertEqual(paid.status, 200, "\(paid.body)")
    XCTAssertEqual(paid.body["receipt"]?["order"] ?? .null, .null)
    XCTAssertEqual(try shop.balance(shop.bob), 301)
    XCTAssertEqual(try shop.world.backend.order(PurchaseCode(code)).status, .pending)
    let own = try await shop.send("POST", "/v1/orders/\(code)/cancel", [:], key: try shop.token(shop.alice))
    XCTAssertEqual(own.body["order"]?["status"]?.text, "failed")
  }
}
#endif
