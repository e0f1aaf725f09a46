#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import SystemCrypto
import XCTest

@testable import GemServer

/// What the server consumes and acknowledges, so that Google refunds no credited purchase.
final class PlayCompletionTests: XCTestCase {
  private func withWorld(_ body: (PlayWorld) async throws -> Void) async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    _ = try await play.world.backend.register(CustomerID("alice"))
    try await body(play)
  }

  // MARK: Decisions

  private func bought(_ lines: [(String, isConsumed: Bool)], isAcknowledged: Bool = false, state: String = "PURCHASED")
    throws -> PlayProductPurchase
  {
    let items = lines.map { name, isConsumed -> JSONValue in
      let consumption = isConsumed ? "CONSUMPTION_STATE_CONSUMED" : "CONSUMPTION_STATE_YET_TO_BE_CONSUMED"
      return ["productId": .string(name), "productOfferDetails": ["consumptionState": .string(consumption)]]
    }
    var purchase: JSONObject = [
      "productLineItem": .array(items), "purchaseStateContext": ["purchaseState": .string(state)],
      "acknowledgementState": isAcknowledged ? "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED" : "ACKNOWLEDGEMENT_STATE_PENDING",
    ]
    if state != "PENDING" { purchase["purchaseCompletionTime"] = "2025-12-31T23:00:00Z" }
    return try PlayProductPurchase(
      json: Array(JSONValue.object(purchase).text().utf8),
      for: PlayProductPurchase.Request(
        packageName: "com.example.gems", token: StoreTransactionID("t1"), fetchedAt: Timestamp(milliseconds: 0)))
  }

  func testDecisions() throws {
    let one = try bought([("a", false)])
    XCTAssertEqual(PlayCompletions.decision(one, [.consumable]), .complete([.consume(product: "a")]))
    XCTAssertEqual(PlayCompletions.decision(one, [.nonConsumable]), .complete([.acknowledge(product: "a")]))
    XCTAssertEqual(PlayCompletions.decision(one, [nil]), .wait)
    XCTAssertEqual(PlayCompletions.decision(try bought([("a", true)]), [.consumable]), .done)
    let acknowledged = try bought([("a", false)], isAcknowledged: true)
    XCTAssertEqual(PlayCompletions.decision(acknowledged, [.nonConsumable]), .done)
    // One that is acknowledged alone cannot be bought again.
    XCTAssertEqual(PlayCompletions.decision(acknowledged, [.consumable]), .complete([.consume(product: "a")]))
    let several = try bought([("a", false), ("b", true), ("c", false)])
    XCTAssertEqual(
      PlayCompletions.decision(several, [.consumable, .consumable, nil]), .complete([.consume(product: "a")]))
    XCTAssertEqual(PlayCompletions.decision(try bought([("a", false)], state: "CANCELLED"), [.consumable]), .done)
    XCTAssertEqual(PlayCompletions.decision(try bought([("a", false)], state: "PENDING"), [nil]), .wait)
  }

  // MARK: When

  func testAnAppHasTenMinutesToConsume() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      try play.google.set("t2")
      for token in ["t1", "t2"] {
        let answer = try await play.post(token)
        XCTAssertEqual(answer.status, 200)
      }
      try await play.maintain()
      play.world.time.advance(seconds: 599)
      try await play.maintain()
      XCTAssertEqual(play.completed, [])
      // The app of one consumed it; the other's has died.
      try play.google.set("t1", isConsumed: true)
      play.world.time.advance(seconds: 1)
      for _ in 0..<2 { try await play.maintain() }
      XCTAssertEqual(play.completed, ["consume gems_300 t2"])
      XCTAssertEqual(try play.world.ledger.documents.page(withPrefix: PlayCompletions.prefix).count, 0)
    }
  }

  func testWhatAnAppSynchronizesIsConsumedAtOnce() async throws {
    try await withWorld { play in
      try play.google.set("t1", quantity: 2, others: [("gems_1200", 1)])
      _ = try await play.post("t1")
      _ = try await play.post("t1", source: "restore")
      try await play.maintain()
      XCTAssertEqual(Set(play.completed), ["consume gems_300 t1", "consume gems_1200 t1"])
    }
  }

  func testWhatANotificationCreditsIsConsumedAtOnce() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      try play.google.set("t2", buyer: "carol")
      for token in ["t1", "t2"] { _ = try await play.push(PlayWorld.purchased(token)) }
      try await play.maintain()
      XCTAssertEqual(play.completed, ["consume gems_300 t1"])
      // The other one's buyer is known an hour later.
      _ = try await play.world.backend.register(CustomerID("carol"))
      play.world.time.advance(seconds: 3600)
      try await play.maintain()
      XCTAssertEqual(play.completed, ["consume gems_300 t1", "consume gems_300 t2"])
    }
  }

  /// The signed form of a purchase that its app has not acknowledged yet.
  func testASignedPurchaseIsConsumedIfItsAppDies() async throws {
    let key = PlayKey()
    let google = try PlayVerifier(publicKey: key.publicKey, environment: .production)
    let play = try PlayWorld(verifier: StoreVerifiers(apple: nil, google: google))
    defer { play.google.stop() }
    let signer = try XCTUnwrap(Crypto.privateKey(pem: Array(key.pem.utf8)))
    for (token, isAcknowledged) in [("t1", false), ("t2", true)] {
      try play.google.set(token)
      let data =
        #"{"packageName":"com.example.gems","productId":"gems_300","purchaseTime":1767225600000,"purchaseState":0,"#
        + #""purchaseToken":"\#(token)","acknowledged":\#(isAcknowledged)}"#
      let signature = Base64.text(Crypto.playSignature(of: Array(data.utf8), by: signer))
      let answer = try await play.post(PlayReceipt(data: data, signature: signature).text)
      XCTAssertEqual(answer.status, 200, answer.body.text())
    }
    XCTAssertEqual(play.google.lookUpCount, 0)
    play.world.time.advance(seconds: 600)
    try await play.maintain()
    XCTAssertEqual(play.completed, ["consume gems_300 t1"])
  }

  func testASubscriptionIsAcknowledgedByItsOwnCall() async throws {
    try await withWorld { play in
      var catalog = try XCTUnwrap(JSONValue.parse(Fixture.bytes("gems.json")).object)
      let monthly: JSONValue = [
        "code": "monthly", "store_ids": ["google": "monthly"], "type": "auto_renewable_subscription", "active": true,
        "localizations": [], "prices": [:], "discount_prices": [:], "grants": [], "item_grants": [],
        "entitlement": "premium", "period": "P1M",
      ]
      catalog["products"] = .array((catalog["products"]?.array ?? []) + [monthly])
      try play.world.ledger.apply(Catalog.load(Array(JSONValue.object(catalog).text().utf8)))
      try play.google.set(subscription: "s1")
      _ = try await play.push(
        "\"subscriptionNotification\":{\"notificationType\":4,\"purchaseToken\":\"s1\",\"subscriptionId\":\"monthly\"}")
      try await play.maintain()
      XCTAssertEqual(play.completed, ["acknowledge monthly s1"])
    }
  }

  // MARK: Failures

  /// The credit neither waits for it nor fails with it.
  func testItIsTriedForThreeDays() async throws {
    for status in [400, 403, 404, 409, 500] {
      try await withWorld { play in
        try play.google.set("t1")
        let answer = try await play.post("t1")
        XCTAssertEqual(answer.status, 200)
        play.google.state.withLock { $0.refusal = (status, "backendError") }
        for _ in 0..<(3 * 24) {
          play.world.time.advance(seconds: 3600)
          try await play.maintain()
        }
        XCTAssertEqual(play.logged.lines.count, 1, "\(status)")
        XCTAssertTrue(play.logged.lines.first?.contains("gems_300") ?? false)
        XCTAssertFalse(play.logged.lines.first?.contains("t1") ?? true, "A log holds no purchase token")
        XCTAssertEqual(try play.world.ledger.documents.page(withPrefix: PlayCompletions.prefix).count, 0)
      }
    }
  }

  /// Google gives the money back: there is nothing that an operator has to do.
  func testWhatIsNotCreditedIsLeftToGoogle() async throws {
    try await withWorld { play in
      try play.google.set("t1", product: "unknown")
      let answer = try await play.post("t1")
      XCTAssertEqual(answer.status, 503)
      XCTAssertEqual(try play.world.ledger.documents.page(withPrefix: PlayCompletions.prefix).count, 1)
      play.world.time.advance(seconds: 3 * 86_400)
      try await play.maintain()
      XCTAssertEqual(try play.world.ledger.documents.page(withPrefix: PlayCompletions.prefix).count, 0)
      XCTAssertEqual(play.completed, [])
      XCTAssertEqual(play.logged.lines, [])
    }
  }

  func testItIsTriedAgainUntilItIsDone() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      _ = try await play.post("t1", source: "restore")
      play.google.state.withLock { $0.refusal = (409, "concurrentUpdate") }
      try await play.maintain()
      play.google.state.withLock { $0.refusal = nil }
      play.world.time.advance(seconds: 60)
      for _ in 0..<3 { try await play.maintain() }
      XCTAssertEqual(play.completed, ["consume gems_300 t1"])
    }
  }

  /// A purchase that was consumed between the look-up and the try.
  func testAlreadyCompletedCountsAsDone() async throws {
    try await withWorld { play in
      try play.google.set("t1")
      play.google.state.withLock { $0.completionRefusal = (400, "purchaseAlreadyConsumed") }
      _ = try await play.post("t1", source: "restore")
      try await play.maintain()
      XCTAssertEqual(try play.world.ledger.documents.page(withPrefix: PlayCompletions.prefix).count, 0)
      XCTAssertEqual(play.logged.lines, [])
    }
  }

  // MARK: Access tokens

  func testConcurrentLookUpsWaitForOneAccessToken() async throws {
    try await withWorld { play in
      let tokens = (0..<16).map { "t\($0)" }
      for token in tokens { try play.google.set(token) }
      for round in 1...2 {
        try await withThrowingTaskGroup(of: Int.self) { group in
          for token in tokens { group.addTask { try await play.post(token).status } }
          for try await status in group { XCTAssertEqual(status, 200) }
        }
        XCTAssertEqual(play.google.exchangeCount, round)
        // All of them are refused, and drop it once.
        play.google.state.withLock { $0.accessTokens = [] }
      }
    }
  }
}
#endif
