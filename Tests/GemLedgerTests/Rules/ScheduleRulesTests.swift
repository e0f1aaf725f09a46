import GemTestSupport
import XCTest

@testable import GemLedger

final class ScheduleRulesTests: XCTestCase {
  private typealias Account = ScheduleRules.Account
  private typealias Loss = ScheduleRules.Loss

  private let day: Int64 = 86_400_000

  private func era(
    from: Int64 = 0, initial: Int64? = nil, recharge: Recharge? = nil, allowance: Allowance? = nil,
    maximum: Int64? = nil
  ) throws -> PolicyEra {
    PolicyEra(
      from: from,
      Currency(
        code: try CurrencyCode("NRG"), name: "Energy", maximumBalance: maximum, initialBalance: initial,
        recharge: recharge, allowance: allowance))
  }

  private func outcome(
    _ account: Account, losses: [Loss] = [], _ eras: [PolicyEra], at now: Int64
  ) -> ScheduleRules.Outcome {
    ScheduleRules.outcome(of: account, losses: losses, eras: eras, now: Timestamp(milliseconds: now))
  }

  /// Two every 10 seconds, up to 30.
  private let energy = Recharge(amount: 2, every: TimeSpan(seconds: 10), upTo: 30)

  /// A loss counts from its own instant, in any order of reporting and however late.
  func testALossStartsTheClockWhenItHappened() throws {
    let (first, second) = (Loss(at: 100_000, amount: 15), Loss(at: 105_000, amount: 5))
    let rows: [(line: UInt, balance: Int64, from: Int64?, losses: [Loss], amount: Int64)] = [
      (#line, 40, nil, [first], 4), (#line, 40, nil, [second, first], 4),
      // Still full after the first.
      (#line, 50, nil, [first, second], 0), (#line, 46, nil, [first, second], 4),
      // Looked at when the clock began.
      (#line, 40, 110_000, [first], 2),
      // Full before the loss, by one that the clock still gave.
      (#line, 29, 0, [Loss(at: 100_000, amount: 9)], 5),
    ]
    for row in rows {
      var account = Account(balance: row.balance, debt: 0, begunAt: 0)
      account.clock = .init(tick: row.from, era: 0)
      let outcome = outcome(account, losses: row.losses, [try era(recharge: energy)], at: 125_000)
      XCTAssertEqual(outcome.recharged, row.amount, line: row.line)
    }
  }

  func testEachVersionOfTheCatalogHoldsForItsOwnTime() throws {
    let slow = Recharge(amount: 1, every: TimeSpan(seconds: 100), upTo: 30)
    var account = Account(balance: 0, debt: 0, begunAt: 0)
    let eras = [try era(), try era(from: 1_000_000, recharge: energy), try era(from: 1_045_000, recharge: slow)]
    XCTAssertEqual(outcome(account, eras, at: 999_999).recharged, 0)
    XCTAssertEqual(outcome(account, eras, at: 1_010_000).recharged, 2, "the clock begins with the catalog")
    XCTAssertEqual(outcome(account, eras, at: 1_045_000).recharged, 8)
    XCTAssertEqual(outcome(account, eras, at: 1_139_999).recharged, 8, "the tick under way takes the new pace")
    XCTAssertEqual(outcome(account, eras, at: 1_140_000).recharged, 9)
    let ended = eras + [try era(from: 1_139_000)]
    XCTAssertEqual(outcome(account, ended, at: 9_000_000).recharged, 8, "what is not full when it ends stays so")
    account.clock = .init(tick: 1_040_000, era: 1_000_000)
    XCTAssertEqual(outcome(account, eras, at: 1_140_000).recharged, 1)
  }

  func testAnAccountOpensWithTheFirstInitialBalanceOfItsTime() throws {
    let eras = [try era(from: 100), try era(from: 200, initial: 50), try era(from: 300, initial: 70)]
    for (begunAt, now, initial) in [(150, 199, 0), (150, 200, 50), (150, 999, 50), (250, 999, 50), (300, 999, 70)] {
      let account = Account(balance: 0, debt: 0, isUntouched: true, begunAt: Int64(begunAt))
      XCTAssertEqual(outcome(account, eras, at: Int64(now)).initial, Int64(initial), "\(begunAt) at \(now)")
    }
  }

  /// Expired currency makes room, whether its expiry is booked or not.
  func testALossLeavesRoom() throws {
    var account = Account(balance: 100, debt: 0, begunAt: 0)
    account.allowance = .init(period: 0, remaining: 0, endsAt: .min)
    let eras = [try era(allowance: Allowance(amount: 30, per: .day), maximum: 100)]
    XCTAssertEqual(outcome(account, eras, at: day).grants, [])
    let outcome = outcome(account, losses: [Loss(at: 5000, amount: 60)], eras, at: day)
    XCTAssertEqual(outcome.grants, [.init(amount: 30, expiresAt: 2 * day, period: day)])
    XCTAssertEqual(outcome.period, day)
  }

  func testPeriodsThatNobodyLookedAtRepayADebt() throws {
    var account = Account(balance: 0, debt: 25, begunAt: 0)
    account.allowance = .init(period: 0, remaining: 0, endsAt: .min)
    let eras = [try era(allowance: Allowance(amount: 10, per: .day))]
    let outcome = outcome(account, eras, at: 3 * day)
    XCTAssertEqual(
      outcome.grants, [.init(amount: 20, expiresAt: .max), .init(amount: 10, expiresAt: 4 * day, period: 3 * day)])
  }

  /// Looked at once or at every step between, an account comes to the same.
  func testTimeInPiecesGivesWhatItGivesAtOnce() throws {
    var generator = SeededRandom()
    for round in 0..<2000 {
      let recharge = Recharge(
        amount: Int64(1 + generator.below(3)), every: TimeSpan(seconds: Int64(1 + generator.below(50_000))),
        upTo: Int64(1 + generator.below(60)))
      let allowance = Allowance(amount: Int64(1 + generator.below(20)), per: .day, rollover: Int64(generator.below(30)))
      let eras = try (0..<(1 + generator.below(3))).map { number in
        try era(
          from: Int64(number) * Int64(generator.below(200_000_000)), recharge: generator.percent(50) ? recharge : nil,
          allowance: generator.percent(50) ? allowance : nil, maximum: generator.percent(30) ? 70 : nil)
      }.sorted { $0.from < $1.from }
      var (whole, pieces) = (Account(balance: Int64(generator.below(60)), debt: 0, begunAt: 0), Account?.none)
      whole.clock = .init(tick: nil, era: eras[0].from)
      pieces = whole
      let end = Int64(generator.below(600_000_000))
      var now: Int64 = 0
      while now < end, let account = pieces {
        now = min(end, now + Int64(generator.below(150_000_000)))
        pieces = account.after(outcome(account, losses: account.losses(by: now), eras, at: now), at: now)
      }
      let expected = whole.after(outcome(whole, eras, at: end), at: end)
      XCTAssertEqual(pieces?.balance, expected.balance, "seed \(generator.seed), round \(round)")
      guard pieces?.balance == expected.balance else { return }
    }
  }
}

extension ScheduleRules.Account {
  /// The losses of its allowance's lot by an instant.
  fileprivate func losses(by now: Int64) -> [ScheduleRules.Loss] {
    guard let lot = allowance, lot.remaining > 0, lot.endsAt <= now else { return [] }
    return [ScheduleRules.Loss(at: lot.endsAt, amount: lot.remaining)]
  }

  /// The account with everything booked, without debts.
  fileprivate func after(_ outcome: ScheduleRules.Outcome, at now: Int64) -> Self {
    var account = self
    account.balance -= losses(by: now).reduce(0) { $0 + $1.amount }
    account.balance += outcome.grants.reduce(0) { $0 + $1.amount } + outcome.recharged + outcome.initial
    account.clock = outcome.clock
    if outcome.period != allowance?.period, let period = outcome.period {
      let grant = outcome.grants.last
      account.allowance = .init(period: period, remaining: grant?.amount ?? 0, endsAt: grant?.expiresAt ?? .min)
    } else if let lot = allowance, lot.endsAt <= now {
      account.allowance?.remaining = 0
    }
    return account
  }
}
