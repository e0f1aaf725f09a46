import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Verify finds changes of a few rows that agree with each other: tables that repeat each other say the same, and every
/// sum is right.
final class ConsistentChangesTests: XCTestCase {
  private struct Change {
    let line: UInt
    /// The equation that is broken.
    let equation: String
    let sql: String

    init(_ equation: String, _ sql: String, line: UInt = #line) {
      (self.line, self.equation, self.sql) = (line, equation, sql)
    }
  }

  /// Returns SQL that changes the paid lot of the purchase, in both tables that describe it.
  private static func paidLot(of purchase: String, _ change: String) -> String {
    let lots = """
      WHERE source = 1 AND purchase = (SELECT purchase FROM purchases WHERE store_transaction = '\(purchase)')
      """
    return "UPDATE lots SET \(change) \(lots); UPDATE lot_attributes SET \(change) \(lots)"
  }

  private static func purchase(_ purchase: String, _ change: String) -> String {
    "UPDATE purchases SET \(change) WHERE store_transaction = '\(purchase)'"
  }

  /// Returns SQL that gives another kind to one spend of a customer, and to its entries.
  private static func spend(of customer: String, amount: Int, madeKind kind: Int) -> String {
    """
    CREATE TEMP TABLE chosen AS SELECT transaction_number AS t FROM all_entries WHERE amount = -\(amount)
      AND account >> 10 = (SELECT customer FROM aliases WHERE id = '\(customer)');
    UPDATE all_transactions SET kind = \(kind) WHERE number IN (SELECT t FROM chosen);
    UPDATE all_entries SET kind = \(kind) WHERE transaction_number IN (SELECT t FROM chosen);
    """
  }

  private static func grant(madeKind kind: Int) -> String {
    ["all_transactions", "all_entries"].map { "UPDATE \($0) SET kind = \(kind) WHERE number = 2" }
      .joined(separator: "; ")
  }

  // MARK: Purchases and their lots

  func testVerifyFindsChangesOfPurchasesAndTheirLots() throws {
    let swapped = "CASE purchase WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE purchase END"
    try assertFound([
      Change("purchases_make_their_lots", Self.paidLot(of: "t1", "price = price - 1")),
      Change(
        "purchases_make_their_lots", Self.paidLot(of: "t1", "price = NULL, price_currency = NULL")),
      Change("purchases_make_their_lots", Self.paidLot(of: "t1", "price_currency = 'EUR'")),
      Change("purchases_make_their_lots", Self.paidLot(of: "t1", "environment = 2")),
      Change("purchases_make_their_lots", Self.paidLot(of: "t3", "environment = 1")),
      Change("purchases_make_their_lots", Self.paidLot(of: "t1", "source = 4")),
      Change("lots_have_makers", Self.paidLot(of: "t1", "source = 4")),
      Change("purchases_make_their_lots", Self.paidLot(of: "t6", "expires_at = expires_at + 1")),
      Change("purchases_make_their_lots", Self.paidLot(of: "t5", "price = price + 1")),
      Change("lots_have_makers", Self.paidLot(of: "t1", "purchase = NULL")),
      Change(
        "purchases_make_their_lots",
        "UPDATE lots SET purchase = \(swapped); UPDATE lot_attributes SET purchase = \(swapped)"
      ),
      Change(
        "purchases_make_their_lots",
        """
        UPDATE lot_attributes SET price = 899, price_currency = 'EUR' WHERE purchase = 1;
        UPDATE lot_attributes SET price = 999, price_currency = 'USD' WHERE purchase = 2;
        UPDATE lots SET price = 899, price_currency = 'EUR' WHERE purchase = 1;
        UPDATE lots SET price = 999, price_currency = 'USD' WHERE purchase = 2;
        """),
      Change("purchases_make_their_lots", Self.purchase("t1", "price = price + 1")),
      Change(
        "purchases_make_their_lots", Self.purchase("t1", "price = NULL, price_currency = NULL")),
      Change("purchases_make_their_lots", Self.purchase("t1", "price_currency = 'EUR'")),
      Change("purchases_make_their_lots", Self.purchase("t1", "environment = 2")),
      Change("purchases_make_their_lots", Self.purchase("t6", "expires_at = expires_at + 1")),
      Change("purchases_have_terms", Self.purchase("t1", "product = 'gems_300'")),
      // A lot that was granted for nothing counts as paid, or has a price.
      Change(
        "lots_have_makers",
        "UPDATE lot_attributes SET source = 1 WHERE lot = 1; UPDATE account_rows SET pool_source = 1 WHERE pool_lot = 1"
      ),
      Change(
        "lots_have_makers",
        """
        UPDATE lot_attributes SET price = 5, price_currency = 'USD' WHERE source = 2;
        UPDATE lots SET price = 5, price_currency = 'USD' WHERE source = 2;
        """),
      Change(
        "environments_are_known",
        """
        UPDATE lot_attributes SET environment = 77 WHERE lot = 1;
        UPDATE account_rows SET pool_environment = 77 WHERE pool_lot = 1;
        """
      ),
      // A lot that came out of another customer's lot costs more than that lot, or is priced in another currency.
      Change(
        "lots_have_origins",
        """
        UPDATE lots SET price = 100000
          WHERE lot IN (SELECT lot FROM lot_attributes WHERE original_lot <> 0 AND price > 0);
        UPDATE lot_attributes SET price = 100000 WHERE original_lot <> 0 AND price > 0;
        """),
      Change(
        "lots_have_origins",
        """
        UPDATE lots SET price_currency = 'JPY'
          WHERE lot IN (SELECT lot FROM lot_attributes WHERE original_lot <> 0 AND price > 0);
        UPDATE lot_attributes SET price_currency = 'JPY' WHERE original_lot <> 0 AND price > 0;
        """),
    ])
  }

  // MARK: Kinds

  func testVerifyFindsChangesOfKinds() throws {
    try assertFound([
      // Spends from a pool, from a purchase's lot, and from several lots.
      Change("lots_expire_in_time", Self.spend(of: "ivan", amount: 1, madeKind: 7)),
      Change("lots_expire_in_time", Self.spend(of: "alice", amount: 6, madeKind: 7)),
      Change("lots_expire_in_time", Self.spend(of: "alice", amount: 60, madeKind: 7)),
      Change("keys_have_transactions", Self.spend(of: "ivan", amount: 1, madeKind: 7)),
      Change("exchanges_have_two_sides", Self.spend(of: "ivan", amount: 1, madeKind: 9)),
      Change("refunds_are_complete", Self.spend(of: "ivan", amount: 1, madeKind: 5)),
      Change("effects_are_complete", Self.spend(of: "ivan", amount: 1, madeKind: 4)),
      Change("transfers_cancel_out", Self.spend(of: "ivan", amount: 1, madeKind: 8)),
      Change("purchases_are_complete", Self.grant(madeKind: 1)),
      Change("effects_are_complete", Self.grant(madeKind: 4)),
      Change("transfers_cancel_out", Self.grant(madeKind: 8)),
      Change("exchanges_have_two_sides", Self.grant(madeKind: 9)),
      // Carol and dave were never one.
      Change(
        "entries_have_transactions",
        "DELETE FROM merges; UPDATE customers SET merged_into = 0, merged_count = 0 WHERE customer IN (3, 4)"
      ),
      Change(
        "lots_expire_in_time",
        "UPDATE all_transactions SET kind = 3 WHERE kind = 7; UPDATE all_entries SET kind = 3 WHERE kind = 7"
      ),
      Change(
        "keys_have_transactions",
        "UPDATE keys SET transaction_number = (SELECT number FROM all_transactions WHERE kind = 7 AND customer = 2)"
          + " WHERE customer = 2 AND transaction_number IS NOT NULL"),
      Change("keys_have_customers", "UPDATE keys SET customer = 99 WHERE refusal IS NOT NULL"),
    ])
  }

  // MARK: Amounts

  func testVerifyFindsEqualAndOppositeAmounts() throws {
    // Frank has got 45 and hugo 35, of 40 that each was given: all balances, lots and sums agree.
    let transfers = [(6, 5), (8, -5)].map { customer, more in
      let account = customer << 10 | 2
      return """
        UPDATE all_entries SET amount = amount + \(more), balance = balance + \(more) WHERE account = \(account);
        UPDATE account_rows SET balance = balance + \(more), pool_remaining = pool_remaining + \(more),
          pool_granted = pool_granted + \(more) WHERE account = \(account);
        """
    }
    // The merge brings 10 more than it takes, and ivan was granted 10 less.
    let merge = """
      UPDATE all_entries SET amount = amount + 10, balance = balance + 10 WHERE kind = 10 AND account = 4 << 10 | 2;
      UPDATE account_rows SET balance = balance + 10, pool_remaining = pool_remaining + 10,
        pool_granted = pool_granted + 10 WHERE account = 4 << 10 | 2;
      UPDATE all_entries SET amount = amount - 10 WHERE kind = 2 AND account = 10 << 10 | 2;
      UPDATE all_entries SET balance = balance - 10 WHERE account = 10 << 10 | 2;
      UPDATE account_rows SET balance = balance - 10, pool_remaining = pool_remaining - 10,
        pool_granted = pool_granted - 10 WHERE account = 10 << 10 | 2;
      """
    // Carol keeps 1 of the currency that became dave's.
    let rest = [(3, 1), (4, -1)].map { customer, more in
      let account = customer << 10 | 2
      return """
        UPDATE all_entries SET amount = amount + \(more), balance = balance + \(more)
          WHERE kind = 10 AND account = \(account);
        UPDATE account_rows SET balance = balance + \(more), pool_remaining = pool_remaining + \(more)
          WHERE account = \(account);
        UPDATE account_rows SET pool_granted = pool_granted + \(min(0, more)) WHERE account = \(account);
        """
    }
    let items = """
      UPDATE item_entries SET quantity = 2, owned = 2 WHERE customer = 2;
      UPDATE owned_items SET quantity = 2 WHERE customer = 2;
      """
    try assertFound([
      Change("transfers_cancel_out", transfers.joined()), Change("merges_cancel_out", merge),
      Change("merges_leave_nothing", rest.joined()), Change("items_cancel_out", items),
      Change(
        "purchases_credit_their_terms",
        """
        UPDATE item_entries SET quantity = quantity + 1 WHERE quantity = 4;
        UPDATE item_entries SET owned = owned + 1 WHERE customer = 1;
        UPDATE owned_items SET quantity = quantity + 1 WHERE customer = 1;
        """),
    ])
  }

  func testVerifyFindsLotsThatBurnOutOfTheirOrder() throws {
    let chosen = """
      CREATE TEMP TABLE chosen AS SELECT number AS entry FROM all_entries WHERE amount = -60 AND account = 1 << 10 | 2;
      """
    let swapped = """
      \(chosen)
      UPDATE allocations SET position = position + 10 WHERE entry IN (SELECT entry FROM chosen);
      UPDATE allocations SET position = 13 - position WHERE entry IN (SELECT entry FROM chosen);
      """
    // One less of the lot that burns first, and one more of the one that burns last.
    let moved = """
      CREATE TEMP TABLE chosen AS SELECT number AS entry FROM all_entries WHERE amount = -1990;
      UPDATE lots SET remaining = 1
        WHERE lot = (SELECT lot FROM allocations WHERE position = 1 AND entry IN (SELECT entry FROM chosen));
      UPDATE account_rows SET pool_remaining = pool_remaining - 1, open_lots = open_lots + 1
      WHERE account = 1 << 10 | 2;
      UPDATE allocations SET amount = amount + CASE position WHEN 1 THEN 1 ELSE -1 END
        WHERE entry IN (SELECT entry FROM chosen) AND position IN (1, 3);
      """
    try assertFound([Change("lots_burn_in_order", swapped), Change("lots_burn_in_order", moved)])
  }

  // MARK: Found by digests alone

  private static let equalAndOppositeGrants = [(5, 5), (7, -5)].map { customer, more in
    let account = customer << 10 | 2
    return """
      UPDATE all_entries SET amount = amount + \(more) WHERE account = \(account) AND kind = 2;
      UPDATE all_entries SET balance = balance + \(more) WHERE account = \(account);
      UPDATE account_rows SET balance = balance + \(more), pool_remaining = pool_remaining + \(more),
        pool_granted = pool_granted + \(more) WHERE account = \(account);
      """
  }.joined()

  private static let lastTransactionCutOff = """
    CREATE TEMP TABLE last AS SELECT max(number) AS t FROM all_transactions;
    DELETE FROM keys WHERE transaction_number = (SELECT t FROM last);
    UPDATE account_rows SET balance = balance + 1, pool_remaining = pool_remaining + 1, version = version - 1,
      last_entry = (SELECT previous FROM all_entries WHERE transaction_number = (SELECT t FROM last))
      WHERE account = 10 << 10 | 2;
    DELETE FROM all_entries WHERE transaction_number = (SELECT t FROM last);
    DELETE FROM all_transactions WHERE number = (SELECT t FROM last);
    """

  /// Rows that nothing else repeats.
  private static let soleChanges: [(line: UInt, sql: String)] = [
    (
      #line,
      """
      UPDATE customers SET id = CASE customer WHEN 1 THEN 'bob' ELSE 'alice' END WHERE customer IN (1, 2);
      UPDATE aliases SET customer = CASE id WHEN 'alice' THEN 2 ELSE 1 END WHERE id IN ('alice', 'bob');
      """
    ),
    (#line, "UPDATE customers SET created_at = created_at - 1 WHERE customer = 2"),
    (#line, "INSERT INTO aliases VALUES ('eve', 2); INSERT INTO added_ids VALUES (2, 'eve')"),
    (
      #line,
      "UPDATE all_transactions SET kind = 12 WHERE number = 2; UPDATE all_entries SET kind = 12 WHERE number = 2"
    ),
    (#line, "UPDATE all_transactions SET created_at = created_at + 1 WHERE number = 2"),
    (
      #line,
      "UPDATE all_transactions SET created_at = created_at + 1 "
        + "WHERE number = (SELECT max(number) FROM all_transactions)"
    ),
    (#line, "DELETE FROM keys WHERE key = 's1'"),
    (#line, "UPDATE keys SET key = 's9' WHERE key = 's1'"),
    (#line, "UPDATE keys SET request_digest = request_digest + 1 WHERE key = 's1'"),
    (#line, "UPDATE keys SET qualifier_digest = qualifier_digest + 1 WHERE key = 's1'"),
    (#line, "UPDATE keys SET transaction_number = transaction_number + 1 WHERE key = 's1'"),
    (#line, "UPDATE notes SET reference = 'order-8' WHERE reference = 'order-7'"),
    (#line, "UPDATE notes SET actor = 'other' WHERE reference = 'order-7'"),
    (#line, "UPDATE notes SET reason = 'theft' WHERE reason = 'gift'"),
    (#line, "DELETE FROM notes WHERE reference = 'order-7'"),
    (#line, "INSERT INTO notes (transaction_number, reason) VALUES (2, 'gift')"),
    (#line, "UPDATE catalog SET document = replace(document, '60', '10') WHERE code = 'life'"),
    (
      #line,
      "UPDATE catalog SET document = replace(document, ':1200', ':1201') WHERE code = 'gems_1200'"
    ),
    (
      #line, "UPDATE catalog SET document = replace(document, 'Coins', 'Coinz') WHERE code = 'COIN'"
    ),
    (#line, "DELETE FROM catalog WHERE code = 'gems_300'"),
    (
      #line,
      "DELETE FROM catalog_versions WHERE version = (SELECT max(version) FROM catalog_versions)"
    ),
    (#line, "UPDATE catalog_versions SET applied_at = applied_at + 1"),
    (#line, "UPDATE account_tokens SET customer = 1 WHERE high = 2"),
    (#line, "DELETE FROM account_tokens WHERE high = 2"),
    (#line, "UPDATE orders SET product = 'gems_300'"),
    (#line, "UPDATE orders SET customer = 1"),
    (#line, purchase("t1", "store_transaction = 't9'")),
    (#line, purchase("t1", "store = 2")),
    (#line, purchase("t1", "purchased_at = purchased_at + 1")),
    (#line, purchase("t1", "original_transaction = 't9'")),
    (#line, purchase("t1", "expires_at = 5")),
    (#line, purchase("t1", "price = price + 1") + ";" + paidLot(of: "t1", "price = price + 1")),
    (#line, purchase("t1", "environment = 2") + ";" + paidLot(of: "t1", "environment = 2")),
    (
      #line,
      "UPDATE account_rows SET pool_source = 3 WHERE pool_lot = 1; UPDATE lot_attributes SET source = 3 WHERE lot = 1"
    ),
    (#line, "UPDATE refunds SET revoked_at = revoked_at + 1"),
    (
      #line,
      """
      UPDATE item_entries SET item = 'hat', owned = 1
        WHERE quantity = 1 AND transaction_number IN (SELECT number FROM all_transactions WHERE kind = 3);
      UPDATE item_entries SET owned = owned - 1 WHERE customer = 1 AND quantity = -1;
      UPDATE owned_items SET quantity = quantity - 1 WHERE customer = 1; INSERT INTO owned_items VALUES (1, 'hat', 1)
      """
    ),
    (
      #line,
      "UPDATE journal_events SET value = value + 1 WHERE kind = 3 AND value > 0; "
        + "UPDATE open_holds SET deadline = deadline + 1"
    ),
    (#line, equalAndOppositeGrants),
    (#line, lastTransactionCutOff),
  ]

  func testVerifyFindsChangesThatOnlyDigestsTell() throws {
    for change in Self.soleChanges {
      let found = try problems(after: change.sql, line: change.line)
      XCTAssertNotEqual(found, [], change.sql, line: change.line)
    }
  }

  // MARK: The file itself

  func testWithoutChangesTheBooksAddUp() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    try FileManager.default.copyItem(atPath: try healthyLedger(), toPath: path)
    let raw = try RawSQLite(path)
    raw.disarm()
    // The changes rely on these rows.
    XCTAssertEqual(
      raw.rows(
        "SELECT id, customer FROM aliases WHERE id IN ('alice', 'dave', 'hugo', 'ivan') ORDER BY customer"
      ),
      ["alice|1", "dave|4", "hugo|8", "ivan|10"])
    XCTAssertEqual(
      raw.rows("SELECT code FROM catalog WHERE kind = 1 ORDER BY position"),
      ["COIN", "GEM", "RUBY"])
    XCTAssertEqual(
      raw.rows(
        "SELECT count(*) > 1 FROM allocations WHERE entry IN (SELECT number FROM all_entries WHERE amount = -60)"
      ),
      ["1"])
    XCTAssertEqual(raw.rows("SELECT customer FROM all_transactions WHERE kind = 7"), ["2"])
    XCTAssertEqual(
      raw.rows("SELECT transaction_number, kind, account FROM all_entries WHERE number = 2"),
      ["2|2|2050"])
    XCTAssertEqual(
      raw.rows(
        "SELECT count(*), min(amount) FROM allocations "
          + "WHERE entry IN (SELECT number FROM all_entries WHERE amount = -1990)"
      ),
      ["3|-1200"])
    XCTAssertNotEqual(raw.rows("SELECT lot FROM lot_attributes WHERE original_lot <> 0 AND price > 0"), [])
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  // MARK: Helpers

  private let time = ManualClock()
  private var healthy: TemporaryDirectory?

  private func assertFound(_ changes: [Change], file: StaticString = #filePath) throws {
    for change in changes {
      let found = try problems(after: change.sql, file: file, line: change.line)
      XCTAssertTrue(
        found.contains(change.equation), "\(change.sql): found \(found.sorted())", file: file,
        line: change.line)
    }
  }

  /// The equations that verify finds broken after the change.
  private func problems(after sql: String, file: StaticString = #filePath, line: UInt) throws
    -> Set<String>
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    try FileManager.default.copyItem(atPath: try healthyLedger(), toPath: path)
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run(sql), sql, file: file, line: line)
    XCTAssertNotEqual(raw.rows("SELECT total_changes()"), ["0"], sql, file: file, line: line)
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    return Set(try ledger.verify().problems.map(\.equation))
  }

  private func healthyLedger() throws -> String {
    if let healthy { return healthy.path("healthy.sqlite") }
    let directory = try TemporaryDirectory()
    try ConsistentFixture.make(at: directory.path("healthy.sqlite"), time)
    healthy = directory
    return directory.path("healthy.sqlite")
  }
}
