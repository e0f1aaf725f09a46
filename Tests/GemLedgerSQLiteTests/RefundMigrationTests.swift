import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Refunds as older versions wrote them: their parts, states and notices in tables of their own, and purchases that do
/// not say what they gave.
final class RefundMigrationTests: XCTestCase {
  /// Undoes the step that put them into one row, and those behind it.
  static let undoing =
    HoldMigrationTests.undoing + """
      CREATE TABLE refund_states (
        purchase INTEGER PRIMARY KEY, share INTEGER NOT NULL, share_of INTEGER NOT NULL, evidence_at INTEGER NOT NULL,
        transaction_number INTEGER NOT NULL
      ) STRICT;
      INSERT INTO refund_states
        SELECT purchase, share, share_of, coalesce(evidence_at, signed_at), transaction_number FROM refunds
        WHERE transaction_number IN (SELECT max(transaction_number) FROM refunds GROUP BY purchase);
      INSERT INTO refund_evidence
        SELECT store_transaction, environment, store, kind, revoked_at, signed_at, extent_kind, extent
        FROM refunds JOIN purchases USING (purchase) WHERE extent_kind IS NOT NULL
        ON CONFLICT DO UPDATE SET signed_at = excluded.signed_at, extent_kind = excluded.extent_kind,
          extent = excluded.extent WHERE excluded.signed_at > signed_at;
      INSERT INTO refund_parts
        SELECT transaction_number, 1, lot, part_kind, source_lot, amount FROM refunds WHERE lot IS NOT NULL;
      ALTER TABLE refunds DROP COLUMN evidence_at;
      ALTER TABLE refunds DROP COLUMN extent_kind;
      ALTER TABLE refunds DROP COLUMN extent;
      ALTER TABLE refunds DROP COLUMN lot;
      ALTER TABLE refunds DROP COLUMN part_kind;
      ALTER TABLE refunds DROP COLUMN source_lot;
      ALTER TABLE refunds DROP COLUMN amount;
      ALTER TABLE purchases DROP COLUMN grant_currency;
      ALTER TABLE purchases DROP COLUMN grant_lot;
      ALTER TABLE purchases DROP COLUMN grant_amount;
      DELETE FROM migrations WHERE name > '0008'; PRAGMA user_version = 7;
      """

  private let time = ManualClock()

  func testOldRowsAreReadAndGoneOnWith() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("old.sqlite")
    let alice = try Make.customer("alice")
    try book(path, alice)
    let (purchases, history) = try contents(path, alice)
    let raw = try RawSQLite(path)
    XCTAssertNil(raw.run(Self.undoing))
    XCTAssertEqual(raw.rows("SELECT count(*) FROM refund_parts"), ["6"])
    XCTAssertEqual(raw.rows("SELECT count(*) FROM refund_evidence"), ["6"])
    let (samePurchases, sameHistory) = try contents(path, alice)
    XCTAssertEqual(samePurchases, purchases)
    XCTAssertEqual(sameHistory, history)
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    // What was said before is old news, and what comes now adds to it.
    XCTAssertTrue(try ledger.refund(Make.refund("t1")).isReplayed)
    XCTAssertTrue(try ledger.refund(Make.refund("t3", .milliPercent(50_000), revokedAt: 1, signedAt: 1)).isReplayed)
    XCTAssertEqual(try ledger.reverseRefund(Make.reversal("t1", signedAt: 1_000_000)).entries.map(\.amount), [120])
    XCTAssertEqual(try ledger.refund(Make.refund("t3", revokedAt: 9, signedAt: 9)).entries.map(\.amount), [-1200])
    XCTAssertEqual(try ledger.refund(Make.refund("t4")).entries.map(\.amount), [-1200])
    XCTAssertEqual(try ledger.creditPurchase(Make.purchase("t9"), customer: alice).entries.map(\.amount), [1200])
    XCTAssertEqual(try ledger.purchases(of: alice).purchases.first?.isRefunded, true)
    try assertBooksAddUp(ledger)
    ledger.close()
    XCTAssertEqual(raw.rows("SELECT count(*) FROM refund_evidence"), ["6"])
  }

  private func book(_ path: String, _ alice: CustomerID) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    try ledger.creditPurchase(Make.purchase("t1", product: "rubies"), customer: alice)
    try ledger.creditPurchase(Make.purchase("t2"), customer: alice)
    try ledger.creditPurchase(Make.purchase("t3"), customer: alice)
    try ledger.creditPurchase(Make.purchase("t4"), customer: alice)
    try ledger.refund(Make.refund("t1"))
    try ledger.refund(Make.refund("t2", .milliPercent(50_000), revokedAt: 1, signedAt: 1))
    try ledger.refund(Make.refund("t2", .milliPercent(50_000), revokedAt: 1, signedAt: 2))
    try ledger.reverseRefund(Make.reversal("t2", signedAt: 3))
    try ledger.refund(Make.refund("t3", .milliPercent(50_000), revokedAt: 1, signedAt: 1))
    try ledger.reverseRefund(Make.reversal("t3", signedAt: 2))
    try ledger.refund(Make.refund("t9"))
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func contents(_ path: String, _ alice: CustomerID) throws -> ([Purchase], [HistoryRecord]) {
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    return (try ledger.purchases(of: alice).purchases, try ledger.history(of: alice).transactions)
  }
}
