import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Verify names the equation that a damaged row of a refund, a merge, a freeze or a lot's terms breaks.
///
/// Alice is customer 1. Her lots: 1 is the pool of GEM, 2 and 3 the paid and the bonus part of rubies, 4 of ore, 6 of
/// gems. Transaction 6 refunds the rubies, which she owes, and 7 the ore, of which a part is lost. Carol, customer 3,
/// became part of bob, customer 2.
final class DamagedRefundsTests: XCTestCase {
  func testVerifyNamesTheBrokenEquation() throws {
    let rows: [(line: UInt, damage: String, equation: String)] = [
      (#line, "UPDATE lots SET price = 1 WHERE lot = 2", "lot_terms_replay"),
      (#line, "UPDATE lots SET price_currency = 'EUR' WHERE lot = 2", "lot_terms_replay"),
      (#line, "UPDATE lots SET source = 4 WHERE lot = 3", "lot_terms_replay"),
      (#line, "UPDATE lots SET environment = 2 WHERE lot = 2", "lot_terms_replay"),
      (#line, "UPDATE lots SET purchase = 2 WHERE lot = 2", "lot_terms_replay"),
      (#line, "UPDATE lots SET purchase = NULL WHERE lot = 2", "lot_terms_replay"),
      (#line, "UPDATE lots SET expires_at = expires_at - 1 WHERE lot = 2", "lot_terms_replay"),
      (#line, "UPDATE account_rows SET pool_source = 3 WHERE account = 1025", "lot_terms_replay"),
      (#line, "UPDATE account_rows SET pool_source = 33 WHERE account = 1025", "lot_terms_replay"),
      (#line, "UPDATE account_rows SET pool_environment = 2 WHERE account = 1025", "lot_terms_replay"),
      (#line, "UPDATE lot_attributes SET price = 1 WHERE lot = 2", "lot_terms_replay"),
      (#line, "DELETE FROM lot_attributes WHERE lot = 2", "lots_have_terms"),
      (#line, "DELETE FROM lot_attributes WHERE lot = 1", "lots_have_terms"),
      (#line, "INSERT INTO lot_attributes VALUES (99, 1, 1, NULL, NULL, NULL, 1, 0)", "lots_have_terms"),
      (#line, "DELETE FROM purchases WHERE purchase = 1", "purchases_know_their_refunds"),
      (#line, "UPDATE all_entries SET debt = debt - 1, balance = 0 WHERE debt = 120", "entries_replay"),
      (#line, "UPDATE all_entries SET amount = amount - 1 WHERE debt = 120", "entries_replay"),
      (#line, "UPDATE account_rows SET debt = 0 WHERE debt > 0", "accounts_replay"),
      (#line, "UPDATE account_rows SET debt = 0 WHERE debt > 0", "entries_make_the_balances"),
      (#line, "UPDATE customers SET frozen = 0 WHERE customer = 1", "freezes_replay"),
      (#line, "UPDATE customers SET frozen = 1 WHERE customer = 3", "freezes_replay"),
      (#line, "UPDATE customers SET frozen = 0 WHERE customer = 2", "freezes_replay"),
      (#line, "UPDATE all_transactions SET kind = 15 WHERE kind = 14", "freezes_replay"),
      (#line, "UPDATE customers SET merged_into = 0 WHERE customer = 3", "merges_replay"),
      (#line, "UPDATE customers SET merged_into = 1 WHERE customer = 3", "merges_replay"),
      (#line, "UPDATE customers SET merged_count = 0 WHERE customer = 2", "merges_replay"),
      (#line, "DELETE FROM merges", "merges_replay"),
      (#line, "UPDATE merges SET into_customer = 1", "merges_have_transactions"),
      (#line, "UPDATE merges SET transaction_number = 1", "merges_have_transactions"),
      (#line, "INSERT INTO merges SELECT transaction_number + 1, 3, 2 FROM merges", "merges_have_transactions"),
      (#line, "DELETE FROM added_ids", "ids_name_customers"),
      (#line, "UPDATE added_ids SET customer = 1", "ids_name_customers"),
      (#line, "UPDATE aliases SET customer = 1 WHERE id = 'bobby'", "ids_name_customers"),
      (#line, "UPDATE aliases SET customer = 99 WHERE id = 'bobby'", "ids_name_customers"),
      (#line, "DELETE FROM aliases WHERE id = 'bobby'", "ids_name_customers"),
      (#line, "INSERT INTO aliases VALUES ('eve', 1)", "ids_name_customers"),
      (#line, "UPDATE item_entries SET owned = 2 WHERE customer = 2", "items_replay"),
      (#line, "UPDATE lots SET account = 3073 WHERE lot = 8", "lots_replay"),
    ]
    for row in rows { try assertNamed(row.equation, after: row.damage, line: row.line) }
  }

  func testVerifyNamesTheBrokenEquationOfARefund() throws {
    let rows: [(line: UInt, damage: String, equation: String)] = [
      (#line, "UPDATE refund_parts SET amount = amount + 1 WHERE transaction_number = 7", "refunds_are_due"),
      (#line, "UPDATE refund_parts SET lot = 3 WHERE lot = 2", "refunds_are_due"),
      (#line, "UPDATE refund_parts SET kind = 3 WHERE kind = 2", "refunds_book_their_parts"),
      (#line, "UPDATE refund_parts SET kind = 1 WHERE kind = 3", "refunds_book_their_parts"),
      (#line, "UPDATE refund_parts SET source_lot = 1 WHERE source_lot = 4", "refunds_book_their_parts"),
      (#line, "DELETE FROM refund_parts WHERE kind = 3", "refunds_are_due"),
      (#line, "INSERT INTO refund_parts VALUES (1, 1, 1, 1, 1, 1)", "refunds_are_complete"),
      (#line, "UPDATE refunds SET share_of = 2 WHERE transaction_number = 6", "refunds_are_due"),
      (#line, "UPDATE refunds SET share_of = 2 WHERE transaction_number = 6", "refunds_follow_the_evidence"),
      (#line, "UPDATE refunds SET share_of = 0 WHERE transaction_number = 6", "refunds_are_due"),
      (#line, "UPDATE refunds SET transaction_number = 1 WHERE transaction_number = 6", "refunds_have_transactions"),
      (#line, "UPDATE refunds SET purchase = 2 WHERE transaction_number = 6", "refunds_are_due"),
      (#line, "UPDATE refunds SET purchase = 99 WHERE transaction_number = 6", "purchases_know_their_refunds"),
      (#line, "UPDATE refunds SET freezes = 0 WHERE transaction_number = 7", "freezes_replay"),
      (#line, "DELETE FROM refunds WHERE transaction_number = 12", "refunds_are_complete"),
      (#line, "DELETE FROM refunds WHERE transaction_number = 10", "refunds_are_complete"),
      (#line, "UPDATE refunds SET evidence_at = 3 WHERE purchase = 1", "refunds_follow_the_evidence"),
      (#line, "UPDATE refunds SET evidence_at = 999999999 WHERE purchase = 1", "refunds_follow_the_evidence"),
      (#line, "UPDATE refunds SET extent_kind = NULL WHERE purchase = 1", "refunds_follow_the_evidence"),
      (#line, "UPDATE refunds SET extent_kind = 2, extent = 7 WHERE purchase = 1", "refunds_follow_the_evidence"),
      (#line, "UPDATE refunds SET kind = 2 WHERE purchase = 1", "refunds_follow_the_evidence"),
      (#line, "UPDATE refunds SET signed_at = 999999999 WHERE kind = 3", "refunds_follow_the_evidence"),
      (#line, "UPDATE refunds SET lot = NULL WHERE lot IS NOT NULL", "refunds_are_due"),
      (#line, "UPDATE refunds SET lot = 1 WHERE lot IS NOT NULL", "refunds_are_due"),
      (#line, "UPDATE refunds SET amount = amount + 1 WHERE lot IS NOT NULL", "refunds_are_due"),
      (#line, "UPDATE refunds SET part_kind = 3 WHERE lot IS NOT NULL", "refunds_book_their_parts"),
      (#line, "UPDATE refunds SET source_lot = 1 WHERE lot IS NOT NULL", "refunds_book_their_parts"),
      (#line, "UPDATE purchases SET grant_amount = 1 WHERE grant_lot > 0", "purchases_know_what_they_gave"),
      (#line, "UPDATE purchases SET grant_lot = grant_lot + 1", "purchases_know_what_they_gave"),
      (#line, "UPDATE purchases SET grant_currency = 4 WHERE grant_lot > 0", "purchases_know_what_they_gave"),
      (
        #line, "UPDATE purchases SET grant_currency = 1, grant_lot = 2, grant_amount = 200 WHERE grant_lot IS NULL",
        "purchases_know_what_they_gave"
      ),
    ]
    for row in rows { try assertNamed(row.equation, after: row.damage, line: row.line) }
  }

  /// Every run reports the problems of one transaction in the order of its lots.
  func testProblemsComeInOneOrder() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    try FileManager.default.copyItem(atPath: try healthyLedger(), toPath: path)
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(
      raw.run(
        """
        WITH RECURSIVE counted(n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM counted WHERE n < 40)
        INSERT INTO refund_parts SELECT 7, 100 + n, 4, 1, n, 1 FROM counted
        """))
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    let found = try ledger.verify().problems.filter { $0.equation == "refunds_book_their_parts" }.map(\.message)
    let ofLots = found.filter { $0.contains("in lot") }
    XCTAssertEqual(
      ofLots, (10...40).map { "transaction 7 differs by -1 from its parts in lot \($0)" })
  }

  func testWithoutDamageTheBooksAddUp() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    try FileManager.default.copyItem(atPath: try healthyLedger(), toPath: path)
    let raw = try RawSQLite(path)
    raw.disarm()
    // The table above relies on these rows.
    XCTAssertEqual(raw.rows("SELECT lot FROM lots ORDER BY lot"), ["2", "3", "4", "6", "8"])
    XCTAssertEqual(raw.rows("SELECT DISTINCT kind FROM refund_parts ORDER BY kind"), ["1", "2", "3"])
    XCTAssertEqual(raw.rows("SELECT transaction_number FROM refunds"), ["6", "7", "10", "11", "12"])
    XCTAssertEqual(raw.rows("SELECT debt FROM accounts WHERE account = 1028"), ["70"])
    XCTAssertEqual(raw.rows("SELECT frozen FROM customers"), ["2", "1", "0"])
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  // MARK: Helpers

  private let time = ManualClock()
  private var healthy: TemporaryDirectory?

  private func assertNamed(
    _ equation: String, after damage: String, file: StaticString = #filePath, line: UInt
  ) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    try FileManager.default.copyItem(atPath: try healthyLedger(), toPath: path)
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run(damage), damage, file: file, line: line)
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    do {
      let found = Set(try ledger.verify().problems.map(\.equation))
      XCTAssertTrue(found.contains(equation), "\(damage): found \(found.sorted())", file: file, line: line)
    } catch {
      XCTFail("\(damage): \(error)", file: file, line: line)
    }
  }

  private func healthyLedger() throws -> String {
    if let healthy { return healthy.path("healthy.sqlite") }
    let directory = try TemporaryDirectory()
    let ledger = try Ledger.createSQLite(at: directory.path("healthy.sqlite"), clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let (alice, bob, carol) = (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("carol"))
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    try ledger.creditPurchase(Make.purchase("t1", product: "rubies"), customer: alice)
    try ledger.creditPurchase(Make.purchase("t2", product: "ore_pack"), customer: alice)
    try ledger.spend([Make.amount("RUBY", 120)], customer: alice)
    try ledger.spend([Make.amount("ORE", 100)], customer: alice)
    try ledger.refund(Make.refund("t1"))
    try ledger.refund(Make.refund("t2"))
    try ledger.grant([Make.amount("RUBY", 50)], customer: alice)
    try ledger.creditPurchase(Make.purchase("t3"), customer: alice)
    try ledger.refund(Make.refund("t3", .milliPercent(50_000), revokedAt: 1, signedAt: 1))
    try ledger.reverseRefund(Make.reversal("t3", signedAt: 2))
    try ledger.refund(Make.refund("t3", revokedAt: 3, signedAt: 3))
    try ledger.grant([Make.amount("GEM", 10)], customer: bob)
    try ledger.createAlias(Make.customer("bobby"), of: bob)
    try ledger.creditPurchase(Make.purchase("t4", product: "gems_1200"), customer: carol)
    try ledger.creditPurchase(Make.purchase("t5", product: "starter"), customer: carol)
    try ledger.merge(from: carol, into: bob)
    try ledger.freeze(bob)
    ledger.close()
    healthy = directory
    return directory.path("healthy.sqlite")
  }
}
