#if PostgreSQL
import GemLedger
import GemLedgerAudit
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Rows that nothing leads to: `verify` names every one, and no customer's commands fail because of one.
///
/// Each case puts one row into one table: a copy of a row there, with another number in one column of its key. The
/// thorough tier plays all cases.
final class PostgresOrphanRowTests: XCTestCase {
  /// The tables whose rows nothing has to lead to: settings, documents of applications, statements of stores, and rows
  /// that are the only one of their table.
  private static let free: Set = [
    "migrations", "project", "lanes", "commit_tokens", "copy_progress", "copied_journal", "documents", "evidence",
  ]

  private struct Case: CustomStringConvertible {
    let table: String
    let column: String
    let value: Int64

    var description: String { "a row of \(table) with \(column) = \(value)" }
  }

  private let time = ManualClock()

  func testVerifyNamesEveryRowThatNothingLeadsTo() throws {
    let server = try PostgresServer.shared()
    let original = try server.createDatabase()
    try RichJournal.fill(SeededRandom(seed: 11), time) {
      try Ledger.createPostgres(at: original, clock: $0, salt: 1)
    } open: {
      try Ledger.openPostgres(at: original, clock: $0)
    }
    var inserted = 0
    for orphan in try Tier.current.items(24, of: cases(server, original)) {
      let url = try server.createDatabase(copying: original)
      defer { try? server.dropDatabase(url) }  // One that is left goes with the server.
      guard try isInserted(orphan, server, url) else { continue }
      inserted += 1
      let ledger = try Ledger.openPostgres(at: url, clock: time.clock)
      defer { ledger.close() }
      XCTAssertFalse(try ledger.verify().isOK, "\(orphan) is not seen")
      for failure in failures(ledger) { XCTFail("\(orphan): \(failure)") }
    }
    XCTAssertGreaterThan(inserted, 10)
  }

  /// Books commands with rows in most tables, for customers of their own.
  private func failures(_ ledger: Ledger) -> [String] {
    var failures: [String] = []
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { failures.append("\(error)") }
    }
    attempt {
      let nora = try Make.customer("nora")
      let details = CommandDetails(reason: try Reason("a gift"))
      try ledger.book(.grant([Make.amount("GEM", 10)], customer: nora, details: details))
      try ledger.creditPurchase(Make.purchase("nora-1"), customer: nora)
      try ledger.spend([Make.amount("GEM", 1010)], customer: nora)
      try ledger.hold([Make.amount("GEM", 100)], customer: nora, for: .seconds(60))
      try ledger.refund(Make.refund("nora-1"))
      _ = try ledger.history(of: nora, limit: 100)
    }
    return failures
  }

  private func cases(_ server: PostgresServer, _ url: String) throws -> [Case] {
    let columns = try server.execute(
      """
      SELECT c.table_name || '.' || c.column_name FROM information_schema.table_constraints t
      JOIN information_schema.key_column_usage c USING (constraint_schema, constraint_name)
      JOIN information_schema.columns k ON (k.table_schema, k.table_name, k.column_name)
        = (c.table_schema, c.table_name, c.column_name) AND k.data_type IN ('bigint', 'smallint')
      WHERE t.table_schema = 'gemledger' AND t.constraint_type = 'PRIMARY KEY' ORDER BY 1
      """, on: url)
    var cases: [Case] = []
    for name in columns {
      let parts = name.split(separator: ".").map(String.init)
      guard parts.count == 2, !Self.free.contains(parts[0]) else { continue }
      // A store transaction may be claimed of any store, and not be credited.
      let values: [Int64] = name == "store_transactions.store" ? [-3, 1 << 14] : [0, -3, 1 << 40]
      cases += values.map { Case(table: parts[0], column: parts[1], value: $0) }
    }
    XCTAssertGreaterThan(cases.count, 60)
    return cases
  }

  /// - Returns: Whether there is a row, and the table takes a copy of it with that number.
  private func isInserted(_ orphan: Case, _ server: PostgresServer, _ url: String) throws -> Bool {
    let table = "gemledger.\(orphan.table)"
    do {
      return try !server.execute(
        """
        ALTER TABLE \(table) DISABLE TRIGGER USER;
        CREATE TEMPORARY TABLE orphan AS SELECT * FROM \(table) ORDER BY \(orphan.column) DESC LIMIT 1;
        UPDATE orphan SET \(orphan.column) = \(orphan.value);
        INSERT INTO \(table) SELECT * FROM orphan RETURNING 1
        """, on: url
      ).isEmpty
    } catch {
      // A column of another type, or a number that another row has.
      return false
    }
  }
}
#endif
