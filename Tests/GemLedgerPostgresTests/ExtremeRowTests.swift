#if PostgreSQL
import GemLedger
import GemLedgerAudit
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Rows with integers at the ends of 64 bits: no verb traps or runs without end, and commands of others are booked.
///
/// Alice's rows are damaged, one column at a time. The thorough tier tries every value in each column.
final class ExtremeRowTests: XCTestCase {
  private static let values: [Int64] = [.min, .max, -1, 1_000_000_000_000, 1, 0]

  private struct Column {
    let table: String
    let name: String
    let isOfCustomers: Bool
  }

  private let time = ManualClock()

  func testExtremeIntegersInAnyColumnAreOfTheirOwnCommands() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    try fill(url)
    let columns = try columns(server, url)
    XCTAssertGreaterThan(columns.count, 100)
    let all = columns.flatMap { column in Self.values.map { (column, $0) } }
    let cells = Tier.current.items(30, of: all)
    let damaged = try cells.count { column, value in try check(column, value, server, url) }
    XCTAssertGreaterThan(damaged, cells.count / 2)
  }

  /// Shows that the bounds are checked: without the check, the damaged number would be returned.
  func testADamagedBalanceIsNamedAndOfItsOwnCommandOnly() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    try fill(url)
    try server.execute(
      """
      UPDATE gemledger.accounts SET balance = 9223372036854775807 WHERE version > 0
        AND customer = (SELECT customer FROM gemledger.aliases WHERE id = 'alice')
      """, on: url)
    let ledger = try Ledger.openPostgres(at: url, clock: time.clock)
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    let error = assertRefused(.storageDamaged) { try ledger.balances(of: alice) }
    XCTAssertEqual(
      error?.message.contains("has balance 9223372036854775807, which is out of range"), true,
      "\(error?.message ?? "")")
    let grants = try [bob, alice, bob, bob].map { try LedgerCommand.grant([Make.amount("GEM", 1)], customer: $0) }
    let answers = ledger.submit(grants)
    assertRefused(.storageDamaged) { try answers[1].get() }
    XCTAssertEqual(try [0, 2, 3].map { try answers[$0].get().entries[0].balance }, [100_001, 100_002, 100_003])
    XCTAssertEqual(try ledger.verify().problems.map(\.equation), ["storage_integrity"])
    ledger.close()
  }

  // MARK: One column

  /// - Returns: Whether there was a row that could take the value.
  private func check(
    _ column: Column, _ value: Int64, _ server: PostgresServer, _ original: String
  ) throws -> Bool {
    let what = "\(column.table).\(column.name) = \(value)"
    let address =
      column.isOfCustomers ? "WHERE customer = (SELECT customer FROM gemledger.aliases WHERE id = 'alice')" : ""
    let table = "gemledger.\(column.table)"
    let url = try server.createDatabase(copying: original)
    defer { try? server.dropDatabase(url) }  // One that is left goes with the server.
    do {
      let changed = try server.execute(
        """
        ALTER TABLE \(table) DISABLE TRIGGER USER;
        UPDATE \(table) SET \(column.name) = \(value)
          WHERE ctid = (SELECT ctid FROM \(table) \(address) ORDER BY ctid LIMIT 1) RETURNING 1
        """, on: url)
      if changed.isEmpty { return false }
    } catch {
      // A value that the column cannot have, or that another row has.
      return false
    }
    let start = ContinuousClock.now
    do {
      let ledger = try Ledger.openPostgres(at: url, clock: time.clock)
      defer { ledger.close() }
      try verbs(ledger, what, neighboursAreBooked: column.isOfCustomers)
    } catch let error as LedgerError {
      XCTAssertFalse(column.isOfCustomers, "\(what): \(error)")
    }
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(60), what)
    return true
  }

  private func verbs(_ ledger: Ledger, _ what: String, neighboursAreBooked: Bool) throws {
    let (alice, bob, carol) = (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("carol"))
    let commands: [LedgerCommand] = [
      try .grant([Make.amount("GEM", 3)], customer: alice), try .grant([Make.amount("GEM", 3)], customer: bob),
      try .spend([Make.amount("GEM", 2)], customer: alice, key: Make.key("key")),
      try .spend([Make.amount("GEM", 2)], customer: bob), try .spend([Make.amount("GEM", 2)], customer: alice),
    ]
    let answers = ledger.submit(commands)
    if neighboursAreBooked {
      for address in [1, 3] { XCTAssertNoThrow(try answers[address].get(), what) }
    }
    attempt { try ledger.transfer([Make.amount("GEM", 1)], from: alice, to: carol) }
    attempt { try ledger.hold([Make.amount("GEM", 1)], customer: alice, for: .seconds(60)) }
    attempt { try ledger.refund(Make.refund("t1")) }
    attempt { try ledger.creditPurchase(Make.purchase("t1"), customer: alice) }
    attempt { _ = try ledger.balances(of: alice) }
    attempt { _ = try ledger.history(of: alice, limit: 10) }
    attempt { _ = try ledger.explain(CurrencyCode("GEM"), customer: alice, limit: 10) }
    attempt { try ledger.createAlias(Make.customer("ally"), of: alice) }
    attempt { _ = try ledger.repairIDs(isDryRun: true) }
    attempt { _ = try ledger.verify() }
  }

  /// Any answer will do that comes.
  private func attempt(_ body: () throws -> Void) { _ = Result { try body() } }

  // MARK: The ledger

  private func fill(_ url: String) throws {
    let ledger = try Ledger.createPostgres(at: url + "?lanes=2", clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for customer in [alice, bob] {
      try ledger.grant([Make.amount("GEM", 100_000)], customer: customer, key: Make.key("key"))
    }
    try ledger.grant([Make.amount("GEM", 50)], customer: alice, source: .promotional, reason: Reason("a gift"))
    try ledger.creditPurchase(Make.purchase("t1"), customer: alice)
    try ledger.creditPurchase(Make.purchase("t2", product: "rubies"), customer: alice)
    try ledger.refund(Make.refund("t2"))
    try ledger.spend([Make.amount("GEM", 1210)], customer: alice)
    try ledger.hold([Make.amount("GEM", 5)], customer: alice, for: .seconds(1_000_000))
    try ledger.createAlias(Make.customer("alias"), of: alice)
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("gone"))
    try ledger.merge(from: Make.customer("gone"), into: alice)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// The integers of all tables, but for the migrations' own.
  private func columns(_ server: PostgresServer, _ url: String) throws -> [Column] {
    let rows = try server.execute(
      """
      SELECT table_name || ' ' || column_name || ' ' || EXISTS (
        SELECT FROM information_schema.columns o WHERE o.table_schema = c.table_schema
          AND o.table_name = c.table_name AND o.column_name = 'customer' AND o.table_name <> 'lanes')
      FROM information_schema.columns c WHERE table_schema = 'gemledger' AND table_name <> 'migrations'
        AND data_type IN ('bigint', 'integer', 'smallint') ORDER BY table_name, column_name
      """, on: url)
    return rows.map { row in
      let words = row.split(separator: " ").map(String.init)
      return Column(table: words[0], name: words[1], isOfCustomers: words[2].hasPrefix("t"))
    }
  }
}
#endif
