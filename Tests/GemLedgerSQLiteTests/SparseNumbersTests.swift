import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Verification of books with gaps in their numbers, as writers without a common sequence leave them.
///
/// SQLite wrote the file, and every number is replaced: the order stays, three lanes take turns. Transaction 6 touches
/// no balance; 7 to 72 are spends, one entry each.
final class SparseNumbersTests: XCTestCase {
  func testTheBooksAddUp() throws {
    let ledger = try sparseLedger(damage: "UPDATE lot_sequence SET last = 1")
    let whole = try ledger.verify()
    XCTAssertEqual(whole.problems.map(\.description), [])
    XCTAssertEqual(whole.transactions, counts?.transactions)
    XCTAssertEqual(whole.customers, 3)
    for size in 1...5 { XCTAssertEqual(try ledger.verify(customersPerWindow: size), whole, "\(size)") }
  }

  func testLanesNeedNotBeInStep() throws {
    let ledger = try sparseLedger(
      damage: """
        UPDATE all_transactions SET created_at = created_at - 500 WHERE number & \(Self.step - 1) = 1;
        UPDATE checkpoints SET created_at = created_at - 500 WHERE transaction_number & \(Self.step - 1) = 1;
        """)
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
  }

  func testVerifyNamesTheBrokenEquation() throws {
    let sixth = "number = \(Self.sparse("6"))"
    let seventh = "number = \(Self.sparse("7"))"
    let entryOfSeventh = "transaction_number = \(Self.sparse("7"))"
    let rows: [(line: UInt, damage: String, equation: String)] = [
      (#line, "DELETE FROM all_transactions WHERE \(sixth)", "transactions_are_complete"),
      (#line, "DELETE FROM all_transactions WHERE \(seventh)", "transactions_are_complete"),
      (#line, "DELETE FROM all_transactions WHERE \(seventh)", "entries_have_transactions"),
      (
        #line, "DELETE FROM all_transactions WHERE number = (SELECT max(number) FROM all_transactions)",
        "transactions_are_complete"
      ),
      (
        #line,
        "INSERT INTO all_transactions SELECT number + \(Self.step), kind, customer, created_at, "
          + "(number + \(Self.step)) << \(Numbering.entryBits), 1, NULL FROM all_transactions WHERE \(sixth)",
        "transactions_are_complete"
      ),
      (#line, "DELETE FROM all_entries WHERE \(entryOfSeventh)", "entries_are_complete"),
      (#line, "DELETE FROM all_entries WHERE number = (SELECT max(number) FROM all_entries)", "entries_are_complete"),
      (#line, "UPDATE all_entries SET number = number + 1 WHERE \(entryOfSeventh)", "entries_have_transactions"),
      (
        #line, "UPDATE all_entries SET transaction_number = transaction_number + \(Self.step) WHERE \(entryOfSeventh)",
        "entries_have_transactions"
      ),
      (
        #line, "UPDATE all_transactions SET first_entry = first_entry + 1 WHERE \(seventh)", "entries_have_transactions"
      ),
      (#line, "UPDATE all_transactions SET first_entry = first_entry + 1 WHERE \(sixth)", "entries_have_transactions"),
      (#line, "UPDATE all_transactions SET first_entry = 1 WHERE \(seventh)", "entries_have_transactions"),
      (#line, "UPDATE all_transactions SET created_at = 1 WHERE \(seventh)", "journal_time_goes_on"),
      (#line, "UPDATE all_transactions SET created_at = 1 WHERE \(sixth)", "journal_time_goes_on"),
      (#line, "DELETE FROM customer_lists_buffer WHERE list = 1 AND \(sixth)", "histories_are_complete"),
      (#line, "DELETE FROM checkpoints", "anchors_replay"),
      (#line, "UPDATE keys SET transaction_number = transaction_number + 1", "keys_have_transactions"),
      (#line, "DELETE FROM purchases", "purchases_are_complete"),
      (#line, "DELETE FROM lot_attributes", "lots_have_terms"),
      (#line, "DELETE FROM refunds", "refunds_are_complete"),
      (#line, "DELETE FROM customers WHERE id = 'dora'", "customers_are_known"),
      (#line, "DELETE FROM merges", "merges_replay"),
    ]
    for row in rows {
      let found = Set(try sparseLedger(damage: row.damage).verify().problems.map(\.equation))
      XCTAssertTrue(found.contains(row.equation), "\(row.damage): found \(found.sorted())", line: row.line)
    }
  }

  /// One damaged row is one row's problem: those behind it are found nevertheless.
  func testAMissingTransactionHidesNoOther() throws {
    let ledger = try sparseLedger(damage: "DELETE FROM all_transactions WHERE number = \(Self.sparse("7"))")
    let problems = try ledger.verify().problems
    XCTAssertEqual(problems.map(\.equation), ["entries_have_transactions", "transactions_are_complete"])
  }

  // MARK: Helpers

  private let time = ManualClock()
  private var directory: TemporaryDirectory?
  private var counts: JournalCounts?

  /// From one number of a lane to the next.
  private static let step = Numbering.sparse(lane: 0).step

  private static func sparse(_ number: String) -> String { "((\(number)) * 1000 * \(step) | (\(number)) % 3)" }
  private static func account(_ number: String) -> String {
    "(\(sparse("\(number) >> 10")) << 10 | (\(number) & 1023))"
  }

  private func sparseLedger(damage: String) throws -> Ledger {
    let directory = try directory ?? TemporaryDirectory()
    self.directory = directory
    let (healthy, path) = (directory.path("healthy.sqlite"), directory.path("\(UUID()).sqlite"))
    if counts == nil { try makeLedger(healthy) }
    try FileManager.default.copyItem(atPath: healthy, toPath: path)
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run(damage), damage)
    // The rows are others than those that were digested.
    try RenewedDigests.write(to: path, raw)
    return Ledger(
      storage: CountedStorage(try SQLiteStorage(path: path, now: time.now), counts: counts), clock: time.clock)
  }

  /// A closed ledger with a bit of everything, then with gaps.
  private func makeLedger(_ path: String) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let (alice, bob, carol) = (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("carol"))
    try ledger.grant([Make.amount("GEM", 1000)], customer: alice)
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 1_000_000)
    try ledger.grant([Make.amount("GEM", 50)], customer: alice, source: .promotional, expiresAt: expiry)
    try ledger.creditPurchase(Make.purchase("t1", product: "bundle"), customer: alice)
    try ledger.spend([Make.amount("GEM", 100)], customer: alice, key: Make.key("k"))
    try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer("dora"))
    try ledger.creditPurchase(
      Make.purchase("t2", product: "starter", environment: .xcode(session: "s")), customer: alice)
    for _ in 0..<66 { try ledger.spend([Make.amount("GEM", 1)], customer: alice) }
    try ledger.creditPurchase(Make.purchase("t3", product: "rubies"), customer: carol)
    try ledger.spend([Make.amount("RUBY", 60)], customer: carol)
    try ledger.grant([Make.amount("GEM", 10)], customer: bob)
    for _ in 0..<62 { try ledger.grant([Make.amount("GEM", 1)], customer: carol) }
    try ledger.grant([Make.amount("RUBY", 1)], customer: carol)
    try ledger.createAlias(Make.customer("bobby"), of: bob)
    try ledger.grant([Make.amount("GEM", 1)], customer: carol)
    try ledger.merge(from: carol, into: bob)
    try ledger.refund(Make.refund("t3"))
    try ledger.reverseRefund(Make.reversal("t3"))
    try ledger.freeze(bob)
    let transactions = try ledger.verify().transactions
    ledger.close()
    let raw = try RawSQLite(path)
    raw.disarm()
    counts = JournalCounts(transactions: transactions, entries: Int64(raw.rows("SELECT 1 FROM all_entries").count))
    XCTAssertNil(raw.run(Self.renumbering))
  }

  private static let renumbering: String = {
    let columns: [(table: String, columns: [String])] = [
      ("customers", ["customer", "merged_into"]), ("aliases", ["customer"]), ("added_ids", ["customer"]),
      ("customer_lists_buffer", ["customer", "number"]), ("keys", ["customer", "transaction_number"]),
      ("purchases", ["purchase", "customer", "transaction_number", "grant_lot"]), ("notes", ["transaction_number"]),
      ("item_entries", ["transaction_number", "customer"]), ("owned_items", ["customer"]),
      ("lots", ["lot", "purchase"]), ("lot_attributes", ["lot", "purchase"]),
      ("merges", ["transaction_number", "from_customer", "into_customer"]),
      ("refunds", ["transaction_number", "purchase", "lot", "source_lot"]),
      ("refund_parts", ["transaction_number", "lot", "source_lot"]), ("entitlements", ["purchase", "holder"]),
      ("account_rows", ["pool_lot"]), ("checkpoints", ["transaction_number"]), ("allocations", ["lot"]),
      ("all_entries", ["transaction_number", "lot"]), ("all_transactions", ["number", "customer"]),
    ]
    // An entry's number is its transaction's and its place in it.
    var sql = """
      CREATE TEMP TABLE entry_numbers AS
        SELECT all_entries.number AS old,
          \(sparse("t.number")) << \(Numbering.entryBits) | all_entries.number - t.first_entry AS new
        FROM all_entries JOIN all_transactions t ON t.number = transaction_number;
      """
    for (table, column) in [
      ("all_entries", "previous"), ("account_rows", "last_entry"), ("checkpoints", "entry"), ("allocations", "entry"),
      ("all_entries", "number"),
    ] {
      sql += "UPDATE \(table) SET \(column) = coalesce((SELECT new FROM entry_numbers WHERE old = \(column)), 0);"
    }
    for (table, columns) in columns {
      sql += "UPDATE \(table) SET \(columns.map { "\($0) = \(sparse($0))" }.joined(separator: ", "));"
    }
    for table in ["all_entries", "lots", "checkpoints", "account_rows"] {
      sql += "UPDATE \(table) SET account = \(account("account"));"
    }
    return sql + "UPDATE all_transactions SET first_entry = number << \(Numbering.entryBits)"
  }()
}
