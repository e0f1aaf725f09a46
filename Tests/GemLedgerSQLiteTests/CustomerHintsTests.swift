import GemTestSupport
import XCTest

@testable import GemLedgerSQLite

/// Numbers of customers by the hashes of their ids.
final class CustomerHintsTests: XCTestCase {
  /// Most hints survive while customers are added, for few customers and for many.
  func testMostCustomersAreFoundWhileTheirCountGrows() {
    for count in [500, 3_000, 100_000, 1_000_000] {
      var random = SeededRandom()
      let hashes = (0..<count).map { _ in Int(truncatingIfNeeded: random.next()) }
      var hints = CustomerHints()
      for (index, hash) in hashes.enumerated() { hints[hash] = Int64(index) + 1 }
      let foundCount = hashes.indices.count { hints[hashes[$0]] == Int64($0) + 1 }
      XCTAssertGreaterThan(Double(foundCount), 0.8 * Double(count), "\(count) customers")
    }
  }

  func testACustomerWithALargeNumberIsFound() {
    var hints = CustomerHints()
    XCTAssertEqual(hints[7], 0)
    hints[7] = 4_294_967_295
    XCTAssertEqual(hints[7], 4_294_967_295)
    hints[7] = 4_294_967_296
    XCTAssertEqual(hints[7], 4_294_967_295, "a number that has no room is not stored")
  }
}
