import GemTestSupport
import XCTest

@testable import GemLedger

final class AllowanceRulesTests: XCTestCase {
  private typealias Due = AllowanceRules.Due

  private func instant(_ text: String) throws -> Timestamp { try XCTUnwrap(Timestamp(text)) }

  func testAFirstPeriodGivesOnlyItself() throws {
    let policy = Allowance(amount: 100, per: .week, rollover: 50)
    XCTAssertEqual(
      AllowanceRules.due(period: nil, remaining: 0, now: try instant("2026-11-21T09:30:00Z"), policy: policy),
      Due(
        expired: 0, granted: 100, period: try instant("2026-11-16T00:00:00Z").milliseconds,
        expiresAt: try instant("2026-11-23T00:00:00Z").milliseconds))
  }

  func testAPeriodIsGrantedOnce() throws {
    let policy = Allowance(amount: 100, per: .day)
    let today = try instant("2026-11-21T00:00:00Z").milliseconds
    for now in ["2026-11-21T00:00:00Z", "2026-11-21T23:59:59.999Z", "2026-11-20T12:00:00Z"] {
      XCTAssertNil(AllowanceRules.due(period: today, remaining: 70, now: try instant(now), policy: policy), now)
    }
    XCTAssertEqual(
      AllowanceRules.due(period: today, remaining: 70, now: try instant("2026-11-22T00:00:00Z"), policy: policy),
      Due(
        expired: 70, granted: 100, period: today + 86_400_000,
        expiresAt: try instant("2026-11-23T00:00:00Z").milliseconds))
  }

  func testCarriesOverWhatTheRolloverAllows() throws {
    let last = try instant("2026-08-01T00:00:00Z").milliseconds
    let rows: [(line: UInt, now: String, remaining: Int64, rollover: Int64, granted: Int64)] = [
      (#line, "2026-09-10T00:00:00Z", 0, 50, 100), (#line, "2026-09-10T00:00:00Z", 30, 50, 130),
      (#line, "2026-09-10T00:00:00Z", 50, 50, 150), (#line, "2026-09-10T00:00:00Z", 80, 50, 150),
      (#line, "2026-09-10T00:00:00Z", 80, 0, 100),
      // A month was missed: its own allowance is carried too, as far as that goes.
      (#line, "2026-10-10T00:00:00Z", 0, 50, 150), (#line, "2026-10-10T00:00:00Z", 80, 50, 150),
      (#line, "2026-10-10T00:00:00Z", 0, 250, 200), (#line, "2026-10-10T00:00:00Z", 80, 250, 280),
      (#line, "2026-11-10T00:00:00Z", 0, 250, 300), (#line, "2026-11-10T00:00:00Z", 80, 250, 350),
      (#line, "2031-11-10T00:00:00Z", 0, 250, 350), (#line, "2031-11-10T00:00:00Z", 0, 0, 100),
    ]
    for row in rows {
      let policy = Allowance(amount: 100, per: .month, rollover: row.rollover)
      let now = try instant(row.now)
      let due = try XCTUnwrap(
        AllowanceRules.due(period: last, remaining: row.remaining, now: now, policy: policy), line: row.line)
      XCTAssertEqual(due.expired, row.remaining, line: row.line)
      XCTAssertEqual(due.granted, row.granted, line: row.line)
      XCTAssertEqual(due.period, Period.month.start(of: now).milliseconds, line: row.line)
      XCTAssertEqual(due.expiresAt, Period.month.next(after: now).milliseconds, line: row.line)
    }
  }

  /// A hundred periods without a look at the account equal a hundred periods with one at each beginning.
  func testMissedPeriodsAreAsIfTheyHadBeenBooked() {
    var generator = SeededRandom()
    for round in 0..<5000 {
      let policy = Allowance(
        amount: Int64(1 + generator.below(20)), per: generator.one(of: Period.allCases),
        rollover: Int64(generator.below(100)))
      let about = "seed \(generator.seed), round \(round)"
      let first = Timestamp(milliseconds: Int64(generator.below(1_000_000)) * 2_000_003)
      let period = policy.per.start(of: first).milliseconds
      let remaining = Int64(generator.below(120))
      var (step, left, now, dues) = (period, remaining, first, [Due]())
      for _ in 0..<1 + generator.below(12) {
        now = policy.per.next(after: now)
        guard let due = AllowanceRules.due(period: step, remaining: left, now: now, policy: policy) else {
          return XCTFail(about)
        }
        XCTAssertEqual(due.granted, min(left, policy.rollover) + policy.amount, about)
        (step, left) = (due.period, due.granted)
        dues.append(due)
      }
      let due = AllowanceRules.due(period: period, remaining: remaining, now: now, policy: policy)
      XCTAssertEqual(due?.granted, dues.last?.granted, about)
      XCTAssertEqual(due?.period, dues.last?.period, about)
      XCTAssertEqual(due?.expired, remaining, about)
    }
  }

  func testAnotherPeriodInTheCatalogCountsFromTheLastGrant() throws {
    let friday = try instant("2026-11-20T00:00:00Z").milliseconds
    let weekly = Allowance(amount: 10, per: .week, rollover: 5)
    XCTAssertNil(
      AllowanceRules.due(period: friday, remaining: 4, now: try instant("2026-11-22T23:59:59Z"), policy: weekly))
    XCTAssertEqual(
      AllowanceRules.due(period: friday, remaining: 4, now: try instant("2026-11-23T00:00:00Z"), policy: weekly)?
        .granted, 14)
  }

  func testTheFurthestInstantsAndAmountsDoNotTrap() {
    let (first, last) = (Int64.min, Timestamp(milliseconds: .max))
    for per in Period.allCases {
      let great = Allowance(amount: Limits.amount / 2, per: per, rollover: Limits.amount / 2)
      let due = AllowanceRules.due(period: first, remaining: Limits.amount, now: last, policy: great)
      XCTAssertEqual(due?.granted, Limits.amount - 1)
      XCTAssertEqual(due?.expiresAt, .max)
    }
    // No expiry lies after the year 9999: a lot of its last day never expires.
    let end = Timestamp(milliseconds: Limits.expiryMilliseconds)
    let daily = Allowance(amount: 1, per: .day)
    XCTAssertEqual(AllowanceRules.due(period: nil, remaining: 0, now: end, policy: daily)?.expiresAt, .max)
  }
}
