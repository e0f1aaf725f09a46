import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Refusals of the operating system are reported as such, and never as damage.
final class FileErrorTests: XCTestCase {
  private let time = ManualClock()

  /// The disk cannot read a page while the books are verified.
  func testAFailedReadIsNoDamage() throws {
    let (directory, path) = try ledger()
    defer { withExtendedLifetime(directory) {} }
    let faulty = try FaultyFiles()
    for make in [FaultyFiles.Fault.read, FaultyFiles.Fault.shortRead, FaultyFiles.Fault.oneRead] {
      var (after, strikes, refusals) = (0, 0, 0)
      while after < 4000 {
        faulty.set(make(after))
        var outcome = "no problem"
        do {
          let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
          defer { ledger.close() }
          if try !ledger.verify().isOK { outcome = "wrong books" }
        } catch {
          outcome = error.code == .inputOutput ? "input_output" : "\(error.code): \(error.message)"
        }
        let struck = faulty.struck
        faulty.set(nil)
        if struck == 0 { break }
        strikes += 1
        if outcome == "input_output" { refusals += 1 }
        // A read that is repeated, or not needed, is no error at all.
        XCTAssertTrue(["input_output", "no problem"].contains(outcome), "\(make(after)): \(outcome)")
        after += after < 40 ? 1 : 17
      }
      print("\(make(0)): \(refusals) of \(strikes) refused")
      XCTAssertGreaterThan(refusals, 20)
    }
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testAFullDiskIsCalledFull() throws {
    let (directory, path) = try ledger()
    let faulty = try FaultyFiles()
    for fault in [FaultyFiles.Fault.fullDisk, .fullDiskForTheLog, .fullDiskForTheIndex] {
      faulty.set(fault)
      let refusals = [
        assertRefused(.inputOutput) { try Ledger.createSQLite(at: directory.path("new-\(fault).sqlite")) },
        assertRefused(.inputOutput) {
          let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
          defer { ledger.close() }
          try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
        },
      ]
      faulty.set(nil)
      for refusal in refusals {
        XCTAssertTrue(refusal?.message.contains("is full") == true, "\(fault): \(refusal as Any)")
      }
    }
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A signal comes while a commit is synced.
  func testAnInterruptedSyncIsTriedAgain() throws {
    let (directory, path) = try ledger()
    defer { withExtendedLifetime(directory) {} }
    let faulty = try FaultyFiles()
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    faulty.set(.interruptedSyncs(3))
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"), key: Make.key("k"))
    XCTAssertEqual(faulty.struck, 3)
    // Control: any other failure leaves the outcome of the commit open.
    faulty.set(.failedSync)
    assertRefused(.outcomeUnknown) {
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"), key: Make.key("l"))
    }
    faulty.set(nil)
    ledger.close()
  }

  // MARK: Helpers

  private func ledger() throws -> (TemporaryDirectory, String) {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    for position in 0..<60 { try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("c\(position)")) }
    ledger.close()
    return (directory, path)
  }
}
