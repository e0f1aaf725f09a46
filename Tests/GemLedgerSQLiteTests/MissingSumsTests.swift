import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Sums that were taken away beside the ledger are missed, and nothing counts what is there now as if it were right.
final class MissingSumsTests: XCTestCase {
  private static let takingAway = ["DELETE FROM record_sums", "UPDATE record_sums SET is_counted = 0"]

  private let time = ManualClock()
  private var made: TemporaryDirectory?

  func testSumsThatWereTakenAwayStayMissing() throws {
    for sql in Self.takingAway {
      let path = try ledger()
      let raw = try RawSQLite(path)
      XCTAssertNil(raw.run(sql + "; UPDATE aliases SET id = id || 'x'; UPDATE customers SET id = id || 'x'"))
      // Neither opening nor a booking brings them back.
      for round in 0..<2 {
        let ledger = try open(path)
        try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("bob\(round)"))
        XCTAssertEqual(
          try ledger.verify().problems.map(\.description),
          ["records_are_complete: the sums of all rows are missing"], "\(sql), \(round)")
        ledger.close()
      }
    }
  }

  /// A process that migrated the file and ended before it counted leaves that to the next one.
  func testRowsOfAnOlderVersionAreCountedByTheNextProcess() throws {
    let path = try ledger()
    let raw = try RawSQLite(path)
    XCTAssertNil(raw.run(DigestMigrationTests.undoing))
    try open(path).close()
    XCTAssertNil(raw.run("UPDATE record_sums SET is_counted = 0"))
    let ledger = try open(path)
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"), key: Make.key("newer"))
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    ledger.close()
    // Sums were kept with the newer transaction, so that none can be missing.
    XCTAssertNil(raw.run("UPDATE record_sums SET is_counted = 0"))
    let later = try open(path)
    XCTAssertEqual(try later.verify().problems.map(\.equation), ["records_are_complete"])
    later.close()
  }

  /// A process that made a ledger and ended before its first count leaves an empty one.
  func testAnEmptyLedgerIsCounted() throws {
    let path = try directory().path("\(UUID()).sqlite")
    try Ledger.createSQLite(at: path, clock: time.clock, salt: 1).close()
    XCTAssertNil(try RawSQLite(path).run("UPDATE record_sums SET is_counted = 0"))
    let ledger = try open(path)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    ledger.close()
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
