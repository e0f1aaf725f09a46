#if PostgreSQL
import Dispatch
import Foundation
import GemTestSupport
import PostgresTestSupport
import Synchronization
import XCTest

@testable import GemLedger
@testable import GemLedgerPostgres

/// The feed where several lanes, and several processes, commit side by side.
final class FeedTests: XCTestCase {
  private let alice = CustomerID(unchecked: "alice")

  /// Makes a ledger with alice and, in another lane, a second customer.
  private func ledger(_ schemas: Schemas, clock: LedgerClock = .system) throws -> (Ledger, other: CustomerID) {
    let ledger = try schemas.create(clock: clock, lanes: 8)
    try ledger.apply(Make.catalog())
    let others = try (0..<20).map { try Make.customer("other \($0)") }
    for customer in [alice] + others { try ledger.grant([Make.amount("GEM", 1)], customer: customer) }
    let lane = try self.lane(of: alice, schemas)
    return (ledger, try XCTUnwrap(others.first { try self.lane(of: $0, schemas) != lane }))
  }

  private func lane(of customer: CustomerID, _ schemas: Schemas) throws -> String? {
    try schemas.execute("SELECT customer & 7 FROM SCHEMA.customers WHERE id = '\(customer)'").first
  }

  /// A group that has its number waits; meanwhile another lane commits a higher number, and a reader reads that.
  func testNeverSkipsWhatIsCommittedLate() throws {
    let schemas = try Schemas()
    let time = ManualClock()
    let (ledger, other) = try ledger(schemas, clock: time.clock)
    let known = try ledger.wholeFeed()
    XCTAssertEqual(known.count, 21)
    let start = try ledger.feed(limit: 1000).next

    // Another transaction holds alice's account; her group has its time and its numbers, and waits to write.
    time.advance(seconds: 1)
    let gate = try PostgresConnection(PostgresTarget(url: schemas.current))
    let account = "SELECT 1 FROM accounts WHERE customer = (SELECT customer FROM customers WHERE id = '\(alice)')"
    try gate.execute(["BEGIN", "\(account) FOR UPDATE"])
    let isBooked = DispatchGroup()
    let (alice, amount) = (alice, try Make.amount("GEM", 5))
    DispatchQueue.global().async(group: isBooked) { _ = try? ledger.grant([amount], customer: alice) }
    try schemas.waitUntil("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")

    time.advance(seconds: 60)
    try ledger.grant([amount], customer: other)
    let early = try ledger.feed(after: start)
    XCTAssertEqual(early.events.map(\.record.booking.customer), [other])
    let highest = try schemas.execute("SELECT max(number) FROM SCHEMA.transactions")[0]

    try gate.execute(["COMMIT"])
    isBooked.wait()
    // Control: a reader that remembers only the highest number never sees alice's grant.
    XCTAssertEqual(try schemas.execute("SELECT count(*) FROM SCHEMA.transactions WHERE number > \(highest)"), ["0"])
    let late = try ledger.feed(after: early.next)
    XCTAssertEqual(late.events.map(\.record.booking.customer), [alice])
    XCTAssertEqual(late.events.first?.record.booking.entries.map(\.balance), [6])
    XCTAssertEqual(try ledger.feed(after: late.next).events, [])
    ledger.close()
  }

  /// Merges are groups over two lanes, numbered in one of them.
  func testMergesOverLanesKeepTheOrderOfACustomer() throws {
    let schemas = try Schemas()
    let ledger = try schemas.create(lanes: 8)
    try ledger.apply(Make.catalog())
    let customers = try (0..<12).map { try Make.customer("customer \($0)") }
    let amount = try Make.amount("GEM", 1)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for round in 0..<20 { _ = try? ledger.grant([amount], customer: customers[(thread + round) % 12]) }
    }
    var cursor: FeedCursor?
    var events: [FeedEvent] = []
    for address in stride(from: 0, to: 12, by: 2) {
      try ledger.merge(from: customers[address], into: customers[address + 1])
      try ledger.grant([amount], customer: customers[address])
      let page = try ledger.feed(after: cursor, limit: 9)
      events += page.events
      cursor = page.next
    }
    while true {
      let page = try ledger.feed(after: cursor, limit: 9)
      events += page.events
      cursor = page.next
      if page.events.isEmpty { break }
    }
    XCTAssertEqual(events.count, 80 + 12)
    XCTAssertEqual(Set(events.map(\.record.booking.transactionID)).count, events.count)
    for customer in customers {
      let versions = events.compactMap { event -> Int64? in
        let booking = event.merged?.customer == customer ? event.merged : event.record.booking
        return booking?.customer == customer ? booking?.entries.first?.version : nil
      }
      XCTAssertEqual(versions, versions.sorted(), "\(customer)")
    }
    ledger.close()
  }

  /// A cursor that was made where one writer numbered everything knows a journal that was copied here.
  func testACursorOfADenseJournalReadsOnOverLanes() throws {
    let schemas = try Schemas()
    let (ledger, other) = try ledger(schemas)
    let all = try ledger.wholeFeed()
    var position = FeedPosition()
    let numbers = try schemas.execute("SELECT number FROM SCHEMA.transactions ORDER BY number").map { Int64($0) ?? 0 }
    position.advance(past: numbers.prefix(10), isOrdered: true)
    let salt = UInt64(1)
    let page = try ledger.feed(after: FeedCursor(position, salt: salt), limit: 1000)
    XCTAssertEqual(page.events, Array(all.dropFirst(10)))
    try ledger.grant([Make.amount("GEM", 1)], customer: other)
    XCTAssertEqual(try ledger.feed(after: page.next).events.map(\.record.booking.customer), [other])
    ledger.close()
  }

  // MARK: Waiting

  /// A reader that polls once an hour reads the commits of another process at once.
  func testHearsOfWhatAnotherProcessBooks() async throws {
    let schemas = try Schemas()
    let (writer, _) = try ledger(schemas)
    let reader = try Ledger.openPostgres(at: schemas.current)
    let start = try reader.feed(limit: 1000).next
    let (alice, amount) = (alice, try Make.amount("GEM", 1))
    try writer.grant([amount], customer: alice)
    var balances: [Int64] = []
    for try await page in reader.feedUpdates(after: start, polling: .seconds(3600)) {
      balances += page.events.compactMap { $0.record.booking.entries.first?.balance }
      if balances.count >= 20 { break }
      Task.detached { try writer.grant([amount], customer: alice) }
    }
    XCTAssertEqual(balances, (2...21).map { Int64($0) })
    writer.close()
    reader.close()
  }

  /// A process also notifies of the commits that it makes just before it ends.
  func testAWriterThatEndsTellsFirst() async throws {
    let schemas = try Schemas()
    let (writer, _) = try ledger(schemas)
    let reader = try Ledger.openPostgres(at: schemas.current)
    let start = try reader.feed(limit: 1000).next
    let (alice, amount) = (alice, try Make.amount("GEM", 1))
    let isListening = "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'"
    let read = Task.detached {
      for try await page in reader.feedUpdates(after: start, polling: .seconds(3600)) { return page.events.count }
      return 0
    }
    try schemas.waitUntil(isListening)
    // There was no listener at the earlier commits, so the writer's next check for listeners is some time away.
    try writer.grant([amount], customer: alice)
    writer.close()
    let count = try await read.value
    XCTAssertEqual(count, 1)
    reader.close()
  }

  func testGoesOnHearingAfterTheConnectionWasLost() async throws {
    let schemas = try Schemas()
    let (writer, _) = try ledger(schemas)
    let reader = try Ledger.openPostgres(at: schemas.current)
    let start = try reader.feed(limit: 1000).next
    let (alice, amount) = (alice, try Make.amount("GEM", 1))
    let read = Task.detached {
      var count = 0
      for try await page in reader.feedUpdates(after: start, polling: .seconds(3600)) {
        count += page.events.count
        if count == 2 { break }
      }
      return count
    }
    let listeners = """
      FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """
    try schemas.waitUntil("SELECT count(*) = 1 \(listeners)")
    try writer.grant([amount], customer: alice)
    let pid = try XCTUnwrap(try schemas.execute("SELECT pid \(listeners)").first)
    XCTAssertEqual(try schemas.execute("SELECT pg_terminate_backend(\(pid))"), ["t"])
    try schemas.waitUntil("SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = \(pid)")
    try writer.grant([amount], customer: alice)
    let count = try await read.value
    XCTAssertEqual(count, 2)
    writer.close()
    reader.close()
  }

  /// A writer without listeners asks a few times a second whether there is one, and sends nothing.
  func testSendsNothingWhereNobodyListens() throws {
    let schemas = try Schemas()
    let (ledger, other) = try ledger(schemas)
    for _ in 0..<50 { try ledger.grant([Make.amount("GEM", 1)], customer: other) }
    let storage = try XCTUnwrap(ledger.storage as? PostgresStorage)
    ledger.close()
    XCTAssertEqual(storage.notifier.sent.load(ordering: .relaxed), 0)
  }
}

extension Schemas {
  /// Runs a statement in which `SCHEMA` stands for the newest ledger's schema.
  func execute(_ statement: String) throws -> [String] {
    try PostgresServer.shared().execute(statement.replacingOccurrences(of: "SCHEMA", with: schema), on: database)
  }

  /// Asks until the answer is true, for a minute.
  func waitUntil(_ question: String, file: StaticString = #filePath, line: UInt = #line) throws {
    let end = ContinuousClock.now + .seconds(60)
    while try execute(question) != ["t"] {
      guard ContinuousClock.now < end else { return XCTFail("never true: \(question)", file: file, line: line) }
    }
  }
}
#endif
