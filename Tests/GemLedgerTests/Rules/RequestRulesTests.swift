import GemTestSupport
import XCTest

@testable import GemLedger

final class RequestRulesTests: XCTestCase {
  func testAdjustmentsOfARequest() throws {
    typealias Row = (
      line: UInt, amounts: [(String, Int64)], isGrant: Bool, source: LotSource, code: LedgerError.Code?
    )
    let many = (0..<101).map { ("C\($0)", Int64(1)) }
    let rows: [Row] = [
      (#line, [("GEM", 1)], false, .earned, nil),
      (#line, [("GEM", -1)], false, .earned, nil),
      (#line, [("GEM", Limits.amount), ("COIN", -Limits.amount)], false, .earned, nil),
      (#line, Array(many.dropLast()), true, .admin, nil),
      (#line, [], false, .earned, .invalidRequest),
      (#line, [("GEM", 1), ("GEM", 1)], false, .earned, .invalidRequest),
      (#line, [("GEM", 1)], true, .paid, .invalidRequest),
      (#line, [("GEM", 1)], false, .paid, .invalidRequest),
      (#line, [("GEM", -1)], false, .paid, nil),
      (#line, many, false, .earned, .limitExceeded),
      (#line, [("GEM", 0)], false, .earned, .amountOutOfRange),
      (#line, [("GEM", -1)], true, .admin, .amountOutOfRange),
      (#line, [("GEM", Limits.amount + 1)], false, .earned, .amountOutOfRange),
      (#line, [("GEM", -Limits.amount - 1)], false, .earned, .amountOutOfRange),
      (#line, [("GEM", 1), ("COIN", .min)], false, .earned, .amountOutOfRange),
      (#line, [("GEM", .max)], true, .admin, .amountOutOfRange),
      // "gem" is another currency than "GEM".
      (#line, [("GEM", 1), ("gem", 1)], false, .earned, nil),
    ]
    for row in rows {
      let adjust = AdjustCommand(
        adjustments: try row.amounts.map { try Make.amount($0.0, $0.1) }, source: row.source, environment: .production,
        expiresAt: nil, createsCustomer: row.isGrant)
      assertOutcome(row.code, line: row.line) { try adjust.check(conditions: []) }
    }
  }

  func testConditionsCoverWhatIsAdjusted() throws {
    let (gem, coin) = (try CurrencyCode("GEM"), try CurrencyCode("COIN"))
    let rows: [(line: UInt, conditions: [Condition], code: LedgerError.Code?)] = [
      (#line, [], nil),
      (#line, [.version(gem, 1), .minimum(gem, 0), .maximum(gem, .max)], nil),
      (#line, [.version(gem, 1), .version(coin, 1)], .invalidRequest),
      (#line, Array(repeating: .version(gem, 1), count: 300), nil),
      (#line, Array(repeating: .version(gem, 1), count: 301), .limitExceeded),
      (#line, Array(repeating: .version(coin, 1), count: 301), .invalidRequest),
    ]
    for row in rows {
      assertOutcome(row.code, line: row.line) { try RequestRules.check(row.conditions, cover: [Adjustment(gem, 1)]) }
    }
  }

  func testPurchases() throws {
    typealias Row = (line: UInt, quantity: Int64, price: Money?, code: LedgerError.Code?)
    let rows: [Row] = [
      (#line, 1, nil, nil), (#line, Limits.quantity, Money(minorUnits: 0, currency: "USD"), nil),
      (#line, 1, Money(minorUnits: Limits.amount, currency: "JPY"), nil),
      (#line, 0, Money(minorUnits: -1, currency: "usd"), .invalidRequest),
      (#line, 1, Money(minorUnits: 1, currency: "US"), .invalidRequest),
      (#line, 1, Money(minorUnits: 1, currency: "USDT"), .invalidRequest),
      (#line, 0, nil, .amountOutOfRange), (#line, Limits.quantity + 1, nil, .amountOutOfRange),
      (#line, 1, Money(minorUnits: -1, currency: "USD"), .amountOutOfRange),
      (#line, 1, Money(minorUnits: Limits.amount + 1, currency: "USD"), .amountOutOfRange),
    ]
    for row in rows {
      let purchase = try Make.purchase("t", quantity: row.quantity, price: row.price)
      assertOutcome(row.code, line: row.line) { try PurchaseRules.check(purchase) }
    }
  }

  func testExpiriesAndQuantities() {
    let now = Timestamp(milliseconds: 1000)
    for (instant, code) in [(1001, nil), (1000, .invalidRequest), (0, .invalidRequest)] as [(Int64, LedgerError.Code?)]
    {
      assertOutcome(code) { try RequestRules.check(expiry: Timestamp(milliseconds: instant), isAfter: now) }
    }
    assertOutcome(nil) { try RequestRules.check(expiry: Timestamp(milliseconds: Limits.expiryMilliseconds - 1)) }
    assertOutcome(.invalidRequest) {
      try RequestRules.check(expiry: Timestamp(milliseconds: Limits.expiryMilliseconds))
    }
    for quantity in [1, Limits.quantity] { assertOutcome(nil) { try RequestRules.check(quantity: quantity, of: "x") } }
    for quantity in [0, -1, Limits.quantity + 1, .min, .max] {
      assertOutcome(.amountOutOfRange) { try RequestRules.check(quantity: quantity, of: "x") }
    }
  }
}

/// Fails unless the body is refused with the code, or does nothing where there is none.
func assertOutcome(
  _ code: LedgerError.Code?, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
) {
  if let code {
    assertRefused(code, file: file, line: line, body)
  } else {
    XCTAssertNoThrow(try body(), file: file, line: line)
  }
}
