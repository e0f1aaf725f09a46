#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import SystemCrypto
import XCTest

@testable import GemServer

/// Purchase tokens that apps post: what Google states of them is credited, product by product, once.
final class PlayTokenTests: XCTestCase {
  private func withWorld(
    verifier: (any ReceiptVerifier)? = nil, policy: BackendPolicy = BackendPolicy(),
    _ body: (PlayWorld) async throws -> Void
  ) async throws {
    let play = try PlayWorld(policy: policy, verifier: verifier)
    defer { play.google.stop() }
    try play.addProducts()
    for name in ["alice", "bob"] { _ = try await play.world.backend.register(CustomerID(name)) }
    try await body(play)
  }

  private func shown(_ answer: APIWorld.Answer) -> [String: [String]] {
    let lists = answer.body["subscriber"]?["non_subscriptions"]?.object?.members ?? []
    return Dictionary(
      uniqueKeysWithValues: lists.map { list in
        (list.name, (list.value.array ?? []).compactMap { $0["store_transaction_id"]?.text })
      })
  }

  // MARK: Line items

  func testEachProductOfATokenIsCreditedByItsQuantityOnce() async throws {
    try await withWorld { play in
      try play.google.set("t1", quantity: 2, others: [("gems_1200", 3), ("no_ads", 1)])
      for _ in 0..<2 {
        let answer = try await play.post("t1", products: ["gems_300"])
        XCTAssertEqual(answer.status, 200, answer.body.text())
        XCTAssertEqual(try play.balance(), 2 * 300 + 3 * 1200)
        let products = answer.body["purchased_products"]
        XCTAssertEqual(products?["gems_300"]?["should_consume"], true)
        XCTAssertEqual(products?["gems_1200"]?["should_consume"], true)
        XCTAssertEqual(products?["no_ads"]?["should_consume"], false)
        XCTAssertEqual(shown(answer), ["gems_300": ["t1"], "gems_1200": ["t1"], "no_ads": ["t1"]])
        let told = try await play.push(PlayWorld.purchased("t1"))
        XCTAssertEqual(told.outcome, "unchanged")
      }
      let ids = try play.world.ledger.purchases(of: CustomerID("alice")).purchases.map(\.storeTransactionID.text)
      XCTAssertEqual(Set(ids), ["t1/gems_300", "t1/gems_1200", "t1/no_ads"])
      // A refund of the whole order takes all of it.
      play.world.time.advance(seconds: 60)
      try play.google.set("t1", state: "CANCELLED", quantity: 2, others: [("gems_1200", 3), ("no_ads", 1)])
      let voided = try await play.push(PlayWorld.voided("t1"))
      XCTAssertEqual(voided.outcome, "refunded")
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  /// A product that was credited under the token alone, as by an earlier version, is not credited under both.
  func testATokenThatIsKnownAloneStaysKnownByIt() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      _ = try await play.post("t1")
      XCTAssertEqual(try play.balance(), 300)
      try play.google.set("t1", others: [("gems_1200", 1)])
      let answer = try await play.post("t1")
      XCTAssertEqual(answer.status, 200)
      XCTAssertEqual(try play.balance(), 1500)
      try play.google.set("t1", product: "gems_1200")
      _ = try await play.post("t1")
      XCTAssertEqual(try play.balance(), 1500)
      let ids = try play.world.ledger.purchases(of: CustomerID("alice")).purchases.map(\.storeTransactionID.text)
      XCTAssertEqual(Set(ids), ["t1", "t1/gems_1200"])
    }
  }

  /// The lines that can be credited are; the app posts again until all of them are.
  func testALineWithoutAProductHoldsNoOtherUp() async throws {
    try await withWorld { play in
      try play.google.set("t1", product: "unknown", others: [("gems_300", 1)])
      let answer = try await play.post("t1")
      XCTAssertEqual(answer.status, 503)
      XCTAssertEqual(try play.balance(), 300)
      XCTAssertEqual(try play.world.backend.heldCounts(), [.product: 1])
    }
  }

  func testAnOrderIsPaidByTheLineOfItsProduct() async throws {
    try await withWorld { play in
      let order = try await play.world.backend.initPayment(
        OrderRequest(
          customer: CustomerID("alice"), product: ProductCode("gems_1200"), store: .google,
          bundleID: "com.example.gems", key: IdempotencyKey("k1")))
      try play.google.set("t1", others: [("gems_1200", 1)])
      let answer = try await play.world.send(
        "POST", "/v1/orders/\(order.code)/complete", ["fetch_token": "t1", "app_user_id": "alice"])
      XCTAssertEqual(answer.status, 200, answer.body.text())
      XCTAssertEqual(answer.body["receipt"]?["purchase"]?["product"], "gems_1200")
      XCTAssertEqual(answer.body["receipt"]?["other_purchases"]?.array?.count, 1)
      XCTAssertEqual(try play.world.backend.order(order.code).status, .success)
      XCTAssertEqual(try play.balance(), 1500)
    }
  }

  func testTheSignedFormOfSeveralProductsIsLookedUp() async throws {
    let key = PlayKey()
    let google = try PlayVerifier(publicKey: key.publicKey, environment: .production)
    let verifier = StoreVerifiers(apple: nil, google: google)
    try await withWorld(verifier: verifier) { play in
      try play.google.set("t1", quantity: 2, others: [("gems_1200", 1)])
      let data =
        #"{"packageName":"com.example.gems","productIds":["gems_300","gems_1200"],"purchaseTime":1767225600000,"#
        + #""purchaseState":0,"purchaseToken":"t1","quantity":1}"#
      let signer = try XCTUnwrap(Crypto.privateKey(pem: Array(key.pem.utf8)))
      let signature = Base64.text(Crypto.playSignature(of: Array(data.utf8), by: signer))
      let answer = try await play.post(PlayReceipt(data: data, signature: signature).text)
      XCTAssertEqual(answer.status, 200, answer.body.text())
      XCTAssertEqual(try play.balance(), 1800)
      let forged = try await play.post(PlayReceipt(data: data + " ", signature: signature).text)
      XCTAssertEqual(forged.status, 400)
    }
  }

  // MARK: Calls

  func testWithoutTheNewerCallTheNamedProductsAreAskedFor() async throws {
    try await withWorld { play in
      play.google.state.withLock { state in
        state.hasProductsV2 = false
        for product in ["gems_300", "gems_1200"] {
          state.singlePurchases["\(product)/t1"] = ["purchaseTimeMillis": "1767222000000", "quantity": 2]
        }
        state.singlePurchases["gems_300/t2"] = ["purchaseTimeMillis": "1767222000000"]
      }
      let answer = try await play.post("t1", products: ["gems_6500", "gems_300", "gems_1200"])
      XCTAssertEqual(answer.status, 200, answer.body.text())
      XCTAssertEqual(try play.balance(), 2 * 300 + 2 * 1200)
      // Other names change nothing of what is credited already.
      _ = try await play.post("t1", products: ["gems_300"])
      XCTAssertEqual(try play.balance(), 2 * 300 + 2 * 1200)
      let wrong = try await play.post("t2", products: ["gems_6500"])
      XCTAssertEqual(wrong.status, 503)
      _ = try await play.post("t2", products: ["gems_300"])
      XCTAssertEqual(try play.balance(), 3 * 300 + 2 * 1200)
    }
  }

  /// Two look-ups of one token may be for different products of it, also before either is credited.
  func testWithoutTheNewerCallAProductKeepsItsIdentity() async throws {
    try await withWorld { play in
      let products = ["gems_500", "gems_300", "gems_1200"]
      play.google.state.withLock { state in
        state.hasProductsV2 = false
        for product in products { state.singlePurchases["\(product)/t1"] = ["purchaseTimeMillis": "1767222000000"] }
      }
      // A product that the catalog does not have yet: the purchase is held.
      let first = try await play.post("t1", products: ["gems_500"])
      XCTAssertEqual(first.status, 503)
      _ = try await play.post("t1", products: products)
      _ = try await play.push(PlayWorld.purchased("t1", product: "gems_1200"))
      try play.addProducts(gems500: true)
      _ = try await play.world.backend.decideHeld()
      XCTAssertEqual(try play.balance(), 500 + 300 + 1200)
      let last = try await play.post("t1", products: products.reversed())
      XCTAssertEqual(last.status, 200, last.body.text())
      XCTAssertEqual(try play.balance(), 500 + 300 + 1200)
    }
  }

  func testSubscriptionsAreCreditedOncePerOrder() async throws {
    try await withWorld { play in
      try play.google.set(subscription: "s1")
      for products in [["monthly"], ["gems_300"], []] {
        let answer = try await play.post("s1", products: products)
        XCTAssertEqual(answer.status, 200, answer.body.text())
        let subscription = answer.body["subscriber"]?["subscriptions"]?["monthly"]
        XCTAssertEqual(subscription?["store_transaction_id"], "s1")
        XCTAssertEqual(subscription?["expires_date"], "2026-01-31T23:00:00Z")
        XCTAssertEqual(try play.balance(), 50)
        play.world.time.advance(seconds: 60)
      }
      // What the catalog says of the named product saves a look-up.
      let paths = play.google.requests.map(\.path).filter { $0.contains("/s1") }
      XCTAssertEqual(paths.map { $0.contains("subscriptionsv2") }, [true, false, true, false, true])
      try play.google.set(subscription: "s1", order: "GPA.5..0")
      let renewed = "\"subscriptionNotification\":{\"notificationType\":2,\"purchaseToken\":\"s1\"}"
      for outcome in ["credited", "unchanged"] {
        let told = try await play.push(renewed)
        XCTAssertEqual(told.outcome, outcome)
        play.world.time.advance(seconds: 60)
      }
      _ = try await play.post("s1", products: ["monthly"])
      XCTAssertEqual(try play.balance(), 100)
    }
  }

  /// A change of plan that begins at the next renewal: the new token lists the old product, and one not owned yet.
  func testADeferredPlanIsCreditedOnceItIsOwned() async throws {
    try await withWorld { play in
      try play.addProducts(all: true)
      try play.google.set(subscription: "s1")
      _ = try await play.post("s1", products: ["monthly"])
      XCTAssertEqual(try play.balance(), 50)
      try play.google.set(subscription: "s2", others: [("gold", nil)], replaces: "s1")
      for _ in 0..<2 {
        let post = try await play.post("s2", products: ["gold"])
        XCTAssertEqual(post.status, 200, post.body.text())
        XCTAssertEqual(try play.balance(), 50)
      }
      try play.google.set(subscription: "s2", product: "gold", order: "GPA.5..0", replaces: "s1")
      for _ in 0..<2 {
        _ = try await play.post("s2", products: ["gold"])
        XCTAssertEqual(try play.balance(), 130)
      }
    }
  }

  /// No status of Google proves that nobody paid.
  func testEveryRefusalHoldsThePurchase() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      let refusals = [
        (400, "invalid"), (401, "authError"), (403, "permissionDenied"), (404, "purchaseTokenNotFound"),
        (404, "applicationNotFound"), (409, "concurrentUpdate"), (410, "purchaseTokenNoLongerValid"),
        (429, "rateLimitExceeded"), (500, "backendError"), (503, ""),
      ]
      for (status, reason) in refusals {
        play.google.state.withLock { $0.refusal = (status, reason) }
        let answer = try await play.post("t1")
        XCTAssertEqual(answer.status, 503, "\(status) \(reason)")
        XCTAssertNotNil(answer.header("Retry-After"))
        XCTAssertEqual(play.world.project.quarantine.count, 1, "\(status) \(reason)")
      }
      // A form that is not known here may be read by a later version.
      play.google.state.withLock { state in
        state.refusal = nil
        state.purchases["t1"] = ["productLineItem": [["productId": 1]]]
      }
      let unread = try await play.post("t1")
      XCTAssertEqual(unread.status, 503)
      XCTAssertEqual(try play.balance(), 0)
      try play.google.set("t1")
      play.world.time.advance(seconds: 61)
      try await play.maintain()
      XCTAssertEqual(try play.balance(), 300)
      XCTAssertEqual(play.world.project.quarantine.count, 0)
      // Nobody has paid yet; then it is cancelled, which is final.
      try play.google.set("t2", state: "PENDING")
      let pending = try await play.post("t2")
      XCTAssertEqual(pending.status, 503)
      try play.google.set("t2", state: "CANCELLED")
      let cancelled = try await play.post("t2")
      XCTAssertEqual(cancelled.status, 400)
    }
  }

  // MARK: The buyer

  /// RevenueCat's SDK names the buyer by the SHA-256 of the id, in base64; a replay comes from whoever is signed in.
  func testAnotherUsersPostCreditsTheBuyer() async throws {
    try await withWorld(verifier: StoreVerifiers(apple: nil, google: nil)) { play in
      let digest = TextDigest.sha256(of: "alice")
      for (token, id) in [("t1", Base64.text(digest)), ("t2", Hex.text(digest))] {
        try play.google.set(token, buyer: nil)
        play.google.state.withLock { state in
          var purchase = state.purchases[token]?.object ?? [:]
          purchase["obfuscatedExternalAccountId"] = .string(id)
          state.purchases[token] = .object(purchase)
        }
        let answer = try await play.post(token, as: "bob", source: "unsynced_active_purchases")
        XCTAssertEqual(answer.status, 200, answer.body.text())
        XCTAssertEqual(answer.body["receipt"]?["booking"]?["customer_id"], "alice")
      }
      XCTAssertEqual(try play.balance(), 600)
    }
  }

  /// An import or a grant makes a customer whom no app has registered yet.
  func testTheBuyerIsFoundByAnIDThatNoAppHasRegistered() async throws {
    try await withWorld(verifier: StoreVerifiers(apple: nil, google: nil)) { play in
      for id in ["a/b", "carol"] { try play.world.grant(1, to: id) }
      _ = try await play.world.backend.createAlias(CustomerID("dave"), of: CustomerID("bob"))
      let walk = AccountTokenWalk(play.world.backend)
      let runner = MaintenanceRunner(backend: play.world.backend, jobs: [walk.job])
      let report = try await runner.runOnce()
      XCTAssertEqual(report.jobs.last?.counts, ["customers": 4, "registered": 1])
      try play.google.set("t1", buyer: nil)
      play.google.state.withLock { state in
        var purchase = state.purchases["t1"]?.object ?? [:]
        purchase["obfuscatedExternalAccountId"] = .string(
          Base64.text(TextDigest.sha256(of: "carol")))
        state.purchases["t1"] = .object(purchase)
      }
      let answer = try await play.post("t1", as: "bob")
      XCTAssertEqual(answer.body["receipt"]?["booking"]?["customer_id"], "carol")
      let again = try await runner.runOnce()
      XCTAssertEqual(again.jobs.last?.counts, ["customers": 4, "registered": 0])
      // Another process continues, with the customers that are new.
      try play.world.grant(1, to: "erin")
      let next = try await MaintenanceRunner(
        backend: play.world.backend, jobs: [AccountTokenWalk(play.world.backend).job]
      ).runOnce()
      XCTAssertEqual(next.jobs.last?.counts, ["customers": 5, "registered": 1])
    }
  }

  /// An erased customer's digest names nobody any more: a purchase of before is not another person's.
  func testAnErasedBuyerIsNotTheNextPerson() async throws {
    try await withWorld(verifier: StoreVerifiers(apple: nil, google: nil)) { play in
      let erase = try LedgerCommand.erase(
        CustomerID("alice"), with: [CustomerID("alice")], in: play.world.ledger,
        digest: { TextDigest.sha256(of: $0) })
      _ = try await play.world.ledger.book(erase)
      try play.google.set("t1", buyer: nil)
      play.google.state.withLock { state in
        var purchase = state.purchases["t1"]?.object ?? [:]
        purchase["obfuscatedExternalAccountId"] = .string(
          Base64.text(TextDigest.sha256(of: "alice")))
        state.purchases["t1"] = .object(purchase)
      }
      _ = try await play.post("t1", as: "bob")
      XCTAssertEqual(try play.world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("bob")).balance, 0)
    }
  }
}
#endif
