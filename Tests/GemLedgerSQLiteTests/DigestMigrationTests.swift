import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Files of versions that kept no digests are counted once, and go on with digests.
final class DigestMigrationTests: XCTestCase {
  /// Undoes the step that keeps them.
  static let undoing = """
    ALTER TABLE transactions DROP COLUMN digest;
    ALTER TABLE transactions DROP COLUMN erasable;
    DROP TABLE record_sums;
    DELETE FROM migrations WHERE name > '0011'; PRAGMA user_version = 10;

    """

  private let time = ManualClock()

  func testAnOlderFileIsCountedAndGoneOnWith() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let made = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    let (alice, gem) = (try Make.customer("alice"), try CurrencyCode("GEM"))
    try made.apply(Make.catalog())
    try made.grant([Make.amount("GEM", 100)], customer: alice)
    try made.spend([Make.amount("GEM", 30)], customer: alice, key: Make.key("older"))
    try made.createAlias(Make.customer("ally"), of: alice)
    made.close()
    let raw = try RawSQLite(path)
    XCTAssertNil(raw.run(Self.undoing))
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    let older = try ledger.verify()
    XCTAssertEqual(older.problems.map(\.description), [])
    XCTAssertEqual(older.undigestedTransactions, older.transactions)
    try ledger.spend([Make.amount("GEM", 20)], customer: alice, key: Make.key("newer"))
    XCTAssertTrue(try ledger.spend([Make.amount("GEM", 30)], customer: alice, key: Make.key("older")).isReplayed)
    let newer = try ledger.verify(against: older.seal)
    XCTAssertEqual(newer.problems.map(\.description), [])
    XCTAssertEqual(newer.undigestedTransactions, older.transactions)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 50)
    // What is newer keeps its digest, and nobody can take it away unseen.
    XCTAssertNil(
      raw.run(
        """
        DROP TRIGGER transactions_keep_updates;
        UPDATE transactions SET digest = NULL WHERE number = (SELECT max(number) FROM transactions)
        """))
    XCTAssertEqual(Set(try ledger.verify().problems.map(\.equation)), ["records_are_complete"])
    ledger.close()
  }

  /// A process of an earlier version that has the file open fails instead of booking without a digest.
  func testAnEarlierVersionBooksNoMore() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    XCTAssertNotNil(try RawSQLite(path).run("INSERT INTO transactions VALUES (1, 1, 1, 1, 1)"))
    ledger.close()
  }
}
