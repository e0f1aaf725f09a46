import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Every transaction has a digest.
final class MissingDigestTests: XCTestCase {
  private let time = ManualClock()

  func testADigestThatWasTakenAwayIsMissed() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    let (alice, gem) = (try Make.customer("alice"), try CurrencyCode("GEM"))
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    try ledger.createAlias(Make.customer("ally"), of: alice)
    try ledger.spend([Make.amount("GEM", 20)], customer: alice, key: Make.key("newer"))
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 80)
    let raw = try RawSQLite(path)
    raw.disarm()
    let newest = "WHERE number = (SELECT max(number) FROM all_transactions)"
    XCTAssertNotNil(raw.run("UPDATE all_transactions SET digest = NULL \(newest)"))
    XCTAssertNil(raw.run("UPDATE all_transactions SET digest = 0 \(newest)"))
    XCTAssertEqual(Set(try ledger.verify().problems.map(\.equation)), ["digests_replay", "records_are_complete"])
    ledger.close()
  }

  func testARowWithoutADigestIsRefused() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let raw = try RawSQLite(path)
    for insertion in [
      "INSERT INTO transaction_rows (number, kind, customer, created_at, first_entry) VALUES (1, 1, 1, 1, 1)",
      "INSERT INTO plain_transactions VALUES (1, 1, 1, 1025, 1, 1, 1, 0, 1, NULL, NULL)",
    ] {
      XCTAssertEqual(raw.run(insertion)?.hasPrefix("NOT NULL constraint failed"), true, insertion)
    }
    ledger.close()
  }
}
