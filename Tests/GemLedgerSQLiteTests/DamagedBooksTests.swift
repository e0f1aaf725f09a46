import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Verify names the equation that a damaged row breaks.
///
/// Alice is customer 1, GEM currency 1, so that her account is 1025. Her lots: 1 is the pool, 2 promotional and spent,
/// 3 paid, 4 promotional and open. Transaction 4 takes from two lots, 6 touches no balance.
final class DamagedBooksTests: XCTestCase {
  func testVerifyNamesTheBrokenEquation() throws {
    let rows: [(line: UInt, damage: String, equation: String)] = [
      (#line, "UPDATE all_entries SET amount = amount + 1 WHERE number = 7", "entries_make_the_balances"),
      (#line, "UPDATE all_entries SET kind = 1 WHERE number = 7", "kinds_fit"),
      (#line, "UPDATE all_entries SET balance = balance + 1 WHERE number = 7", "entries_replay"),
      (#line, "UPDATE all_entries SET debt = 5 WHERE number = 7", "entries_replay"),
      (#line, "UPDATE all_entries SET balance = balance + 5, debt = 5 WHERE number = 7", "debts_have_causes"),
      (#line, "UPDATE all_entries SET version = 99 WHERE number = 7", "accounts_are_complete"),
      (#line, "UPDATE all_entries SET previous = 1 WHERE number = 7", "accounts_are_complete"),
      (#line, "UPDATE all_entries SET account = 2049 WHERE number = 7", "entries_have_transactions"),
      (#line, "UPDATE all_entries SET account = 1999 WHERE number = 7", "currencies_are_known"),
      (#line, "UPDATE all_entries SET lot = 3 WHERE number = 7", "lots_replay"),
      (#line, "UPDATE all_entries SET lot = 2 WHERE number = 7", "lots_are_never_overdrawn"),
      (#line, "UPDATE all_entries SET lot = 1 WHERE account = 2049", "lots_belong_to_accounts"),
      (#line, "UPDATE all_entries SET lot = 0 WHERE number = 7", "allocations_make_the_entry"),
      (#line, "UPDATE all_entries SET lot = 1 WHERE number = 4", "allocations_make_the_entry"),
      (#line, "UPDATE all_entries SET transaction_number = 8 WHERE number = 5", "entries_have_transactions"),
      (#line, "UPDATE all_entries SET transaction_number = 999 WHERE number = 7", "entries_have_transactions"),
      (#line, "UPDATE allocations SET amount = amount - 1 WHERE lot = 1", "allocations_make_the_entry"),
      (#line, "UPDATE allocations SET lot = 3 WHERE lot = 1", "lots_replay"),
      (#line, "UPDATE all_transactions SET kind = 1 WHERE number = 7", "kinds_fit"),
      (#line, "UPDATE all_transactions SET customer = 2 WHERE number = 7", "entries_have_transactions"),
      (#line, "UPDATE all_transactions SET created_at = 1 WHERE number = 7", "journal_time_goes_on"),
      (#line, "UPDATE all_transactions SET first_entry = 1 WHERE number = 7", "entries_have_transactions"),
      (
        #line, "UPDATE all_transactions SET first_entry = first_entry + 1 WHERE number = 7", "entries_have_transactions"
      ),
      (#line, "UPDATE account_rows SET balance = balance + 1 WHERE account = 1025", "accounts_replay"),
      (#line, "UPDATE account_rows SET balance = balance + 1 WHERE account = 1025", "lots_make_the_balance"),
      (#line, "UPDATE account_rows SET balance = balance + 1 WHERE account = 1025", "lots_make_the_balances"),
      (#line, "UPDATE account_rows SET balance = balance + 1 WHERE account = 1025", "entries_make_the_balances"),
      (#line, "UPDATE account_rows SET debt = 1 WHERE account = 1025", "accounts_replay"),
      (#line, "UPDATE account_rows SET held = balance + 1 WHERE account = 1025", "holds_are_covered"),
      (#line, "UPDATE account_rows SET held = -1 WHERE account = 1025", "holds_are_covered"),
      (#line, "UPDATE account_rows SET version = version + 1 WHERE account = 1025", "accounts_replay"),
      (#line, "UPDATE account_rows SET last_entry = 7 WHERE account = 1025", "accounts_replay"),
      (#line, "UPDATE account_rows SET pool_remaining = pool_remaining + 1 WHERE account = 1025", "lots_replay"),
      (#line, "UPDATE account_rows SET pool_granted = pool_granted + 1 WHERE account = 1025", "lots_replay"),
      (#line, "UPDATE account_rows SET pool_lot = 77 WHERE account = 1025", "lots_replay"),
      (#line, "UPDATE account_rows SET open_lots = 0 WHERE account = 1025", "accounts_know_their_lots"),
      (#line, "UPDATE account_rows SET next_expiry = NULL WHERE account = 1025", "accounts_know_their_lots"),
      (#line, "UPDATE lots SET remaining = remaining - 1 WHERE lot = 3", "lots_replay"),
      (#line, "UPDATE lots SET remaining = remaining - 1 WHERE lot = 3", "lots_make_the_balances"),
      (#line, "UPDATE lots SET granted = granted + 1 WHERE lot = 3", "lots_replay"),
      (#line, "UPDATE lots SET account = 2049 WHERE lot = 3", "lots_replay"),
      (#line, "UPDATE lots SET lot = 88 WHERE lot = 3", "lots_replay"),
      (#line, "UPDATE checkpoints SET entry = 7", "anchors_replay"),
      (#line, "UPDATE checkpoints SET created_at = 7", "anchors_replay"),
      (#line, "INSERT INTO checkpoints VALUES (1025, 128, 7, 7, 7)", "anchors_replay"),
      (#line, "UPDATE keys SET transaction_number = 999", "keys_have_transactions"),
      (
        #line, "UPDATE keys SET transaction_number = (SELECT max(number) FROM all_transactions)",
        "keys_have_transactions"
      ),
      (#line, "UPDATE keys SET transaction_number = NULL", "keys_have_transactions"),
      (#line, "UPDATE purchases SET transaction_number = 1 WHERE purchase = 1", "purchases_have_transactions"),
      (#line, "UPDATE purchases SET customer = 2 WHERE purchase = 1", "purchases_have_transactions"),
      (#line, "UPDATE purchases SET quantity = 2 WHERE purchase = 1", "purchases_credit_their_terms"),
      (#line, "UPDATE purchases SET environment = 99 WHERE purchase = 1", "environments_are_known"),
      (#line, "UPDATE frozen_products SET document = '{' || frozen_product", "purchases_have_terms"),
      (#line, "UPDATE item_entries SET quantity = 2", "items_replay"),
      (#line, "UPDATE item_entries SET owned = 2", "items_replay"),
      (#line, "UPDATE owned_items SET quantity = 2", "items_replay"),
      (#line, "UPDATE lot_sequence SET last = 1", "sequences_go_on"),
    ]
    for row in rows { try assertNamed(row.equation, after: row.damage, line: row.line) }
  }

  func testVerifyMissesDeletedRows() throws {
    let newest = "(SELECT max(number) FROM all_transactions)"
    let rows: [(line: UInt, damage: String, equation: String)] = [
      (#line, "DELETE FROM all_entries WHERE number = 7", "entries_are_complete"),
      (#line, "DELETE FROM all_entries WHERE number = 1", "entries_are_complete"),
      (#line, "DELETE FROM all_entries WHERE number = (SELECT max(number) FROM all_entries)", "accounts_replay"),
      (#line, "DELETE FROM all_transactions WHERE number = 7", "transactions_are_complete"),
      (#line, "DELETE FROM all_transactions WHERE number = 1", "transactions_are_complete"),
      (#line, "DELETE FROM all_transactions WHERE number = 6", "transactions_are_complete"),
      (#line, "DELETE FROM all_transactions WHERE number = \(newest)", "entries_have_transactions"),
      (#line, "DELETE FROM customer_lists_buffer WHERE list = 1", "histories_are_complete"),
      (#line, "DELETE FROM allocations WHERE lot = 1", "allocations_make_the_entry"),
      (#line, "DELETE FROM allocations", "allocations_make_the_entry"),
      (#line, "DELETE FROM account_rows WHERE account = 1025", "accounts_replay"),
      (#line, "DELETE FROM lots WHERE lot = 2", "lots_replay"),
      (#line, "DELETE FROM lots WHERE lot = 4", "lots_make_the_balance"),
      (#line, "DELETE FROM lot_sequence", "sequences_go_on"),
      (#line, "DELETE FROM checkpoints", "anchors_replay"),
      (#line, "DELETE FROM purchases WHERE purchase = 1", "purchases_are_complete"),
      (#line, "DELETE FROM purchases", "purchases_are_complete"),
      (#line, "DELETE FROM frozen_products", "purchases_have_terms"),
      (#line, "DELETE FROM item_entries", "items_replay"),
      (#line, "DELETE FROM owned_items", "items_replay"),
      (#line, "DELETE FROM customers WHERE customer = 1", "customers_are_known"),
      (#line, "DELETE FROM customers WHERE customer = 2", "customers_are_known"),
      (#line, "DELETE FROM aliases WHERE id = 'alice'", "customers_are_known"),
      (#line, "DELETE FROM environments", "environments_are_known"),
      (#line, "DELETE FROM catalog WHERE code = 'GEM'", "currencies_are_known"),
    ]
    for row in rows { try assertNamed(row.equation, after: row.damage, line: row.line) }
  }

  func testWithoutDamageTheBooksAddUp() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    try FileManager.default.copyItem(atPath: try healthyLedger(), toPath: path)
    try RawSQLite(path).disarm()
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

  /// A closed ledger in which everything occurs, made once for a test.
  private func healthyLedger() throws -> String {
    if let healthy { return healthy.path("healthy.sqlite") }
    let directory = try TemporaryDirectory()
    let ledger = try Ledger.createSQLite(at: directory.path("healthy.sqlite"), clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 1_000_000)
    try ledger.grant([Make.amount("GEM", 1000)], customer: alice)
    try ledger.grant([Make.amount("GEM", 50)], customer: alice, source: .promotional, expiresAt: expiry)
    try ledger.creditPurchase(Make.purchase("t1"), customer: alice)
    try ledger.spend([Make.amount("GEM", 100)], customer: alice, key: Make.key("k"))
    try ledger.buyItem(ItemID("extra_life"), customer: alice)
    try ledger.creditPurchase(
      Make.purchase("t2", product: "starter", environment: .xcode(session: "s")), customer: alice)
    for _ in 0..<66 { try ledger.spend([Make.amount("GEM", 1)], customer: alice) }
    try ledger.grant([Make.amount("GEM", 30)], customer: alice, source: .promotional, expiresAt: expiry)
    try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer("bob"))
    ledger.close()
    healthy = directory
    return directory.path("healthy.sqlite")
  }
}
