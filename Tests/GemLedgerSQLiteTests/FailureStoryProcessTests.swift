import Dispatch
import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import Synchronization
import XCTest

/// The stories in which processes die, or two of them ask for the same at once.
final class FailureStoryProcessTests: XCTestCase {
  /// The process dies after each step of hold, grant and capture: no coins go for nothing, and captured coins stay
  /// captured.
  func testCoinsTakenAndTheProcessDiedBetweenTheSteps() throws {
    for deaths in 0...3 {
      let directory = try TemporaryDirectory()
      let (path, time) = (directory.path("ledger.sqlite"), ManualClock())
      let alice = try Make.customer("alice")
      var ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
      func die() throws {
        ledger.close()
        ledger = try Ledger.openSQLite(at: path, clock: time.clock)
      }
      try ledger.apply(Make.catalog())
      try ledger.grant([Make.amount("GEM", 100)], customer: alice)
      if deaths > 0 {
        let booking = try ledger.hold([Make.amount("GEM", 60)], customer: alice, key: Make.key("order 7"))
        try die()
        // The next process asks under the same key, and is told of the same hold.
        let again = try ledger.hold([Make.amount("GEM", 60)], customer: alice, key: Make.key("order 7"))
        XCTAssertEqual(again.hold?.id, booking.hold?.id)
        let hold = try XCTUnwrap(booking.hold?.id)
        if deaths > 1 {
          try ledger.capture(hold, key: Make.key("order 7 paid"))
          try die()
          XCTAssertTrue(try ledger.capture(hold, key: Make.key("order 7 paid")).isReplayed)
        }
        if deaths > 2 {
          try die()
          assertRefused(.holdEnded) { try ledger.release(hold) }
        }
      }
      time.advance(seconds: 901)
      XCTAssertEqual(
        try ledger.balance(of: CurrencyCode("GEM"), customer: alice).available, deaths > 1 ? 40 : 100)
      try assertBooksAddUp(ledger)
      ledger.close()
    }
  }

  /// Two ledgers over one file, as two processes have them, undo one spend at once.
  func testReversedTwiceByTwoLedgersOfOneFile() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    let (one, alice) = (try Ledger.createSQLite(at: path), try Make.customer("alice"))
    try one.apply(Make.catalog())
    let other = try Ledger.openSQLite(at: path)
    for round in Int64(1)...20 {
      try one.grant([Make.amount("GEM", 10)], customer: alice)
      let spend = try XCTUnwrap(try one.spend([Make.amount("GEM", 10)], customer: alice).transactionID)
      let codes = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        do {
          try (number == 0 ? one : other).reverse(spend)
          codes.withLock { $0.append("booked") }
        } catch {
          codes.withLock { $0.append((error as? LedgerError)?.code.description ?? "\(error)") }
        }
      }
      XCTAssertEqual(codes.withLock { $0.sorted() }, ["already_reversed", "booked"])
      XCTAssertEqual(try one.balance(of: CurrencyCode("GEM"), customer: alice).balance, 10 * round)
    }
    try assertBooksAddUp(other)
    one.close()
    other.close()
  }

  /// The same by two processes.
  func testReversedTwiceByTwoProcesses() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    let (ledger, alice) = (try Ledger.createSQLite(at: path), try Make.customer("alice"))
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    let spend = try XCTUnwrap(try ledger.spend([Make.amount("GEM", 60)], customer: alice).transactionID)
    let processes = try (0..<2).map { _ in try Undo(spend, in: path) }
    XCTAssertEqual(processes.map { $0.answer() }.sorted(), ["already_reversed", "booked"])
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 100)
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}

/// A process that undoes a transaction.
private final class Undo {
  private let process = Process()
  private let output = Pipe()

  init(_ transaction: TransactionID, in path: String) throws {
    #if os(macOS)
    let program = Bundle(for: FailureStoryProcessTests.self).bundleURL
    #else
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    #endif
    process.executableURL = program.deletingLastPathComponent().appendingPathComponent("gemstress")
    process.arguments = ["sqlite:" + path, "undo", transaction.description]
    process.standardOutput = output
    try process.run()
  }

  /// `booked`, or the code of the refusal.
  func answer() -> String {
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
