import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import SimulatedStores
import StoreClient
import Synchronization
import XCTest
import gemcrash

/// Plays cells, each in a home of its own, and keeps their outcomes.
final class Matrix: Sendable {
  private let access: Access
  private let directory: TemporaryDirectory
  private let template: String
  private let outcomes = Mutex<[Cell: Outcome]>([:])

  init(_ access: Access = .direct) throws {
    self.access = access
    directory = try TemporaryDirectory()
    template = directory.path("template")
    try FileManager.default.createDirectory(atPath: template, withIntermediateDirectories: false)
    let gems = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/gems.json")
    let ledger = try Ledger.createSQLite(at: CrashHome(template).ledgerPath, clock: VirtualClock().ledgerClock, salt: 1)
    try FileManager.default.copyItem(atPath: gems.path, toPath: CrashHome(template).catalogPath)
    try ledger.apply(CrashHome(template).catalog())
    ledger.close()
  }

  /// Plays the cells, as many at a time as there are cores.
  func play(_ cells: [Cell]) {
    DispatchQueue.concurrentPerform(iterations: cells.count) { index in
      let outcome: Outcome
      do { outcome = try play(cells[index]) } catch { outcome = Outcome(problems: ["\(error)"]) }
      outcomes.withLock { $0[cells[index]] = outcome }
    }
  }

  func outcome(of cell: Cell) -> Outcome? { outcomes.withLock { $0[cell] } }

  /// A home with a ledger in it, and nothing bought yet.
  func home(_ name: String) throws -> String {
    let path = directory.path(name)
    try FileManager.default.copyItem(atPath: template, toPath: path)
    return path
  }

  /// Runs of processes in a home.
  func runs(in path: String) -> Runs { Runs(directory: path, access: access) }

  private func play(_ cell: Cell) throws -> Outcome {
    let path = try home(cell.arguments.joined(separator: "."))
    let runs = runs(in: path)
    var problems: [String] = []
    if cell.scenario == .restart {
      let first = try runs.run(["crash-after-payment"])
      if !first.wasKilled { problems.append("nothing was killed after the payment: \(first)") }
    }
    if cell.scenario == .refundWhileClosed {
      let first = try runs.run(["refund-while-closed"])
      if first != Runs.Ending(wasKilled: false, status: 0, output: "", error: "") { problems.append("\(first)") }
    }
    let strike = try runs.run(["strike"] + cell.arguments)
    if strike.output != "struck\n" { problems.append("the fault did not strike: \(strike)") }
    if strike.wasKilled != (cell.fault == .kill) || strike.error != "" { problems.append("\(strike)") }
    let relaunch = try runs.run(["relaunch", cell.scenario.rawValue])
    if relaunch != Runs.Ending(wasKilled: false, status: 0, output: "", error: "") { problems.append("\(relaunch)") }
    var outcome = try Outcome(of: CrashHome(path), cell.scenario)
    outcome.problems = problems + outcome.problems
    if outcome.isGood { try FileManager.default.removeItem(atPath: path) }
    return outcome
  }

  /// A table: a row for each step of each scenario, a column for each fault.
  func table(_ scenarios: [Scenario], build: Build) -> String {
    let faults = Fault.allCases
    var rows = [["scenario", "step"] + faults.map(\.rawValue)]
    for scenario in scenarios {
      for step in scenario.steps {
        rows.append(
          [scenario.rawValue, step.rawValue]
            + faults.map { outcome(of: Cell(scenario, step, $0, build: build))?.text ?? "-" })
      }
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
