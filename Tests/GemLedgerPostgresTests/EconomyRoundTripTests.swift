#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A group of whatever commands takes four round trips of reads at most: its beginning, and three loads of missing
/// rows.
final class EconomyRoundTripTests: XCTestCase {
  private let size = 256
  /// The reads of a group of rare commands, and its commit.
  private let rareTrips = 5
  private let time = ManualClock()

  fileprivate struct Fixture: Sendable {
    let url: String
    let ledger: Ledger
    let customers: [CustomerID]
  }

  /// Each customer has 1200 bought gems, 40 earned, and 20 of a promotion.
  private func fixture(lanes: Int = 1) throws -> Fixture {
    let url = try PostgresServer.shared().createDatabase()
    // With one lane the commands that are handed in together are one group.
    let ledger = try Ledger.createPostgres(at: url + "?lanes=\(lanes)", clock: time.clock)
    try ledger.apply(Make.catalog())
    let customers = try (0..<size).map { try Make.customer("customer \($0)") }
    let fixture = Fixture(url: url, ledger: ledger, customers: customers)
    _ = try fixture.book(
      customers.enumerated().map { .creditPurchase(try Make.purchase("t \($0)"), customer: $1) })
    _ = try fixture.book(customers.map { .grant([try Make.amount("GEM", 40)], customer: $0) })
    _ = try fixture.book(
      customers.map { .grant([try Make.amount("GEM", 20)], customer: $0, source: .promotional) })
    return fixture
  }

  private func finish(_ fixture: Fixture) throws {
    try assertBooksAddUp(fixture.ledger)
    fixture.ledger.close()
  }

  func testHoldsAndWhatBecomesOfThem() throws {
    let fixture = try fixture()
    let (held, trips) = try fixture.book(
      fixture.customers.map { .hold([try Make.amount("GEM", 100)], customer: $0, for: .seconds(1000)) })
    XCTAssertEqual(trips, 2)
    let holds = try held.map { try XCTUnwrap($0.hold?.id) }
    // The process that began a hold remembers its customer; the lots of the hold are read once the hold names them.
    XCTAssertEqual(
      try fixture.book(holds.map { .capture($0, amounts: [try Make.amount("GEM", 70)], keepsOpen: true) }).1, 4)
    XCTAssertEqual(try fixture.book(holds.map { .extend($0, for: .seconds(2000)) }).1, 2)
    XCTAssertEqual(try fixture.book(holds.prefix(8).map { .extend($0, for: .seconds(2001)) }).1, 2)
    try finish(fixture)
    // A newly opened ledger does not remember the customers, and asks once more.
    let again = Fixture(
      url: fixture.url, ledger: try Ledger.openPostgres(at: fixture.url, clock: time.clock),
      customers: fixture.customers)
    try again.ledger.spend([Make.amount("GEM", 1)], customer: again.customers[0])
    XCTAssertEqual(
      try again.book(holds.map { .capture($0, amounts: [try Make.amount("GEM", 5)], keepsOpen: true) }).1, 4)
    XCTAssertEqual(
      try again.book(holds.enumerated().map { .release($1, key: try Make.key("\($0)")) }).1, 3)
    try finish(again)
  }

  /// Commands that end a hold or reverse a spend go to their customer's lane, so a list of them is one group a lane.
  func testListsGoByLanes() throws {
    let fixture = try fixture(lanes: 2)
    let gem = try Make.amount("GEM", 1)
    let holds = try fixture.book(fixture.customers.map { .hold([gem], customer: $0) }).0.map {
      try XCTUnwrap($0.hold?.id)
    }
    XCTAssertLessThanOrEqual(try fixture.book(holds.map { .extend($0, for: .seconds(2000)) }).1, 4)
    let captured = try fixture.book(holds.map { .capture($0) })
    XCTAssertLessThanOrEqual(captured.1, 4)
    XCTAssertLessThanOrEqual(
      try fixture.book(captured.0.map { .reverse(try XCTUnwrap($0.transactionID)) }).1, 6)
    // The commands of one customer keep the order of the list.
    let hold = try XCTUnwrap(try fixture.ledger.hold([gem], customer: fixture.customers[0]).hold?.id)
    let answers = try fixture.ledger.submit([
      .extend(hold, for: .seconds(2000)), .capture(hold, keepsOpen: false), .release(hold),
      .spend([Make.amount("GEM", 1259)], customer: fixture.customers[0]),
    ])
    XCTAssertNoThrow(try answers[0].get())
    XCTAssertNoThrow(try answers[1].get())
    XCTAssertThrowsError(try answers[2].get()) { XCTAssertEqual(($0 as? LedgerError)?.code, .holdEnded) }
    XCTAssertEqual(try answers[3].get().entries.first?.balance, 0)
    try finish(fixture)
  }

  /// Commands over several lanes form one group of all these lanes; refunded purchases are read for the whole group.
  func testListsOfTransfersRefundsAndErasures() throws {
    for lanes in [1, 2] {
      let fixture = try fixture(lanes: lanes)
      let gem = try Make.amount("GEM", 1)
      // Each customer transfers to the next one; about half of the receivers are in another lane.
      let transfers = fixture.customers.indices.map { index in
        LedgerCommand.transfer(
          [gem], from: fixture.customers[index], to: fixture.customers[(index + 1) % fixture.customers.count])
      }
      XCTAssertEqual(try fixture.book(transfers).1, 2)
      let refunds = try fixture.customers.indices.map {
        LedgerCommand.refund(try Make.refund("t \($0)"), key: try Make.key("\($0)"))
      }
      XCTAssertLessThanOrEqual(try fixture.book(refunds).1, 4 * lanes)
      XCTAssertTrue(try fixture.book(refunds).0.allSatisfy(\.isReplayed))
      // An erasure reads what stores stated about the customer's purchases, and the attributes, for their index.
      XCTAssertLessThanOrEqual(try fixture.book(fixture.customers.map { .erase($0) }).1, 7 * lanes)
      try finish(fixture)
    }
  }

  /// Callers that wait at the same time share groups, even if their commands touch several lanes.
  func testTransfersOfManyCallersShareGroups() async throws {
    let fixture = try fixture(lanes: 2)
    let storage = try XCTUnwrap(fixture.ledger.storage as? PostgresStorage)
    let (customers, gem, before) = (fixture.customers, try Make.amount("GEM", 1), storage.roundTrips)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in customers.indices {
        group.addTask {
          let next = customers[(index + 1) % customers.count]
          _ = try await fixture.ledger.book(.transfer([gem], from: customers[index], to: next)) as Booking
        }
      }
      try await group.waitForAll()
    }
    XCTAssertLessThan(storage.roundTrips - before, size)
    try finish(fixture)
  }

  func testReversals() throws {
    let fixture = try fixture()
    let spent = try fixture.book(
      fixture.customers.map { try .spend([Make.amount("GEM", 1250)], customer: $0) }
    ).0.map { try XCTUnwrap($0.transactionID) }
    // Each reads the earlier reversals too.
    for amount in [Int64(1220), 10, nil] {
      let amounts = try amount.map { [try Make.amount("GEM", $0)] }
      XCTAssertLessThanOrEqual(try fixture.book(spent.map { .reverse($0, amounts: amounts) }).1, 4)
    }
    let few = try fixture.customers.prefix(4).map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0) }
    let last = try fixture.book(few).0.map { try XCTUnwrap($0.transactionID) }
    XCTAssertEqual(try fixture.book(last.map { .reverse($0) }).1, 3)
    try finish(fixture)
  }

  /// Currency that goes back to purchases refunded meanwhile: the purchases are looked up for all commands at once.
  func testReversalsOfWhatWasRefundedMeanwhile() throws {
    let fixture = try fixture()
    let spent = try fixture.book(
      fixture.customers.map { try .spend([Make.amount("GEM", 1250)], customer: $0) }
    ).0.map { try XCTUnwrap($0.transactionID) }
    for (instant, extent) in [(100, StoreRefund.Extent.milliPercent(40_000)), (200, .full)] {
      let refunds = try fixture.customers.indices.map {
        LedgerCommand.refund(
          try Make.refund("t \($0)", extent, revokedAt: Int64(instant), signedAt: Int64(instant)))
      }
      _ = try fixture.book(refunds)
    }
    let (answers, trips) = try fixture.book(spent.map { .reverse($0) })
    XCTAssertLessThanOrEqual(trips, rareTrips)
    XCTAssertEqual(Set(answers.map { $0.entries.map(\.amount) }), [[1250, -1190]])
    try finish(fixture)
  }

  func testReversalsOfWhatWasBought() throws {
    let fixture = try fixture()
    // The first purchase of an item reads it from the catalog.
    try fixture.ledger.buyItem(ItemID("extra_life"), customer: fixture.customers[0])
    let bought = try fixture.book(
      fixture.customers.map { LedgerCommand.buyItem(try ItemID("extra_life"), customer: $0) })
    XCTAssertLessThanOrEqual(bought.1, 3)
    let (_, trips) = try fixture.book(bought.0.map { .reverse(try XCTUnwrap($0.transactionID)) })
    XCTAssertLessThanOrEqual(trips, rareTrips)
    try finish(fixture)
  }

  func testHoldsThatHaveEndedByThemselves() throws {
    let fixture = try fixture()
    for _ in 0..<2 {
      _ = try fixture.book(
        fixture.customers.map { .hold([try Make.amount("GEM", 100)], customer: $0, for: .seconds(1000)) })
    }
    time.advance(seconds: 1001)
    let spends = try fixture.customers.map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0) }
    XCTAssertLessThanOrEqual(try fixture.book(spends).1, 4)
    XCTAssertEqual(try fixture.book(spends).1, 2)
    try finish(fixture)
  }

  func testCustomersWhoWereMerged() throws {
    let fixture = try fixture()
    let held = try fixture.book(
      fixture.customers.map { .hold([try Make.amount("GEM", 100)], customer: $0, for: .seconds(1000)) })
    for index in stride(from: 0, to: 16, by: 2) {
      try fixture.ledger.merge(from: fixture.customers[index], into: fixture.customers[index + 1])
    }
    let holds = try held.0.map { try XCTUnwrap($0.hold?.id) }
    XCTAssertLessThanOrEqual(try fixture.book(holds.map { .release($0) }).1, 4)
    try finish(fixture)
  }

  /// Where a policy counts, the counts come with the customers, once the first group has asked for them.
  func testCountedSpends() throws {
    let fixture = try fixture()
    let limited = #"""
      {"currencies": [
        {"code": "GEM", "name": "Gems", "limits": {"spend": {"amount": 1000, "per": "day"}}},
        {"code": "COIN", "name": "Coins"}, {"code": "ORE", "name": "Ore"}, {"code": "RUBY", "name": "Rubies"}]}
      """#
    try fixture.ledger.apply(Catalog.load(Array(limited.utf8)))
    let spends = try fixture.customers.map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0) }
    // The versions of the currency's policies are asked for once.
    XCTAssertLessThanOrEqual(try fixture.book(spends).1, 4)
    XCTAssertEqual(try fixture.book(spends).1, 2)
    try finish(fixture)
  }

  func testWhatNobodyBooked() throws {
    let fixture = try fixture()
    let other = Ledger.inMemory(clock: time.clock, salt: 5)
    try other.apply(Make.catalog())
    try other.grant([Make.amount("GEM", 1)], customer: Make.customer("x"))
    let stranger = try XCTUnwrap(other.history(of: Make.customer("x")).transactions.first?.booking.transactionID)
    let storage = try XCTUnwrap(fixture.ledger.storage as? PostgresStorage)
    let before = storage.roundTrips
    for answer in fixture.ledger.submit([.reverse(stranger), .release(HoldID(stranger))]) {
      XCTAssertThrowsError(try answer.get())
    }
    XCTAssertLessThanOrEqual(storage.roundTrips - before, 4)
    try finish(fixture)
  }
}

extension EconomyRoundTripTests.Fixture {
  /// - Returns: The answers, and how many round trips the group took.
  fileprivate func book(_ commands: [LedgerCommand]) throws -> ([Booking], Int) {
    let storage = try XCTUnwrap(ledger.storage as? PostgresStorage)
    let before = storage.roundTrips
    let answers = try ledger.submit(commands).map { try $0.get() }
    return (answers, storage.roundTrips - before)
  }
}
#endif
