import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// What is found by customers is found wherever it lies: in the small table, in the large one, or half in each.
final class ListsTests: XCTestCase {
  private let time = ManualClock()

  /// Many more transactions without entries than the small table takes, of more customers than go on at once.
  func testNothingIsLostOnTheWay() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let gem = try Make.amount("GEM", 1)
    let customers = try (0..<40).map { try Make.customer("c\($0)") }
    for customer in customers { try ledger.grant([Make.amount("GEM", 1000)], customer: customer) }
    var open: [CustomerID: [HoldID]] = [:]
    for round in 0..<170 {
      let receipts = ledger.submit(customers.map { .hold([gem], customer: $0) })
      for receipt in receipts {
        let receipt = try receipt.get()
        open[receipt.customer, default: []].append(try XCTUnwrap(receipt.hold?.id))
      }
      guard round % 50 == 49 else { continue }
      for customer in customers {
        // One that began long ago, and one that began just now.
        if let oldest = open[customer]?.removeFirst() { try ledger.capture(oldest) }
        if let newest = open[customer]?.popLast() { try ledger.release(newest) }
      }
    }
    let raw = try RawSQLite(path)
    let (small, large) = (try count("newly_listed_transactions", raw), try count("listed_transactions", raw))
    XCTAssertLessThanOrEqual(small, 4096)
    XCTAssertGreaterThan(large, 4096)
    for customer in customers.prefix(3) {
      XCTAssertEqual(Set(try ledger.holds(of: customer).map(\.id)), Set(open[customer] ?? []))
    }
    // A merge takes holds along from both tables, and they end there.
    try ledger.merge(from: customers[0], into: customers[1])
    let both = (open[customers[0]] ?? []) + (open[customers[1]] ?? [])
    XCTAssertEqual(Set(try ledger.holds(of: customers[1]).map(\.id)), Set(both))
    for hold in both { try ledger.extend(hold, for: .seconds(3600)) }
    for hold in both { try ledger.release(hold) }
    XCTAssertEqual(try ledger.holds(of: customers[0]).map(\.id), [])
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    ledger.close()
  }

  /// A hold that moves and ends in one commit is listed with nobody, however it ends.
  func testAGroupThatMergesEndsAMovedHold() throws {
    let directory = try TemporaryDirectory()
    for (index, isLongOpen) in [false, true].enumerated() {
      let path = directory.path("merged-\(index).sqlite")
      let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
      try ledger.apply(Make.catalog())
      let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
      try ledger.grant([Make.amount("GEM", 100)], customer: alice)
      try ledger.grant([Make.amount("GEM", 1)], customer: bob)
      let holds = try (0..<3).map { _ in
        try XCTUnwrap(try ledger.hold([Make.amount("GEM", 9)], customer: alice, for: .seconds(60)).hold?.id)
      }
      let raw = try RawSQLite(path)
      if isLongOpen {
        XCTAssertNil(
          raw.run(
            """
            INSERT INTO listed_transactions SELECT * FROM newly_listed_transactions;
            DELETE FROM newly_listed_transactions;
            """))
      }
      let answers = ledger.submit([
        .merge(from: alice, into: bob), .release(holds[0]), .capture(holds[1], amounts: nil, keepsOpen: false),
      ])
      for answer in answers { _ = try answer.get() }
      XCTAssertEqual(try ledger.holds(of: bob).map(\.id), [holds[2]])
      XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
      ledger.close()
    }
  }

  /// An older version left such a hold listed with its former owner.
  func testAFileWithHoldsListedForNothingIsMended() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("old.sqlite")
    let old = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try old.apply(Make.catalog())
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for customer in [alice, bob] { try old.grant([Make.amount("GEM", 9)], customer: customer) }
    try old.hold([Make.amount("GEM", 1)], customer: bob)
    try old.merge(from: alice, into: bob)
    old.close()
    let raw = try RawSQLite(path)
    for table in ["newly_listed_transactions", "listed_transactions"] {
      // The schema changed beside the connection, which notices when it reads.
      XCTAssertEqual(raw.rows("SELECT count(*) FROM record_sums"), ["1"])
      XCTAssertNil(
        raw.run(
          DigestMigrationTests.undoing + """
            INSERT INTO \(table) SELECT from_customer, 3, transaction_number FROM merges;
            DELETE FROM migrations WHERE name > '0010'; PRAGMA user_version = 9;
            """))
      let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
      XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
      XCTAssertEqual(try ledger.holds(of: bob).count, 1)
      ledger.close()
    }
  }

  /// Processes count for themselves, and none of them knows of the others' rows.
  func testSeveralConnectionsKeepTheSmallTableSmall() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try Ledger.createSQLite(at: path, clock: time.clock, salt: 1).close()
    let ledgers = try (0..<3).map { _ in try Ledger.openSQLite(at: path, clock: time.clock) }
    try ledgers[0].apply(Make.catalog())
    let gem = try Make.amount("GEM", 1)
    let customers = try (0..<64).map { try Make.customer("c\($0)") }
    for customer in customers { try ledgers[0].grant([Make.amount("GEM", 1000)], customer: customer) }
    for round in 0..<240 {
      for result in ledgers[round % 3].submit(customers.map { .hold([gem], customer: $0) }) { _ = try result.get() }
    }
    let raw = try RawSQLite(path)
    XCTAssertLessThanOrEqual(try count("newly_listed_transactions", raw), 3 * 4096)
    XCTAssertEqual(try ledgers[1].verify().problems.map(\.description), [])
    for ledger in ledgers { ledger.close() }
  }

  /// A file from when there was a list of transactions without entries, and indexes for the rest.
  func testAFileWithOlderListsIsBroughtUpToDate() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let made = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try EffectBooks.fill(made, time)
    made.close()
    let raw = try RawSQLite(path)
    let lists = "SELECT * FROM listed_transactions UNION ALL SELECT * FROM newly_listed_transactions ORDER BY 1, 2, 3"
    let before = raw.rows(lists)
    XCTAssertEqual(Set(before.map { $0.split(separator: "|")[1] }), ["1", "2", "3"])
    let effects = raw.rows("SELECT * FROM effects ORDER BY 1, 2")
    XCTAssertNil(raw.run(RefundMigrationTests.undoing))
    XCTAssertNil(
      raw.run(
        """
        CREATE TABLE transactions_without_entries (
          customer INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (customer, number)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO transactions_without_entries SELECT customer, number FROM newly_listed_transactions WHERE list = 1;
        DROP TABLE listed_transactions; DROP TABLE newly_listed_transactions;
        ALTER TABLE effects ADD COLUMN listed INTEGER NOT NULL DEFAULT 0 CHECK (listed IN (0, 1));
        CREATE INDEX effects_of_customers ON effects (customer, transaction_number, position)
          WHERE kind BETWEEN 3 AND 6 AND listed = 0;
        CREATE INDEX holds_of_customers ON holds (customer, deadline, hold);
        DELETE FROM migrations WHERE name > '0007'; PRAGMA user_version = 6;
        """))
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    XCTAssertEqual(raw.rows(lists), before)
    XCTAssertEqual(raw.rows("SELECT * FROM effects ORDER BY 1, 2"), effects)
    XCTAssertEqual(raw.run("DELETE FROM effects"), "effects is append-only")
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func count(_ table: String, _ raw: RawSQLite) throws -> Int {
    try XCTUnwrap(raw.rows("SELECT count(*) FROM \(table)").first.flatMap(Int.init))
  }
}
