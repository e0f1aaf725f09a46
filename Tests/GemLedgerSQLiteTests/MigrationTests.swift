import Dispatch
import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// A file that lacks a step of the schema gets it when it is opened, all or nothing.
///
/// The last step is made up here.
final class MigrationTests: XCTestCase {
  /// A column and a table that this program neither reads nor writes, filled from rows that are there.
  private static let madeUp = Migration(
    name: "9999-count-entries",
    sql: """
      ALTER TABLE customers ADD COLUMN region TEXT NOT NULL DEFAULT 'none';
      CREATE TABLE entry_counts (account INTEGER PRIMARY KEY, entries INTEGER NOT NULL) STRICT;
      INSERT INTO entry_counts SELECT account, count(*) FROM all_entries GROUP BY account;
      CREATE TABLE last_of_step (number INTEGER PRIMARY KEY) STRICT;
      """)
  private static let steps = Migration.all + [madeUp]

  private let time = ManualClock()

  /// The schema after a step never changes once the step is released: a new need is a new step.
  func testStepsAreFrozen() throws {
    for count in 1...Migration.all.count {
      let directory = try TemporaryDirectory()
      let raw = try RawSQLite(directory.path("it.sqlite"))
      for step in Migration.all.prefix(count) { XCTAssertNil(raw.run(step.sql), step.name) }
      let schema = raw.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
      let text = schema.joined(separator: ";\n\n") + ";\n"
      let number = Migration.all[count - 1].name.prefix(4)
      let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/schema-\(number).sql")
      if !FileManager.default.fileExists(atPath: fixture.path) {
        try text.write(to: fixture, atomically: true, encoding: .utf8)
        XCTFail("\(fixture.path) was missing; it is written now: look at it and commit it")
      }
      XCTAssertEqual(try String(contentsOf: fixture, encoding: .utf8), text)
    }
  }

  func testAMissingStepIsApplied() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeReleasedVersion(path)
    let ledger = try open(path)
    try assertBooksAddUp(ledger)
    let alice = try Make.customer("alice")
    XCTAssertEqual(try ledger.balances(of: alice).map(\.balance), [330, 750, 0, 0])
    XCTAssertEqual(try ledger.history(of: alice).transactions.map(\.booking.kind), [.purchase, .spend, .grant, .grant])
    XCTAssertEqual(try ledger.history(of: alice).transactions[1].reference?.text, "order 1")
    XCTAssertEqual(try ledger.customerIDs(of: alice), [alice])
    // The key, the purchase and the items are unchanged.
    XCTAssertTrue(try spend(ledger, alice).isReplayed)
    let purchase = try XCTUnwrap(try ledger.purchases(of: alice).purchases.first)
    XCTAssertEqual(purchase.product.text, "bundle")
    XCTAssertEqual(purchase.originalTransactionID, purchase.storeTransactionID)
    XCTAssertNil(purchase.expiresAt)
    // Commands go on.
    let refund = try ledger.refund(Make.refund("t"))
    XCTAssertEqual(refund.entries.map(\.amount), [-330, -500])
    XCTAssertEqual(refund.items.map(\.owned), [0])
    try ledger.createCustomer(Make.customer("bob"))
    try ledger.merge(from: alice, into: Make.customer("bob"))
    XCTAssertEqual(try ledger.reverseRefund(Make.reversal("t")).entries.map(\.balance), [330, 750])
    XCTAssertEqual(try ledger.balances(of: Make.customer("bob")).map(\.balance), [330, 750, 0, 0])
    try assertBooksAddUp(ledger)
    ledger.close()
    let raw = try RawSQLite(path)
    XCTAssertEqual(raw.rows("SELECT user_version & 255 FROM pragma_user_version"), ["\(Self.steps.count)"])
    XCTAssertEqual(raw.rows("SELECT name FROM migrations ORDER BY name"), Self.steps.map(\.name))
    XCTAssertEqual(raw.rows("SELECT region FROM customers"), ["none", "none"])
    // As many as there were when the step was applied. GEM is currency 1, COIN 2.
    XCTAssertEqual(raw.rows("SELECT account, entries FROM entry_counts"), ["1025|4", "1026|1"])
    XCTAssertEqual(raw.rows("SELECT count(*) FROM lot_attributes WHERE lot <= 5"), ["5"])
    XCTAssertEqual(raw.rows("PRAGMA integrity_check"), ["ok"])
    XCTAssertEqual(raw.run("DELETE FROM item_entries"), "item_entries is append-only")
  }

  /// A step that fails leaves the file as the step before it did.
  func testAFailedStepLeavesNothing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeReleasedVersion(path)
    let raw = try RawSQLite(path)
    // The last table that the step makes is in its way.
    XCTAssertNil(raw.run("CREATE TABLE last_of_step (in_the_way INTEGER)"))
    let before = raw.rows("SELECT name, sql FROM sqlite_schema ORDER BY name")
    for _ in 0..<2 { XCTAssertThrowsError(try open(path)) }
    XCTAssertEqual(raw.rows("SELECT user_version & 255 FROM pragma_user_version"), ["\(Migration.all.count)"])
    XCTAssertEqual(raw.rows("SELECT name, sql FROM sqlite_schema ORDER BY name"), before)
    XCTAssertNil(raw.run("DROP TABLE last_of_step"))
    let ledger = try open(path)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testTenMayOpenAFileAtOnce() throws {
    for _ in 0..<5 {
      let directory = try TemporaryDirectory()
      let path = directory.path("it.sqlite")
      try makeReleasedVersion(path)
      let (alice, time) = (try Make.customer("alice"), time)
      // Connections of their own, as processes have them.
      DispatchQueue.concurrentPerform(iterations: 10) { _ in
        do {
          let ledger = try Self.open(path, time)
          try ledger.grant([Make.amount("GEM", 1)], customer: alice)
          ledger.close()
        } catch {
          XCTFail("\(error)")
        }
      }
      let ledger = try open(path)
      XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 760)
      try assertBooksAddUp(ledger)
      ledger.close()
      XCTAssertEqual(try RawSQLite(path).rows("SELECT count(*) FROM migrations"), ["\(Self.steps.count)"])
    }
  }

  /// A program that does not know the step refuses the file and writes nothing to it.
  func testAFileWithAFurtherStepIsNewer() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeReleasedVersion(path)
    try open(path).close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    XCTAssertThrowsError(try Ledger.openSQLite(at: path, clock: time.clock)) {
      XCTAssertEqual(($0 as? LedgerError)?.code, .storageNewer, "\($0)")
    }
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), before)
    try open(path).close()
  }

  // MARK: Helpers

  private func open(_ path: String) throws -> Ledger { try Self.open(path, time) }

  private static func open(_ path: String, _ time: ManualClock) throws -> Ledger {
    Ledger(storage: try SQLiteStorage(path: path, now: time.now, steps: steps), clock: time.clock)
  }

  private func spend(_ ledger: Ledger, _ customer: CustomerID) throws -> Booking {
    var command = try LedgerCommand.spend([Make.amount("GEM", 60)], customer: customer, key: Make.key("k"))
    command.reference = try Reference("order 1")
    return try ledger.book(command)
  }

  /// Alice was given 300 GEM and 10 promotional ones that expire, spent 60 with a key, and bought a bundle with swords.
  private func makeReleasedVersion(_ path: String) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 7)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 300)], customer: alice)
    let later = Timestamp(milliseconds: time.now.milliseconds + 1_000_000_000)
    try ledger.grant([Make.amount("GEM", 10)], customer: alice, source: .promotional, expiresAt: later)
    XCTAssertFalse(try spend(ledger, alice).isReplayed)
    try ledger.creditPurchase(Make.purchase("t", product: "bundle"), customer: alice)
    ledger.close()
    let schema = try RawSQLite(path).rows("SELECT user_version & 255 FROM pragma_user_version")
    XCTAssertEqual(schema, ["\(Migration.all.count)"])
  }
}
