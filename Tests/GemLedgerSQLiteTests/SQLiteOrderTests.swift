import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Orders, account tokens and entitlements in a file.
final class SQLiteOrderTests: XCTestCase {
  private let time = ManualClock()

  func testMeetsOrderContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try OrderContract(
      make: { clock in
        count += 1
        return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
      },
      reopen: { ledger, clock in
        ledger.close()
        return try Ledger.openSQLite(at: directory.path("\(count).sqlite"), clock: clock)
      }
    ).runAll()
  }

  /// The tables never change once they are shipped: a new need is a new step.
  func testTheMigrationIsFrozen() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let raw = try RawSQLite(path)
    for step in Migration.all.prefix(3) { XCTAssertNil(raw.run(step.sql), step.name) }
    let schema = raw.rows(
      """
      SELECT sql FROM sqlite_schema
      WHERE tbl_name IN ('orders', 'account_tokens', 'entitlements') AND sql IS NOT NULL ORDER BY name
      """)
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/schema-0003.sql")
    let text = schema.joined(separator: ";\n\n") + ";\n"
    if !FileManager.default.fileExists(atPath: fixture.path) {
      try text.write(to: fixture, atomically: true, encoding: .utf8)
      XCTFail("\(fixture.path) was missing; it is written now: look at it and commit it")
    }
    XCTAssertEqual(try String(contentsOf: fixture, encoding: .utf8), text)
  }

  /// A file from before orders: the purchases in it keep their entitlements.
  func testAnOlderFileIsBroughtUpToDate() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let raw = try RawSQLite(path)
    XCTAssertNil(raw.run(RefundMigrationTests.undoing))
    XCTAssertNil(
      raw.run(
        """
        DROP TABLE orders; DROP TABLE account_tokens; DROP TABLE entitlements;
        DROP TABLE copy_progress; DROP TABLE copied_journal;
        ALTER TABLE accounts DROP COLUMN next_due; ALTER TABLE lot_terms DROP COLUMN origin;
        DROP TRIGGER keys_keep_deletes; CREATE TRIGGER keys_keep_deletes BEFORE DELETE ON keys BEGIN SELECT 1; END;
        DROP TABLE effects; DROP TABLE holds; DROP TABLE counts; DROP TABLE erasures;
        CREATE TABLE transactions_without_entries (
          customer INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (customer, number)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO transactions_without_entries SELECT customer, number FROM newly_listed_transactions;
        DROP TABLE listed_transactions; DROP TABLE newly_listed_transactions;
        DELETE FROM migrations WHERE name > '0003'; PRAGMA user_version = 2;
        """))
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    try assertBooksAddUp(ledger)
    XCTAssertEqual(raw.rows("SELECT purchase, holder FROM entitlements"), ["2|1"])
    XCTAssertEqual(raw.rows("SELECT count(*) FROM orders"), ["0"])
    ledger.close()
  }

  func testTheFileKeepsWhatOrdersAnnounced() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let raw = try RawSQLite(path)
    for column in ["number", "code", "store", "product", "quantity", "request", "key", "created_at", "deadline"] {
      XCTAssertEqual(
        raw.run("UPDATE orders SET \(column) = \(column)"), "what an order announced never changes", column)
    }
    XCTAssertEqual(raw.run("UPDATE orders SET purchase = 9 WHERE code = 'A1'"), "an order is paid for once")
    XCTAssertEqual(raw.run("DELETE FROM orders"), "orders are kept")
    XCTAssertNotNil(raw.run("UPDATE orders SET state = 2 WHERE code = 'A2'"), "success without a purchase")
  }

  func testVerifyNamesTheBrokenEquation() throws {
    let rows: [(line: UInt, damage: String, equation: String)] = [
      (#line, "UPDATE orders SET customer = 99 WHERE code = 'A1'", "orders_have_customers"),
      (#line, "UPDATE orders SET state = 1 WHERE code = 'A1'", "orders_have_purchases"),
      (#line, "UPDATE orders SET purchase = NULL WHERE code = 'A1'", "orders_have_purchases"),
      (#line, "UPDATE orders SET state = 4 WHERE code = 'A2'", "orders_have_purchases"),
      (#line, "UPDATE orders SET purchase = 99 WHERE code = 'A1'", "orders_have_purchases"),
      (#line, "UPDATE orders SET quantity = 2 WHERE code = 'A1'", "orders_have_purchases"),
      (#line, "DELETE FROM entitlements", "entitlements_have_holders"),
      (#line, "INSERT INTO entitlements VALUES (1, 1)", "entitlements_have_holders"),
      (#line, "UPDATE entitlements SET holder = 99", "entitlements_have_holders"),
    ]
    for row in rows {
      let directory = try TemporaryDirectory()
      let path = directory.path("it.sqlite")
      try makeLedger(path)
      let raw = try RawSQLite(path)
      raw.disarm()
      XCTAssertNil(raw.run(row.damage), row.damage, line: row.line)
      let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
      let found = Set(try ledger.verify().problems.map(\.equation))
      XCTAssertTrue(found.contains(row.equation), "\(row.damage): found \(found.sorted())", line: row.line)
      ledger.close()
    }
  }

  /// A closed ledger with an order that was paid for, one that was not, and an entitlement.
  private func makeLedger(_ path: String) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    let (gem, gems, alice) = (try CurrencyCode("GEM"), try ProductCode("gems_1200"), try Make.customer("alice"))
    try ledger.apply(
      Catalog(
        currencies: [Currency(code: gem, name: "Gems")],
        products: [
          Product(code: gems, type: .consumable, grants: [Grant(currency: gem, amount: 1200)]),
          Product(code: ProductCode("premium"), type: .nonConsumable, entitlement: "premium"),
        ]))
    for code in ["A1", "A2"] {
      let opening = OrderOpening(
        code: try PurchaseCode(code), store: .apple, product: gems, quantity: 1, request: "{}",
        key: try Make.key(code), lifetimeMilliseconds: 1000, paidBy: nil)
      try ledger.book(.openOrder(opening, customer: alice))
    }
    let completion = OrderCompletion(
      code: try PurchaseCode("A1"), purchase: try Make.purchase("t1"), retryAfterMilliseconds: nil)
    try ledger.book(.completeOrder(completion, customer: alice))
    try ledger.creditPurchase(Make.purchase("t2", product: "premium"), customer: alice)
    ledger.close()
  }
}
