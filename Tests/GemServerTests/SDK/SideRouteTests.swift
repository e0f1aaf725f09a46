#if Server
import GemLedger
import GemTestSupport
import XCTest

@testable import GemServer

/// What RevenueCat's SDKs call beside purchases.
final class SideRouteTests: XCTestCase {
  /// An SDK repeats attributes, attribution and events for ever after a 404.
  func testWhatAnSDKOnlyReportsIsTaken() async throws {
    let shop = try SDKShop()
    let posts: [(String, JSONValue)] = [
      ("/v1/events", ["events": [["type": "x", "any": [1, nil]]]]),
      ("/v1/diagnostics", ["entries": []]),
      ("/v1/subscribers/\(shop.alice)/attributes", ["attributes": [:], "new_member": 1]),
      ("/v1/subscribers/\(shop.alice)/attribution", ["network": 1, "data": ["any": nil]]),
      ("/v1/subscribers/\(shop.alice)/adservices_attribution", ["aad_attribution_token": "t"]),
    ]
    for (path, body) in posts {
      let answer = try await shop.send("POST", path, body)
      XCTAssertEqual(answer.status, 200, path)
      XCTAssertEqual(answer.body, [:], path)
    }
  }

  func testQuestionsThatNobodyCanAnswerHaveAHarmlessAnswer() async throws {
    let shop = try SDKShop()
    let intro = try await shop.send(
      "POST", "/v1/subscribers/\(shop.alice)/intro_eligibility",
      ["product_identifiers": ["a", "b"], "fetch_token": "x"])
    XCTAssertEqual(intro.body, ["a": nil, "b": nil])
    let restore = try await shop.send(
      "POST", "/v1/subscribers/\(shop.alice)/restore/eligibility", ["fetch_token": "x"])
    XCTAssertEqual(restore.body, ["is_purchase_allowed_by_restore_behavior": true])
    let reward = try await shop.send("GET", "/v1/subscribers/\(shop.alice)/ads/reward_verifications/1-2-3")
    XCTAssertEqual(reward.body["status"], "failed")
    let offers = try await shop.send(
      "POST", "/v1/offers",
      ["app_user_id": .string(shop.alice), "generate_offers": [["offer_id": "o", "product_id": "p"]]])
    XCTAssertEqual(offers.body["offers"]?.array?.first?["key_id"], "")
    XCTAssertNotNil(offers.body["offers"]?.array?.first?["signature_error"]?["message"]?.text)
  }

  /// A 404 turns a feature of the SDK off.
  func testOtherCallsAreSwitchedOff() async throws {
    let shop = try SDKShop()
    let calls = [
      "GET /v1/product_entitlement_mapping", "POST /v1/config/app", "GET /v1/health", "POST /auth/login",
      "GET /v1/subscribers/a/health_report", "GET /v1/subscribers/a/health_report_availability",
      "GET /v1/customercenter/a", "POST /v1/subscribers/redeem_purchase", "GET /v1/receipts/amazon/user/receipt",
      "GET /rcbilling/v1/subscribers/a/offering_products", "POST /auth/token", "POST /auth/revoke",
    ]
    for call in calls {
      let parts = call.split(separator: " ").map(String.init)
      let answer = try await shop.send(parts[0], parts[1], parts[0] == "POST" ? [:] : nil)
      XCTAssertEqual(answer.status, call.hasSuffix("redeem_purchase") ? 405 : 404, call)
      XCTAssertEqual(answer.header("Content-Type"), "application/json", call)
      XCTAssertNotNil(answer.body["message"]?.text, call)
    }
  }

  func testTestKeysSellTheCatalogsTestProducts() async throws {
    let shop = try SDKShop()
    let catalogText = """
      {"currencies": [{"code": "GEM", "name": "Gems"}], "products": [
        {"code": "pack", "store_ids": {"test": "pack_test", "google": "club:monthly"}, "type": "consumable",
         "localizations": [{"locale": "en_US", "title": "Pack"}], "prices": {"USA": "4.99", "JPN": "500"},
         "grants": [{"currency": "GEM", "amount": 5}]},
        {"code": "club", "store_ids": {"test": "club_test"}, "type": "auto_renewable_subscription", "period": "P1M",
         "localizations": [{"locale": "en_US", "title": "Club"}], "prices": {"USA": "9.99"}, "entitlement": "pro",
         "grants": []}],
       "offerings": [{"id": "all", "packages": [{"id": "p", "product": "pack"}]}]}
      """
    try shop.world.ledger.apply(Catalog.load(Array(catalogText.utf8)))
    let test = APIKey.make(.app(.test), at: shop.world.time.now)
    shop.world.keys.add(test.key)
    let answer = try await shop.send(
      "GET", "/rcbilling/v1/subscribers/\(shop.alice)/products?id=pack_test&id=club_test&id=none", key: test.text)
    XCTAssertEqual(answer.status, 200)
    let details = try XCTUnwrap(answer.body["product_details"]?.array)
    XCTAssertEqual(details.map { $0["identifier"] }, ["pack_test", "club_test"])
    XCTAssertEqual(details.map { $0["product_type"] }, ["consumable", "subscription"])
    XCTAssertEqual(
      details[0]["purchase_options"]?["base"]?["base_price"], ["amount_micros": 4_990_000, "currency": "USD"])
    XCTAssertEqual(details[1]["purchase_options"]?["base"]?["base"]?["cycle_count"], 1)

    // The shop window of Android names the base plan apart, and has a text where there is no current offering.
    let window = try await shop.world.send(
      "GET", "/v1/subscribers/\(shop.alice)/offerings", headers: [("X-Platform", "android")])
    XCTAssertEqual(window.body["current_offering_id"], "")
    let package = window.body["offerings"]?.array?.first?["packages"]?.array?.first
    XCTAssertEqual(package?["platform_product_identifier"], "club")
    XCTAssertEqual(package?["platform_product_plan_identifier"], "monthly")
  }

  func testABalanceBeyond32BitsDoesNotBreakAndroid() async throws {
    let shop = try SDKShop()
    try shop.world.grant(5_000_000_000, to: shop.alice)
    for platform in ["iOS", "android"] {
      let answer = try await shop.world.send(
        "GET", "/v1/subscribers/\(shop.alice)/virtual_currencies", key: shop.world.appKey,
        headers: [("X-Platform", platform)])
      let gems = answer.body["virtual_currencies"]?["GEM"]
      XCTAssertEqual(gems?["balance"]?.integer, platform == "iOS" ? 5_000_000_000 : 2_147_483_647)
      XCTAssertEqual(gems?["exact_balance"]?.integer, platform == "iOS" ? nil : 5_000_000_000)
    }
  }
}
#endif
