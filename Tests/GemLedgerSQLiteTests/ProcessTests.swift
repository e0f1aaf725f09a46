import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import Synchronization
import XCTest

/// Several processes on one file, and some that are killed.
final class ProcessTests: XCTestCase {
  private let initial: Int64 = 1000

  func testFourProcessesKeepTheBooksExact() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let count = 150
    let runs = try (0..<4).map { try Run(path, name: "p\($0)", count: count) }
    for run in runs {
      let (keys, error) = run.finish()
      XCTAssertEqual(error, "")
      XCTAssertEqual(run.status, 0)
      XCTAssertEqual(keys.count, count)
    }
    let ledger = try Ledger.openSQLite(at: path)
    XCTAssertEqual(try pot(ledger), initial + 4 * Int64(count) / 2)
    XCTAssertEqual(try ledger.verify().transactions, 1 + 4 * Int64(count))
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Four processes with the same keys: each key is booked once, in any order of arrival.
  func testProcessesWithTheSameKeysBookOnce() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let runs = try (0..<4).map { _ in try Run(path, name: "same", count: 100) }
    for run in runs { XCTAssertEqual(run.finish().error, "") }
    let ledger = try Ledger.openSQLite(at: path)
    XCTAssertEqual(try pot(ledger), initial + 50)
    XCTAssertEqual(try ledger.verify().transactions, 101)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testWhatWasAcknowledgedOutlivesKills() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    var generator = SeededRandom()
    var acknowledged: [String] = []
    for round in 0..<8 {
      let run = try Run(path, name: "r\(round)", count: 1_000_000)
      let (keys, error) = run.kill(after: 1 + generator.below(60))
      XCTAssertEqual(error, "")
      acknowledged += keys
    }
    let ledger = try Ledger.openSQLite(at: path)
    try assertBooksAddUp(ledger)
    let booked = try ledger.wholeHistory(of: Make.customer("pot")).count
    XCTAssertEqual(try ledger.verify().transactions, Int64(booked))
    // Each may have had one more under way.
    XCTAssertGreaterThanOrEqual(booked - 1, acknowledged.count)
    XCTAssertLessThanOrEqual(booked - 1, acknowledged.count + 8)
    XCTAssertEqual(Set(acknowledged).count, acknowledged.count)
    let before = try pot(ledger)
    for key in acknowledged {
      let isGrant = key.hasSuffix("0") || "2468".contains(key.last ?? "1")
      let amount = try Make.amount("GEM", isGrant ? 3 : 2)
      var command =
        isGrant
        ? LedgerCommand.grant([amount], customer: try Make.customer("pot"), key: try Make.key(key))
        : try LedgerCommand.spend([amount], customer: Make.customer("pot"), key: Make.key(key))
      command.reference = try Reference(key)
      let booking = try ledger.book(command)
      XCTAssertTrue(booking.isReplayed, "\(key) was lost; seed \(generator.seed)")
    }
    XCTAssertEqual(try pot(ledger), before)
    ledger.close()
  }

  /// A process looks at its own ledger's file again, and another one comes and goes meanwhile.
  ///
  /// Opening and closing the file without SQLite drops the locks of the process. The other process then removes the log
  /// that the first one writes to.
  func testLookingAtTheFileAgainKeepsItsLocks() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let ledger = try Ledger.openSQLite(at: path)
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("pot"))
    assertRefused(.alreadyExists) { try Ledger.createSQLite(at: path) }
    XCTAssertEqual(try Run(path, name: "other", count: 2).finish().error, "")
    XCTAssertTrue(FileManager.default.fileExists(atPath: path + "-wal"))
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("pot"))
    XCTAssertEqual(try Run(path, name: "third", count: 2).finish().error, "")
    XCTAssertEqual(try pot(ledger), initial + 2 + 2)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testOfTwoWhoMakeALedgerOneDoes() throws {
    let directory = try TemporaryDirectory()
    for round in 0..<10 {
      let path = directory.path("\(round).sqlite")
      let outcomes = OutcomeCount()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        do {
          try Ledger.createSQLite(at: path).close()
          outcomes.add("made")
        } catch {
          outcomes.add((error as? LedgerError)?.code.description ?? "\(error)")
        }
      }
      XCTAssertEqual(outcomes.all, ["already_exists": 3, "made": 1])
    }
  }

  // MARK: Helpers

  private func makeLedger(_ path: String) throws {
    let ledger = try Ledger.createSQLite(at: path)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", initial)], customer: Make.customer("pot"))
    ledger.close()
  }

  private func pot(_ ledger: Ledger) throws -> Int64 {
    try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("pot")).balance
  }
}

/// One run of `gemstress`.
private final class Run {
  private let process = Process()
  private let output = Pipe()
  private let error = Pipe()

  var status: Int32 { process.terminationStatus }

  init(_ path: String, name: String, count: Int) throws {
    #if os(macOS)
    let program = Bundle(for: ProcessTests.self).bundleURL
    #else
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    #endif
    process.executableURL = program.deletingLastPathComponent().appendingPathComponent("gemstress")
    process.arguments = ["sqlite:" + path, "pot", name, "\(count)"]
    process.standardOutput = output
    process.standardError = error
    try process.run()
  }

  /// Waits for the end; gives the keys that were acknowledged.
  func finish() -> (keys: [String], error: String) {
    let keys = lines(output.fileHandleForReading.readDataToEndOfFile())
    let message = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (keys, message)
  }

  /// Kills the process once it has acknowledged so many.
  func kill(after count: Int) -> (keys: [String], error: String) {
    var data = Data()
    while data.count(where: { $0 == UInt8(ascii: "\n") }) < count {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      data += more
    }
    Foundation.kill(process.processIdentifier, SIGKILL)
    data += output.fileHandleForReading.readDataToEndOfFile()
    let message = finish().error
    return (lines(data), message)
  }

  private func lines(_ data: Data) -> [String] {
    // After the key comes the transaction.
    String(decoding: data, as: UTF8.self).split(separator: "\n").map { String($0.prefix { $0 != " " }) }
  }
}

/// Counts outcomes from any thread.
private final class OutcomeCount: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  var all: [String: Int] { counts.withLock { $0 } }
  func add(_ outcome: String) { counts.withLock { $0[outcome, default: 0] += 1 } }
}
