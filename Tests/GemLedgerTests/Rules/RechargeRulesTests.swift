import GemTestSupport
import XCTest

@testable import GemLedger

final class RechargeRulesTests: XCTestCase {
  private typealias Outcome = RechargeRules.Outcome

  /// Two every 10 seconds, up to 30.
  private let policy = Recharge(amount: 2, every: TimeSpan(seconds: 10), upTo: 30)

  private func due(_ balance: Int64, _ from: Int64?, _ now: Int64, _ policy: Recharge? = nil) -> Outcome {
    RechargeRules.due(
      balance: balance, rechargedFrom: from, now: Timestamp(milliseconds: now), policy: policy ?? self.policy)
  }

  func testTicksByTheClock() {
    let full = (amount: Int64(0), from: Int64?.none, next: Int64?.none)
    let rows: [(line: UInt, balance: Int64, from: Int64?, now: Int64, amount: Int64, newFrom: Int64?, next: Int64?)] = [
      // No earlier look at the account: the clock starts now.
      (#line, 0, nil, 5000, 0, 5000, 15_000),
      // A part of a tick gives nothing and is not lost.
      (#line, 0, 5000, 5000, 0, 5000, 15_000), (#line, 0, 5000, 14_999, 0, 5000, 15_000),
      (#line, 0, 5000, 15_000, 2, 15_000, 25_000), (#line, 0, 5000, 15_001, 2, 15_000, 25_000),
      (#line, 0, 5000, 39_999, 6, 35_000, 45_000),
      // The tick that fills it stops the clock; the excess of that tick is lost, and so is later time.
      (#line, 26, 0, 10_000, 2, 10_000, 20_000), (#line, 28, 0, 10_000, 2, nil, nil),
      (#line, 29, 0, 10_000, 1, nil, nil), (#line, 29, 0, 9999, 0, 0, 10_000),
      (#line, 0, 0, 149_999, 28, 140_000, 150_000), (#line, 0, 0, 150_000, 30, nil, nil),
      (#line, 0, 0, 9_000_000, 30, nil, nil), (#line, 1, 0, 150_000, 29, nil, nil),
      // Full, or above by a grant: nothing, whether the clock runs or not.
      (#line, 30, nil, 5000, full.amount, full.from, full.next),
      (#line, 30, 0, 999_999, full.amount, full.from, full.next),
      (#line, 500, 0, 999_999, full.amount, full.from, full.next),
      // A debt is recharged like an empty balance, from further below.
      (#line, -4, 0, 20_000, 4, 20_000, 30_000), (#line, -4, 0, 9_000_000, 34, nil, nil),
      // A clock that was set back takes nothing away.
      (#line, 0, 5000, 1000, 0, 5000, 15_000),
      // Before 1970.
      (#line, 0, -25_000, -1000, 4, -5000, 5000),
    ]
    for row in rows {
      XCTAssertEqual(
        due(row.balance, row.from, row.now),
        Outcome(amount: row.amount, rechargedFrom: row.newFrom, nextTick: row.next), line: row.line)
    }
  }

  func testTheClockStartsWhenTheBalanceLeavesFull() {
    // Full since long ago; 5 are spent at 100 s.
    let before = due(30, nil, 100_000)
    XCTAssertEqual(before, Outcome(amount: 0, rechargedFrom: nil, nextTick: nil))
    let after = due(25, before.rechargedFrom, 100_000)
    XCTAssertEqual(after, Outcome(amount: 0, rechargedFrom: 100_000, nextTick: 110_000))
    XCTAssertEqual(due(25, after.rechargedFrom, 109_999).amount, 0)
    XCTAssertEqual(due(25, after.rechargedFrom, 110_000).amount, 2)
  }

  func testASpendInMidTickKeepsTheTick() {
    let before = due(10, 0, 17_000)
    XCTAssertEqual(before, Outcome(amount: 2, rechargedFrom: 10_000, nextTick: 20_000))
    XCTAssertEqual(
      due(12 - 7, before.rechargedFrom, 17_000), Outcome(amount: 0, rechargedFrom: 10_000, nextTick: 20_000))
  }

  func testAGrantThatFillsItStopsTheClock() {
    XCTAssertEqual(due(10 + 90, 0, 3000), Outcome(amount: 0, rechargedFrom: nil, nextTick: nil))
    // Still above after a spend: the clock stands still.
    XCTAssertEqual(due(31, nil, 50_000).rechargedFrom, nil)
    XCTAssertEqual(due(29, nil, 60_000).rechargedFrom, 60_000)
  }

  func testAChangedPolicyWorksFromTheSameBeginning() {
    let faster = Recharge(amount: 1, every: TimeSpan(seconds: 4), upTo: 30)
    XCTAssertEqual(due(0, 1000, 10_000, faster), Outcome(amount: 2, rechargedFrom: 9000, nextTick: 13_000))
    let slower = Recharge(amount: 1, every: TimeSpan(seconds: 3600), upTo: 30)
    XCTAssertEqual(due(0, 1000, 10_000, slower), Outcome(amount: 0, rechargedFrom: 1000, nextTick: 3_601_000))
    // A higher bound does not pay for the time in which the clock stood still.
    let higher = Recharge(amount: 2, every: TimeSpan(seconds: 10), upTo: 50)
    XCTAssertEqual(due(30, nil, 999_999, higher), Outcome(amount: 0, rechargedFrom: 999_999, nextTick: 1_009_999))
    let lower = Recharge(amount: 2, every: TimeSpan(seconds: 10), upTo: 5)
    XCTAssertEqual(due(20, 0, 999_999, lower), Outcome(amount: 0, rechargedFrom: nil, nextTick: nil))
  }

  func testTheFurthestInstantsAndAmountsDoNotTrap() {
    let great = Recharge(amount: Limits.amount, every: TimeSpan(seconds: 1), upTo: Limits.amount)
    let slow = Recharge(amount: 1, every: TimeSpan(seconds: Limits.rechargeSeconds), upTo: Limits.amount)
    XCTAssertEqual(due(0, .min, .max, great), Outcome(amount: Limits.amount, rechargedFrom: nil, nextTick: nil))
    XCTAssertEqual(due(Limits.amount - 1, .min, .max, great).amount, 1)
    XCTAssertEqual(due(-Limits.amount, .min, .max, great).amount, 2 * Limits.amount)
    XCTAssertEqual(due(0, .max, .min, great).amount, 0)
    XCTAssertEqual(due(0, .max, .max, slow), Outcome(amount: 0, rechargedFrom: .max, nextTick: .max))
    let outcome = due(0, .min, .max, slow)
    XCTAssertEqual(outcome.amount, Int64((Int128(Int64.max) - Int128(Int64.min)) / 31_622_400_000))
    XCTAssertEqual(outcome.nextTick, .max)
  }

  /// Any number of looks, with any spends and grants in between, gives the same as if every tick had rung.
  func testAgreesWithAClockThatRings() {
    var generator = SeededRandom()
    for round in 0..<2000 {
      let every = Int64(1 + generator.below(5))
      let policy = Recharge(
        amount: Int64(1 + generator.below(7)), every: TimeSpan(seconds: every), upTo: Int64(1 + generator.below(40)))
      var bell = Bell(policy: policy, balance: Int64(generator.below(60)))
      var (balance, from, now) = (bell.balance, Int64?.none, Int64(0))
      from = due(balance, from, now, policy).rechargedFrom
      for _ in 0..<30 {
        let step = Int64(generator.below(generator.percent(10) ? 200_000 : 9000))
        bell.pass(step)
        now += step
        let outcome = due(balance, from, now, policy)
        balance += outcome.amount
        XCTAssertEqual(balance, bell.balance, "seed \(generator.seed), round \(round)")
        XCTAssertEqual(outcome.nextTick, bell.left.map { now + $0 }, "seed \(generator.seed), round \(round)")
        let change = generator.percent(30) ? 0 : Int64(generator.below(30)) - min(balance, Int64(generator.below(40)))
        balance += change
        bell.change(by: change)
        from = due(balance, outcome.rechargedFrom, now, policy).rechargedFrom
      }
    }
  }
}

/// A recharge as a player would describe it, one ring after another.
private struct Bell {
  let policy: Recharge
  private(set) var balance: Int64
  /// Until it rings; nil while it stands still.
  private(set) var left: Int64?

  init(policy: Recharge, balance: Int64) {
    self.policy = policy
    self.balance = balance
    change(by: 0)
  }

  mutating func pass(_ milliseconds: Int64) {
    var milliseconds = milliseconds
    while let left, left <= milliseconds {
      milliseconds -= left
      balance = min(policy.upTo, balance + policy.amount)
      self.left = balance < policy.upTo ? policy.every.milliseconds : nil
    }
    left = left.map { $0 - milliseconds }
  }

  mutating func change(by amount: Int64) {
    balance += amount
    left = balance < policy.upTo ? left ?? policy.every.milliseconds : nil
  }
}
