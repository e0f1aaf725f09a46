#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import Synchronization
import SystemCrypto
import XCTest

@testable import GemServer

/// Google Play's notifications, from the push to the ledger.
final class PlayNotificationTests: XCTestCase {
  private func withWorld(
    pushToken: String? = nil, policy: BackendPolicy = BackendPolicy(), key: Crypto.SigningKey = FakeGoogle.key,
    _ body: (PlayWorld) async throws -> Void
  ) async throws {
    let world = try PlayWorld(pushToken: pushToken, policy: policy, key: key)
    defer { world.google.stop() }
    _ = try await world.world.backend.register(CustomerID("alice"))
    try await body(world)
  }

  /// The purchase as the app's receipt names it.
  private func receipt(_ token: String, _ play: PlayWorld) throws -> StoreTransaction {
    StoreTransaction(
      store: .google, environment: .production, id: try StoreTransactionID(token), bundleID: "com.example.gems",
      storeProductID: "gems_300", productType: .consumable, accountToken: AccountToken(of: try CustomerID("alice")),
      purchasedAt: play.world.time.now, signedAt: play.world.time.now)
  }

  // MARK: Purchases

  func testAPurchaseIsCreditedOnceThoughNotifiedThreeTimes() async throws {
    try await withWorld { play in
      try play.google.set("tok%2F1%2Bx")
      for outcome in ["credited", "unchanged", "unchanged"] {
        let answer = try await play.push(PlayWorld.purchased("tok/1+x"))
        XCTAssertEqual(answer.status, 200)
        XCTAssertEqual(answer.outcome, outcome)
        XCTAssertNil(answer.code)
        play.world.time.advance(seconds: 5)
      }
      XCTAssertEqual(try play.balance(), 300)
      XCTAssertEqual(play.google.exchangeCount, 1)
      XCTAssertEqual(play.google.lookUpCount, 3)
      XCTAssertEqual(play.google.requests[0].field("Content-Type"), "application/x-www-form-urlencoded")
    }
  }

  func testConcurrentNotificationsCreditOnce() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      let outcomes = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<8 { group.addTask { try await play.push(PlayWorld.purchased("t1")).outcome } }
        return try await group.reduce(into: [String?]()) { $0.append($1) }
      }
      XCTAssertEqual(outcomes.count { $0 == "credited" }, 1)
      XCTAssertEqual(try play.balance(), 300)
    }
  }

  func testTheReceiptOfTheSamePurchaseIsNotCreditedAgain() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      _ = try await play.push(PlayWorld.purchased("t1"))
      let answer = try await play.world.backend.apply(try receipt("t1", play))
      XCTAssertEqual(answer.outcome, .unchanged)
      XCTAssertEqual(try play.balance(), 300)
    }
  }

  func testATestersPurchaseIsCreditedByItsReceiptAlone() async throws {
    try await withWorld { play in
      try play.google.set("t1", isTest: true)
      var answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.outcome, "unattributed")
      try await play.world.backend.apply(try receipt("t1", play))
      answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.outcome, "unchanged")
      XCTAssertEqual(try play.balance(), 300)
      play.world.time.advance(seconds: 60)
      try play.google.set("t1", state: "CANCELLED", isTest: true)
      answer = try await play.push(PlayWorld.voided("t1"))
      XCTAssertEqual(answer.outcome, "refunded")
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  func testAPendingPurchaseIsNotCreditedUntilItIsPaidFor() async throws {
    try await withWorld { play in
      try play.google.set("t1", state: "PENDING")
      var answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.outcome, "pending")
      XCTAssertEqual(try play.balance(), 0)
      try play.google.set("t1")
      answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.outcome, "credited")
    }
  }

  func testADeclinedPaymentIsKnownAndNotPending() async throws {
    try await withWorld { play in
      try play.google.set("t1", state: "PENDING")
      _ = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(try play.world.backend.heldCounts(), [.pending: 1])
      try play.google.set("t1", state: "CANCELLED", isDeclined: true)
      let answer = try await play.push(PlayWorld.canceled("t1"))
      XCTAssertEqual(answer.outcome, "declined")
      XCTAssertEqual(try play.world.backend.heldCounts(), [.declined: 1])
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  /// Servers whose clocks differ agree on what is newer.
  func testTheStoresDateIsThatOfItsAnswer() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      play.google.state.withLock { $0.date = "Wed, 31 Dec 2025 23:30:01 GMT" }
      _ = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(try play.balance(), 300)
      let ledger = play.world.ledger
      let purchases = try ledger.purchases(of: CustomerID("alice")).purchases
      let stated = try ledger.view { (view) throws(LedgerError) in try view.evidence.statements(about: purchases) }
      XCTAssertEqual(stated.values.joined().map(\.statedAt.description), ["2025-12-31T23:30:01.000Z"])
      // A refund that the next answer shows in the same second stands.
      try play.google.set("t1", state: "CANCELLED")
      for outcome in ["refunded", "unchanged"] {
        let answer = try await play.push(PlayWorld.voided("t1"))
        XCTAssertEqual(answer.outcome, outcome)
      }
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  // MARK: Refunds

  func testAVoidedPurchaseIsClawedBackOnce() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      _ = try await play.push(PlayWorld.purchased("t1"))
      try play.google.set("t2")
      _ = try await play.push(PlayWorld.purchased("t2"))
      try play.google.set("t1", state: "CANCELLED")
      for outcome in ["refunded", "unchanged", "unchanged"] {
        play.world.time.advance(seconds: 60)
        let answer = try await play.push(PlayWorld.voided("t1"))
        XCTAssertEqual(answer.outcome, outcome)
      }
      XCTAssertEqual(try play.balance(), 300)
    }
  }

  func testSomeUnitsOfAPurchaseAreClawedBack() async throws {
    try await withWorld { play in
      try play.google.set("t1", quantity: 3)
      _ = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(try play.balance(), 900)
      play.world.time.advance(seconds: 60)
      try play.google.set("t1", quantity: 3, refundable: 2)
      for _ in 0..<2 {
        _ = try await play.push(PlayWorld.voided("t1"))
        play.world.time.advance(seconds: 60)
        XCTAssertEqual(try play.balance(), 600)
      }
    }
  }

  func testAForgedRefundChangesNothing() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      _ = try await play.push(PlayWorld.purchased("t1"))
      play.world.time.advance(seconds: 60)
      let answer = try await play.push(PlayWorld.voided("t1"))
      XCTAssertEqual(answer.outcome, "unchanged")
      XCTAssertEqual(try play.balance(), 300)
    }
  }

  // MARK: Refusals

  /// Google may show a purchase only minutes after it told of it.
  func testAnUnknownPurchaseIsLookedUpAgain() async throws {
    try await withWorld { play in
      for token in ["forged", "t1"] {
        let answer = try await play.push(PlayWorld.purchased(token))
        XCTAssertEqual(answer.status, 200)
        XCTAssertEqual(answer.outcome, "quarantined")
        XCTAssertEqual(answer.code, "purchase_not_found")
      }
      XCTAssertEqual(try play.balance(), 0)
      try play.google.set("t1")
      play.world.time.advance(seconds: 61)
      try await play.maintain()
      XCTAssertEqual(try play.balance(), 300)
      XCTAssertEqual(play.world.project.quarantine.count, 1)
    }
  }

  func testAnotherAppIsRefusedWithoutAskingGoogle() async throws {
    try await withWorld { play in
      let answer = try await play.push(PlayWorld.purchased("t1"), package: "com.example.other")
      XCTAssertEqual(answer.status, 200)
      XCTAssertEqual(answer.code, "bundle_mismatch")
      XCTAssertEqual(play.google.requests.count, 0)
    }
  }

  func testAnUnknownProductIsHeld() async throws {
    try await withWorld { play in
      try play.google.set("t1", product: "gems_0")
      let answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.status, 200)
      XCTAssertEqual(answer.outcome, "held")
      XCTAssertNil(answer.code)
    }
  }

  func testOtherNotificationsAskGoogleNothing() async throws {
    try await withWorld { play in
      let others = [
        "\"testNotification\":{\"version\":\"1.0\"}", "\"newNotification\":{}",
        "\"subscriptionNotification\":{\"notificationType\":3,\"purchaseToken\":\"t1\"}",
        "\"pendingRefundReviewNotification\":{\"pendingRefundToken\":\"r\",\"orderId\":\"GPA.1\"}",
      ]
      for other in others {
        let answer = try await play.push(other)
        XCTAssertEqual(answer.status, 200)
        XCTAssertEqual(answer.outcome, "none")
      }
      XCTAssertEqual(play.google.requests.count, 0)
      XCTAssertEqual(play.logged.lines.count, 1, "An operator has to answer the review")
    }
  }

  func testMalformedBodies() async throws {
    try await withWorld { play in
      let path = "/v1/incoming-webhooks/google/default"
      let bodies: [(JSONValue, Int)] = [
        ([:], 400), (["message": "x"], 400), (["message": [:]], 422),
        (["message": ["data": "e30=", "messageId": "1"]], 200),
      ]
      for (body, status) in bodies {
        let answer = try await play.world.send("POST", path, body)
        XCTAssertEqual(answer.status, status, body.text())
      }
      XCTAssertEqual(play.google.requests.count, 0)
    }
  }

  func testTheAddressMayNeedAToken() async throws {
    try await withWorld(pushToken: "s3cret") { play in
      try play.google.set("t1")
      for query in ["", "?token=s3cre", "?token=s3cretx"] {
        let answer = try await play.push(PlayWorld.purchased("t1"), query: query)
        XCTAssertEqual(answer.status, 401, query)
      }
      XCTAssertEqual(play.google.requests.count, 0)
      let answer = try await play.push(PlayWorld.purchased("t1"), query: "?token=s3cret")
      XCTAssertEqual(answer.outcome, "credited")
    }
  }

  func testAServerWithoutAServiceAccountKeepsTheNotification() async throws {
    let world = try APIWorld()
    let answer = try await world.send(
      "POST", "/v1/incoming-webhooks/google/default", PlayWorld.push(PlayWorld.purchased("t1")))
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(answer.body["outcome"]?.text, "quarantined")
    XCTAssertEqual(answer.body["code"]?.text, "receipt_unverified")
    XCTAssertEqual(world.project.quarantine.count, 1)
  }

  // MARK: Google's side

  func testPubSubSendsAgainWhileGoogleIsDown() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      play.google.state.withLock { $0.isDown = true }
      var answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.status, 503)
      XCTAssertEqual(answer.code, "backend_unreachable")
      play.google.state.withLock { $0.isDown = false }
      answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.outcome, "credited")
      play.google.state.withLock { $0.isDown = true }
      answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.status, 503)
      play.google.stop()
      answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.status, 503)
      XCTAssertEqual(try play.balance(), 300)
    }
  }

  func testAnAccountThatGoogleDoesNotKnowIsTriedAgain() async throws {
    try await withWorld(key: Crypto.makeKey(.rsa)) { play in
      try play.google.set("t1")
      let answer = try await play.push(PlayWorld.purchased("t1"))
      XCTAssertEqual(answer.status, 503)
      XCTAssertEqual(play.google.lookUpCount, 0)
    }
  }

  func testAnAccessTokenIsReplacedBeforeItsEndAndWhenRefused() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      func push() async throws {
        let answer = try await play.push(PlayWorld.purchased("t1"))
        XCTAssertEqual(answer.status, 200)
      }
      try await push()
      play.time.advance(seconds: 3298)
      try await push()
      XCTAssertEqual(play.google.exchangeCount, 1)
      play.time.advance(seconds: 1)
      try await push()
      XCTAssertEqual(play.google.exchangeCount, 2)
      play.google.state.withLock { $0.accessTokens = [] }
      try await push()
      XCTAssertEqual(play.google.exchangeCount, 3)
    }
  }
}
#endif
