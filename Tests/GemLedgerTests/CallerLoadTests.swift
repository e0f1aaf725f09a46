import XCTest

@testable import GemLedger

final class CallerLoadTests: XCTestCase {
  /// Callers return one after the other; the load is the most of them at once, not the number of the moment.
  func testItRemembersTheMostAtOnce() {
    let load = CallerLoad()
    XCTAssertEqual((0..<8).map { _ in load.begin(1) }, Array(1...8))
    for _ in 0..<8 { load.end(1) }
    XCTAssertEqual(load.begin(1), 8)
    load.end(1)
  }

  /// A process that was busy and is not any more finds out within two runs of bookings.
  func testItForgets() {
    let load = CallerLoad()
    _ = load.begin(300)
    load.end(300)
    var answers: [Int] = []
    for _ in 0..<128 {
      answers.append(load.begin(1))
      load.end(1)
    }
    XCTAssertEqual(answers.first, 300)
    XCTAssertEqual(answers.last, 1)
    XCTAssertEqual(answers, answers.sorted(by: >))
  }

  func testCommandsThatAreStillUnderWayCount() {
    let load = CallerLoad()
    _ = load.begin(20)
    for _ in 0..<200 {
      XCTAssertGreaterThanOrEqual(load.begin(1), 21)
      load.end(1)
    }
  }
}
