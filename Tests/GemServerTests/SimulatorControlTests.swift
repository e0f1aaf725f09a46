#if Server
import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import Synchronization
import XCTest

@testable import GemServer

/// Refunds, deliveries, faults and time at the simulated store over HTTP, and its borders.
final class SimulatorControlTests: XCTestCase {
  func testARefundInPercentClawsBackAndItsReversalGivesBack() async throws {
    let world = try SimulatorWorld()
    let id = try await world.buyAll()
    let part = try await world.act("refund", on: id, ["percent": 25])
    XCTAssertEqual(part.body["refunded_milli_percent"], 25_000)
    XCTAssertEqual(part.body["notice_error"], .null)
    XCTAssertEqual(try world.balance(), 900)
    let full = try await world.act("refund", on: id, [:])
    XCTAssertEqual(full.body["state"], "refunded")
    XCTAssertEqual(try world.balance(), 0)
    let again = try await world.act("refund", on: id, [:])
    XCTAssertEqual(again.status, 422)
    XCTAssertEqual(again.body["code"], "already_refunded")
    let reversed = try await world.act("reverse_refund", on: id)
    XCTAssertEqual(reversed.body["refunded_at"], .null)
    XCTAssertEqual(try world.balance(), 1200)
    let state = try await world.send("GET", "/simulator").body
    XCTAssertEqual(state["waiting_notices"], 0)
  }

  func testGooglePlayRefundsUnitsAndNoShares() async throws {
    let world = try SimulatorWorld(.google)
    let id = try await world.buyAll("gems_300", "alice", ["quantity": 3])
    XCTAssertEqual(try world.balance(), 900)
    let share = try await world.act("refund", on: id, ["percent": 25])
    XCTAssertEqual(share.body["code"], "not_available")
    let units = try await world.act("refund", on: id, ["quantity": 1])
    XCTAssertEqual(units.status, 200, units.body.text())
    XCTAssertEqual(try world.balance(), 600)
    let all = try await world.act("refund", on: id, [:])
    XCTAssertEqual(all.status, 200, all.body.text())
    XCTAssertEqual(try world.balance(), 0)
    let redelivered = try await world.act("redeliver", on: id)
    XCTAssertEqual(redelivered.status, 422)
  }

  func testARefundBeforeThePostIsBookedWithThePurchase() async throws {
    let world = try SimulatorWorld()
    let bought = try await world.buy()
    let id = try XCTUnwrap(bought["store_transaction_id"]?.text)
    let refunded = try await world.act("refund", on: id, [:])
    XCTAssertEqual(refunded.body["notice_error"], .null)
    // The old receipt shows no refund.
    _ = try await world.tryPosting(bought)
    XCTAssertEqual(try world.balance(), 0)
  }

  func testARedeliveryCreditsOnce() async throws {
    let world = try SimulatorWorld()
    let id = try await world.buyAll()
    let again = try await world.act("redeliver", on: id)
    XCTAssertEqual(again.status, 200)
    let wasCredited = try await world.post(again.body)
    XCTAssertTrue(wasCredited)
    XCTAssertEqual(try world.balance(), 1200)
  }

  func testActionsOnWhatIsNotThereOrUnpaidAreRefused() async throws {
    let world = try SimulatorWorld()
    let pending = try await world.buy("gems_300", "alice", ["ask_to_buy": true])
    let id = try XCTUnwrap(pending["store_transaction_id"]?.text)
    let rows: [(line: UInt, action: String, id: String, body: JSONValue?, status: Int)] = [
      (#line, "approve", "1", nil, 404), (#line, "refund", "nothing", [:], 404), (#line, "refund", id, [:], 422),
      (#line, "finish", id, [:], 422), (#line, "redeliver", id, nil, 422), (#line, "resolve", id, nil, 422),
      (#line, "reverse_refund", id, nil, 422), (#line, "refund", id, ["percent": 0], 400),
      (#line, "refund", id, ["percent": 101], 400), (#line, "refund", id, ["percent": 1, "quantity": 1], 400),
      (#line, "buy", id, nil, 404),
    ]
    for row in rows {
      let answer = try await world.act(row.action, on: row.id, row.body)
      XCTAssertEqual(answer.status, row.status, "\(row.action): \(answer.body.text())", line: row.line)
    }
  }

  // MARK: Faults

  func testFaultsAreAddedListedAndCleared() async throws {
    let world = try SimulatorWorld()
    let asked: JSONValue = ["api": "purchase", "effect": "networkError", "timing": "times", "count": 2]
    let added = try await world.send("POST", "/simulator/faults", asked)
    XCTAssertEqual(added.status, 200, added.body.text())
    try await world.send("POST", "/simulator/faults", ["api": "finish", "effect": "systemError", "timing": "once"])
    var first = try await world.buy()
    XCTAssertEqual(first["failure"], "networkError")
    first = try await world.buy()
    XCTAssertEqual(first["result"], "failed")
    let bought = try await world.buy()
    let id = try XCTUnwrap(bought["store_transaction_id"]?.text)
    let unfinished = try await world.act("finish", on: id, [:])
    XCTAssertEqual(unfinished.status, 422)
    XCTAssertEqual(unfinished.body["code"], "store_error")
    let finished = try await world.act("finish", on: id, [:])
    XCTAssertEqual(finished.status, 200)
    let none = try await world.send("GET", "/simulator/faults").body
    XCTAssertEqual(none["items"], [])

    try await world.send("POST", "/simulator/faults", ["api": "purchase", "effect": "cancel", "device": "pad"])
    try await world.send("POST", "/simulator/faults", ["api": "updates", "effect": "delay", "delay_seconds": 9])
    let listed = try await world.send("GET", "/simulator/faults").body
    let items = try XCTUnwrap(listed["items"]?.array)
    XCTAssertEqual(items.count, 2)
    XCTAssertEqual(items.last?["delay_seconds"], 9)
    let left = try await world.send("DELETE", "/simulator/faults?api=updates").body
    XCTAssertEqual(left["items"]?.array?.count, 1)
    // A listed fault can be added again as it stands.
    var again = try XCTUnwrap(items.first?.object)
    again["object"] = nil
    let repeated = try await world.send("POST", "/simulator/faults", .object(again))
    XCTAssertEqual(repeated.body, items.first)
    let cleared = try await world.send("DELETE", "/simulator/faults").body
    XCTAssertEqual(cleared["items"], [])
  }

  func testFaultsThatCannotOccurAreRefused() async throws {
    let world = try SimulatorWorld()
    let rows: [(line: UInt, body: JSONValue)] = [
      (#line, ["api": "finish", "effect": "cancel"]), (#line, ["api": "buy", "effect": "cancel"]),
      (#line, ["api": "purchase", "effect": "cancel", "timing": "nth"]),
      (#line, ["api": "purchase", "effect": "cancel", "count": 1]),
      (#line, ["api": "purchase", "effect": "cancel", "timing": "chance", "count": 101]),
      (#line, ["api": "purchase", "effect": "cancel", "delay_seconds": 1]),
    ]
    for row in rows {
      let answer = try await world.send("POST", "/simulator/faults", row.body)
      XCTAssertEqual(answer.status, 400, answer.body.text(), line: row.line)
    }
  }

  // MARK: Time

  private static let club = #"""
    {"currencies":[{"code":"GEM","name":"Gems"}],
     "products":[{"code":"club","store_ids":{"apple":"club","google":"club"},"type":"auto_renewable_subscription",
      "period":"P1M","localizations":[{"locale":"en_US","title":"Club"}],"prices":{"USA":"4.99"},
      "grants":[{"currency":"GEM","amount":100,"expires_at_cycle_end":true}],"entitlement":"premium"}]}
    """#

  func testRenewalsOnTheWayAreCreditedToTheBuyerAndTheirGrantsExpire() async throws {
    for store in [Store.apple, .google] {
      let world = try SimulatorWorld(store, catalog: Catalog.load(Array(Self.club.utf8)))
      // Google Play takes back what is not acknowledged within three days.
      _ = try await world.buyAll("club")
      XCTAssertEqual(try world.balance(), 100)
      let before = try await world.send("GET", "/simulator/clock").body
      let moved = try await world.send("POST", "/simulator/clock", ["advance_seconds": 5_356_800])
      XCTAssertEqual(moved.status, 200, moved.body.text())
      XCTAssertEqual(moved.body["notice_error"], .null)
      XCTAssertEqual(moved.body["stopped"], false)
      if store == .apple { XCTAssertEqual(moved.body["purchases"]?.array?.count, 2) }
      let (then, now) = (before["now"]?.integer ?? 0, moved.body["now"]?.integer ?? 0)
      XCTAssertEqual(now - then, 5_356_800_000)
      XCTAssertEqual(world.ledger.clock.now().milliseconds, now)
      XCTAssertEqual(try world.balance(), 100)
      let history = try world.ledger.history(of: CustomerID("alice"), limit: 100)
      XCTAssertEqual(history.transactions.count { $0.booking.kind == .purchase }, 3, store.description)
    }
  }

  func testTheClockIsKeptBeforeItMovesAndOnlyMovesAhead() async throws {
    let kept = Kept()
    let world = try SimulatorWorld(keepClock: { kept.put($0) })
    try await world.send("POST", "/simulator/clock", ["advance_seconds": 60])
    XCTAssertEqual(kept.last, world.clock.now.milliseconds)
    for seconds: JSONValue in [0, -1, 31_622_401, "60"] {
      let answer = try await world.send("POST", "/simulator/clock", ["advance_seconds": seconds])
      XCTAssertEqual(answer.status, 400)
    }
    let ahead = VirtualClock(following: .system)
    let far = try SimulatorWorld(clock: ahead)
    ahead.advance(by: .seconds(3653 * 86_400))
    let refused = try await far.send("POST", "/simulator/clock", ["advance_seconds": 60])
    XCTAssertEqual(refused.body["code"], "limit_exceeded")
  }

  func testAClockThatOthersHaveIsNotMoved() async throws {
    let world = try SimulatorWorld(keepClock: nil)
    let shown = try await world.send("GET", "/simulator/clock").body
    XCTAssertEqual(shown["movable"], false)
    let answer = try await world.send("POST", "/simulator/clock", ["advance_seconds": 60])
    XCTAssertEqual(answer.status, 422)
    XCTAssertEqual(answer.body["code"], "not_available")
  }

  // MARK: Borders

  func testProductionBooksAreRefused() throws {
    let ledger = Ledger.inMemory(clock: .system, salt: 1)
    try ledger.apply(Catalog.load(Fixture.bytes("gems.json")))
    XCTAssertNoThrow(try Simulator.checkBooks(of: ledger))
    for (number, environment) in [StoreEnvironment.sandbox, .production].enumerated() {
      let purchase = StorePurchase(
        store: .apple, environment: environment, transactionID: try StoreTransactionID("\(number)"),
        product: try ProductCode("gems_300"), purchasedAt: ledger.clock.now())
      try ledger.creditPurchase(purchase, customer: CustomerID("alice"))
      if environment == .sandbox { XCTAssertNoThrow(try Simulator.checkBooks(of: ledger)) }
    }
    assertRefused(.configuration) { try Simulator.checkBooks(of: ledger) }
  }

  func testWithoutASimulatorItsPathsDoNotExistAndItsReceiptsAreRefused() async throws {
    let plain = try APIWorld()
    let paths = ["/simulator", "/simulator/purchases", "/simulator/faults", "/simulator/clock"]
    for path in paths {
      let answer = try await plain.send("GET", path)
      XCTAssertEqual(answer.status, 404)
    }
    XCTAssertFalse(Routes.all.contains { $0.path.hasPrefix("/simulator") })
    let world = try SimulatorWorld()
    let token = try await world.buy()["fetch_token"]?.text ?? ""
    let real = LocalBackend(ledger: plain.ledger, verifier: StoreVerifiers(apple: nil, google: nil))
    await assertRefused(.receiptUnverified) {
      try await real.post(
        ReceiptPost(receipt: StoreReceipt(token), customer: CustomerID("alice"), source: .purchase))
    }
  }

  func testAnyKeyOfTheProjectOpensItAndNothingElse() async throws {
    let world = try SimulatorWorld()
    let session = world.sessions.make(for: try CustomerID("alice"), until: world.clock.now.advanced(by: .seconds(60)))
    for (key, status) in [(world.appKey, 200), (world.secretKey, 200), ("appl_wrong", 401), (session, 403)] {
      let answer = try await world.send("GET", "/simulator", key: key)
      XCTAssertEqual(answer.status, status)
    }
  }
}

/// The last reading of a clock.
private final class Kept: Sendable {
  private let value = Mutex<Int64?>(nil)

  var last: Int64? { value.withLock { $0 } }
  func put(_ reading: Int64) { value.withLock { $0 = reading } }
}
#endif
