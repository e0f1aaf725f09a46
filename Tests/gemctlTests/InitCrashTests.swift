import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import Synchronization
import XCTest

@testable import gemctl

/// `init` that is killed at every system call that changes a file, or that finds the disk full there.
///
/// A kill before a call without changes has the result of a kill before the next call with changes. The thorough tier
/// plays all calls.
final class InitCrashTests: XCTestCase {
  func testKilledAtAnyCallTheNextInitMakesTheHome() throws {
    let stage = try SystemCallStage("init")
    let calls = try stage.calls()
    // 280 with one step of the schema; each further step is a transaction with calls of its own.
    XCTAssertGreaterThan(calls.count, 250)
    let peaceful = try HomeContent(stage.directory.path("traced"))
    let counts = play(chosen(calls, 30)) { call in try Self.checkKill(stage, call, peaceful) }
    print("init killed at some of \(calls.count) calls: \(counts)")
  }

  func testKilledAtAnyCallTheNextInitFinishesALedgerElsewhere() throws {
    let stage = try SystemCallStage("--storage sqlite:HOME.ledger init")
    let calls = try stage.calls()
    let peaceful = try HomeContent(stage.directory.path("traced"), ledger: stage.directory.path("traced.ledger"))
    let counts = play(chosen(calls, 30)) { call in try Self.checkKill(stage, call, peaceful, isElsewhere: true) }
    print("init elsewhere killed: \(counts)")
  }

  func testOnAFullDiskNothingIsLeft() throws {
    for line in ["init", "--storage sqlite:HOME.ledger init"] {
      let stage = try SystemCallStage(line)
      let calls = try stage.calls().filter { $0.needsSpace }
      let played = chosen(calls, 30)
      let counts = play(played) { call in try Self.checkFullDisk(stage, call) }
      print("\(line) on a full disk: \(counts)")
      XCTAssertGreaterThan(counts["nothing left", default: 0], played.count / 3)
    }
  }

  // MARK: One call

  private static func checkKill(
    _ stage: SystemCallStage, _ call: TracedCall, _ peaceful: HomeContent, isElsewhere: Bool = false
  ) throws -> String {
    let home = "killed-\(call.name)-\(call.number)"
    let run = try stage.run(home, "signal=KILL", at: call)
    XCTAssertGreaterThan(run.status, 128, "\(call): it was not killed")
    let isComplete = FileManager.default.fileExists(atPath: stage.directory.path("\(home)/home.json"))
    let again = try stage.run(home)
    if isComplete {
      XCTAssertEqual(again.error, "error: The home \"\(home)\" is in use already. Name another one with --home.\n")
      XCTAssertEqual(again.status, 2, "\(call)")
    } else {
      XCTAssertEqual(again, Shell.Answer(status: 0, output: again.output, error: ""), "\(call)")
    }
    let ledger = isElsewhere ? stage.directory.path("\(home).ledger") : nil
    XCTAssertEqual(try HomeContent(stage.directory.path(home), ledger: ledger), peaceful, "\(call)")
    try stage.remove(home)
    return isComplete ? "complete" : "made by the next"
  }

  private static func checkFullDisk(_ stage: SystemCallStage, _ call: TracedCall) throws -> String {
    let home = "full-\(call.name)-\(call.number)"
    // A full disk stays full for writes; other calls may find room again.
    let run = try stage.run(home, "error=ENOSPC", at: call, andLater: call.isWrite)
    let left = try stage.names(home)
    if run.status == 0 || left.contains("\(home)/home.json") {
      // A write that SQLite can do without, or the last sync and the answer, when the home is complete.
      XCTAssertTrue(left.contains("\(home)/home.json"), "\(call): \(left)")
      XCTAssertEqual(try stage.run(home, arguments: "verify").status, 0, "\(call)")
      try stage.remove(home)
      return "complete"
    }
    XCTAssertTrue([69, 74].contains(run.status), "\(call): \(run)")
    XCTAssertEqual(left, [], "\(call)")
    XCTAssertEqual(try stage.run(home).status, 0, "\(call)")
    try stage.remove(home)
    return "nothing left"
  }

  // MARK: All calls

  private func chosen(_ calls: [TracedCall], _ count: Int) -> [TracedCall] {
    guard calls.count > count else { return calls }
    // The beginning and the end, where each call does something of its own, and some of the many between them.
    let middle = calls.dropFirst(10).dropLast(10)
    return calls.prefix(10) + Tier.current.items(count - 20, of: middle) + calls.suffix(10)
  }

  /// Plays the calls, as many at a time as there are cores, and counts the outcomes.
  private func play(_ calls: [TracedCall], _ check: @escaping @Sendable (TracedCall) throws -> String) -> [String: Int]
  {
    let counts = Mutex<[String: Int]>([:])
    DispatchQueue.concurrentPerform(iterations: calls.count) { index in
      do {
        let outcome = try check(calls[index])
        counts.withLock { $0[outcome, default: 0] += 1 }
      } catch {
        XCTFail("\(calls[index]): \(error)")
      }
    }
    return counts.withLock { $0 }
  }
}

/// The content of a home, except for values that are new in every home.
private struct HomeContent: Equatable, Sendable {
  let names: [String]
  let rights: [Int]
  let catalog: Catalog
  let customerCount: Int
  let isSignedInCustomer: Bool
  let transactionCount: Int64
  let isRight: Bool

  init(_ path: String, ledger ledgerPath: String? = nil) throws {
    let files = FileManager.default
    names = try files.contentsOfDirectory(atPath: path).sorted()
    rights = try ([path] + names.map { "\(path)/\($0)" }).map {
      try XCTUnwrap(files.attributesOfItem(atPath: $0)[.posixPermissions] as? Int)
    }
    let ledger = try Ledger.openSQLite(at: ledgerPath ?? Home(path: path).ledgerPath)
    defer { ledger.close() }
    catalog = try ledger.currentCatalog()
    let customers = try ledger.customers().customers
    customerCount = customers.count
    isSignedInCustomer = try customers.first?.id == Home(path: path).state().customer
    let books = try ledger.verify()
    transactionCount = books.transactions
    isRight = books.isOK
  }
}
