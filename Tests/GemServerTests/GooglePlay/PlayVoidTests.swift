#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import Synchronization
import XCTest

@testable import GemServer

/// What Google Play lists as voided is taken back, once, whatever the state of the purchase shows.
final class PlayVoidTests: XCTestCase {
  private func withWorld(_ body: (PlayWorld, MaintenanceRunner) async throws -> Void) async throws {
    try await PlayWorld.play { play in
      try play.addProducts()
      try await body(play, Self.runner(play))
    }
  }

  private static func runner(_ play: PlayWorld) throws -> MaintenanceRunner {
    let notices = try XCTUnwrap(play.world.project.playNotices)
    return MaintenanceRunner(backend: play.world.backend, jobs: [notices.voids(of: play.world.project)])
  }

  /// Lists an order as voided now.
  private func list(_ token: String, order: String = "GPA.1", units: Int64? = nil, in play: PlayWorld) {
    var entry: JSONObject = [
      "purchaseToken": .string(token), "orderId": .string(order),
      "voidedTimeMillis": .string(String(play.world.time.now.milliseconds)),
    ]
    if let units { entry["voidedQuantity"] = .integer(units) }
    play.google.state.withLock { $0.voids[0].append(.object(entry)) }
  }

  private static func revoked(_ token: String, type: Int = 12) -> String {
    "\"subscriptionNotification\":{\"notificationType\":\(type),\"purchaseToken\":\"\(token)\"}"
  }

  // MARK: Subscriptions

  func testARefundedSubscriptionIsClawedBackOnce() async throws {
    try await withWorld { play, runner in
      try play.google.set(subscription: "s1")
      _ = try await play.post("s1", products: ["monthly"])
      XCTAssertEqual(try play.balance(), 50)
      _ = try await runner.runOnce()
      play.world.time.advance(seconds: 600)
      list("s1", order: "GPA.5", in: play)
      let told = try await play.push(Self.revoked("s1"))
      XCTAssertEqual(told.outcome, "none")
      for _ in 0..<3 {
        _ = try await runner.runOnce()
        XCTAssertEqual(try play.balance(), 0)
        // The state of the subscription shows no refund, whoever asks for it.
        play.world.time.advance(seconds: 3600)
        let post = try await play.post("s1", products: ["monthly"])
        XCTAssertEqual(post.status, 200, post.body.text())
        XCTAssertEqual(try play.balance(), 0)
        _ = try await play.push(Self.revoked("s1", type: 4))
        XCTAssertEqual(try play.balance(), 0)
      }
      let history = try play.world.ledger.history(of: CustomerID("alice"))
      XCTAssertEqual(history.transactions.count { $0.booking.kind == .refund }, 1)
    }
  }

  func testARefundedOrderLeavesTheOthersAlone() async throws {
    try await withWorld { play, runner in
      for order in ["GPA.5", "GPA.5..0", "GPA.5..1"] {
        try play.google.set(subscription: "s1", order: order)
        _ = try await play.post("s1", products: ["monthly"])
        play.world.time.advance(seconds: 60)
      }
      XCTAssertEqual(try play.balance(), 150)
      list("s1", order: "GPA.5..0", in: play)
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 100)
      // Google forgets the subscription, and another order of it is charged back.
      play.google.state.withLock { $0.subscriptions = [:] }
      play.world.time.advance(seconds: 3601)
      list("s1", order: "GPA.5", in: play)
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 50)
    }
  }

  func testASubscriptionThatWasRefundedBeforeItsPostGivesNothing() async throws {
    try await withWorld { play, runner in
      try play.google.set(subscription: "s1")
      list("s1", order: "GPA.5", in: play)
      _ = try await runner.runOnce()
      play.world.time.advance(seconds: 60)
      let post = try await play.post("s1", products: ["monthly"])
      XCTAssertEqual(post.status, 200, post.body.text())
      XCTAssertEqual(try play.balance(), 0)
      try play.google.set(subscription: "s1", order: "GPA.5..0")
      _ = try await play.post("s1", products: ["monthly"])
      XCTAssertEqual(try play.balance(), 50)
    }
  }

  // MARK: Products

  /// The list is ahead of the purchase's state.
  func testAProductIsClawedBackBeforeItsStateShowsIt() async throws {
    try await withWorld { play, runner in
      try play.google.set("t1")
      _ = try await play.push(PlayWorld.purchased("t1"))
      _ = try await runner.runOnce()
      play.world.time.advance(seconds: 61)
      list("t1", in: play)
      let told = try await play.push(PlayWorld.voided("t1"))
      XCTAssertEqual(told.outcome, "unchanged")
      XCTAssertEqual(try play.balance(), 300)
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 0)
      play.world.time.advance(seconds: 60)
      _ = try await play.post("t1", products: ["gems_300"])
      XCTAssertEqual(try play.balance(), 0)
      try play.google.set("t1", state: "CANCELLED")
      _ = try await play.push(PlayWorld.voided("t1"))
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  func testALostNotificationIsMadeGoodWithinTheHour() async throws {
    try await withWorld { play, runner in
      for token in ["t1", "t2", "t3"] {
        try play.google.set(token, quantity: 3)
        _ = try await play.push(PlayWorld.purchased(token))
      }
      _ = try await runner.runOnce()
      play.world.time.advance(seconds: 60)
      list("t1", in: play)
      // Of an order given back in part, the state says how much.
      list("t2", units: 1, in: play)
      try play.google.set("t2", quantity: 3, refundable: 2)
      list("unknown", in: play)
      play.google.state.withLock { state in state.voids.append([state.voids[0].removeLast()]) }
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 2700)
      play.world.time.advance(seconds: 3600)
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 2700 - 900 - 300)
      XCTAssertEqual(play.google.voidLists.count, 3)
    }
  }

  /// Google's tokens have some 150 characters, and a page of the list hundreds of entries.
  func testALongListIsReadWhole() async throws {
    try await withWorld { play, runner in
      try play.google.set("t1")
      _ = try await play.push(PlayWorld.purchased("t1"))
      for number in 0..<400 { list(String(repeating: "x", count: 150) + "\(number)", in: play) }
      list("t1", in: play)
      let report = try await runner.runOnce()
      XCTAssertEqual(report.failures.count, 0)
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  /// Google Play sells no non-renewing subscriptions: the catalog may call a one-time product so.
  func testASeasonPassIsClawedBack() async throws {
    try await withWorld { play, runner in
      try play.addProducts(all: true)
      try play.google.set("t1", product: "season")
      _ = try await play.push(PlayWorld.purchased("t1", product: "season"))
      XCTAssertEqual(try play.balance(), 70)
      play.world.time.advance(seconds: 60)
      list("t1", in: play)
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  func testSeveralProductsAreTakenBackByTheirState() async throws {
    try await withWorld { play, runner in
      try play.google.set("t1", others: [("gems_1200", 1)])
      _ = try await play.push(PlayWorld.purchased("t1"))
      play.world.time.advance(seconds: 60)
      list("t1", in: play)
      try play.google.set("t1", refundable: 0, others: [("gems_1200", 1)])
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 1200)
    }
  }

  // MARK: Forgotten by Google

  /// Google forgets a token while its refunds are still listed.
  func testEachProductOfAForgottenTokenIsClawedBack() async throws {
    try await withWorld { play, runner in
      try play.addProducts(all: true)
      try play.google.set(subscription: "s1", others: [("gold", "GPA.5")])
      _ = try await play.post("s1", products: ["monthly"])
      try play.google.set("t1", others: [("gems_1200", 1)])
      _ = try await play.push(PlayWorld.purchased("t1"))
      try play.google.set("t2", quantity: 3)
      _ = try await play.push(PlayWorld.purchased("t2"))
      XCTAssertEqual(try play.balance(), 50 + 80 + 300 + 1200 + 900)
      play.google.state.withLock { ($0.purchases, $0.subscriptions) = ([:], [:]) }
      play.world.time.advance(seconds: 60)
      list("s1", order: "GPA.5", in: play)
      list("t1", in: play)
      list("t2", units: 1, in: play)
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 600)
    }
  }

  /// The store states a purchase with one product fewer than it was credited for.
  func testAnAddOnThatWasRemovedIsClawedBack() async throws {
    try await withWorld { play, runner in
      try play.addProducts(all: true)
      try play.google.set(subscription: "s1", others: [("gold", "GPA.5")])
      _ = try await play.post("s1", products: ["monthly"])
      try play.google.set(subscription: "s1", order: "GPA.5..0")
      _ = try await play.post("s1", products: ["monthly"])
      XCTAssertEqual(try play.balance(), 50 + 80 + 50)
      play.world.time.advance(seconds: 60)
      list("s1", order: "GPA.5", in: play)
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 50)
    }
  }

  func testAHeldPurchaseThatIsVoidedIsNotCreditedLater() async throws {
    try await withWorld { play, runner in
      try play.google.set("t1", product: "gems_500")
      let post = try await play.post("t1", products: ["gems_500"])
      XCTAssertEqual(post.status, 503)
      play.google.state.withLock { $0.purchases = [:] }
      play.world.time.advance(seconds: 60)
      list("t1", in: play)
      _ = try await runner.runOnce()
      try play.addProducts(gems500: true)
      _ = try await play.world.backend.decideHeld()
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  // MARK: Testers and operators

  func testATestersSubscriptionThatIsVoidedBeforeItsPostGivesNothing() async throws {
    try await withWorld { play, runner in
      try play.google.set(subscription: "s1", isTest: true)
      list("s1", order: "GPA.5", in: play)
      _ = try await runner.runOnce()
      play.world.time.advance(seconds: 3 * 86_400)
      _ = try await play.post("s1", products: ["monthly"])
      XCTAssertEqual(try play.balance(), 0)
    }
  }

  func testAnOperatorsCreditOfARefundedPurchaseStands() async throws {
    try await withWorld { play, runner in
      try play.google.set("t1", product: "gems_500")
      _ = try await play.post("t1", products: ["gems_500"])
      play.world.time.advance(seconds: 60)
      list("t1", in: play)
      _ = try await runner.runOnce()
      try play.addProducts(gems500: true)
      let held = try XCTUnwrap(play.world.backend.heldPurchases(with: StoreTransactionID("t1")).first)
      var details = CommandDetails()
      details.reason = try Reason("support case 17")
      _ = try await play.world.backend.credit(held, to: CustomerID("alice"), details: details)
      XCTAssertEqual(try play.balance(), 500)
      for _ in 0..<2 {
        play.world.time.advance(seconds: 3601)
        try play.google.set("t1", product: "gems_500", state: "CANCELLED")
        _ = try await runner.runOnce()
        _ = try await play.post("t1", products: ["gems_500"])
        XCTAssertEqual(try play.balance(), 500)
      }
    }
  }

  // MARK: Reading

  func testTheListIsReadOnceAnHourFromWhereItEnded() async throws {
    try await withWorld { play, runner in
      let second = try Self.runner(play)
      let start = play.world.time.now
      for _ in 0..<120 {
        _ = try await runner.runOnce()
        _ = try await second.runOnce()
        play.world.time.advance(seconds: 60)
      }
      let days: [Int64] = [-30, -1]
      let expected = days.map { "startTime=\(start.milliseconds + $0 * 86_400_000)" }
      XCTAssertEqual(
        play.google.voidLists.map { list in expected.first { list.contains($0) } ?? list }, expected)
    }
  }

  func testAClockThatWasAheadLeavesNothingOut() async throws {
    try await withWorld { play, runner in
      play.world.time.advance(seconds: 40 * 86_400)
      _ = try await runner.runOnce()
      play.world.time.advance(seconds: -40 * 86_400)
      try play.google.set("t1")
      _ = try await play.push(PlayWorld.purchased("t1"))
      play.world.time.advance(seconds: 60)
      list("t1", in: play)
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 0)
      let start = play.world.time.now.advanced(milliseconds: -30 * 86_400_000)
      XCTAssertTrue(play.google.voidLists.last?.contains("startTime=\(start.milliseconds)") ?? false)
    }
  }

  /// Other work of the server waits for the reading.
  func testAReadingEndsIfGoogleStopsAnswering() async throws {
    try await withWorld { play, runner in
      for number in 0..<50 { list("x\(number)", in: play) }
      play.google.state.withLock { $0.lookUpStatus = 503 }
      let report = try await runner.runOnce()
      XCTAssertEqual(report.failures.first?.error?.code, .backendUnreachable)
      XCTAssertEqual(play.google.lookUpCount, 3)
    }
  }

  func testANotificationDuringAReadingKeepsThePosition() async throws {
    try await withWorld { play, runner in
      let ledger = play.world.ledger
      play.google.state.withLock { state in
        state.whileListing = {
          // Another server saves what a notification asked for.
          guard let document = try? ledger.documents.page(withPrefix: "play_voids/", after: nil).first else { return }
          _ = try? ledger.documents.save(document.name, content: document.content, replacing: document.version)
        }
      }
      _ = try await runner.runOnce()
      play.google.state.withLock { $0.whileListing = nil }
      let start = play.world.time.now.advanced(milliseconds: -86_400_000)
      play.world.time.advance(seconds: 61)
      _ = try await runner.runOnce()
      XCTAssertEqual(play.google.voidLists.count, 2)
      XCTAssertTrue(play.google.voidLists.last?.contains("startTime=\(start.milliseconds)") ?? false)
    }
  }

  /// The state of the purchase follows the list.
  func testARefundIsBookedOnceWhenItsStateShowsIt() async throws {
    try await withWorld { play, runner in
      try play.google.set("t1")
      _ = try await play.push(PlayWorld.purchased("t1"))
      play.world.time.advance(seconds: 60)
      list("t1", in: play)
      for state in ["PURCHASED", "CANCELLED", "CANCELLED"] {
        try play.google.set("t1", state: state)
        _ = try await runner.runOnce()
        XCTAssertEqual(try play.balance(), 0)
        play.world.time.advance(seconds: 3601)
      }
      let refunds = try play.world.ledger.history(of: CustomerID("alice")).transactions
      XCTAssertEqual(refunds.count { $0.booking.kind == .refund }, 1)
    }
  }

  func testNotificationsAskForOneReadingAMinute() async throws {
    try await withWorld { play, runner in
      _ = try await runner.runOnce()
      for _ in 0..<90 {
        let told = try await play.push(Self.revoked("forged"))
        XCTAssertEqual(told.outcome, "none")
        _ = try await runner.runOnce()
        play.world.time.advance(seconds: 1)
      }
      XCTAssertEqual(play.google.voidLists.count, 2)
    }
  }

  func testAListThatCannotBeReadIsReadLater() async throws {
    try await withWorld { play, runner in
      try play.google.set("t1")
      _ = try await play.push(PlayWorld.purchased("t1"))
      list("t1", in: play)
      play.google.state.withLock { $0.refusal = (403, "permissionDenied") }
      let report = try await runner.runOnce()
      let failure = try XCTUnwrap(report.failures.first?.error)
      XCTAssertEqual(failure.code, .backendUnreachable)
      XCTAssertTrue(failure.message.contains("Play Console"), failure.message)
      _ = try await runner.runOnce()
      XCTAssertEqual(play.google.voidLists.count, 1)
      play.google.state.withLock { $0.refusal = nil }
      play.world.time.advance(seconds: 60)
      _ = try await runner.runOnce()
      XCTAssertEqual(try play.balance(), 0)
    }
  }
}
#endif
