import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Files with damaged pages or a damaged schema are reported as damaged, and verifying them ends.
final class DamagedPagesTests: XCTestCase {
  private let time = ManualClock()

  /// Numbers that lie far apart cost nothing: the work depends on the rows that exist.
  func testACustomerFarAwayCostsVerifyNothing() throws {
    let path = try ledger()
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run("INSERT INTO customers (customer, id, created_at) VALUES (1000000000000, 'far', 1)"))
    XCTAssertNil(raw.run("INSERT INTO aliases VALUES ('far', 1000000000000)"))
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    // The row came beside the ledger, and nothing else is wrong with it.
    XCTAssertEqual(try ledger.verify(customersPerWindow: 2).problems.map(\.equation), ["records_are_complete"])
  }

  /// A page that leads back to itself could be read again and again: SQLite's own check is heard.
  func testAPageThatLeadsBackIsDamage() throws {
    let path = try ledger()
    try change(path) { bytes, pages in
      let root = pages("plain_transactions")
      // The last child of an inner page is named behind the first eight bytes.
      let child = bytes[root.lowerBound + 8..<root.lowerBound + 12].reduce(0) { $0 << 8 | Int($1) }
      let size = root.count
      bytes.replaceSubrange((child - 1) * size..<child * size, with: Data(bytes[root]))
    }
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    assertRefused(.storageDamaged) { try ledger.verify() }
  }

  func testAnEmptiedPageIsDamage() throws {
    let path = try ledger()
    try change(path) { bytes, pages in
      let page = pages("checkpoints")
      bytes.replaceSubrange(page, with: Data(count: page.count))
    }
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    assertRefused(.storageDamaged) { try ledger.verify() }
  }

  /// Pages of two tables in each other's places are sound pages, with rows of the wrong form.
  func testPagesInEachOthersPlacesAreFound() throws {
    let path = try ledger()
    try change(path) { bytes, pages in
      let (one, other) = (pages("lots"), pages("checkpoints"))
      let copy = Data(bytes[one])
      bytes.replaceSubrange(one, with: Data(bytes[other]))
      bytes.replaceSubrange(other, with: copy)
    }
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    do {
      let isOK = try ledger.verify().isOK
      XCTAssertFalse(isOK)
    } catch {
      XCTAssertEqual(error.code, .storageDamaged, "\(error)")
    }
  }

  /// Rows of another table are of other types, and a scan by their numbers could come to the same row again and again.
  func testAPageOfAnotherTableEndsEveryScan() throws {
    let healthy = try ledger()
    let tables = try RawSQLite(healthy).rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    XCTAssertGreaterThan(tables.count, 20)
    for other in ["catalog", "aliases"] {
      // The content of `migrations` is trusted.
      for table in tables where table != other && table != "migrations" {
        let path = try directory().path("\(UUID()).sqlite")
        try FileManager.default.copyItem(atPath: healthy, toPath: path)
        try change(path) { bytes, pages in bytes.replaceSubrange(pages(table), with: Data(bytes[pages(other)])) }
        do {
          let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
          defer { ledger.close() }
          let isOK = try ledger.verify().isOK
          XCTAssertFalse(isOK, "\(table) with a page of \(other)")
        } catch {
          XCTAssertEqual(error.code, .storageDamaged, "\(table) with a page of \(other): \(error)")
        }
      }
    }
  }

  /// The same row again and again is no row that cannot be read: nothing of it is believed.
  func testRowsThatLeadBackAreDamage() throws {
    let path = try ledger()
    try change(path) { bytes, pages in
      bytes.replaceSubrange(pages("refund_parts"), with: Data(bytes[pages("catalog")]))
    }
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    assertRefused(.storageDamaged) { try ledger.verify() }
  }

  /// A customer with unreadable rows does not keep a sweep from the others.
  func testASweepGoesOnBehindDamage() throws {
    let path = try ledger()
    let end = Timestamp(milliseconds: time.now.milliseconds + 1000)
    do {
      let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
      defer { ledger.close() }
      for name in ["alice", "bob", "carol"] {
        try ledger.grant(
          [Make.amount("GEM", 5)], customer: Make.customer(name), source: .promotional, expiresAt: end)
      }
    }
    time.advance(seconds: 10)
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run("UPDATE account_rows SET debt = 9223372036854775807 WHERE account >> 10 = 2"))
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    assertRefused(.storageDamaged) { try ledger.sweep() }
    XCTAssertEqual(raw.rows("SELECT account >> 10 FROM all_entries WHERE kind = 7 ORDER BY 1"), ["1", "3"])
  }

  /// A number that no ledger writes is a problem that names the row.
  func testVerifyNamesARowOutOfBounds() throws {
    let path = try ledger()
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run("UPDATE all_entries SET balance = 9223372036854775807 WHERE number = 7"))
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    let problems = try ledger.verify().problems
    XCTAssertEqual(problems.last?.equation, "storage_integrity")
    XCTAssertEqual(problems.last?.message.contains("number 7 has balance 9223372036854775807"), true, "\(problems)")
  }

  func testDamageInTheTextOfTheSchemaIsDamage() throws {
    for (text, damaged) in [
      ("CREATE TABLE plain_transactions (", "CREATE TABLE plain_transactionz ("),
      ("balance INTEGER NOT NULL", "balamce INTEGER NOT NULL"),
      ("CREATE TABLE keys (", "CREATE TABLE keyz ("),
      ("CREATE TABLE journal_events (", "CREATE TABBE journal_events ("),
    ] {
      let path = try ledger()
      try replace(text, by: damaged, in: path)
      do {
        let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
        defer { ledger.close() }
        for ask: () throws -> Any in [
          { try ledger.verify() }, { try ledger.history(of: Make.customer("alice")) },
          { try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"), key: Make.key("k")) },
        ] {
          do { _ = try ask() } catch let error as LedgerError {
            XCTAssertEqual(error.code, .storageDamaged, "\(damaged): \(error)")
          }
        }
        assertRefused(.storageDamaged) { try ledger.verify() }
      } catch let error as LedgerError {
        XCTAssertEqual(error.code, .storageDamaged, "\(damaged): \(error)")
      }
    }
  }

  /// A process that is older than the schema says so, and does not call the file damaged.
  func testASchemaThatCameMeanwhileIsNewer() throws {
    let path = try ledger()
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    let raw = try RawSQLite(path)
    XCTAssertNil(raw.run("ALTER TABLE keys RENAME TO newer_keys; PRAGMA user_version = \(Migration.all.count + 1)"))
    assertRefused(.storageNewer) {
      try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"), key: Make.key("k"))
    }
  }

  // MARK: Helpers

  private var made: TemporaryDirectory?

  private func directory() throws -> TemporaryDirectory {
    let directory = try made ?? TemporaryDirectory()
    made = directory
    return directory
  }

  private func ledger() throws -> String {
    let path = try directory().path("\(UUID()).sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    for name in ["alice", "bob", "carol"] {
      for _ in 0..<60 { try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer(name)) }
    }
    ledger.close()
    return path
  }

  /// Changes the bytes of a file; tables are found by the range of their first page.
  private func change(_ path: String, _ body: (inout Data, (String) -> Range<Int>) throws -> Void) throws {
    let (roots, size) = try {
      let raw = try RawSQLite(path)
      return (raw.rows("SELECT name, rootpage FROM sqlite_schema"), Int(raw.rows("PRAGMA page_size")[0]) ?? 0)
    }()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try body(&bytes) { name in
      let root = roots.first { $0.hasPrefix(name + "|") }?.split(separator: "|").last.flatMap { Int($0) } ?? 1
      return (root - 1) * size..<root * size
    }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  private func replace(_ text: String, by other: String, in path: String) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let range = try XCTUnwrap(bytes.range(of: Data(text.utf8)), text)
    bytes.replaceSubrange(range, with: Data(other.utf8))
    try bytes.write(to: URL(fileURLWithPath: path))
  }
}
