import GemTestSupport
import XCTest

/// The thorough tier leaves nothing out, and the quick one no kind.
final class TierTests: XCTestCase {
  func testTheThoroughTierHasAllItems() {
    for (quick, total) in [(1, 1), (1, 7), (3, 10), (24, 216), (50, 20)] {
      let all = Array(0..<total)
      XCTAssertEqual(Tier.thorough.items(quick, of: all), all)
      let chosen = Tier.quick.items(quick, of: all)
      XCTAssertEqual(chosen.count, min(quick, total))
      XCTAssertEqual(chosen, chosen.sorted())
      XCTAssertEqual(Set(chosen).count, chosen.count)
      XCTAssertEqual(Tier.quick.items(quick, of: all), chosen, "the same each time")
    }
  }

  /// The list may be a product of shorter ones: a choice at equal distances would leave values out.
  func testAChoiceFromAProductHasEveryFactor() {
    let all = (0..<8).flatMap { a in (0..<9).flatMap { b in (0..<3).map { c in [a, b, c] } } }
    let chosen = Tier.quick.items(24, of: all)
    for (place, count) in [8, 9, 3].enumerated() { XCTAssertEqual(Set(chosen.map { $0[place] }).count, count) }
  }

  func testStepsAndLengths() {
    XCTAssertEqual(Tier.quick.length(5, thorough: 50), 5)
    XCTAssertEqual(Tier.thorough.length(5, thorough: 50), 50)
    XCTAssertEqual((0..<10).filter { Tier.quick.plays($0, quickDivisor: 4) }, [0, 4, 8])
    XCTAssertEqual((0..<10).filter { Tier.thorough.plays($0, quickDivisor: 4) }, Array(0..<10))
  }
}
