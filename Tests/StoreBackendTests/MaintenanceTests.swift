import GemLedger
import GemTestSupport
import Synchronization
import XCTest

@testable import StoreBackend

/// The standing work of a backend, round after round.
final class MaintenanceTests: XCTestCase {
  private func gem() throws -> CurrencyCode { try CurrencyCode("GEM") }

  func testARoundDoesEverythingThatIsDue() async throws {
    let server = GameServer(confirms: false)
    let policy = BackendPolicy(currencyPrices: [try ProductCode("premium"): [Adjustment(try gem(), 60)]])
    let shop = try Shop(policy: policy, delivery: server)
    let alice = try CustomerID("alice")
    let paid = try await shop.backend.initPayment(shop.request())
    _ = try await shop.backend.completePayment(paid.code, post: shop.post(shop.transaction("t1")))
    let unpaid = try await shop.backend.initPayment(shop.request("premium"))
    try shop.ledger.hold([Adjustment(gem(), 100)], customer: alice, for: .seconds(600))
    XCTAssertEqual(try shop.ledger.balance(of: gem(), customer: alice).held, 160)
    _ = try await shop.backend.cancelPayment(unpaid.code)

    let runner = MaintenanceRunner(backend: shop.backend)
    let early = try await runner.runOnce()
    XCTAssertEqual(early.jobs.map(\.name), ["scheduled_effects", "held_receipts", "order_holds", "deliveries"])
    XCTAssertEqual(early.jobs[0].counts, ["customers": 1, "settled": 0])
    XCTAssertEqual(early.counts("deliveries"), ["tried": 0, "confirmed": 0, "exhausted": 0, "refunded": 0])

    server.setConfirms(true)
    shop.time.advance(seconds: 3600)
    let report = try await runner.runOnce()
    XCTAssertTrue(report.isOK)
    XCTAssertEqual(report.startedAt, shop.time.now)
    XCTAssertEqual(report.jobs[0].counts, ["customers": 1, "settled": 1])
    XCTAssertEqual(report.counts("deliveries"), ["tried": 1, "confirmed": 1, "exhausted": 0, "refunded": 0])
    XCTAssertEqual(try shop.backend.order(paid.code).status, .success)
    XCTAssertEqual(try shop.ledger.balance(of: gem(), customer: alice).held, 0)
    let idle = try await runner.runOnce()
    XCTAssertEqual(idle.jobs.map { $0.counts.filter { $0.key != "customers" && $0.value > 0 } }, [[:], [:], [:], [:]])
  }

  /// A crash between the payment and the spend of an order's gems leaves them on hold; a round spends them.
  func testARoundCompletesTheHoldsOfOrders() async throws {
    let policy = BackendPolicy(currencyPrices: [try ProductCode("premium"): [Adjustment(try gem(), 60)]])
    let shop = try Shop(policy: policy)
    let alice = try CustomerID("alice")
    try shop.ledger.grant([Adjustment(gem(), 100)], customer: alice)
    let order = try await shop.backend.initPayment(shop.request("premium"))
    // As a process that died right after the commit of the order's failure leaves it.
    _ = try await shop.ledger.book(.advanceOrder(order.code, .fail, customer: alice))
    XCTAssertEqual(try shop.ledger.balance(of: gem(), customer: alice).held, 60)
    let first = MaintenanceRunner(backend: shop.backend)
    let report = try await first.runOnce()
    XCTAssertEqual(report.counts("order_holds"), ["found": 1, "resolved": 1, "failed": 0])
    XCTAssertEqual(try shop.ledger.balance(of: gem(), customer: alice).held, 0)
    // A later runner goes on where this one was.
    let later = MaintenanceRunner(backend: shop.backend)
    let rest = try await later.runOnce()
    XCTAssertEqual(rest.counts("order_holds"), ["found": 0, "resolved": 0, "failed": 0])
  }

  func testAFailingJobStopsNoOtherAndIsReported() async throws {
    let server = GameServer(confirms: false)
    let shop = try Shop(delivery: server)
    let order = try await shop.backend.initPayment(shop.request())
    _ = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction("t1")))
    server.setConfirms(true)
    shop.time.advance(seconds: 3600)
    let failure = LedgerError(.storageUnavailable, "The archive is away.")
    let calls = Mutex(0)
    let failing = MaintenanceJob("archive") { _ throws(LedgerError) in
      calls.withLock { $0 += 1 }
      throw failure
    }
    let counting = MaintenanceJob("count") { _ in ["calls": 1] }
    let runner = MaintenanceRunner(backend: shop.backend, jobs: [failing, counting])
    for round in 1...2 {
      let report = try await runner.runOnce()
      XCTAssertFalse(report.isOK)
      XCTAssertEqual(report.failures.map(\.name), ["archive"])
      XCTAssertEqual(report.failures.first?.error, failure)
      XCTAssertEqual(report.jobs.last?.counts, ["calls": 1])
      XCTAssertEqual(calls.withLock { $0 }, round)
    }
    XCTAssertEqual(try shop.backend.order(order.code).status, .success)
  }

  func testTwoRoundsOnOneLedgerNeverOverlap() async throws {
    let shop = try Shop()
    let other = LocalBackend(ledger: shop.ledger, verifier: shop.receipts)
    let gate = Gate()
    let waiting = MaintenanceJob("wait") { _ in
      await gate.wait()
      return [:]
    }
    let runner = MaintenanceRunner(backend: shop.backend, jobs: [waiting])
    let first = Task { try await runner.runOnce() }
    await gate.untilReached()
    await assertRefused(.inProgress) { try await runner.runOnce() }
    await assertRefused(.inProgress) { try await MaintenanceRunner(backend: other).runOnce() }
    // Another ledger is no concern of this one.
    let elsewhere = try await MaintenanceRunner(backend: try Shop().backend).runOnce()
    XCTAssertTrue(elsewhere.isOK)
    gate.open()
    _ = try await first.value
    let next = try await MaintenanceRunner(backend: other).runOnce()
    XCTAssertTrue(next.isOK)
  }

  func testRunsUntilCancelled() async throws {
    let shop = try Shop()
    let clock = SteppedClock()
    let rounds = Mutex(0)
    let runner = MaintenanceRunner(backend: shop.backend)
    let task = Task {
      await runner.run(every: .seconds(30), clock: clock) { _ in rounds.withLock { $0 += 1 } }
    }
    for round in 1...3 {
      await clock.untilSleeping()
      XCTAssertEqual(rounds.withLock { $0 }, round)
      XCTAssertEqual(clock.slept, [Duration](repeating: .seconds(30), count: round))
      if round < 3 { clock.step() }
    }
    task.cancel()
    clock.step()
    await task.value
    XCTAssertEqual(rounds.withLock { $0 }, 3)
  }
}

/// Lets one task wait until another opens it.
private final class Gate: Sendable {
  private let state = Mutex<(isOpen: Bool, waiting: CheckedContinuation<Void, Never>?)>((false, nil))

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting = continuation }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func untilReached() async {
    while state.withLock({ $0.waiting == nil }) { await Task.yield() }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      return state.waiting
    }
    waiting?.resume()
  }
}

/// A clock of which every sleep waits for a step.
private final class SteppedClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
    func duration(to other: Self) -> Duration { other.offset - offset }
    static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var slept: [Duration] = []
    var sleeper: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }
  var slept: [Duration] { state.withLock { $0.slept } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.slept.append(deadline.offset - state.now.offset)
        state.now = deadline
        state.sleeper = continuation
      }
    }
    try Task.checkCancellation()
  }

  func untilSleeping() async {
    while state.withLock({ $0.sleeper == nil }) { await Task.yield() }
  }

  func step() {
    let sleeper = state.withLock { state in
      defer { state.sleeper = nil }
      return state.sleeper
    }
    sleeper?.resume()
  }
}
