import Foundation
import XCTest

@testable import gemtest

/// A run is divided so that no test is lost and long ones start first.
final class TestUnitTests: XCTestCase {
  private func name(_ module: String, _ number: Int) -> TestName {
    TestName(module: module, className: "C\(number / 10)Tests", method: "test\(number)")
  }

  func testEveryTestIsInOneUnit() {
    let tests = (0..<1000).map { name($0.isMultiple(of: 3) ? "A" : "B", $0) }
    let units = TestUnit.divide(tests) { Double($0.method.count) * 0.01 }
    XCTAssertEqual(units.flatMap(\.tests).sorted(), tests.sorted())
    for unit in units {
      XCTAssertEqual(Set(unit.tests.map(\.module)).count, 1, "class names are unique in a module only")
      XCTAssertLessThanOrEqual(unit.tests.count, TestUnit.testCountMax)
      XCTAssertLessThanOrEqual(unit.seconds, TestUnit.targetSeconds + 0.001)
    }
  }

  func testALongTestIsAloneAndFirst() {
    let tests = (0..<30).map { name("A", $0) }
    let units = TestUnit.divide(tests) { $0 == tests[17] ? 300 : $0 == tests[4] ? 5 : 0.1 }
    XCTAssertEqual(units[0].tests, [tests[17]])
    XCTAssertEqual(units[1].tests, [tests[4]])
    XCTAssertEqual(units.count, 3)
  }

  func testTimesOfBothTiersAreKept() throws {
    let file = NSTemporaryDirectory() + "times-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: file) }  // Left to the system if it cannot be removed.
    let (slow, quick) = (name("A", 1), name("A", 2))
    var times = try TestTimes(file: file)
    times.record([TestResult(name: slow, status: .passed, seconds: 2)], in: "quick")
    times.record([TestResult(name: slow, status: .passed, seconds: 90)], in: "thorough")
    times.record([TestResult(name: quick, status: .passed, seconds: 0.01)], in: "quick")
    times.record([TestResult(name: slow, status: .passed, seconds: 50)], in: "3/10")
    try times.write(to: file)
    let read = try TestTimes(file: file)
    XCTAssertEqual(read.seconds(of: slow, in: "quick"), 2)
    XCTAssertEqual(read.seconds(of: slow, in: "3/10"), 2)
    XCTAssertEqual(read.seconds(of: slow, in: "thorough"), 90)
    XCTAssertEqual(read.seconds(of: quick, in: "thorough"), TestTimes.unrecordedSeconds)
    XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "2.0 90.0 \(slow)\n")
  }
}
