#if Server
import GemLedger
import GemTestSupport
import SimulatedStores
import XCTest
import gemcrash

/// The matrix once more, with an app that reaches its backend over HTTP.
///
/// A kill ends the server with the app, and the next start opens the same files with another server. A lost network
/// keeps requests from the server, or answers from the app.
final class CrashMatrixOverHTTPTests: CrashMatrixTests {
  override class var access: Access { .http }

  /// A server has written its key into the file.
  func testGoesOverHTTP() throws {
    let matrix = try Matrix(Self.access)
    let path = try matrix.home("served")
    let ending = try matrix.runs(in: path).run(["relaunch", Scenario.purchase.rawValue])
    XCTAssertEqual(ending.error, "")
    let ledger = try CrashHome(path).ledger(clock: VirtualClock())
    defer { ledger.close() }
    XCTAssertFalse(try ledger.documents.page(withPrefix: "key/").isEmpty)
  }

  /// Each answer that is lost arrives up to its middle.
  func testAnswersThatBreakOffLoseNothingAndGiveNothingTwice() throws {
    let matrix = try Matrix(.httpBreakingOff)
    let all = Scenario.allCases.flatMap { scenario in scenario.steps.map { Cell(scenario, $0, .lostAfter) } }
    let cells = Tier.current.items(16, of: all)
    XCTAssertEqual(Set(cells.map(\.scenario)), Set(Scenario.allCases))
    matrix.play(cells)
    for cell in cells {
      let outcome = try XCTUnwrap(matrix.outcome(of: cell))
      XCTAssertEqual(outcome.problems, [], cell.arguments.joined(separator: " "))
      XCTAssertEqual(outcome.paid, paid(in: cell), cell.arguments.joined(separator: " "))
    }
  }
}
#endif
