import CSQLite
import XCTest

/// SQLite as a vandal uses it: past the ledger, its checks and its triggers.
final class RawSQLite {
  private let database: OpaquePointer

  init(_ path: String, file: StaticString = #filePath, line: UInt = #line) throws {
    var database: OpaquePointer?
    let code = sqlite3_open(path, &database)
    XCTAssertEqual(code, SQLITE_OK, file: file, line: line)
    self.database = try XCTUnwrap(database, file: file, line: line)
  }

  deinit { sqlite3_close_v2(database) }

  /// Runs the statements; gives SQLite's message where it refuses.
  @discardableResult
  func run(_ sql: String) -> String? {
    sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK ? nil : String(cString: sqlite3_errmsg(database))
  }

  /// Copies the whole database as SQLite's shell does; gives its message where it fails.
  func backUp(to path: String) -> String? {
    var copy: OpaquePointer?
    guard sqlite3_open(path, &copy) == SQLITE_OK else { return "cannot open \(path)" }
    defer { sqlite3_close_v2(copy) }
    guard let backup = sqlite3_backup_init(copy, "main", database, "main") else { return "cannot begin" }
    sqlite3_backup_step(backup, -1)
    return sqlite3_backup_finish(backup) == SQLITE_OK ? nil : String(cString: sqlite3_errmsg(copy))
  }

  /// Every row, its columns joined by `|`.
  func rows(_ sql: String, file: StaticString = #filePath, line: UInt = #line) -> [String] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    XCTAssertEqual(sqlite3_prepare_v2(database, sql, -1, &statement, nil), SQLITE_OK, sql, file: file, line: line)
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      let columns = (0..<sqlite3_column_count(statement)).map { column in
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
      }
      rows.append(columns.joined(separator: "|"))
    }
    return rows
  }

  /// Drops the triggers and switches the checks off; transactions and entries can be changed by their views.
  func disarm() {
    for name in rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") { run("DROP TRIGGER \(name)") }
    run("PRAGMA ignore_check_constraints = ON")
    for trigger in Self.writableViews { XCTAssertNil(run(trigger), trigger) }
  }

  /// Triggers that write the changes of views to the tables.
  ///
  /// A plain transaction stays one row if the row can hold the change; otherwise it becomes two rows first.
  private static let writableViews: [String] = {
    let transaction = "number = OLD.number"
    let fits = """
      (NEW.number = OLD.number AND NEW.kind = OLD.kind AND NEW.customer = OLD.customer
        AND NEW.first_entry = OLD.first_entry)
      """
    let own = "number = OLD.transaction_number"
    let entryFits = """
      (NEW.number = OLD.number AND NEW.transaction_number = OLD.transaction_number AND NEW.kind = OLD.kind
        AND NEW.account >> 10 = OLD.account >> 10 AND NEW.debt = 0)
      """
    func trigger(_ event: String, _ view: String, _ body: String) -> String {
      """
      CREATE TEMP TRIGGER IF NOT EXISTS \(event)_\(view) INSTEAD OF \(event) ON main.\(view) BEGIN
        \(body);
      END
      """
    }
    func twoRows(_ row: String, first: String) -> String {
      let number = row.contains("transaction_number") ? "OLD.transaction_number" : "OLD.number"
      let begins =
        "transaction_number = \(number) AND NOT EXISTS (SELECT 1 FROM plain_transactions WHERE number = \(number))"
      // A run that began with the row begins with the next one.
      return """
        INSERT INTO transaction_rows SELECT number, kind, account >> 10, created_at, \(first), digest, erasable_digest
          FROM plain_transactions WHERE \(row);
        INSERT INTO entry_rows SELECT \(first), number, account, kind, amount, balance, 0, version, previous, lot
          FROM plain_transactions WHERE \(row);
        DELETE FROM plain_transactions WHERE \(row);
        INSERT OR IGNORE INTO entry_runs SELECT p.number, p.number - r.transaction_number + r.first_entry
          FROM entry_runs r JOIN plain_transactions p
            ON p.number = (SELECT min(number) FROM plain_transactions WHERE number > \(number))
          WHERE \(begins);
        DELETE FROM entry_runs WHERE \(begins)
        """
    }
    return [
      trigger(
        "UPDATE", "all_transactions",
        """
        UPDATE plain_transactions SET created_at = NEW.created_at, digest = NEW.digest,
          erasable_digest = NEW.erasable_digest WHERE \(transaction) AND \(fits);
        \(twoRows("\(transaction) AND NOT \(fits)", first: "OLD.first_entry"));
        UPDATE transaction_rows SET number = NEW.number, kind = NEW.kind, customer = NEW.customer,
          created_at = NEW.created_at, first_entry = NEW.first_entry, digest = NEW.digest,
          erasable_digest = NEW.erasable_digest WHERE number = OLD.number
        """),
      trigger(
        "DELETE", "all_transactions",
        "\(twoRows(transaction, first: "OLD.first_entry")); DELETE FROM transaction_rows WHERE number = OLD.number"),
      trigger(
        "INSERT", "all_transactions",
        """
        INSERT INTO transaction_rows VALUES (NEW.number, NEW.kind, NEW.customer, NEW.created_at, NEW.first_entry,
          NEW.digest, NEW.erasable_digest)
        """),
      trigger(
        "UPDATE", "all_entries",
        """
        UPDATE plain_transactions SET account = NEW.account, amount = NEW.amount, balance = NEW.balance,
          version = NEW.version, previous = NEW.previous, lot = NEW.lot WHERE \(own) AND \(entryFits);
        \(twoRows("\(own) AND NOT \(entryFits)", first: "OLD.number"));
        UPDATE entry_rows SET number = NEW.number, transaction_number = NEW.transaction_number, account = NEW.account,
          kind = NEW.kind, amount = NEW.amount, balance = NEW.balance, debt = NEW.debt, version = NEW.version,
          previous = NEW.previous, lot = NEW.lot WHERE number = OLD.number
        """),
      trigger(
        "INSERT", "all_entries",
        """
        INSERT INTO entry_rows VALUES (NEW.number, NEW.transaction_number, NEW.account, NEW.kind, NEW.amount,
          NEW.balance, NEW.debt, NEW.version, NEW.previous, NEW.lot)
        """),
      trigger(
        "DELETE", "all_entries",
        "\(twoRows(own, first: "OLD.number")); DELETE FROM entry_rows WHERE number = OLD.number"),
    ]
  }()
}
