import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Sums removed outside the ledger are reported as missing; the present rows are never counted as if they were right.
final class MissingSumsTests: XCTestCase {
  private let time = ManualClock()
  private var made: TemporaryDirectory?

  func testSumsThatWereTakenAwayStayMissing() throws {
    let path = try ledger()
    let raw = try RawSQLite(path)
    XCTAssertNil(
      raw.run("DELETE FROM record_sums; UPDATE aliases SET id = id || 'x'; UPDATE customers SET id = id || 'x'"))
    // Neither opening nor a booking brings them back.
    for round in 0..<2 {
      let ledger = try open(path)
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("bob\(round)"))
      XCTAssertEqual(
        try ledger.verify().problems.map(\.description),
        ["records_are_complete: the sums of all rows are missing"], "\(round)")
      ledger.close()
    }
  }

  /// A process that made a ledger and ended leaves the sums of an empty one.
  func testAnEmptyLedgerHasSums() throws {
    let path = try directory().path("\(UUID()).sqlite")
    try Ledger.createSQLite(at: path, clock: time.clock, salt: 1).close()
    XCTAssertEqual(try RawSQLite(path).rows("SELECT * FROM record_sums"), ["1|0|0|0|0|0|0|0|0"])
    let ledger = try open(path)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    ledger.close()
    XCTAssertNil(try RawSQLite(path).run("DELETE FROM record_sums"))
    let later = try open(path)
    XCTAssertEqual(try later.verify().problems.map(\.equation), ["records_are_complete"])
    later.close()
  }

  // MARK: Helpers

  private func directory() throws -> TemporaryDirectory {
    let directory = try made ?? TemporaryDirectory()
    made = directory
    return directory
  }

  private func open(_ path: String) throws -> Ledger { try Ledger.openSQLite(at: path, clock: time.clock) }

  private func ledger() throws -> String {
    let path = try directory().path("\(UUID()).sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer("alice"))
    ledger.close()
    return path
  }
}
