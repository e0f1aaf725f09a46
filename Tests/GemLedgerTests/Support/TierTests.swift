import GemTestSupport
import XCTest

/// No item of a test is in neither tier, and the shares of the thorough tier cover it.
final class TierTests: XCTestCase {
  func testSharesCoverTheThoroughTier() {
    for (quick, total) in [(1, 1), (1, 7), (3, 10), (24, 216), (50, 20)] {
      let all = Array(0..<total)
      XCTAssertEqual(Tier.thorough.items(quick, of: all), all)
      let chosen = Tier.quick.items(quick, of: all)
      XCTAssertEqual(chosen.count, min(quick, total))
      XCTAssertEqual(Tier.quick.items(quick, of: all), chosen, "the same each time")
      var seen: Set<Int> = []
      for part in 0..<10 {
        let share = Tier.share(part, of: 10).items(quick, of: all)
        XCTAssertTrue(Set(share).isSuperset(of: chosen))
        XCTAssertLessThanOrEqual(share.count, chosen.count + (total + 9) / 10)
        seen.formUnion(share)
      }
      XCTAssertEqual(seen, Set(all))
    }
  }

  /// The list may be a product of shorter ones: a choice at equal distances would leave values out.
  func testAChoiceFromAProductHasEveryFactor() {
    let all = (0..<8).flatMap { a in (0..<9).flatMap { b in (0..<3).map { c in [a, b, c] } } }
    let chosen = Tier.quick.items(24, of: all)
    for (place, count) in [8, 9, 3].enumerated() { XCTAssertEqual(Set(chosen.map { $0[place] }).count, count) }
  }

  func testALengthIsLongInOneShare() {
    XCTAssertEqual(Tier.quick.length(5, thorough: 50), 5)
    XCTAssertEqual(Tier.thorough.length(5, thorough: 50), 50)
    let lengths = (0..<10).map { Tier.share($0, of: 10).length(5, thorough: 50, file: "M/A.swift", line: 7) }
    XCTAssertEqual(lengths.sorted(), Array(repeating: 5, count: 9) + [50])
  }

  func testSharesPlayEveryStep() {
    let steps = (0..<500).map { "Contract.step\($0)" }
    let quick = steps.filter { Tier.quick.plays($0, quickDivisor: 5) }
    XCTAssertTrue((50..<150).contains(quick.count), "\(quick.count)")
    let shares = (0..<10).map { part in steps.filter { Tier.share(part, of: 10).plays($0, quickDivisor: 5) } }
    for share in shares { XCTAssertTrue((quick.count..<quick.count + 80).contains(share.count), "\(share.count)") }
    XCTAssertEqual(Set(shares.joined()), Set(steps))
    XCTAssertTrue(steps.allSatisfy { Tier.thorough.plays($0, quickDivisor: 5) })
    XCTAssertTrue(steps.allSatisfy { Tier.quick.plays($0, quickDivisor: 1) })
  }

  func testNames() {
    XCTAssertEqual(Tier(""), .quick)
    XCTAssertEqual(Tier("quick"), .quick)
    XCTAssertEqual(Tier("thorough"), .thorough)
    XCTAssertEqual(Tier("3/10"), .share(3, of: 10))
  }
}
