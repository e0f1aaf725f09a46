import Dispatch
import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Files of older versions are brought up to date when they are opened, all or nothing.
final class MigrationTests: XCTestCase {
  private let time = ManualClock()

  /// The schema after a step never changes once the step is shipped: a new need is a new step.
  func testStepsAreFrozen() throws {
    for count in [1, 2, 4, 5, 6, 7, 8, 9, 11] {
      let directory = try TemporaryDirectory()
      let path = directory.path("it.sqlite")
      let raw = try RawSQLite(path)
      for step in Migration.all.prefix(count) { XCTAssertNil(raw.run(step.sql), step.name) }
      let schema = raw.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
      let text = schema.joined(separator: ";\n\n") + ";\n"
      let fixture = Self.fixture("schema-00\(count < 10 ? "0" : "")\(count).sql")
      if !FileManager.default.fileExists(atPath: fixture.path) {
        try text.write(to: fixture, atomically: true, encoding: .utf8)
        XCTFail("\(fixture.path) was missing; it is written now: look at it and commit it")
      }
      XCTAssertEqual(try String(contentsOf: fixture, encoding: .utf8), text)
    }
  }

  func testAFileOfTheFirstVersionIsBroughtUpToDate() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeFirstVersion(path)
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    try assertBooksAddUp(ledger)
    let alice = try Make.customer("alice")
    XCTAssertEqual(try ledger.balances(of: alice).map(\.balance), [0, 250, 0, 100])
    XCTAssertEqual(try ledger.history(of: alice).transactions.map(\.receipt.kind), [.purchase, .spend, .grant, .grant])
    XCTAssertEqual(try ledger.history(of: alice).transactions[1].reference?.text, "order 1")
    XCTAssertEqual(try ledger.customerIDs(of: alice), [alice])
    // The key, the purchase and the items are what they were.
    XCTAssertTrue(
      try ledger.spend([Make.amount("GEM", 60)], customer: alice, key: Make.key("k")).isReplayed)
    let purchase = try XCTUnwrap(try ledger.purchases(of: alice).purchases.first)
    XCTAssertEqual(purchase.product.text, "rubies")
    XCTAssertEqual(purchase.originalTransactionID, purchase.storeTransactionID)
    XCTAssertNil(purchase.expiresAt)
    // What is new works on what is old.
    let refund = try ledger.refund(Make.refund("t"))
    XCTAssertEqual(refund.entries.map(\.amount), [-100])
    XCTAssertEqual(refund.items.map(\.owned), [0])
    try ledger.createCustomer(Make.customer("bob"))
    try ledger.merge(from: alice, into: Make.customer("bob"))
    XCTAssertEqual(try ledger.reverseRefund(Make.reversal("t")).entries.map(\.balance), [100])
    XCTAssertEqual(try ledger.balances(of: Make.customer("bob")).map(\.balance), [0, 250, 0, 100])
    try assertBooksAddUp(ledger)
    ledger.close()
    let raw = try RawSQLite(path)
    XCTAssertEqual(raw.rows("PRAGMA user_version"), ["\(Migration.all.count)"])
    XCTAssertEqual(raw.rows("SELECT name FROM migrations ORDER BY name"), Migration.all.map(\.name))
    XCTAssertEqual(raw.rows("SELECT count(*) FROM lot_terms WHERE lot <= 3"), ["3"])
    XCTAssertEqual(raw.rows("PRAGMA integrity_check"), ["ok"])
    XCTAssertEqual(raw.run("DELETE FROM item_entries"), "item_entries is append-only")
  }

  /// A step that fails leaves the file as the step before it did.
  func testAFailedStepLeavesNothing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeFirstVersion(path)
    let raw = try RawSQLite(path)
    // The last table that the step makes is in its way.
    XCTAssertNil(raw.run("CREATE TABLE refund_states (in_the_way INTEGER)"))
    let before = raw.rows("SELECT name, sql FROM sqlite_schema ORDER BY name")
    for _ in 0..<2 { XCTAssertThrowsError(try Ledger.openSQLite(at: path, clock: time.clock)) }
    XCTAssertEqual(raw.rows("PRAGMA user_version"), ["1"])
    XCTAssertEqual(raw.rows("SELECT name, sql FROM sqlite_schema ORDER BY name"), before)
    XCTAssertNil(raw.run("DROP TABLE refund_states"))
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testManyMayOpenAnOldFileAtOnce() throws {
    for _ in 0..<5 {
      let directory = try TemporaryDirectory()
      let path = directory.path("it.sqlite")
      try makeFirstVersion(path)
      let alice = try Make.customer("alice")
      let clock = time.clock
      // Connections of their own, as processes have them.
      DispatchQueue.concurrentPerform(iterations: 6) { _ in
        do {
          let ledger = try Ledger.openSQLite(at: path, clock: clock)
          try ledger.grant([Make.amount("GEM", 1)], customer: alice)
          ledger.close()
        } catch {
          XCTFail("\(error)")
        }
      }
      let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
      XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 256)
      try assertBooksAddUp(ledger)
      ledger.close()
      XCTAssertEqual(try RawSQLite(path).rows("SELECT count(*) FROM migrations"), ["\(Migration.all.count)"])
    }
  }

  // MARK: A file as the first version left it

  private static func fixture(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/" + name)
  }

  /// Alice was given 300 GEM and 10 promotional ones that expire, spent 60 with a key, and bought rubies with a sword.
  private func makeFirstVersion(_ path: String) throws {
    let raw = try RawSQLite(path)
    let schema = try String(contentsOf: Self.fixture("schema-0001.sql"), encoding: .utf8)
    XCTAssertNil(raw.run("PRAGMA application_id = 1195724108; PRAGMA journal_mode = WAL"))
    XCTAssertNil(raw.run(schema))
    for sql in try rows() { XCTAssertNil(raw.run(sql), sql) }
    XCTAssertNil(raw.run("PRAGMA user_version = 1"))
  }

  private func rows() throws -> [String] {
    let now = time.now.milliseconds
    let later = now + 1_000_000_000
    var sql = [
      "INSERT INTO migrations VALUES ('0001-create-ledger', \(now))",
      "INSERT INTO project VALUES (1, 7, \(now))",
      "INSERT INTO customers (customer, id, created_at) VALUES (1, 'alice', \(now))",
      "INSERT INTO aliases VALUES ('alice', 1)",
      "INSERT INTO catalog_versions VALUES (1, \(now))",
    ]
    for row in try CatalogRow.rows(of: Make.catalog(), keeping: []) {
      sql.append(
        "INSERT INTO catalog VALUES (\(row.kind.rawValue), '\(row.code)', \(row.position), '\(row.document)')")
    }
    let product = Product(
      code: try ProductCode("rubies"), type: .consumable,
      grants: [Grant(currency: try CurrencyCode("RUBY"), amount: 100)],
      itemGrants: [ItemGrant(item: try ItemID("sword"))])
    sql += [
      "INSERT INTO purchase_terms VALUES (1, '\(product.json().text())')",
      "INSERT INTO transactions VALUES (1, 2, 1, \(now), 1), (2, 2, 1, \(now), 2), (3, 3, 1, \(now), 3), "
        + "(4, 1, 1, \(now), 4)",
      // Accounts: GEM is currency 1, RUBY 4.
      "INSERT INTO entries VALUES (1, 1, 1025, 2, 300, 300, 0, 1, 0, 1), (2, 2, 1025, 2, 10, 310, 0, 2, 1, 2), "
        + "(3, 3, 1025, 3, -60, 250, 0, 3, 2, 0), (4, 4, 1028, 1, 100, 100, 0, 1, 0, 3)",
      "INSERT INTO allocations VALUES (3, 1, 2, -10), (3, 2, 1, -50)",
      "INSERT INTO notes VALUES (3, 'order 1', NULL, NULL)",
      "INSERT INTO purchases VALUES (1, 1, 1, 't', 1, 4, 'rubies', 1, 999, 'USD', \(now), 1)",
      "INSERT INTO item_entries VALUES (4, 'sword', 1, 1, 1)",
      "INSERT INTO owned_items VALUES (1, 'sword', 1)",
      "INSERT INTO accounts VALUES (1025, 250, 0, 0, 3, 3, 1, 5, 1, 300, 250, 0, NULL), "
        + "(1028, 100, 0, 0, 1, 4, 0, 0, 0, 0, 0, 1, NULL)",
      "INSERT INTO lots (lot, account, source, environment, granted, remaining, price, price_currency, purchase, "
        + "expires_at) VALUES (2, 1025, 4, 1, 10, 0, NULL, NULL, NULL, \(later)), "
        + "(3, 1028, 1, 1, 100, 100, 999, 'USD', 1, 253402300799999)",
      "INSERT INTO lot_sequence VALUES (1, 3)",
    ]
    let spend = try LedgerCommand.spend([Make.amount("GEM", 60)], customer: Make.customer("alice"))
    var named = spend
    named.reference = nil
    let fingerprint = Fingerprint(of: named)
    sql.append(
      "INSERT INTO keys VALUES ('k', 1, \(fingerprint.asked), \(fingerprint.qualifiers), 3, NULL)")
    return sql
  }
}
