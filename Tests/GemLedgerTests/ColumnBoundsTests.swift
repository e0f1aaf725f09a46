import GemLedger
import XCTest

/// PostgreSQL's answers are checked by the names of their columns.
final class ColumnBoundsTests: XCTestCase {
  /// A name with two bounds is checked by neither: `AnswerBounds` tells them apart, except for places in a list.
  func testFewNamesHaveTwoBounds() {
    XCTAssertEqual(ColumnBounds.ambiguous, ["number", "expires_at", "position"])
  }

  func testAmountsAndNumbersHaveBounds() {
    for name in ["customer", "currency", "balance", "amount", "remaining", "lot", "entry", "version"] {
      XCTAssertNotEqual(ColumnBounds.all[name] ?? .any, .any, name)
    }
  }
}
