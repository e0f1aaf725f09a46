#if Server
import GemLedger
import StoreBackend
import XCTest

@testable import GemServer

/// Ways to another customer's currency that need no secret key; each must leave the owner's wallet alone.
final class WalletTakeoverTests: XCTestCase {
  private static let victim = "victim1"
  private static let mallory = "mallory1"
  private static let anonymous = "$RCAnonymousID:00000000000000000000000000000bad"

  private func shop() throws -> SDKShop {
    let shop = try SDKShop(policy: BackendPolicy(clientSpending: .anyAmount))
    try shop.world.grant(100, to: Self.victim)
    try shop.world.grant(1, to: Self.mallory)
    return shop
  }

  /// Spends 100 gems with the token, and returns the answer.
  private func spend(_ shop: SDKShop, _ token: String, as customer: String? = nil) async throws -> APIWorld.Answer {
    var body: JSONObject = ["amounts": ["GEM": 100]]
    if let customer { body["app_user_id"] = .string(customer) }
    return try await shop.send(
      "POST", "/v1/customer/virtual_currencies/spend", .object(body), key: token, idempotencyKey: "theft")
  }

  private func identify(
    _ shop: SDKShop, _ current: String, _ new: String, key: String? = nil
  ) async throws -> APIWorld.Answer {
    try await shop.send(
      "POST", "/v1/subscribers/identify", ["app_user_id": .string(current), "new_app_user_id": .string(new)], key: key)
  }

  private func alias(
    _ shop: SDKShop, _ customer: String, _ alias: String, key: String? = nil
  ) async throws -> APIWorld.Answer {
    try await shop.send("POST", "/v1/subscribers/\(customer)/alias", ["new_app_user_id": .string(alias)], key: key)
  }

  func testAnAliasOfAnotherCustomerNeedsAProofOfThatCustomer() async throws {
    let shop = try shop()
    let token = try shop.token(Self.mallory)
    let refused = try await alias(shop, Self.mallory, Self.victim, key: token)
    shop.assertRefused(refused, 403, .forbidden, number: 7224)
    XCTAssertEqual(refused.body["error"]?["details"]?["needs"], "new_session_token")
    _ = try await spend(shop, token)
    XCTAssertEqual(try shop.balance(Self.victim), 100)
  }

  func testATokenOfAnAnonymousIDEndsWithALogin() async throws {
    for isWithToken in [false, true] {
      let shop = try shop()
      try shop.world.grant(5, to: Self.anonymous)
      let token = try shop.token(Self.anonymous)
      let answer = try await identify(shop, Self.anonymous, Self.victim, key: isWithToken ? token : nil)
      XCTAssertEqual(answer.status, 200, "\(answer.body)")
      for customer in [nil, Self.victim, Self.anonymous] {
        let theft = try await spend(shop, token, as: customer)
        shop.assertRefused(theft, 401, .unauthenticated, number: 7225)
      }
      XCTAssertEqual(try shop.balance(Self.victim), 105)
    }
  }

  func testATokenForAnAnonymousIDThatIsMadeAfterAnAliasDoesNotAct() async throws {
    let shop = try shop()
    try shop.world.grant(5, to: Self.anonymous)
    _ = try await alias(shop, Self.anonymous, Self.victim)
    let theft = try await spend(shop, shop.token(Self.anonymous))
    shop.assertRefused(theft, 401, .unauthenticated, number: 7225)
    XCTAssertGreaterThanOrEqual(try shop.balance(Self.victim), 100)
  }

  func testARestoreWithACopiedReceiptMergesNobody() async throws {
    for owner in [Self.victim, Self.anonymous] {
      for customer in [Self.mallory, "$RCAnonymousID:0000000000000000000000000000beef"] {
        for sharing in ["alias", "transfer", "keep_with_owner"] {
          let shop = try shop()
          let receipt = try shop.receipt("1")
          _ = try await shop.send(
            "POST", "/v1/receipts", ["fetch_token": .string(receipt), "app_user_id": .string(owner)])
          let before = try shop.balance(owner)
          let token = try shop.token(customer)
          for key in [token, shop.world.appKey] {
            let answer = try await shop.send(
              "POST", "/v1/subscribers/\(customer)/restore",
              ["receipts": [.string(receipt)], "sharing": .string(sharing)], key: key)
            XCTAssertEqual(answer.status, 200, "\(answer.body)")
          }
          _ = try await spend(shop, token)
          XCTAssertEqual(try shop.balance(owner), before, "\(customer) took the wallet of \(owner) by \(sharing)")
        }
      }
    }
  }

  func testAnIDThatNobodyHasYetBelongsToWhoeverProvesIt() async throws {
    let shop = try shop()
    let token = try shop.token(Self.mallory)
    let refused = try await alias(shop, Self.mallory, "later1", key: token)
    shop.assertRefused(refused, 403, .forbidden, number: 7224)
    // A login may name the id first; the id owns the customer from then on.
    let squatter = try shop.token(Self.anonymous)
    _ = try await identify(shop, Self.anonymous, "later1", key: squatter)
    try shop.world.grant(100, to: "later1")
    for thief in [token, squatter] { _ = try await spend(shop, thief) }
    XCTAssertEqual(try shop.balance("later1"), 100)
    let own = try await spend(shop, shop.token("later1"))
    XCTAssertEqual(own.status, 200, "\(own.body)")
  }
}
#endif
