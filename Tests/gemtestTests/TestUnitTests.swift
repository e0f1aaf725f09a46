import Foundation
import XCTest

@testable import gemtest

/// A run is divided so that no test is lost and long ones start first.
final class TestUnitTests: XCTestCase {
  private func name(_ module: String, _ number: Int) -> TestName {
    TestName(module: module, className: "C\(number / 10)Tests", method: "test\(number)")
  }

  private func times(_ seconds: [TestName: Double]) throws -> TestTimes {
    var times = try TestTimes(file: "/nowhere")
    times.record(seconds.map { TestResult(name: $0, status: .passed, seconds: $1) }) { _ in .quick }
    times.record(seconds.map { TestResult(name: $0, status: .passed, seconds: 3 * $1) }) { _ in .thorough }
    return times
  }

  func testEveryTestIsInOneUnit() throws {
    let tests = (0..<1000).map { name($0.isMultiple(of: 3) ? "A" : "B", $0) }
    let times = try times(Dictionary(uniqueKeysWithValues: tests.map { ($0, Double($0.method.count) * 0.01) }))
    let thorough = Set(tests.prefix(100))
    let units = TestUnit.divide(tests, in: { thorough.contains($0) ? .thorough : .quick }, times)
    XCTAssertEqual(units.flatMap(\.tests).sorted(), tests.sorted())
    XCTAssertEqual(Set(units.filter { $0.tier == .thorough }.flatMap(\.tests)), thorough)
    for unit in units {
      XCTAssertEqual(Set(unit.tests.map(\.module)).count, 1, "class names are unique in a module only")
      XCTAssertLessThanOrEqual(unit.tests.count, TestUnit.testCountMax)
      XCTAssertLessThanOrEqual(unit.seconds, TestUnit.targetSeconds + 0.001)
    }
  }

  func testALongTestIsAloneAndFirst() throws {
    let tests = (0..<30).map { name("A", $0) }
    let units = TestUnit.divide(tests, in: { _ in .quick }, try times([tests[17]: 300, tests[4]: 5]))
    XCTAssertEqual(units[0].tests, [tests[17]])
    XCTAssertEqual(units[1].tests, [tests[4]])
    XCTAssertEqual(units.count, 3)
  }

  func testSharesCoverAllTestsOnce() throws {
    let tests = (0..<503).map { name("A", $0) }
    let times = try times([tests[3]: 100, tests[4]: 90, tests[5]: 80])
    let shares = (0..<10).map { times.share($0, of: 10, tests) }
    XCTAssertEqual(shares.reduce(0) { $0 + $1.count }, tests.count)
    XCTAssertEqual(Set(shares.joined()), Set(tests))
    // The longest are apart.
    XCTAssertEqual(shares.count { $0.contains(tests[3]) || $0.contains(tests[4]) || $0.contains(tests[5]) }, 3)
    XCTAssertEqual(times.share(-1, of: 1, tests), [])
  }

  func testTimesOfBothTiersAreKept() throws {
    let file = NSTemporaryDirectory() + "times-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: file) }  // Left to the system if it cannot be removed.
    let (slow, quick) = (name("A", 1), name("A", 2))
    var times = try TestTimes(file: file)
    times.record([TestResult(name: slow, status: .passed, seconds: 2)]) { _ in .quick }
    times.record([TestResult(name: slow, status: .passed, seconds: 90)]) { _ in .thorough }
    times.record([TestResult(name: quick, status: .passed, seconds: 0.01)]) { _ in .quick }
    times.record([TestResult(name: slow, status: .failed, seconds: 50)]) { _ in .quick }
    try times.write(to: file)
    let read = try TestTimes(file: file)
    XCTAssertEqual(read.seconds(of: slow, in: .quick), 2)
    XCTAssertEqual(read.seconds(of: slow, in: .thorough), 90)
    XCTAssertEqual(read.seconds(of: quick, in: .thorough), TestTimes.unrecordedSeconds)
    XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "2.0 90.0 \(slow)\n")
  }
}
