#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import XCTest

@testable import GemServer

/// Purchases that are kept for a later try, which a step of the clock, a silent store or a full quarantine could lose.
final class KeptPurchaseTests: XCTestCase {
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
    let round = try await world.project.quarantine.retry(all: false, giveUp: { _ in }, { _ in .later })
    XCTAssertEqual(round.tried, 1)
    let next = try await world.project.quarantine.retry(all: false, giveUp: { _ in }, { _ in .later })
    XCTAssertEqual(next.tried, 0)
  }

  /// Nor does a purchase that is to be consumed.
  func testACompletionOutlivesAClockThatWasAhead() async throws {
    try await PlayWorld.play { play in
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
    try await PlayWorld.play { play in
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
    play.google.web.holdBack()
    let answer = try await play.post("t1")
    XCTAssertEqual(answer.status, 503)
    XCTAssertNotNil(answer.header("Retry-After"))
    XCTAssertEqual(play.world.project.quarantine.count, 1)
    // What was asked goes on; here it is tried again before.
    play.google.web.release()
    play.world.time.advance(seconds: 61)
    try await play.maintain()
    XCTAssertEqual(try play.balance(), 300)
    XCTAssertEqual(play.world.project.quarantine.count, 0)
  }

  /// The purchases of an app that is not named yet are credited once it is.
  func testAPostOfAnotherAppAtGooglePlayIsKept() async throws {
    try await PlayWorld.play { play in
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
    for document in try world.ledger.documents.page(withPrefix: "quarantine/") {
      XCTAssertLessThan(document.content.utf8.count, Quarantine.bodyBytesMax)
    }
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
