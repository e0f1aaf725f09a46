#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A group asks once, for all of its commands, for the earlier transactions that they need.
final class EconomyRoundTripTests: XCTestCase {
  private let size = 256
  private let time = ManualClock()

  fileprivate struct Scene: Sendable {
    let url: String
    let ledger: Ledger
    let customers: [CustomerID]
  }

  /// Each customer has 1200 bought gems, 40 earned, and 20 of a promotion.
  private func scene(lanes: Int = 1) throws -> Scene {
    let url = try PostgresServer.shared().createDatabase()
    // With one lane the commands that are handed in together are one group.
    let ledger = try Ledger.createPostgres(at: url + "?lanes=\(lanes)", clock: time.clock)
    try ledger.apply(Make.catalog())
    let customers = try (0..<size).map { try Make.customer("customer \($0)") }
    let scene = Scene(url: url, ledger: ledger, customers: customers)
    _ = try scene.book(
      customers.enumerated().map { .creditPurchase(try Make.purchase("t \($0)"), customer: $1) })
    _ = try scene.book(customers.map { .grant([try Make.amount("GEM", 40)], customer: $0) })
    _ = try scene.book(
      customers.map { .grant([try Make.amount("GEM", 20)], customer: $0, source: .promotional) })
    return scene
  }

  private func finish(_ scene: Scene) throws {
    try assertBooksAddUp(scene.ledger)
    scene.ledger.close()
  }

  func testHoldsAndWhatBecomesOfThem() throws {
    let scene = try scene()
    let (held, trips) = try scene.book(
      scene.customers.map { .hold([try Make.amount("GEM", 100)], customer: $0, for: .seconds(1000)) })
    XCTAssertEqual(trips, 2)
    let holds = try held.map { try XCTUnwrap($0.hold?.id) }
    // The process that began a hold remembers its customer; the lots of the hold are read once the hold names them.
    XCTAssertEqual(
      try scene.book(holds.map { .capture($0, amounts: [try Make.amount("GEM", 70)], keepsOpen: true) }).1, 4)
    XCTAssertEqual(try scene.book(holds.map { .extend($0, for: .seconds(2000)) }).1, 3)
    // A few at a time they come with the hold.
    XCTAssertEqual(try scene.book(holds.prefix(8).map { .extend($0, for: .seconds(2001)) }).1, 2)
    try finish(scene)
    // A newly opened ledger does not remember the customers, and asks once more.
    let again = Scene(
      url: scene.url, ledger: try Ledger.openPostgres(at: scene.url, clock: time.clock), customers: scene.customers)
    try again.ledger.spend([Make.amount("GEM", 1)], customer: again.customers[0])
    XCTAssertEqual(
      try again.book(holds.map { .capture($0, amounts: [try Make.amount("GEM", 5)], keepsOpen: true) }).1, 4)
    XCTAssertEqual(
      try again.book(holds.enumerated().map { .release($1, key: try Make.key("\($0)")) }).1, 3)
    try finish(again)
  }

  /// Commands that end a hold or reverse a spend go to their customer's lane, so a list of them is one group a lane.
  func testListsGoByLanes() throws {
    let scene = try scene(lanes: 2)
    let gem = try Make.amount("GEM", 1)
    let holds = try scene.book(scene.customers.map { .hold([gem], customer: $0) }).0.map {
      try XCTUnwrap($0.hold?.id)
    }
    XCTAssertLessThanOrEqual(try scene.book(holds.map { .extend($0, for: .seconds(2000)) }).1, 4)
    let captured = try scene.book(holds.map { .capture($0) })
    XCTAssertLessThanOrEqual(captured.1, 4)
    XCTAssertLessThanOrEqual(
      try scene.book(captured.0.map { .reverse(try XCTUnwrap($0.transactionID)) }).1, 6)
    // The commands of one customer keep the order of the list.
    let hold = try XCTUnwrap(try scene.ledger.hold([gem], customer: scene.customers[0]).hold?.id)
    let answers = try scene.ledger.submit([
      .extend(hold, for: .seconds(2000)), .capture(hold, keepsOpen: false), .release(hold),
      .spend([Make.amount("GEM", 1259)], customer: scene.customers[0]),
    ])
    XCTAssertNoThrow(try answers[0].get())
    XCTAssertNoThrow(try answers[1].get())
    XCTAssertThrowsError(try answers[2].get()) { XCTAssertEqual(($0 as? LedgerError)?.code, .holdEnded) }
    XCTAssertEqual(try answers[3].get().entries.first?.balance, 0)
    try finish(scene)
  }

  /// Commands over several lanes form one group of all these lanes; refunded purchases are read for the whole group.
  func testListsOfTransfersRefundsAndErasures() throws {
    for lanes in [1, 2] {
      let scene = try scene(lanes: lanes)
      let gem = try Make.amount("GEM", 1)
      // Each customer transfers to the next one; about half of the receivers are in another lane.
      let transfers = scene.customers.indices.map { index in
        LedgerCommand.transfer(
          [gem], from: scene.customers[index], to: scene.customers[(index + 1) % scene.customers.count])
      }
      XCTAssertEqual(try scene.book(transfers).1, 2)
      let refunds = try scene.customers.indices.map {
        LedgerCommand.refund(try Make.refund("t \($0)"), key: try Make.key("\($0)"))
      }
      XCTAssertLessThanOrEqual(try scene.book(refunds).1, 4 * lanes)
      XCTAssertTrue(try scene.book(refunds).0.allSatisfy(\.isReplayed))
      XCTAssertLessThanOrEqual(try scene.book(scene.customers.map { .erase($0) }).1, 4 * lanes)
      try finish(scene)
    }
  }

  /// Callers that wait at the same time share groups, even if their commands touch several lanes.
  func testTransfersOfManyCallersShareGroups() async throws {
    let scene = try scene(lanes: 2)
    let storage = try XCTUnwrap(scene.ledger.storage as? PostgresStorage)
    let (customers, gem, before) = (scene.customers, try Make.amount("GEM", 1), storage.roundTrips)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in customers.indices {
        group.addTask {
          let next = customers[(index + 1) % customers.count]
          _ = try await scene.ledger.book(.transfer([gem], from: customers[index], to: next)) as Receipt
        }
      }
      try await group.waitForAll()
    }
    XCTAssertLessThan(storage.roundTrips - before, size)
    try finish(scene)
  }

  func testReversals() throws {
    let scene = try scene()
    let spent = try scene.book(
      scene.customers.map { try .spend([Make.amount("GEM", 1250)], customer: $0) }
    ).0.map { try XCTUnwrap($0.transactionID) }
    XCTAssertEqual(try scene.book(spent.map { .reverse($0, amounts: [try Make.amount("GEM", 1220)]) }).1, 4)
    // The customers are remembered by now; the earlier reversals are read too.
    XCTAssertEqual(try scene.book(spent.map { .reverse($0, amounts: [try Make.amount("GEM", 10)]) }).1, 4)
    XCTAssertEqual(try scene.book(spent.map { .reverse($0) }).1, 4)
    // For a few commands, the lots come with the spends.
    let few = try scene.customers.prefix(4).map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0) }
    let last = try scene.book(few).0.map { try XCTUnwrap($0.transactionID) }
    XCTAssertEqual(try scene.book(last.map { .reverse($0) }).1, 3)
    try finish(scene)
  }

  /// Currency that goes back to purchases refunded meanwhile: the purchases are looked up for all commands at once.
  func testReversalsOfWhatWasRefundedMeanwhile() throws {
    let scene = try scene()
    let spent = try scene.book(
      scene.customers.map { try .spend([Make.amount("GEM", 1250)], customer: $0) }
    ).0.map { try XCTUnwrap($0.transactionID) }
    _ = try scene.book(scene.customers.indices.map { .refund(try Make.refund("t \($0)")) })
    let (answers, trips) = try scene.book(spent.map { .reverse($0) })
    XCTAssertLessThanOrEqual(trips, 8)
    XCTAssertEqual(Set(answers.map { $0.entries.map(\.amount) }), [[1250, -1190]])
    try finish(scene)
  }

  func testReversalsOfWhatWasBought() throws {
    let scene = try scene()
    // The first purchase of an item reads it from the catalog.
    try scene.ledger.buyItem(ItemID("extra_life"), customer: scene.customers[0])
    let bought = try scene.book(
      scene.customers.map { LedgerCommand.buyItem(try ItemID("extra_life"), customer: $0) })
    XCTAssertEqual(bought.1, 3)
    let (_, trips) = try scene.book(bought.0.map { .reverse(try XCTUnwrap($0.transactionID)) })
    XCTAssertLessThanOrEqual(trips, 6)
    try finish(scene)
  }

  func testHoldsThatHaveEndedByThemselves() throws {
    let scene = try scene()
    for _ in 0..<2 {
      _ = try scene.book(
        scene.customers.map { .hold([try Make.amount("GEM", 100)], customer: $0, for: .seconds(1000)) })
    }
    time.advance(seconds: 1001)
    let spends = try scene.customers.map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0) }
    XCTAssertLessThanOrEqual(try scene.book(spends).1, 5)
    XCTAssertEqual(try scene.book(spends).1, 2)
    try finish(scene)
  }

  func testCustomersWhoWereMerged() throws {
    let scene = try scene()
    let held = try scene.book(
      scene.customers.map { .hold([try Make.amount("GEM", 100)], customer: $0, for: .seconds(1000)) })
    for index in stride(from: 0, to: 16, by: 2) {
      try scene.ledger.merge(from: scene.customers[index], into: scene.customers[index + 1])
    }
    let holds = try held.0.map { try XCTUnwrap($0.hold?.id) }
    XCTAssertLessThanOrEqual(try scene.book(holds.map { .release($0) }).1, 6)
    try finish(scene)
  }

  /// Where a policy counts, the counts come with the customers, once the first group has asked for them.
  func testCountedSpends() throws {
    let scene = try scene()
    let limited = #"""
      {"currencies": [
        {"code": "GEM", "name": "Gems", "limits": {"spend": {"amount": 1000, "per": "day"}}},
        {"code": "COIN", "name": "Coins"}, {"code": "ORE", "name": "Ore"}, {"code": "RUBY", "name": "Rubies"}]}
      """#
    try scene.ledger.apply(Catalog.load(Array(limited.utf8)))
    let spends = try scene.customers.map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0) }
    // The versions of the currency's policies are asked for once.
    XCTAssertLessThanOrEqual(try scene.book(spends).1, 5)
    XCTAssertEqual(try scene.book(spends).1, 2)
    try finish(scene)
  }

  func testWhatNobodyBooked() throws {
    let scene = try scene()
    let other = Ledger.inMemory(clock: time.clock, salt: 5)
    try other.apply(Make.catalog())
    try other.grant([Make.amount("GEM", 1)], customer: Make.customer("x"))
    let stranger = try XCTUnwrap(other.history(of: Make.customer("x")).transactions.first?.receipt.transactionID)
    let storage = try XCTUnwrap(scene.ledger.storage as? PostgresStorage)
    let before = storage.roundTrips
    for answer in scene.ledger.submit([.reverse(stranger), .release(HoldID(stranger))]) {
      XCTAssertThrowsError(try answer.get())
    }
    XCTAssertLessThanOrEqual(storage.roundTrips - before, 4)
    try finish(scene)
  }
}

extension EconomyRoundTripTests.Scene {
  /// - Returns: The answers, and how many round trips the group took.
  fileprivate func book(_ commands: [LedgerCommand]) throws -> ([Receipt], Int) {
    let storage = try XCTUnwrap(ledger.storage as? PostgresStorage)
    let before = storage.roundTrips
    let answers = try ledger.submit(commands).map { try $0.get() }
    return (answers, storage.roundTrips - before)
  }
}
#endif
