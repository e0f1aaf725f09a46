import GemTestSupport
import XCTest

@testable import GemLedger

final class ExchangeRulesTests: XCTestCase {
  func testRoundsAsTheRateSays() throws {
    let rows: [(line: UInt, amount: Int64, rate: (Int64, Int64), down: Int64?, nearest: Int64?, up: Int64)] = [
      (#line, 1, (100, 1), 100, 100, 100), (#line, 7, (100, 1), 700, 700, 700), (#line, 100, (1, 100), 1, 1, 1),
      (#line, 149, (1, 100), 1, 1, 2), (#line, 150, (1, 100), 1, 2, 2), (#line, 199, (1, 100), 1, 2, 2),
      (#line, 1, (1, 100), nil, nil, 1), (#line, 49, (1, 100), nil, nil, 1), (#line, 50, (1, 100), nil, 1, 1),
      (#line, 99, (1, 100), nil, 1, 1), (#line, 1, (1, 3), nil, nil, 1), (#line, 2, (1, 3), nil, 1, 1),
      (#line, 10, (3, 7), 4, 4, 5), (#line, 10, (6, 4), 15, 15, 15), (#line, 1, (3, 2), 1, 2, 2),
      (#line, 3, (5, 2), 7, 8, 8), (#line, Limits.amount, (1, 1), Limits.amount, Limits.amount, Limits.amount),
      (#line, Limits.amount, (Limits.amount, Limits.amount), Limits.amount, Limits.amount, Limits.amount),
      (#line, 1, (1, Limits.amount), nil, nil, 1), (#line, Limits.amount, (1, Limits.amount), 1, 1, 1),
    ]
    for row in rows {
      for (rounding, expected) in [(ExchangeRate.Rounding.down, row.down), (.nearest, row.nearest), (.up, row.up)] {
        let rate = ExchangeRate(row.rate.0, for: row.rate.1, rounding: rounding)
        guard let expected else {
          assertRefused(.roundsToZero, line: row.line) { try ExchangeRules.received(for: row.amount, at: rate) }
          continue
        }
        XCTAssertEqual(try ExchangeRules.received(for: row.amount, at: rate), expected, "\(rounding)", line: row.line)
      }
    }
  }

  func testRoundsDownWhereNothingIsSaid() throws {
    XCTAssertEqual(try ExchangeRules.received(for: 199, at: ExchangeRate(1, for: 100)), 1)
  }

  func testRefusesWhatIsOutOfRange() {
    let most = Limits.amount
    let rows: [(line: UInt, amount: Int64, rate: ExchangeRate)] = [
      (#line, 0, ExchangeRate(1, for: 1)), (#line, -1, ExchangeRate(1, for: 1)),
      (#line, most + 1, ExchangeRate(1, for: 1)), (#line, .min, ExchangeRate(1, for: 1)),
      (#line, 1, ExchangeRate(0, for: 1)), (#line, 1, ExchangeRate(-1, for: 1)), (#line, 1, ExchangeRate(1, for: 0)),
      (#line, 1, ExchangeRate(1, for: -1)), (#line, 1, ExchangeRate(most + 1, for: 1)),
      (#line, 1, ExchangeRate(1, for: most + 1)), (#line, 1, ExchangeRate(.max, for: .max)),
      (#line, most, ExchangeRate(2, for: 1)), (#line, most, ExchangeRate(most, for: 1)),
      (#line, most, ExchangeRate(most, for: most - 1)),
      (#line, most, ExchangeRate(most, for: most - 1, rounding: .up)),
    ]
    for row in rows {
      assertRefused(.amountOutOfRange, line: row.line) { try ExchangeRules.received(for: row.amount, at: row.rate) }
    }
  }

  func testSaysWhatRoundedToNothing() throws {
    let error = assertRefused(.roundsToZero) { try ExchangeRules.received(for: 99, at: ExchangeRate(1, for: 100)) }
    XCTAssertEqual(["amount", "numerator", "denominator"].map { error?.integer($0) }, [99, 1, 100])
    XCTAssertTrue(error?.message.contains("99 at the rate 1/100") ?? false)
  }

  func testSaysHowMuchWouldGiveAUnit() throws {
    let rows: [(line: UInt, rate: ExchangeRate, least: Int64)] = [
      (#line, ExchangeRate(1, for: 100), 100), (#line, ExchangeRate(1, for: 100, rounding: .nearest), 50),
      (#line, ExchangeRate(3, for: 100), 34), (#line, ExchangeRate(3, for: 100, rounding: .nearest), 17),
      (#line, ExchangeRate(1, for: 3, rounding: .nearest), 2),
      (#line, ExchangeRate(1, for: Limits.amount), Limits.amount),
    ]
    for row in rows {
      let error = assertRefused(.roundsToZero, line: row.line) {
        try ExchangeRules.received(for: row.least - 1, at: row.rate)
      }
      XCTAssertTrue(error?.message.contains("Exchange at least \(row.least). ") ?? false, line: row.line)
      XCTAssertGreaterThan(try ExchangeRules.received(for: row.least, at: row.rate), 0, line: row.line)
    }
  }

  /// Of the roundings, each is within its bound of the exact result, and together they enclose it.
  func testRoundingsEncloseTheExactResult() throws {
    var generator = SeededRandom()
    for round in 0..<20_000 {
      let amount = Int64.random(in: 1...Int64(1) << generator.below(53), using: &generator)
      let numerator = Int64.random(in: 1...Int64(1) << generator.below(26), using: &generator)
      let denominator = Int64.random(in: numerator...numerator << generator.below(26), using: &generator)
      let exact = Int128(amount) * Int128(numerator)
      func received(_ rounding: ExchangeRate.Rounding) throws -> Int128 {
        do {
          return Int128(
            try ExchangeRules.received(for: amount, at: ExchangeRate(numerator, for: denominator, rounding: rounding)))
        } catch let error where error.code == .roundsToZero {
          return 0
        }
      }
      let (down, nearest, up) = (try received(.down), try received(.nearest), try received(.up))
      let about = "seed \(generator.seed), round \(round)"
      let whole = Int128(denominator)
      XCTAssertTrue(down * whole <= exact && exact - down * whole < whole, about)
      XCTAssertTrue(up * whole >= exact && up * whole - exact < whole, about)
      XCTAssertTrue(2 * (nearest * whole - exact) <= whole && 2 * (exact - nearest * whole) < whole, about)
    }
  }
}
