import GemLedger
import XCTest

@testable import gemctl

/// `simulate` of the built binary.
final class SimulateCommandTests: XCTestCase {
  func testASeedGivesTheSameSummaryAgain() throws {
    let home = try TestHome()
    let first = try home.raw("gemctl simulate --seed 7 --events 300 --json")
    XCTAssertEqual(first.status, 0, first.error)
    XCTAssertEqual(first.error, "")
    XCTAssertTrue(first.output.contains(#""ok":true,"seed":7"#), first.output)
    XCTAssertTrue(first.output.hasPrefix(#"{"events":300,"#), first.output)
    XCTAssertEqual(try home.raw("gemctl simulate --seed 7 --events 300 --json"), first)
    XCTAssertEqual(try home.raw("ls -A").output, "", "the home is left alone")
  }

  func testShowsWhatHappened() throws {
    let answer = try TestHome().raw("gemctl simulate --seed 8 --events 200")
    XCTAssertEqual(answer.status, 0, answer.error)
    for part in ["EVENT", "reverse refund", "FAULT", "SUMMARY", "Every paid purchase is credited once: seed 8, in "] {
      XCTAssertTrue(answer.output.contains(part), part)
    }
  }

  func testRefusesNumbersOutOfRange() throws {
    for arguments in ["--events 0", "--seed -1", "--events 1e3"] {
      XCTAssertEqual(try TestHome().run("gemctl simulate \(arguments)").status, 64, arguments)
    }
  }

  func testABrokenInvariantNamesSeedAndShortestBeginning() {
    let error = SimulateCommand.error(seed: 7, prefix: 42)
    XCTAssertEqual(error.code, .booksWrong)
    XCTAssertEqual(error.code.exitStatus, 6)
    XCTAssertTrue(error.message.contains("gemctl simulate --seed 7 --events 42"), error.message)
  }
}
