import GemTestSupport
import XCTest

@testable import GemLedger

final class PriceSharesTests: XCTestCase {
  private func value(_ units: Range<Int64>, _ price: Int64, of granted: Int64) -> Int64 {
    PriceShares.value(of: units, price: Money(minorUnits: price, currency: "USD"), granted: granted).minorUnits
  }

  func testSharesRoundDownAndTheLastUnitTakesTheRest() {
    let rows: [(line: UInt, units: Range<Int64>, price: Int64, granted: Int64, value: Int64)] = [
      (#line, 0..<1200, 999, 1200, 999), (#line, 0..<0, 999, 1200, 0), (#line, 1200..<1200, 999, 1200, 0),
      (#line, 0..<1, 999, 1200, 0), (#line, 0..<600, 999, 1200, 499), (#line, 600..<1200, 999, 1200, 500),
      (#line, 0..<2, 10, 3, 6), (#line, 2..<3, 10, 3, 4), (#line, 0..<2, 1, 3, 0), (#line, 2..<3, 1, 3, 1),
      (#line, 0..<3, 0, 3, 0), (#line, 0..<1, Limits.amount, Limits.amount, 1),
      (#line, 0..<Limits.amount, Limits.amount, Limits.amount, Limits.amount),
      (#line, 1..<Limits.amount, Limits.amount, Limits.amount, Limits.amount - 1),
      // No more is paid for than was granted.
      (#line, 0..<9, 10, 3, 10), (#line, 3..<9, 10, 3, 0), (#line, 0..<1, 10, 0, 0),
    ]
    for row in rows { XCTAssertEqual(value(row.units, row.price, of: row.granted), row.value, line: row.line) }
  }

  func testHoweverALotIsTakenItsSharesAddUpToThePrice() {
    var generator = SeededRandom()
    for round in 0..<5000 {
      let granted = Int64.random(in: 1...Int64(1) << generator.below(53), using: &generator)
      let price = Int64.random(in: 0...Int64(1) << generator.below(53), using: &generator)
      let cuts = (0..<generator.below(8)).map { _ in Int64.random(in: 0...granted, using: &generator) }.sorted()
      let shares = zip([0] + cuts, cuts + [granted]).map { value($0..<$1, price, of: granted) }
      XCTAssertEqual(shares.reduce(0, +), price, "seed \(generator.seed), round \(round)")
      XCTAssertTrue(shares.allSatisfy { $0 >= 0 }, "seed \(generator.seed), round \(round)")
    }
  }
}
