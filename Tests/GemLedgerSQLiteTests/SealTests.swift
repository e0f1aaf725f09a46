#if Receipts
import Foundation
import GemLedger
import GemLedgerArchive
import GemLedgerAudit
import GemLedgerSQLite
import GemLedgerSeal
import GemTestSupport
import XCTest

/// A seal tells of every change of what it covers, made past the ledger.
final class SealTests: XCTestCase {
  private let time = ManualClock()
  private var directory: TemporaryDirectory?
  private var made: (path: String, seal: JournalSeal)?

  override func tearDown() { (directory, made) = (nil, nil) }

  /// A file with something of everything, and its seal.
  private func original() throws -> (path: String, seal: JournalSeal) {
    if let made { return made }
    let directory = try TemporaryDirectory()
    let path = directory.path("original.sqlite")
    try RichJournal.fill(SeededRandom(seed: 11), time) {
      try Ledger.createSQLite(at: path, clock: $0, salt: 1)
    } open: {
      try Ledger.openSQLite(at: path, clock: $0)
    }
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    let files = (path, try ledger.seal())
    (self.directory, made) = (directory, files)
    return files
  }

  /// Whether the seal tells of a change; errors tell too.
  private func isFound(_ sql: String, line: UInt = #line) throws -> Bool {
    let (path, seal) = try original()
    let copy = path + ".changed"
    try? FileManager.default.removeItem(atPath: copy)  // Of the change before it.
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    do {
      let raw = try RawSQLite(copy)
      raw.disarm()
      raw.run("PRAGMA foreign_keys = OFF")
      XCTAssertNil(raw.run(sql), sql, line: line)
      XCTAssertNotEqual(raw.rows("SELECT total_changes()"), ["0"], sql, line: line)
    }
    do throws(LedgerError) {
      let ledger = try Ledger.openSQLite(at: copy, clock: time.clock)
      defer { ledger.close() }
      return try !ledger.check(seal).holds
    } catch {
      XCTAssertTrue([.storageDamaged, .booksWrong].contains(error.code), "\(sql): \(error)", line: line)
      return true
    }
  }

  /// What a column repeats of other rows; `verify` compares those.
  private static let derived: [String: Set<String>] = [
    "transaction_rows": ["first_entry", "digest", "erasable_digest"],
    "entry_rows": ["number", "version", "previous"],
    "plain_transactions": ["version", "previous", "digest", "erasable_digest"],
    "journal_events": ["created_at", "position"],
    "refund_parts": ["position"], "allocations": ["position"],
    "keys": ["refusal"], "customers": ["frozen", "frozen_reason", "merged_into", "merged_count"],
    // One lot, one place: each has its own number by the journal.
    "lot_attributes": ["lot"],
    "frozen_products": ["frozen_product"],
    // The survivor is the transaction's customer.
    "merges": ["into_customer"],
  ]

  func testEveryChangedColumnIsFound() throws {
    let (path, seal) = try original()
    XCTAssertGreaterThan(seal.transactionCount, Int64(Tier.current.length(150, thorough: 300)))
    let raw = try RawSQLite(path)
    var tried = 0
    for table in [
      "transaction_rows", "entry_rows", "plain_transactions",
      "allocations", "notes", "keys", "purchases", "frozen_products", "customers",
      "journal_events", "item_entries", "lot_attributes", "merges", "refunds", "refund_parts",
    ] {
      let columns = raw.rows("SELECT name FROM pragma_table_info('\(table)')")
      for column in columns where Self.derived[table]?.contains(column) != true {
        let booked = table == "keys" ? "AND transaction_number IS NOT NULL" : ""
        let values = raw.rows("SELECT typeof(\(column)) FROM \(table) WHERE \(column) IS NOT NULL \(booked) LIMIT 1")
        guard let type = values.first else { continue }
        // A number that another row has cannot be given twice; a value past the last of its kind may read as that one.
        let sign =
          raw.rows("SELECT pk FROM pragma_table_info('\(table)') WHERE name = '\(column)'") == ["0"] ? "-" : "+"
        let change = type == "text" ? "\(column) || 'x'" : "\(column) \(sign) 1"
        let key = raw.rows("SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0 ORDER BY pk").joined(
          separator: ", ")
        let row = "SELECT max(\(column)) FROM \(table) WHERE \(column) IS NOT NULL \(booked)"
        let sql = """
          UPDATE \(table) SET \(column) = \(change) WHERE (\(key)) IN
            (SELECT \(key) FROM \(table) WHERE \(column) = (\(row)) \(booked) LIMIT 1)
          """
        XCTAssertTrue(try isFound(sql), "\(table).\(column)")
        tried += 1
      }
    }
    XCTAssertGreaterThan(tried, 60)
  }

  func testEveryRemovedRowIsFound() throws {
    for table in [
      "transaction_rows", "entry_rows", "plain_transactions",
      "allocations", "notes", "purchases", "customers", "journal_events", "item_entries",
      "lot_attributes", "merges", "refunds",
    ] {
      XCTAssertTrue(
        try isFound("DELETE FROM \(table) WHERE rowid = (SELECT max(rowid) FROM \(table))".rowless(table)), table)
    }
    XCTAssertTrue(
      try isFound(
        "DELETE FROM keys WHERE key = (SELECT max(key) FROM keys WHERE transaction_number IS NOT NULL)"), "keys")
  }

  func testInsertedTextsAreFound() throws {
    XCTAssertTrue(
      try isFound(
        """
        INSERT INTO notes (transaction_number, reason) SELECT number, 'forged' FROM all_transactions
          WHERE number NOT IN (SELECT transaction_number FROM notes) LIMIT 1
        """))
    XCTAssertTrue(
      try isFound(
        """
        INSERT INTO keys (key, customer, request_digest, qualifier_digest, transaction_number)
          SELECT 'forged', customer, 1, 1, number FROM all_transactions LIMIT 1
        """))
  }

  /// The end of the journal is gone, even where all counts of it are put right.
  func testTheLastTransactionCutOffIsFound() throws {
    XCTAssertTrue(
      try isFound(
        """
        CREATE TEMP TABLE last AS SELECT max(number) AS t FROM all_transactions;
        DELETE FROM keys WHERE transaction_number = (SELECT t FROM last);
        DELETE FROM notes WHERE transaction_number = (SELECT t FROM last);
        DELETE FROM all_entries WHERE transaction_number = (SELECT t FROM last);
        DELETE FROM all_transactions WHERE number = (SELECT t FROM last)
        """))
  }

  /// The control: what the seal does not cover may change.
  func testOtherRowsMayChange() throws {
    XCTAssertFalse(try isFound("UPDATE account_rows SET balance = balance + 1"))
    XCTAssertFalse(try isFound("UPDATE all_transactions SET digest = digest + 1"))
  }

  /// After an erasure a change of another customer's note is found with the digests that were kept.
  func testAChangedNoteIsFoundAfterAnErasure() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    for name in ["alice", "bob"] {
      try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer(name), reason: Reason("of \(name)"))
    }
    var kept: [CustomerDigest] = []
    let seal = try ledger.seal { kept.append($0) }
    try ledger.erase(Make.customer("alice"))
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run("UPDATE notes SET reason = 'forged'"))
    // The text is gone that the hash was of: without the digests nobody can tell.
    XCTAssertNil(try ledger.check(seal).erasedCustomerCount)
    var rest = kept[...]
    let check = try ledger.check(seal, customers: { () throws(LedgerError) in rest.popFirst() })
    XCTAssertEqual(
      check.problems, ["customer number \(kept[1].number) has an id, notes or keys that are not those that were sealed"]
    )
    ledger.close()
  }

  /// Erasures of others do not cover up for a customer that was not erased since.
  func testAForgedErasureIsFoundBesideATrueOne() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    for name in ["alice", "bob", "carl", "dora"] {
      try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer(name), reason: Reason("of \(name)"))
    }
    // Dora is gone before the seal, and carl is a part of alice afterwards.
    try ledger.erase(Make.customer("dora"))
    var kept: [CustomerDigest] = []
    let seal = try ledger.seal { kept.append($0) }
    XCTAssertEqual(kept.count, 4)
    try ledger.merge(from: Make.customer("carl"), into: Make.customer("alice"))
    try ledger.erase(Make.customer("alice"))
    func check() throws -> SealCheck {
      var rest = kept[...]
      return try ledger.check(seal, customers: { () throws(LedgerError) in rest.popFirst() })
    }
    XCTAssertEqual(try check().problems, [])
    XCTAssertEqual(try check().erasedCustomerCount, 2)
    let raw = try RawSQLite(path)
    raw.disarm()
    let (bob, dora) = (kept[1].number, kept[3].number)
    XCTAssertNil(raw.run("INSERT INTO notes VALUES (4, 'forged', NULL, NULL)"))
    XCTAssertEqual(
      try check().problems, ["customer number \(dora) has an id, notes or keys that are not those that were sealed"])
    XCTAssertNil(
      raw.run(
        """
        DELETE FROM notes WHERE transaction_number IN (2, 4);
        UPDATE customers SET id = (SELECT replace(id, '0', '1') FROM customers WHERE customer = \(dora)) || 'f'
          WHERE customer = \(bob)
        """))
    XCTAssertEqual(
      try check().problems, ["customer number \(bob) has an id, notes or keys that are not those that were sealed"])
    ledger.close()
  }

  func testAChangedEnvironmentIsFound() throws {
    XCTAssertTrue(try isFound("UPDATE environments SET session = session || 'x' WHERE session IS NOT NULL"))
    XCTAssertTrue(try isFound("UPDATE environments SET kind = 1, session = NULL WHERE session IS NOT NULL"))
  }

  /// A merged customer that booked nothing is named by the merge alone.
  func testAMergedCustomerWithoutTransactionsIsSealed() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer("alice"))
    let fresh = try Make.customer("fresh")
    try ledger.createCustomer(fresh)
    try ledger.merge(from: fresh, into: Make.customer("alice"))
    let seal = try ledger.seal()
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run("UPDATE customers SET id = 'another' WHERE id = 'fresh'"))
    XCTAssertFalse(try ledger.check(seal).holds)
    ledger.close()
  }

  /// The seal of a journal is that of its copies, in memory too.
  func testACopyHasTheSameSeal() throws {
    let (path, seal) = try original()
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    let gathered = Gathered()
    try ledger.export { (bytes) throws(LedgerError) in gathered.append(bytes) }
    let copy = try Ledger.inMemory(importing: gathered.bytes, clock: time.clock)
    XCTAssertEqual(try copy.seal(), seal)
    XCTAssertTrue(try copy.check(seal).holds)
  }
}

extension String {
  /// Tables without row ids are ordered by their keys.
  fileprivate func rowless(_ table: String) -> String {
    ["allocations", "journal_events", "item_entries"].contains(table)
      ? replacingOccurrences(
        of: "rowid = (SELECT max(rowid)", with: "\(key(of: table)) = (SELECT max(\(key(of: table)))") : self
  }

  private func key(of table: String) -> String { table == "allocations" ? "entry" : "transaction_number" }
}
#endif
