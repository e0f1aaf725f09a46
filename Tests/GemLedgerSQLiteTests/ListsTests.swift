import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Lists by customer find their rows in the small table, in the large one, or half in each.
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
      let bookings = ledger.submit(customers.map { .hold([gem], customer: $0) })
      for booking in bookings {
        let booking = try booking.get()
        open[booking.customer, default: []].append(try XCTUnwrap(booking.hold?.id))
      }
      guard round % 50 == 49 else { continue }
      for customer in customers {
        // One that began long ago, and one that began just now.
        if let oldest = open[customer]?.removeFirst() { try ledger.capture(oldest) }
        if let newest = open[customer]?.popLast() { try ledger.release(newest) }
      }
    }
    let raw = try RawSQLite(path)
    let (small, large) = (try count("customer_lists_buffer", raw), try count("customer_lists", raw))
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

  /// A hold that moves and ends in one commit is in no customer's list, however it ends.
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
            INSERT INTO customer_lists SELECT * FROM customer_lists_buffer;
            DELETE FROM customer_lists_buffer;
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

  func testAHoldThatIsListedForNothingIsFound() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for customer in [alice, bob] { try ledger.grant([Make.amount("GEM", 9)], customer: customer) }
    try ledger.hold([Make.amount("GEM", 1)], customer: bob)
    try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    let raw = try RawSQLite(path)
    for table in ["customer_lists_buffer", "customer_lists"] {
      XCTAssertNil(raw.run("INSERT INTO \(table) SELECT from_customer, 3, transaction_number FROM merges"))
      XCTAssertEqual(try ledger.verify().problems.map(\.equation), ["storage_integrity"])
      XCTAssertEqual(try ledger.holds(of: bob).count, 1)
      XCTAssertNil(
        raw.run(
          "DELETE FROM \(table) WHERE (customer, number) IN (SELECT from_customer, transaction_number FROM merges) "
            + "AND list = 3"))
    }
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    ledger.close()
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
    XCTAssertLessThanOrEqual(try count("customer_lists_buffer", raw), 3 * 4096)
    XCTAssertEqual(try ledgers[1].verify().problems.map(\.description), [])
    for ledger in ledgers { ledger.close() }
  }

  func testEveryListIsFilled() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try JournalEventFixture.fill(ledger, time)
    let raw = try RawSQLite(path)
    let lists = raw.rows("SELECT list FROM customer_lists UNION SELECT list FROM customer_lists_buffer ORDER BY 1")
    XCTAssertEqual(lists, ["1", "2", "3"])
    XCTAssertEqual(raw.run("DELETE FROM journal_events"), "journal_events is append-only")
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func count(_ table: String, _ raw: RawSQLite) throws -> Int {
    try XCTUnwrap(raw.rows("SELECT count(*) FROM \(table)").first.flatMap(Int.init))
  }
}
