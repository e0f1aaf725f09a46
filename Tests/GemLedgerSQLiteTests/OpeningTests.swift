import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// The errors of opening files that are no ledgers; such files stay as they are.
final class OpeningTests: XCTestCase {
  private let time = ManualClock()

  func testClosingRemovesTheLogWhileTheLedgerIsStillHeld() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    let ledger = try Ledger.createSQLite(at: path, salt: 1)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer("alice"))
    XCTAssertTrue(FileManager.default.fileExists(atPath: path + "-wal"))
    ledger.close()
    XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-wal"))
    withExtendedLifetime(ledger) {}
  }

  func testRefusesWhatIsNoLedger() throws {
    typealias Row = (line: UInt, code: LedgerError.Code, spoil: (String) throws -> Void)
    let rows: [Row] = [
      (#line, .storageForeign, { try "Dear diary".write(toFile: $0, atomically: false, encoding: .utf8) }),
      (
        #line, .storageForeign,
        { try String(repeating: "x", count: 10_000).write(toFile: $0, atomically: false, encoding: .utf8) }
      ),
      (#line, .storageForeign, { try Self.makeForeignDatabase($0) }),
      (
        #line, .storageForeign,
        { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) }
      ),
      (#line, .storageNewer, { try RawSQLite($0).run("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)") }),
      (#line, .storageDamaged, { try Self.change($0) { $0.removeLast(4096) } }),
      (#line, .storageDamaged, { try Self.change($0) { $0.removeLast($0.count - 100) } }),
      (#line, .storageDamaged, { try Self.change($0) { $0.removeLast($0.count - 80) } }),
      (
        #line, .storageDamaged,
        { try Self.change($0) { $0.replaceSubrange(100..<4096, with: repeatElement(0xAB, count: 3996)) } }
      ),
      (#line, .storageDamaged, { try Self.change($0) { $0[3] = 0 } }),
      (
        #line, .storageDamaged,
        { try Self.change($0) { $0.replaceSubrange(0..<16, with: repeatElement(0, count: 16)) } }
      ),
      (#line, .storageDamaged, { try Self.change($0) { $0.replaceSubrange(16..<18, with: [0x01, 0x23]) } }),
    ]
    for row in rows {
      let directory = try TemporaryDirectory()
      let path = directory.path("it.sqlite")
      if row.code != .storageForeign { try makeLedger(path) }
      try row.spoil(path)
      try assertUntouched(path, [row.code], line: row.line) { try Ledger.openSQLite(at: path) }
      // To a caller that makes a ledger, a file that is wrong only inside is an existing ledger.
      let codes: [LedgerError.Code] = [row.code, .alreadyExists]
      try assertUntouched(path, codes, line: row.line) { try Ledger.createSQLite(at: path) }
    }
  }

  func testFindsANewerSchemaThatIsOnlyInTheLog() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let writer = try RawSQLite(path)
    XCTAssertNil(writer.run("PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 99"))
    // The writer is killed: file and log stay as the writer left them.
    let copy = directory.path("copy.sqlite")
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
    let log = try Data(contentsOf: URL(fileURLWithPath: copy + "-wal"))
    try assertUntouched(copy, [.storageNewer]) { try Ledger.openSQLite(at: copy) }
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: copy + "-wal")), log)
  }

  func testMissingAndEmptyFiles() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let refusal = assertRefused(.inputOutput) { try Ledger.openSQLite(at: path) }
    XCTAssertEqual(refusal?.text("file"), path)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
    XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: Data()))
    assertRefused(.inputOutput) { try Ledger.openSQLite(at: path) }
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), Data())
    try Ledger.createSQLite(at: path).close()
    try Ledger.openSQLite(at: path).close()
    assertRefused(.inputOutput) { try Ledger.createSQLite(at: directory.path("no/such/folder/it.sqlite")) }
    assertRefused(.inputOutput) { try Ledger.openSQLite(at: directory.path("no/such/folder/it.sqlite")) }
  }

  func testCreatesNothingOverALedger() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    try assertUntouched(path, [.alreadyExists]) { try Ledger.createSQLite(at: path) }
    let ledger = try Ledger.openSQLite(at: path)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("alice")).balance, 10)
    ledger.close()
  }

  /// A process that makes a ledger may be killed on the way; the remains are no ledger yet, and making it goes on.
  func testAHalfMadeLedgerCanBeMade() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    XCTAssertNil(try RawSQLite(path).run("PRAGMA application_id = 1195724108; PRAGMA journal_mode = WAL"))
    assertRefused(.inputOutput) { try Ledger.openSQLite(at: path) }
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock)
    try ledger.apply(Make.catalog())
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testAReadOnlyFileIsNamed() throws {
    try XCTSkipIf(getuid() == 0, "the superuser may write anywhere")
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
    let ledger = try Ledger.openSQLite(at: path)
    let refusal = assertRefused(.inputOutput) {
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("a"))
    }
    XCTAssertEqual(refusal?.text("file"), path)
    ledger.close()
  }

  // MARK: The file

  func testTheFileSaysWhatItIs() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let raw = try RawSQLite(path)
    XCTAssertEqual(raw.rows("PRAGMA application_id"), ["1195724108"])
    XCTAssertEqual(raw.rows("SELECT user_version & 255 FROM pragma_user_version"), ["\(Migration.all.count)"])
    XCTAssertEqual(raw.rows("PRAGMA journal_mode"), ["wal"])
    XCTAssertEqual(raw.rows("SELECT name FROM migrations ORDER BY name"), Migration.all.map(\.name))
    XCTAssertEqual(
      raw.rows(
        """
        SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'
        """),
      [])
    XCTAssertEqual(raw.rows("PRAGMA integrity_check"), ["ok"])
  }

  func testTheJournalIsAppendOnly() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    try addRareThings(path)
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    for _ in 0..<20 { try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice")) }
    ledger.close()
    let raw = try RawSQLite(path)
    let tables = [
      "transaction_rows", "entry_rows", "plain_transactions", "entry_runs", "allocations", "keys", "frozen_products",
      "purchases", "item_entries",
      "catalog_versions", "lot_attributes", "merges", "refunds", "refund_parts", "journal_events", "erasures",
    ]
    for table in tables {
      XCTAssertNotEqual(raw.rows("SELECT count(*) FROM \(table)"), ["0"], table)
      let refusal = "\(["transaction_rows": "transactions", "entry_rows": "entries"][table] ?? table) is append-only"
      let column = raw.rows("SELECT name FROM pragma_table_info('\(table)')").last ?? ""
      for change in ["DELETE FROM \(table)", "UPDATE \(table) SET \(column) = \(column)"] {
        XCTAssertEqual(raw.run(change), refusal, change)
      }
      raw.run("PRAGMA recursive_triggers = ON")
      let replaced = raw.run("INSERT OR REPLACE INTO \(table) SELECT * FROM \(table)")
      XCTAssertEqual(replaced, refusal)
    }
  }

  // MARK: Connections

  func testAReaderIsNotBlockedByAWriter() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let ledger = try Ledger.openSQLite(at: path)
    let writer = try RawSQLite(path)
    XCTAssertNil(writer.run("BEGIN IMMEDIATE; UPDATE account_rows SET balance = 7777"))
    let (alice, gem) = (try Make.customer("alice"), try CurrencyCode("GEM"))
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 10)
    XCTAssertEqual(try ledger.history(of: alice).transactions.count, 5)
    try assertBooksAddUp(ledger)
    XCTAssertNil(writer.run("ROLLBACK"))
    ledger.close()
  }

  func testAWriterIsNotBlockedByAReader() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let ledger = try Ledger.openSQLite(at: path)
    let reader = try RawSQLite(path)
    XCTAssertNil(reader.run("BEGIN"))
    let before = reader.rows("SELECT count(*) FROM all_entries")
    let alice = try Make.customer("alice")
    for _ in 0..<10 { try ledger.grant([Make.amount("GEM", 1)], customer: alice) }
    XCTAssertEqual(reader.rows("SELECT count(*) FROM all_entries"), before)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 20)
    XCTAssertNil(reader.run("COMMIT"))
    ledger.close()
  }

  func testNoBalanceIsStale() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let (one, other) = (try Ledger.openSQLite(at: path), try Ledger.openSQLite(at: path))
    let (alice, gem) = (try Make.customer("alice"), try CurrencyCode("GEM"))
    for round in 1...20 as ClosedRange<Int64> {
      try (round % 2 == 0 ? one : other).grant([Make.amount("GEM", 1)], customer: alice)
      XCTAssertEqual(try one.balance(of: gem, customer: alice).balance, 10 + round)
      XCTAssertEqual(try other.balance(of: gem, customer: alice).balance, 10 + round)
    }
    try one.define(Currency(code: CurrencyCode("NEW"), name: "New"))
    try other.grant([Make.amount("NEW", 3)], customer: alice)
    XCTAssertEqual(try one.balance(of: CurrencyCode("NEW"), customer: alice).balance, 3)
    one.close()
    other.close()
  }

  func testAFrozenCustomerMayNotSpend() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    XCTAssertNil(try RawSQLite(path).run("UPDATE customers SET frozen = 1"))
    let ledger = try Ledger.openSQLite(at: path)
    let (alice, gem) = (try Make.customer("alice"), try CurrencyCode("GEM"))
    assertRefused(.customerFrozen) { try ledger.spend([Make.amount("GEM", 1)], customer: alice) }
    assertRefused(.customerFrozen) { try ledger.spend([Make.amount("GEM", 1000)], customer: alice) }
    assertRefused(.conditionFailed) {
      try ledger.spend([Make.amount("GEM", 1)], customer: alice, conditions: [.version(gem, 77)])
    }
    assertRefused(.customerFrozen) { try ledger.buyItem(ItemID("extra_life"), customer: alice) }
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    try ledger.creditPurchase(Make.purchase("new"), customer: alice)
    ledger.close()
  }

  // MARK: Helpers

  /// Makes a closed ledger in which alice has 10 GEM and something is in every table of the journal.
  private func makeLedger(_ path: String) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 5)], customer: alice)
    try ledger.grant([Make.amount("GEM", 60)], customer: alice, source: .bonus)
    try ledger.spend([Make.amount("GEM", 5)], customer: alice, key: Make.key("k"))
    try ledger.buyItem(ItemID("extra_life"), customer: alice)
    try ledger.creditPurchase(Make.purchase("rubies", product: "rubies"), customer: alice)
    ledger.close()
  }

  /// Adds rows that few ledgers have: a refund, a merge into alice, a counted effect and an erasure.
  private func addRareThings(_ path: String) throws {
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    try ledger.refund(Make.refund("rubies"))
    try ledger.createCustomer(Make.customer("bob"))
    try ledger.merge(from: Make.customer("bob"), into: Make.customer("alice"))
    try ledger.createCustomer(Make.customer("carol"))
    let (carol, transaction) = (try ledger.number(of: "carol"), try ledger.newestTransaction(of: "alice"))
    try ledger.write {
      $0.events = [
        JournalEventRow(
          transaction: transaction, position: 1, customer: carol, kind: .counted, count: CountKey(.spent, "GEM"),
          createdAt: time.now)
      ]
    }
    try ledger.erase([carol], as: [Make.customer("nobody")], by: transaction)
    ledger.close()
  }

  private static func makeForeignDatabase(_ path: String) throws {
    let raw = try RawSQLite(path)
    XCTAssertNil(raw.run("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')"))
  }

  private static func change(_ path: String, _ body: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    body(&data)
    try data.write(to: URL(fileURLWithPath: path))
  }

  /// Fails unless the body is refused with one of these codes, names the file, and leaves file and folder as they were.
  private func assertUntouched<T>(
    _ path: String, _ codes: [LedgerError.Code], file: StaticString = #filePath, line: UInt = #line,
    _ body: () throws -> T
  ) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let before = FileManager.default.contents(atPath: path)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    var refusal: LedgerError?
    XCTAssertThrowsError(try body(), file: file, line: line) { refusal = $0 as? LedgerError }
    XCTAssertTrue(refusal.map { codes.contains($0.code) } ?? false, "\(refusal as Any)", file: file, line: line)
    XCTAssertEqual(refusal?.text("file"), path, file: file, line: line)
    XCTAssertTrue(refusal?.message.contains(path) ?? false, refusal?.message ?? "", file: file, line: line)
    XCTAssertEqual(FileManager.default.contents(atPath: path), before, "written to", file: file, line: line)
    // SQLite may leave the index of a log that was there already.
    let after = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    XCTAssertEqual(
      after.filter { !$0.hasSuffix("-shm") }, names.filter { !$0.hasSuffix("-shm") }, file: file, line: line)
  }
}
