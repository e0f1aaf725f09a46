import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Verify reports every damaged effect, hold and count.
final class DamagedJournalEventsTests: XCTestCase {
  private let time = ManualClock()
  private let directory = Result { try TemporaryDirectory() }

  func testWithoutDamageTheBooksAddUp() throws {
    let (ledger, raw) = try books()
    try assertBooksAddUp(ledger)
    XCTAssertEqual(raw.rows("SELECT DISTINCT kind FROM journal_events ORDER BY kind"), (1...9).map(String.init))
    XCTAssertEqual(raw.rows("SELECT count(*) FROM open_holds"), ["3"])
    ledger.close()
  }

  /// Each column of each row is changed by itself, and each row goes by itself.
  func testNoDamageGoesUnseen() throws {
    let (ledger, raw) = try books()
    for table in ["journal_events", "open_holds", "counters", "customer_lists_buffer"] {
      let columns = raw.rows("SELECT name FROM pragma_table_xinfo('\(table)')")
      let key = raw.rows("SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0")
      XCTAssertNil(raw.run("CREATE TABLE saved_\(table) AS SELECT * FROM \(table)"))
      let rows = raw.rows("SELECT \(key.map { "quote(\($0))" }.joined(separator: ", ")) FROM \(table)")
      for row in Tier.current.items(6, of: rows) {
        let position = zip(key, row.split(separator: "|")).map { "\($0) = \($1)" }.joined(separator: " AND ")
        for column in columns where try !isOvertaken(table, column, position, raw) {
          // A key is changed so much that no other row has it.
          let step = key.contains(column) ? 100_000 : 1
          let damaged = column == "subject" ? "coalesce(subject, '') || 'x'" : "coalesce(\(column), 0) + \(step)"
          try assertSeen(ledger, raw, table, "UPDATE \(table) SET \(column) = \(damaged) WHERE \(position)")
        }
        if try !isOvertaken(table, "", position, raw) {
          try assertSeen(ledger, raw, table, "DELETE FROM \(table) WHERE \(position)")
        }
      }
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private static let newest = "(SELECT max(transaction_number) FROM journal_events)"
  private static let damages: [(line: UInt, table: String, damage: String, equation: String)] = [
    (
      #line, "journal_events", "UPDATE journal_events SET transaction_number = 9999 WHERE kind = 9",
      "effects_have_transactions"
    ),
    (#line, "journal_events", "UPDATE journal_events SET customer = 2 WHERE kind = 9", "effects_have_transactions"),
    (#line, "journal_events", "UPDATE journal_events SET target = 1 WHERE kind = 1", "effects_have_transactions"),
    (#line, "journal_events", "UPDATE journal_events SET created_at = 1 WHERE kind = 3", "effects_have_transactions"),
    (
      #line, "journal_events", "UPDATE journal_events SET position = position + 1 WHERE kind = 9",
      "effects_are_complete"
    ),
    (#line, "journal_events", "DELETE FROM journal_events WHERE kind = 1", "effects_are_complete"),
    (#line, "journal_events", "UPDATE journal_events SET kind = 5 WHERE kind = 9", "effects_fit"),
    (#line, "journal_events", "UPDATE journal_events SET lot = 1 WHERE kind = 2", "effects_fit"),
    (#line, "journal_events", "UPDATE journal_events SET amount = amount + 1 WHERE kind = 3", "holds_replay"),
    (
      #line, "journal_events", "UPDATE journal_events SET amount = amount + 1 WHERE kind = 4",
      "effects_book_their_entries"
    ),
    (
      #line, "journal_events", "UPDATE journal_events SET amount = amount - 1 WHERE kind = 7",
      "effects_book_their_entries"
    ),
    (#line, "journal_events", "UPDATE journal_events SET lot = 1 WHERE kind = 9", "effects_book_their_entries"),
    (
      #line, "journal_events", "UPDATE journal_events SET held_after = held_after + 1 WHERE kind = 5",
      "effects_replay"
    ),
    (#line, "journal_events", "UPDATE journal_events SET value = value + 1 WHERE kind = 2", "holds_replay"),
    (#line, "journal_events", "UPDATE journal_events SET value = value + 1 WHERE kind = 6", "counts_replay"),
    (#line, "journal_events", "DELETE FROM journal_events WHERE transaction_number = \(newest)", "counts_replay"),
    (#line, "journal_events", "UPDATE journal_events SET value = 9 WHERE kind = 8", "baskets_are_linked"),
    (#line, "journal_events", "UPDATE journal_events SET amount = 99999 WHERE kind = 3", "lots_are_never_overdrawn"),
    (
      #line, "journal_events", "UPDATE journal_events SET lot = 1 WHERE kind = 3 AND customer > 1",
      "lots_belong_to_accounts"
    ),
    (#line, "journal_events", "UPDATE journal_events SET kind = 77 WHERE kind = 8", "storage_integrity"),
    (#line, "open_holds", "UPDATE open_holds SET deadline = deadline + 1", "holds_replay"),
    (#line, "open_holds", "UPDATE open_holds SET customer = 3 WHERE customer = 2", "holds_replay"),
    (#line, "open_holds", "DELETE FROM open_holds", "holds_replay"),
    (#line, "open_holds", "UPDATE open_holds SET amount = amount + 1", "holds_replay"),
    (#line, "open_holds", "UPDATE open_holds SET begun_at = begun_at + 1", "holds_replay"),
    (#line, "open_holds", "UPDATE open_holds SET lot = lot + 1", "holds_replay"),
    (#line, "open_holds", "UPDATE open_holds SET currency = currency + 1", "holds_replay"),
    (#line, "open_holds", "INSERT INTO open_holds VALUES (1, 1, 1, NULL, NULL, NULL, NULL)", "holds_replay"),
    (#line, "counters", "UPDATE counters SET value = value + 1", "counts_replay"),
    (#line, "counters", "UPDATE counters SET period = 0", "counts_replay"),
    (#line, "counters", "DELETE FROM counters", "counts_replay"),
    (#line, "counters", "INSERT INTO counters VALUES (3, 4, 'GEM', 1, 1)", "counts_replay"),
    (#line, "counters", "INSERT INTO counters VALUES (1, 99, 'GEM', 1, 1)", "storage_integrity"),
    (#line, "account_rows", "UPDATE account_rows SET held = held + 1 WHERE held > 0", "holds_replay"),
    (#line, "account_rows", "UPDATE account_rows SET held = held - 1 WHERE held > 0", "lots_make_the_balance"),
    (#line, "account_rows", "UPDATE account_rows SET held = held - 1 WHERE held > 0", "lots_make_the_balances"),
    (#line, "account_rows", "UPDATE account_rows SET next_scheduled_at = NULL", "accounts_know_their_holds"),
    (
      #line, "account_rows", "UPDATE account_rows SET next_scheduled_at = next_scheduled_at + 10000000",
      "accounts_know_their_holds"
    ),
    (
      #line, "lot_attributes", "UPDATE lot_attributes SET original_lot = 9999 WHERE original_lot > 0",
      "lots_have_origins"
    ),
    (
      #line, "lot_attributes", "UPDATE lot_attributes SET original_lot = lot WHERE original_lot > 0",
      "lots_have_origins"
    ),
    (#line, "all_entries", "UPDATE all_entries SET amount = amount + 1 WHERE kind = 8", "transfers_cancel_out"),
    (#line, "all_entries", "UPDATE all_entries SET amount = amount + 2000 WHERE kind = 4", "reversals_are_covered"),
    (
      #line, "allocations",
      "UPDATE allocations SET amount = amount + 2000 WHERE entry IN (SELECT number FROM all_entries WHERE kind = 4)",
      "reversals_are_covered"
    ),
  ]

  func testVerifyNamesTheBrokenEquation() throws {
    let (ledger, raw) = try books()
    for table in [
      "journal_events", "open_holds", "counters", "account_rows", "all_entries", "allocations", "lot_attributes",
    ] {
      XCTAssertNil(raw.run("CREATE TABLE saved_\(table) AS SELECT * FROM \(table)"))
    }
    for row in Self.damages {
      XCTAssertNil(raw.run(row.damage), row.damage, line: row.line)
      let found = Set(try ledger.verify().problems.map(\.equation))
      XCTAssertTrue(found.contains(row.equation), "\(row.damage): found \(found.sorted())", line: row.line)
      restore(row.table, raw)
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  // MARK: Helpers

  private func books() throws -> (Ledger, RawSQLite) {
    let path = try directory.get().path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try JournalEventFixture.fill(ledger, time)
    let raw = try RawSQLite(path)
    raw.disarm()
    return (ledger, raw)
  }

  /// Whether a later effect has replaced the value, so that it cannot be checked any more.
  private func isOvertaken(_ table: String, _ column: String, _ position: String, _ raw: RawSQLite) throws -> Bool {
    guard table == "journal_events", ["", "value", "period"].contains(column) else { return false }
    let later = """
      SELECT count(*) FROM journal_events own JOIN journal_events other ON other.kind = own.kind
        AND other.customer = own.customer AND other.target = own.target
        AND other.transaction_number > own.transaction_number
      WHERE own.kind = 6 AND \(position.replacingOccurrences(of: "transaction_number", with: "own.transaction_number")
        .replacingOccurrences(of: "position", with: "own.position"))
      """
    let deadlines = "SELECT count(*) FROM journal_events WHERE kind IN (2, 3) AND \(position)"
    if raw.rows(later) != ["0"] { return true }
    guard column == "value", raw.rows(deadlines) != ["0"] else { return false }
    // A deadline of a hold that has ended, or that was extended.
    let newest = """
      SELECT count(*) FROM journal_events JOIN open_holds ON hold = target AND deadline = value
      WHERE kind IN (2, 3) AND \(position)
      """
    return raw.rows(newest) == ["0"]
  }

  private func assertSeen(
    _ ledger: Ledger, _ raw: RawSQLite, _ table: String, _ damage: String, line: UInt = #line
  ) throws {
    XCTAssertNil(raw.run(damage), damage, line: line)
    XCTAssertFalse(try ledger.verify().isOK, "\(damage): nothing found", line: line)
    restore(table, raw)
  }

  private func restore(_ table: String, _ raw: RawSQLite) {
    XCTAssertNil(raw.run("DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM saved_\(table)"))
  }
}
