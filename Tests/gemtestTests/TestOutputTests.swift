import XCTest

@testable import gemtest

/// A run reports every test that it was asked for, whatever happens to the process that ran it.
final class TestOutputTests: XCTestCase {
  private let names = ["testA", "testB", "testC"].map { TestName(module: "M", className: "CTests", method: $0) }

  private func read(_ text: String) -> TestOutput {
    var output = TestOutput(names)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { _ = output.read(String(line)) }
    return output
  }

  func testEndsAreReadInEveryForm() {
    let output = read(
      """
      Test Suite 'CTests' started at 2026-11-27 02:54:43.584
      Test Case 'CTests.testA' started at 2026-11-27 02:54:43.584
      testA(): seed 7
      a line without an endTest Case 'CTests.testA' passed (0.012 seconds)
      Test Case '-[M.CTests testB]' started.
      File.swift:3: M.CTests.testB : Test skipped: there is no server
      Test Case '-[M.CTests testB]' skipped (0.5 seconds).
      Test Case 'CTests.testC' started at 2026-11-27 02:54:43.584
      File.swift:7: error: CTests.testC : XCTAssertEqual failed: ("1") is not equal to ("2")
      - the second line of the message
      File.swift:9: error: CTests.testC : threw error "no room"
      Test Case 'CTests.testC' failed (1.5 seconds)
      """)
    XCTAssertEqual(output.results.map(\.name), names)
    XCTAssertEqual(output.results.map(\.status), [.passed, .skipped, .failed])
    XCTAssertEqual(output.results.map(\.seconds), [0.012, 0.5, 1.5])
    XCTAssertEqual(output.results.map(\.failureCount), [0, 0, 2])
    XCTAssertEqual(output.results.map(\.unexpectedCount), [0, 0, 1])
    XCTAssertEqual(output.results[1].messages.count, 1)
    XCTAssertEqual(output.results[2].messages.count, 3)
    XCTAssertEqual(output.remaining, [])
  }

  func testATestThatItsProcessDidNotSurviveFails() {
    var output = read(
      """
      Test Case 'CTests.testA' started at 2026-11-27 02:54:43.584
      Test Case 'CTests.testA' passed (0.012 seconds)
      Test Case 'CTests.testB' started at 2026-11-27 02:54:43.584
      Fatal error: index out of range
      """)
    XCTAssertEqual(output.current, names[1])
    output.fail("its process ended with signal 4", seconds: 2)
    XCTAssertEqual(output.results.map(\.status), [.passed, .failed])
    XCTAssertEqual(output.results[1].unexpectedCount, 1)
    XCTAssertTrue(output.results[1].messages.contains("Fatal error: index out of range"))
    XCTAssertEqual(output.remaining, [names[2]], "another process runs it")
  }

  func testATestThatWasNotReportedFails() {
    var output = read("Test Suite 'Selected tests' passed at 2026-11-27 02:54:53.200")
    output.failRemaining("it was not run")
    XCTAssertEqual(output.results.map(\.status), [.failed, .failed, .failed])
    XCTAssertEqual(output.remaining, [])
  }

  func testATestAfterWhichItsProcessCrashedFails() {
    var output = read(
      """
      Test Case 'CTests.testA' started at 2026-11-27 02:54:43.584
      Test Case 'CTests.testA' passed (0.012 seconds)
      Fatal error: in a deinitializer
      """)
    output.failLast("its process ended with signal 4")
    XCTAssertEqual(output.results.map(\.status), [.failed])
    XCTAssertTrue(output.results[0].messages.contains("Fatal error: in a deinitializer"))
  }

  /// A test that prints the lines of another test's end is not ended by them.
  func testAnotherTestsLinesEndNothing() {
    let output = read(
      """
      Test Case 'CTests.testA' started at 2026-11-27 02:54:43.584
      Test Case 'CTests.testB' passed (0.012 seconds)
      """)
    XCTAssertEqual(output.current, names[0])
    XCTAssertEqual(output.results.count, 0)
  }
}
