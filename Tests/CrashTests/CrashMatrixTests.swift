import GemLedger
import GemTestSupport
import XCTest
import gemcrash

/// Every step of a purchase × every scenario × every fault at that step.
///
/// Processes play each cell on files of its own: one in which the fault strikes, and one that starts afterwards with
/// another customer signed in. Then the files are read. Every payment that was not refunded must be credited once, to
/// the buyer.
class CrashMatrixTests: XCTestCase {
  /// How the app reaches its backend.
  class var access: Access { .direct }
  /// How many of the cells the quick tier plays.
  class var quickCellCount: Int { 26 }

  func testWhatWasPaidForIsCreditedWhateverGoesWrongAtWhicheverStep() throws {
    let matrix = try Matrix(Self.access)
    let all = Scenario.allCases.flatMap { scenario in
      scenario.steps.flatMap { step in Fault.allCases.map { Cell(scenario, step, $0) } }
    }
    let ofPurchases = all.filter { Step.ofPurchases.contains($0.step) }
    let cells = Tier.current.items(Self.quickCellCount, of: ofPurchases) + all.filter { !ofPurchases.contains($0) }
    XCTAssertEqual(Set(cells.map(\.scenario)), Set(Scenario.allCases))
    XCTAssertEqual(Set(cells.map(\.step)), Set(Step.allCases))
    XCTAssertEqual(Set(cells.map(\.fault)), Set(Fault.allCases))
    matrix.play(cells)
    print(matrix.table(Scenario.allCases, build: .real))
    for cell in cells {
      let outcome = try XCTUnwrap(matrix.outcome(of: cell))
      XCTAssertEqual(outcome.problems, [], cell.arguments.joined(separator: " "))
      XCTAssertEqual(outcome.paid, paid(in: cell), cell.arguments.joined(separator: " "))
    }
  }

  /// How many gems were paid for in the end, so that no cell is good because nothing happened in it.
  func paid(in cell: Cell) -> Int64 {
    let isBeforePayment = cell.step == .intent || cell.step == .paid && cell.fault == .lostBefore
    switch cell.scenario {
    case .purchase, .twoStep, .redelivery, .refund, .catalogGap, .lateNotices: return isBeforePayment ? 0 : 1200
    // The consent comes in the end.
    case .approval: return cell.step == .intent ? 0 : 1200
    // The first purchase is paid for; buying again costs nothing.
    case .buyWithUnfinished: return cell.step == .paid && cell.fault == .lostBefore ? 0 : 1200
    // Once before the crash or the refund, and a second time where the fault lets the customer buy again.
    case .refundWhileClosed, .restart: return cell.step == .paid && cell.fault != .lostBefore ? 2400 : 1200
    }
  }

  /// Killed from outside at whichever instruction, again and again on the same files.
  func testKillsAtAnyInstructionLoseNothingAndGiveNothingTwice() throws {
    let matrix = try Matrix(Self.access)
    let path = try matrix.home("killed")
    let runs = matrix.runs(in: path)
    var generator = SeededRandom()
    var boughtCount = 0
    let killCount = Tier.current.length(4, thorough: 12)
    for _ in 0..<killCount {
      let ending = try runs.run(["buy-until-killed"], killedAfterLines: 1 + generator.below(8))
      XCTAssertTrue(ending.wasKilled, "\(ending)")
      XCTAssertEqual(ending.error, "")
      boughtCount += ending.output.split(separator: "\n").count
    }
    let relaunch = try runs.run(["relaunch", Scenario.purchase.rawValue])
    XCTAssertEqual(relaunch, Runs.Ending(wasKilled: false, status: 0, output: "", error: ""))
    let outcome = try Outcome(of: CrashHome(path), .purchase)
    XCTAssertEqual(outcome.problems, [], "seed \(generator.seed)")
    // Each process may have had one more under way.
    XCTAssertGreaterThanOrEqual(outcome.paid, Int64(boughtCount) * 1200)
    XCTAssertLessThanOrEqual(outcome.paid, Int64(boughtCount + killCount) * 1200)
  }

  /// A build that finishes at the store before the credit loses payments, and the matrix shows it.
  func testAControlThatFinishesBeforeItCreditsTurnsTheMatrixRed() throws {
    let matrix = try Matrix(Self.access)
    let scenarios: [Scenario] = [.purchase, .approval]
    let faults: [(Step, Fault)] = [(.delivered, .kill), (.delivered, .lostBefore), (.queued, .kill)]
    matrix.play(scenarios.flatMap { scenario in faults.map { Cell(scenario, $0, $1, build: .finishesFirst) } })
    print(matrix.table(scenarios, build: .finishesFirst))
    // Finished at the store and never credited: lost for good.
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
