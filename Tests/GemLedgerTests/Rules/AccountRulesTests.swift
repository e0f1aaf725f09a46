import GemTestSupport
import XCTest

@testable import GemLedger

final class AccountRulesTests: XCTestCase {
  private func plan(_ amount: Int64, maximum: Int64 = Limits.amount, expired: Int64 = 0) throws -> AccountPlan {
    let currency = CurrencyDefinition(
      number: 1, code: try CurrencyCode("GEM"), maximumBalance: maximum, burnsPaidFirst: false)
    var plan = AccountPlan(slot: 0, currency: currency, kind: amount < 0 ? .spend : .grant, amount: amount)
    plan.expiredAmount = expired
    return plan
  }

  private func account(_ balance: Int64, held: Int64 = 0, version: Int64 = 0) -> AccountRow {
    var row = AccountRow(number: AccountNumber(customer: 1, currency: 1))
    (row.balance, row.held, row.version) = (balance, held, version)
    return row
  }

  func testBalancesStayWithinTheirBounds() throws {
    typealias Row = (
      line: UInt, balance: Int64, held: Int64, expired: Int64, amount: Int64, maximum: Int64, code: LedgerError.Code?
    )
    let most = Limits.amount
    let rows: [Row] = [
      (#line, 10, 0, 0, -10, most, nil), (#line, 10, 0, 0, -11, most, .insufficientBalance),
      (#line, 10, 4, 0, -6, most, nil), (#line, 10, 4, 0, -7, most, .insufficientBalance),
      (#line, 10, 0, 4, -6, most, nil), (#line, 10, 0, 4, -7, most, .insufficientBalance),
      (#line, 0, 0, 0, -1, most, .insufficientBalance), (#line, most, 0, 0, -most, most, nil),
      (#line, 0, 0, 0, most, most, nil), (#line, 1, 0, 0, most, most, .overMaximum),
      (#line, most, 0, 0, 1, most, .overMaximum), (#line, most, 0, 0, most, most, .overMaximum),
      (#line, 90, 0, 0, 10, 100, nil), (#line, 90, 0, 0, 11, 100, .overMaximum),
      (#line, 90, 0, 5, 15, 100, nil),
      // Above its maximum after a purchase, an account may be spent from and not added to.
      (#line, 150, 0, 0, -1, 100, nil), (#line, 150, 0, 0, 1, 100, .overMaximum),
    ]
    for row in rows {
      let plan = try plan(row.amount, maximum: row.maximum, expired: row.expired)
      let account = account(row.balance, held: row.held)
      assertOutcome(row.code, line: row.line) { try AccountRules.check(plan, account: account) }
    }
  }

  func testConditionsLookAtVersionBeforeAndBalanceAfter() throws {
    let gem = try CurrencyCode("GEM")
    let rows: [(line: UInt, condition: Condition, holds: Bool)] = [
      (#line, .version(gem, 7), true), (#line, .version(gem, 8), false), (#line, .version(gem, 6), false),
      (#line, .minimum(gem, 85), true), (#line, .minimum(gem, 86), false), (#line, .minimum(gem, .min), true),
      (#line, .maximum(gem, 85), true), (#line, .maximum(gem, 84), false), (#line, .maximum(gem, .max), true),
      (#line, .version(try CurrencyCode("COIN"), 0), true),
    ]
    for row in rows {
      let plan = try plan(-10, expired: 5)
      assertOutcome(row.holds ? nil : .conditionFailed, line: row.line) {
        try AccountRules.check([row.condition], plan: plan, account: account(100, version: 7))
      }
    }
  }

  func testLotsThatGoOnForEver() {
    XCTAssertEqual(LoadedLots.granted(1, plus: 2), 3)
    XCTAssertEqual(LoadedLots.granted(.max - 1, plus: 1), .max)
    XCTAssertEqual(LoadedLots.granted(.max - 1, plus: 2), .max)
    XCTAssertEqual(LoadedLots.granted(.max, plus: Limits.amount), .max)
  }
}
