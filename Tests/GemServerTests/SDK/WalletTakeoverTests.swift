#if Server
import GemLedger
import GemTestSupport
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

  /// In a project that requires proof of logins, a leaked anonymous id and a public key move nothing.
  func testALeakedAnonymousIDMovesNothingIfLoginsAreProven() async throws {
    let shop = try shop()
    let text = String(decoding: try Fixture.bytes("gems.json"), as: UTF8.self)
    try shop.world.ledger.apply(
      Catalog.load(Array(text.replacing(#""settings": {"#, with: #""settings": {"logins": "proven", "#).utf8)))
    try shop.world.grant(5, to: Self.anonymous)
    for path in ["identify", "identify/preview"] {
      let body: JSONValue = ["app_user_id": .string(Self.anonymous), "new_app_user_id": .string(Self.mallory)]
      let refused = try await shop.send("POST", "/v1/subscribers/\(path)", body)
      shop.assertRefused(refused, 403, .forbidden, number: 7224)
      XCTAssertEqual(refused.body["error"]?["details"]?["needs"], "new_session_token")
    }
    let aliased = try await alias(shop, Self.anonymous, Self.mallory)
    shop.assertRefused(aliased, 403, .forbidden, number: 7224)
    XCTAssertEqual(try shop.balance(Self.anonymous), 5)
    XCTAssertEqual(try shop.balance(Self.mallory), 1)
  }

  /// Somebody buys, spends, logs in as the victim, and has the store refund the purchase.
  func testARefundAfterALoginTakesNothingOfTheVictims() async throws {
    let shop = try shop()
    _ = try await shop.send(
      "POST", "/v1/receipts", ["fetch_token": .string(try shop.receipt("1")), "app_user_id": .string(Self.anonymous)])
    let spent = try await spend(shop, shop.token(Self.anonymous))
    XCTAssertEqual(spent.status, 200, "\(spent.body)")
    let login = try await identify(shop, Self.anonymous, Self.victim)
    XCTAssertEqual(login.status, 200, "\(login.body)")
    XCTAssertEqual(try shop.balance(Self.victim), 300)
    try shop.world.ledger.refund(
      StoreRefund(
        store: .apple, environment: .localTesting(session: "s1"), transactionID: StoreTransactionID("1"),
        revokedAt: shop.world.time.now, signedAt: shop.world.time.now))
    XCTAssertEqual(try shop.balance(Self.victim), 100)
  }

  /// What an unproven login does not move stays with the anonymous customer, and the answer says what to show.
  func testALoginWithAnOpenHoldNeedsProof() async throws {
    let shop = try shop()
    try shop.world.grant(5, to: Self.anonymous)
    let hold = try shop.world.ledger.hold(
      [Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID(Self.anonymous))
    for isAlias in [false, true] {
      let refused =
        try await isAlias
        ? alias(shop, Self.anonymous, Self.victim) : identify(shop, Self.anonymous, Self.victim)
      shop.assertRefused(refused, 403, .forbidden, number: 7224)
      XCTAssertEqual(refused.body["error"]?["details"]?["needs"], "new_session_token")
    }
    XCTAssertEqual(try shop.world.ledger.holds(of: CustomerID(Self.victim)).count, 0)
    let proven = try await shop.send(
      "POST", "/v1/subscribers/identify",
      [
        "app_user_id": .string(Self.anonymous), "new_app_user_id": .string(Self.victim),
        "new_session_token": .string(try shop.token(Self.victim)),
      ])
    XCTAssertEqual(proven.status, 200, "\(proven.body)")
    XCTAssertEqual(try shop.world.ledger.holds(of: CustomerID(Self.victim)).map(\.id), [hold.hold?.id])
  }

  /// A spend that passed the checks before a login commits after it.
  func testTheCommitChecksASessionOfAnAnonymousID() async throws {
    let shop = try shop()
    try shop.world.grant(5, to: Self.anonymous)
    let device = try CustomerID(Self.anonymous)
    let backend = shop.world.backend
    _ = try await backend.logIn(CustomerID(Self.victim), from: device, isProven: false)
    let (amounts, key) = ([Adjustment(try CurrencyCode("GEM"), 1)], try IdempotencyKey("k"))
    func assertEnded(_ work: () async throws -> Void) async {
      do {
        try await work()
        XCTFail("a session of an anonymous id spent for a named one")
      } catch {
        XCTAssertEqual((error as? LedgerError)?.code, .conditionFailed, "\(error)")
      }
    }
    await assertEnded {
      _ = try await backend.spend(amounts, customer: device, key: key, reference: nil, whileAnonymous: true)
    }
    await assertEnded {
      _ = try await backend.buyItem(
        ItemID("extra_life"), quantity: 1, customer: device, key: key, whileAnonymous: true)
    }
    await assertEnded {
      _ = try await shop.world.ledger.spend(
        amounts, customer: device, key: key, reference: Reference("r"), whileAnonymous: true
      ) { _ in XCTFail("goods were given") }
    }
    XCTAssertEqual(try shop.balance(Self.victim), 105)
  }
}
#endif
