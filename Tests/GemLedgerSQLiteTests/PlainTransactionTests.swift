import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Most transactions are one row with their only entry, whose number follows from the run that it is in.
final class PlainTransactionTests: XCTestCase {
  private let time = ManualClock()
  private var directory: TemporaryDirectory?

  private func make(_ name: String = "it.sqlite") throws -> (ledger: Ledger, path: String) {
    let made = try directory ?? TemporaryDirectory()
    directory = made
    let path = made.path(name)
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    return (ledger, path)
  }

  private func grant(_ count: Int, _ ledger: Ledger, to name: String = "alice") throws {
    for _ in 0..<count { try ledger.grant([Make.amount("GEM", 100)], customer: Make.customer(name)) }
  }

  /// A file with three runs: transactions of two entries, and of none, are between them.
  private func makeRuns() throws -> (ledger: Ledger, path: String) {
    let (ledger, path) = try make()
    let alice = try Make.customer("alice")
    try grant(40, ledger)
    try ledger.grant([Make.amount("GEM", 5), Make.amount("COIN", 5)], customer: alice)
    try grant(30, ledger, to: "bob")
    try ledger.hold([Make.amount("GEM", 50)], customer: alice, for: .seconds(60))
    try grant(30, ledger)
    return (ledger, path)
  }

  func testARunBeginsAfterTransactionsOfOneEntryEach() throws {
    let (ledger, path) = try makeRuns()
    let raw = try RawSQLite(path)
    // The first 16 transactions after each change of the distance are two rows, or more.
    XCTAssertEqual(raw.rows("SELECT * FROM entry_runs"), ["17|17", "58|59", "89|89"])
    XCTAssertEqual(raw.rows("SELECT count(*) FROM plain_transactions"), ["52"])
    XCTAssertEqual(raw.rows("SELECT count(*), max(number) FROM all_transactions"), ["102|102"])
    XCTAssertEqual(raw.rows("SELECT count(*), max(number) FROM all_entries"), ["102|102"])
    let firsts = "SELECT count(*) FROM all_entries e JOIN all_transactions t ON t.first_entry = e.number"
    XCTAssertEqual(raw.rows(firsts), ["102"])
    try assertBooksAddUp(ledger)
  }

  func testFrequentChangesOfTheDistanceBeginNoRuns() throws {
    let (ledger, path) = try make()
    try grant(1, ledger)
    for _ in 0..<40 {
      let hold = try ledger.hold([Make.amount("GEM", 1)], customer: Make.customer("alice"), for: .seconds(60))
      try ledger.capture(HoldID(XCTUnwrap(hold.transactionID)))
    }
    XCTAssertEqual(try RawSQLite(path).rows("SELECT * FROM entry_runs"), [])
    try assertBooksAddUp(ledger)
  }

  /// Each row is found by its number from a page that begins anywhere.
  func testPagesBeginAnywhere() throws {
    let (ledger, path) = try makeRuns()
    ledger.close()
    let storage = try SQLiteStorage(path: path)
    defer { storage.close() }
    try storage.read { (snapshot) throws(LedgerError) in
      let scan = try snapshot.scan()
      let transactions = try scan.transactions(after: 0, limit: 1000)
      let entries = try scan.entries(after: 0, limit: 1000)
      XCTAssertEqual(transactions.map(\.number), Array(1...102))
      XCTAssertEqual(entries.map(\.number), Array(1...102))
      for number in 0...102 {
        XCTAssertEqual(try scan.transactions(after: Int64(number), limit: 3), Array(transactions[number...].prefix(3)))
        XCTAssertEqual(try scan.entries(after: Int64(number), limit: 3), Array(entries[number...].prefix(3)))
      }
    }
    try storage.read { (snapshot) throws(LedgerError) in
      for row in try snapshot.rows(TransactionRow.byNumber, (0...104).map { IndexKey($0) }) {
        XCTAssertEqual(try snapshot.transaction(row.number), row)
        XCTAssertEqual(try snapshot.entries(of: row), try snapshot.entries(of: row.number))
      }
      let entries = try snapshot.rows(EntryRow.byNumber, (0...104).map { IndexKey($0) })
      XCTAssertEqual(entries.map(\.number), Array(1...102))
      for entry in entries { XCTAssertEqual(try snapshot.entry(entry.number), entry) }
      XCTAssertNil(try snapshot.entry(103))
      XCTAssertEqual(try snapshot.rows(EntryRow.byNumber, [IndexKey(17), IndexKey(16)]), Array(entries[15...16]))
    }
  }

  func testVerifyFindsEveryChangedColumn() throws {
    let (ledger, path) = try makeRuns()
    ledger.close()
    for table in ["plain_transactions", "entry_runs"] {
      for column in try RawSQLite(path).rows("SELECT name FROM pragma_table_info('\(table)')") {
        for change in ["+ 1", "- 1", "+ 1000"] {
          for place in ["ASC LIMIT 1", "DESC LIMIT 1", "ASC LIMIT 1 OFFSET 1"] {
            let sql = """
              UPDATE \(table) SET \(column) = coalesce(\(column), 0) \(change)
              WHERE rowid = (SELECT rowid FROM \(table) ORDER BY rowid \(place))
              """
            try assertFound(sql, path)
          }
        }
      }
    }
    try assertFound("DELETE FROM plain_transactions WHERE number = 70", path)
    try assertFound("DELETE FROM entry_runs WHERE transaction_number = 58", path)
    try assertFound("DELETE FROM entry_runs", path)
    try assertFound("INSERT INTO entry_runs VALUES (95, 96)", path)
    try assertFound("INSERT INTO entry_runs VALUES (1, 1)", path)
    try assertFound("INSERT INTO transaction_rows SELECT * FROM all_transactions WHERE number = 70", path)
    try assertFound("INSERT INTO entry_rows SELECT * FROM all_entries WHERE number = 70", path)
  }

  private func assertFound(_ sql: String, _ path: String, line: UInt = #line) throws {
    let copy = try XCTUnwrap(directory).path("changed.sqlite")
    try? FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    do {
      let raw = try RawSQLite(copy)
      raw.disarm()
      // The number may be taken.
      guard raw.run(sql) == nil else { return }
      XCTAssertNotEqual(raw.rows("SELECT total_changes()"), ["0"], sql, line: line)
    }
    let ledger = try Ledger.openSQLite(at: copy, clock: time.clock)
    defer { ledger.close() }
    do throws(LedgerError) {
      let verification = try ledger.verify()
      XCTAssertFalse(verification.isOK, sql, line: line)
    } catch {
      XCTAssertEqual(error.code, .storageDamaged, "\(sql): \(error)", line: line)
    }
  }

  /// Without its run the number of an entry is unknown; no other entry may get it.
  func testNothingIsBookedWithoutTheLastRun() throws {
    let (ledger, path) = try makeRuns()
    ledger.close()
    let raw = try RawSQLite(path)
    raw.disarm()
    raw.run("DELETE FROM entry_runs")
    let damaged = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { damaged.close() }
    XCTAssertThrowsError(try grant(1, damaged)) {
      XCTAssertEqual(($0 as? LedgerError)?.code, .storageDamaged, "\($0)")
    }
  }

  /// A run of transactions that are not there holds for none that come to their numbers.
  func testARunAheadOfTheJournalHoldsForNothing() throws {
    for (number, entry) in [(103, 103), (103, 104), (104, 150), (105, 104), (120, 119), (125, 1000)] {
      let (ledger, path) = try makeRuns()
      ledger.close()
      let raw = try RawSQLite(path)
      let triggers = raw.rows("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
      raw.disarm()
      XCTAssertNil(raw.run("INSERT INTO entry_runs VALUES (\(number), \(entry))"))
      for trigger in triggers { XCTAssertNil(raw.run(trigger)) }
      let opened = try Ledger.openSQLite(at: path, clock: time.clock)
      try grant(60, opened)
      let balance = try opened.balance(of: CurrencyCode("GEM"), customer: Make.customer("alice")).balance
      XCTAssertEqual(balance, 130 * 100 + 5)
      let problems = try opened.verify().problems.map(\.message)
      XCTAssertTrue(problems.allSatisfy { $0.contains("the run of entries from transaction \(number)") }, "\(problems)")
      XCTAssertEqual(raw.rows("SELECT count(*) FROM all_entries WHERE number = transaction_number"), ["131"])
      opened.close()
      directory = nil
    }
  }

  /// A lost row at a run's beginning is one lost row: the numbers of the others stay.
  func testTheFirstRowOfARunIsNotTheRun() throws {
    let (ledger, path) = try makeRuns()
    ledger.close()
    let raw = try RawSQLite(path)
    raw.disarm()
    let numbers = "SELECT number, transaction_number FROM all_entries WHERE transaction_number NOT IN (17, 58, 89)"
    let before = raw.rows(numbers)
    XCTAssertNil(raw.run("DELETE FROM plain_transactions WHERE number IN (17, 58, 89)"))
    XCTAssertEqual(raw.rows(numbers), before)
    let damaged = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { damaged.close() }
    XCTAssertFalse(try damaged.verify().isOK)
    try grant(1, damaged, to: "bob")
    XCTAssertEqual(raw.rows("SELECT max(number), count(*) = count(DISTINCT number) FROM all_entries"), ["103|1"])
    XCTAssertEqual(raw.rows(numbers + " AND transaction_number <= 102"), before)
    XCTAssertThrowsError(try damaged.history(of: Make.customer("alice"), limit: 500))
    XCTAssertGreaterThan(try damaged.history(of: Make.customer("bob"), limit: 5).transactions.count, 4)
  }

  /// Where damage makes the last number too low, no rows of another entry are replaced.
  func testATooLowRunReplacesNothing() throws {
    let (ledger, path) = try makeRuns()
    // A spend of two lots has rows of its own for both.
    let expires = Timestamp(milliseconds: time.now.milliseconds + 1_000_000_000)
    for name in ["bob", "carol"] {
      try grant(20, ledger, to: name)
      try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer(name), source: .bonus, expiresAt: expires)
    }
    try ledger.spend([Make.amount("GEM", 15)], customer: Make.customer("bob"), key: Make.key("bob"))
    ledger.close()
    let raw = try RawSQLite(path)
    raw.disarm()
    let allocations = raw.rows("SELECT * FROM allocations")
    XCTAssertFalse(allocations.isEmpty)
    XCTAssertNil(raw.run("UPDATE entry_runs SET first_entry = first_entry - 1 WHERE transaction_number = 89"))
    let damaged = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { damaged.close() }
    for name in ["bob", "carol"] {
      XCTAssertThrowsError(
        try damaged.spend([Make.amount("GEM", 15)], customer: Make.customer(name), key: Make.key("again"))
      ) {
        XCTAssertEqual(($0 as? LedgerError)?.code, .storageDamaged, "\($0)")
      }
    }
    XCTAssertEqual(raw.rows("SELECT * FROM allocations"), allocations)
    XCTAssertFalse(try damaged.verify().isOK)
  }

  func testADamagedRowStopsNoBookingsOfOthers() throws {
    let (ledger, path) = try make()
    try grant(40, ledger)
    try ledger.grant([Make.amount("GEM", 5), Make.amount("COIN", 5)], customer: Make.customer("alice"))
    ledger.close()
    let raw = try RawSQLite(path)
    raw.disarm()
    let damage = "UPDATE plain_transactions SET created_at = 9000000000000000000 WHERE number BETWEEN 20 AND 40"
    XCTAssertNil(raw.run(damage))
    let damaged = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { damaged.close() }
    try grant(40, damaged, to: "bob")
  }

  /// Runs that send a scan back are damage, and no endless scan.
  func testAScanNeverGoesBack() throws {
    let (ledger, path) = try make()
    try grant(100, ledger)
    ledger.close()
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run("DELETE FROM entry_runs; INSERT INTO entry_runs VALUES (17, 60), (58, 17)"))
    let storage = try SQLiteStorage(path: path)
    defer { storage.close() }
    for limit in [1, 41, 43, 1000] {
      XCTAssertThrowsError(
        try storage.read { (snapshot) throws(LedgerError) in
          try snapshot.scan().pages(of: limit) { (_: [EntryRow]) in }
        }, "\(limit)")
    }
  }

  /// All rows are in the views, which cannot be written.
  func testTheViewsHaveTheRows() throws {
    let (ledger, path) = try makeRuns()
    let raw = try RawSQLite(path)
    let alice = try ledger.history(of: Make.customer("alice"), limit: 500).transactions.count
    XCTAssertEqual(
      raw.rows(
        "SELECT count(*) FROM all_transactions WHERE customer = (SELECT customer FROM aliases WHERE id = 'alice')"),
      ["\(alice)"])
    XCTAssertNotNil(raw.run("INSERT INTO all_transactions SELECT * FROM transaction_rows LIMIT 1"))
    XCTAssertNotNil(raw.run("INSERT INTO all_entries SELECT * FROM entry_rows LIMIT 1"))
    ledger.close()
  }
}
