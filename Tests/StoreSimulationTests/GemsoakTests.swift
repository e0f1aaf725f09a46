import XCTest

@testable import gemsoak

/// The command of the soak.
final class GemsoakTests: XCTestCase {
  func testASeedGivesTheSameSummaryAgain() async {
    let first = await Gemsoak.run(["--seed", "7", "--events", "300"])
    XCTAssertEqual(first.status, 0, first.text)
    for part in ["event reverse_refund", "fault ", "credited", "credited once: seed 7, 300 events"] {
      XCTAssertTrue(first.text.contains(part), "\(part): \(first.text)")
    }
    let second = await Gemsoak.run(["--events", "300", "--seed", "7"])
    XCTAssertEqual(second.text, first.text)
  }

  func testInvalidOptionsPrintTheUsage() async {
    for arguments in [["--events", "0"], ["--seed", "-1"], ["--events", "1e3"], ["--seed"], ["--loud", "1"]] {
      let answer = await Gemsoak.run(arguments)
      XCTAssertEqual(answer.status, 64, "\(arguments)")
      XCTAssertEqual(answer.text, Gemsoak.usage, "\(arguments)")
    }
  }
}
