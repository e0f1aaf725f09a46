import GemLedger
import GemTestSupport
import XCTest
import gemcrash

/// Every step of a purchase × what the customer and the store do × what goes wrong there.
///
/// Each cell is played by processes on files of its own: one in which the fault strikes, one that starts afterwards
/// with somebody else signed in, and then the files are read. What was paid for and not given back must be credited,
/// once, to who bought.
final class CrashMatrixTests: XCTestCase {
  func testWhatWasPaidForIsCreditedWhateverGoesWrongAtWhicheverStep() throws {
    let matrix = try Matrix()
    let cells = Scenario.allCases.flatMap { scenario in
      Step.allCases.flatMap { step in Fault.allCases.map { Cell(scenario, step, $0) } }
    }
    matrix.play(cells)
    print(matrix.table(Scenario.allCases, build: .real))
    for cell in cells {
      let outcome = try XCTUnwrap(matrix.outcome(of: cell))
      XCTAssertEqual(outcome.problems, [], cell.arguments.joined(separator: " "))
      XCTAssertEqual(outcome.paid, paid(in: cell), cell.arguments.joined(separator: " "))
    }
  }

  /// How many gems were paid for in the end, so that no cell is good because nothing happened in it.
  private func paid(in cell: Cell) -> Int64 {
    let isBeforePayment = cell.step == .intent || cell.step == .paid && cell.fault == .lostBefore
    switch cell.scenario {
    case .purchase, .twoStep, .redelivery, .refund: return isBeforePayment ? 0 : 1200
    // Whoever was asked agrees in the end.
    case .approval: return cell.step == .intent ? 0 : 1200
    // The first purchase is paid for; buying again costs nothing.
    case .buyWithUnfinished: return cell.step == .paid && cell.fault == .lostBefore ? 0 : 1200
    // Before the crash or the refund, and once more where the fault lets somebody buy again.
    case .refundWhileClosed, .restart: return cell.step == .paid && cell.fault != .lostBefore ? 2400 : 1200
    }
  }

  /// Killed from outside at whichever instruction, again and again on the same files.
  func testKillsAtAnyInstructionLoseNothingAndGiveNothingTwice() throws {
    let matrix = try Matrix()
    let path = try matrix.home("killed")
    let runs = Runs(directory: path)
    var dice = SeededDice()
    var boughtCount = 0
    for _ in 0..<12 {
      let ending = try runs.run(["buy-until-killed"], killedAfterLines: 1 + dice.below(8))
      XCTAssertTrue(ending.wasKilled, "\(ending)")
      XCTAssertEqual(ending.error, "")
      boughtCount += ending.output.split(separator: "\n").count
    }
    let relaunch = try runs.run(["relaunch", Scenario.purchase.rawValue])
    XCTAssertEqual(relaunch, Runs.Ending(wasKilled: false, status: 0, output: "", error: ""))
    let outcome = try Outcome(of: CrashHome(path), .purchase)
    XCTAssertEqual(outcome.problems, [], "seed \(dice.seed)")
    // Each process may have had one more under way.
    XCTAssertGreaterThanOrEqual(outcome.paid, Int64(boughtCount) * 1200)
    XCTAssertLessThanOrEqual(outcome.paid, Int64(boughtCount + 12) * 1200)
  }

  /// A build that tells the store first loses what was paid for, and the matrix shows it.
  func testAControlThatFinishesBeforeItCreditsTurnsTheMatrixRed() throws {
    let matrix = try Matrix()
    let scenarios: [Scenario] = [.purchase, .approval]
    let cells = scenarios.flatMap { scenario in
      Step.allCases.flatMap { step in Fault.allCases.map { Cell(scenario, step, $0, build: .finishesFirst) } }
    }
    matrix.play(cells)
    print(matrix.table(scenarios, build: .finishesFirst))
    // Finished at the store, and in nobody's hands: lost for good.
    for scenario in scenarios {
      let lost = try XCTUnwrap(matrix.outcome(of: Cell(scenario, .delivered, .kill, build: .finishesFirst)))
      XCTAssertFalse(lost.isGood, scenario.rawValue)
      XCTAssertEqual(lost.paid, 1200)
      XCTAssertEqual(lost.credited, 0)
      let cut = try XCTUnwrap(matrix.outcome(of: Cell(scenario, .delivered, .lostBefore, build: .finishesFirst)))
      XCTAssertEqual(cut.paid - cut.credited, 1200, scenario.rawValue)
      // Where the queue has the receipt, the control is lucky.
      let kept = try XCTUnwrap(matrix.outcome(of: Cell(scenario, .queued, .kill, build: .finishesFirst)))
      XCTAssertEqual(kept.credited, 1200, scenario.rawValue)
    }
  }
}
