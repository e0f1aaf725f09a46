#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Holds, reversals, baskets and erasures: over lanes, and by processes that remember rows changed by others.
final class PostgresEconomyTests: XCTestCase {
  override func invokeTest() {
    // The quick tier has all steps of the contracts in memory and on SQLite, and a third of them here.
    ContractRun.$quickDivisor.withValue(3) { super.invokeTest() }
  }

  func testHoldsMeetTheContract() throws {
    let schemas = try Schemas()
    try HoldContract { try schemas.create(clock: $0) }.runAll()
  }

  func testTimeMeetsTheContract() throws {
    let schemas = try Schemas()
    try TimeContract { try schemas.create(clock: $0) }.runAll()
  }

  func testReversalsMeetTheContract() throws {
    let schemas = try Schemas()
    try ReversalContract { try schemas.create(clock: $0) }.runAll()
  }

  func testBasketsMeetTheContract() throws {
    let schemas = try Schemas()
    try BasketContract { try schemas.create(clock: $0, lanes: 8) }.runAll()
  }

  func testLineagesMeetTheContract() throws {
    let schemas = try Schemas()
    try LineageContract { try schemas.create(clock: $0, lanes: 8) }.runAll()
  }

  func testPoliciesMeetTheContract() throws {
    let schemas = try Schemas()
    try PolicyContract { try schemas.create(clock: $0) }.runAll()
  }

  func testCatalogHistoryMeetsTheContract() throws {
    let schemas = try Schemas()
    try CatalogHistoryContract { try schemas.create(clock: $0, lanes: 8) }.runAll()
  }

  func testInactiveCurrenciesMeetTheContract() throws {
    let schemas = try Schemas()
    try InactiveCurrencyContract { try schemas.create(clock: $0, lanes: 8) }.runAll()
  }

  func testExchangesWithAnotherServerSurviveTheirProcesses() async throws {
    let schemas = try Schemas()
    try schemas.create().close()
    let url = schemas.current
    try await SagaContract { try PostgresStorage(url: url) }.runAll()
  }

  // MARK: Two processes

  private func two(lanes: Int) throws -> (Ledger, Ledger) {
    let schemas = try Schemas()
    let one = try schemas.create(lanes: lanes)
    try one.apply(Make.catalog())
    return (one, try Ledger.openPostgres(at: schemas.current))
  }

  private func close(_ ledgers: (Ledger, Ledger)) throws {
    try assertBooksAddUp(ledgers.0)
    ledgers.0.close()
    ledgers.1.close()
  }

  /// Every process finds a hold by its number alone, even after its customer was merged.
  func testAHoldIsFoundWhereverItsCustomerWent() throws {
    let ledgers = try two(lanes: 8)
    let (one, other) = ledgers
    var holds: [(Int, HoldID)] = []
    for number in 0..<12 {
      let customer = try Make.customer("c\(number)")
      try one.grant([Make.amount("GEM", 100)], customer: customer)
      let booking = try one.hold([Make.amount("GEM", 60)], customer: customer, for: .seconds(3600))
      holds.append((number, try XCTUnwrap(booking.hold?.id)))
    }
    // Both ledgers remember the customers of the holds; then all customers are merged, over their lanes, in two steps.
    for (index, (_, hold)) in holds.enumerated() {
      try (index % 2 == 0 ? one : other).extend(hold, for: .seconds(4000 + Int64(index)))
    }
    for number in 0..<12 where number % 3 != 0 {
      try one.merge(from: Make.customer("c\(number)"), into: Make.customer("c\(number / 3 * 3)"))
    }
    for number in [3, 6, 9] { try one.merge(from: Make.customer("c\(number)"), into: Make.customer("c0")) }
    for (index, (_, hold)) in holds.enumerated() {
      let booking = try index % 2 == 0 ? other.capture(hold, amounts: [Make.amount("GEM", 50)]) : other.release(hold)
      XCTAssertEqual(booking.customer, try Make.customer("c0"))
      assertRefused(.holdEnded) { try one.capture(hold) }
    }
    let left = try other.balance(of: CurrencyCode("GEM"), customer: Make.customer("c5"))
    XCTAssertEqual([left.balance, left.held], [1200 - 6 * 50, 0])
    try close(ledgers)
  }

  /// A reversed spend goes back after its customer was merged, to lots that moved with the customer.
  func testASpendIsUndoneWhereverItsCustomerWent() throws {
    let ledgers = try two(lanes: 4)
    let (one, other) = ledgers
    var spends: [TransactionID] = []
    for number in 0..<6 {
      let customer = try Make.customer("c\(number)")
      try one.creditPurchase(Make.purchase("t\(number)"), customer: customer)
      try one.grant([Make.amount("GEM", 10)], customer: customer)
      try one.grant([Make.amount("GEM", 5)], customer: customer, source: .promotional)
      let spend = try one.spend([Make.amount("GEM", 1000)], customer: customer)
      spends.append(try XCTUnwrap(spend.transactionID))
    }
    for spend in spends { try other.reverse(spend, amounts: [Make.amount("GEM", 1)]) }
    for number in 1..<6 { try one.merge(from: Make.customer("c\(number)"), into: Make.customer("c0")) }
    for (index, spend) in spends.enumerated() {
      let ledger = index % 2 == 0 ? one : other
      XCTAssertEqual(try ledger.reverse(spend, amounts: [Make.amount("GEM", 500)]).entries.map(\.amount), [500])
      XCTAssertEqual(try ledger.reverse(spend).entries.map(\.amount), [499])
      assertRefused(.alreadyReversed) { try ledger.reverse(spend) }
    }
    XCTAssertEqual(
      try other.balance(of: CurrencyCode("GEM"), customer: Make.customer("c0")).balance, 6 * 1215)
    try close(ledgers)
  }

  /// Keys under which a hold was captured are known after its customer became part of another.
  func testKeysOfHoldsAreKnownAfterMerges() throws {
    let ledgers = try two(lanes: 4)
    let (one, other) = ledgers
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for customer in [alice, bob] { try one.grant([Make.amount("GEM", 100)], customer: customer) }
    let hold = try XCTUnwrap(try one.hold([Make.amount("GEM", 60)], customer: alice).hold?.id)
    let first = try one.capture(hold, key: Make.key("k"))
    try one.merge(from: alice, into: bob)
    for ledger in [one, other] {
      let again = try ledger.capture(hold, key: Make.key("k"))
      XCTAssertTrue(again.isReplayed)
      XCTAssertEqual(again.transactionID, first.transactionID)
      XCTAssertEqual(again.entries, first.entries)
    }
    try close(ledgers)
  }

  /// A process that remembers the customer of an id finds out that the id is free, or names another customer.
  func testAnErasedIDIsForgottenByAll() throws {
    for lanes in [1, 8] {
      let ledgers = try two(lanes: lanes)
      let (one, other) = ledgers
      let gems = try CurrencyCode("GEM")
      let ids = try ["alice", "ally", "carol"].map { try Make.customer($0) }
      try one.grant([Make.amount("GEM", 100)], customer: ids[0])
      try one.createAlias(ids[1], of: ids[0])
      try one.grant([Make.amount("GEM", 100)], customer: ids[2])
      try one.merge(from: ids[2], into: ids[0])
      for id in ids { try other.spend([Make.amount("GEM", 1)], customer: id) }
      let erased = try one.erase(ids[0]).customer
      for id in ids {
        assertRefused(.customerNotFound) { try other.spend([Make.amount("GEM", 1)], customer: id) }
        assertRefused(.customerNotFound) { try one.spend([Make.amount("GEM", 1)], customer: id) }
      }
      for id in ids {
        try other.grant([Make.amount("GEM", 7)], customer: id)
        try one.spend([Make.amount("GEM", 1)], customer: id)
        XCTAssertEqual(try other.balance(of: gems, customer: id).balance, 6)
      }
      // By the id that is left the books of the erased customer can be read, and no command is taken.
      for ledger in [one, other] {
        assertRefused(.invalidIdentifier) { try ledger.grant([Make.amount("GEM", 1)], customer: erased) }
        XCTAssertEqual(try ledger.balance(of: gems, customer: erased).balance, 200 - 3)
      }
      try close(ledgers)
    }
  }

  /// As many customers as a basket may have, over all lanes.
  func testABasketOverAllLanes() throws {
    let ledgers = try two(lanes: 16)
    let (one, other) = ledgers
    let people = try (0..<Limits.legsPerBasket).map { try Make.customer("p\($0)") }
    let payer = try Make.customer("payer")
    for answer in one.submit(people.map { .createCustomer($0) }) { _ = try answer.get() }
    try one.grant([Make.amount("GEM", 1000)], customer: payer)
    let legs = try people.map { BasketLeg.transfer([try Make.amount("GEM", 2)], from: payer, to: $0) }
    XCTAssertEqual(try other.basket(legs, payer: payer).parties.count, people.count)
    XCTAssertEqual(
      try one.balance(of: CurrencyCode("GEM"), customer: payer).balance, 1000 - 2 * Int64(people.count))
    for id in [people[0], people[people.count - 1]] {
      XCTAssertEqual(try one.balance(of: CurrencyCode("GEM"), customer: id).balance, 2)
    }
    try close(ledgers)
  }
}
#endif
