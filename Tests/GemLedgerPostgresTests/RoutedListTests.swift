#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import XCTest

/// Lists of commands, on one lane and on several, of which some commands touch one and others several.
final class RoutedListTests: XCTestCase {
  func testAListGivesWhatItsCommandsGiveOneAfterTheOther() throws {
    let schemas = try Schemas()
    for generator in InvariantContract.generator(2) {
      try ListContract(generator: generator) { try schemas.create(clock: $0, lanes: 1) }.run(lists: 12, of: 120)
    }
  }

  /// That an item has a stock, which lies in a lane of its own, is found out by its first sale.
  func testTheFirstSaleOfWhatIsInStockKeepsItsPlace() throws {
    let (schemas, time) = (try Schemas(), ManualClock())
    let ledger = try schemas.create(clock: time.clock, lanes: 3)
    try ledger.apply(EconomyStream.catalog())
    let customers = try (0..<4).map { try Make.customer("customer \($0)") }
    for customer in customers { try ledger.grant([Make.amount("ORE", 5)], customer: customer) }
    let again = try schemas.reopen(ledger, clock: time.clock)
    let answers = again.submit(
      try customers.flatMap { customer -> [LedgerCommand] in
        let all = try coins(again, customer)
        return [
          .buyItem(try ItemID("crown"), customer: customer),
          try .spend([Make.amount("COIN", all)], customer: customer),
        ]
      })
    for (address, answer) in answers.enumerated() where address.isMultiple(of: 2) { XCTAssertNoThrow(try answer.get()) }
    for (address, answer) in answers.enumerated() where !address.isMultiple(of: 2) {
      XCTAssertThrowsError(try answer.get()) { XCTAssertEqual(($0 as? LedgerError)?.code, .insufficientBalance) }
    }
    try assertBooksAddUp(again)
    again.close()
  }

  private func coins(_ ledger: Ledger, _ customer: CustomerID) throws -> Int64 {
    try ledger.balance(of: CurrencyCode("COIN"), customer: customer).balance
  }

  func testTheSameOverLanes() throws {
    let schemas = try Schemas()
    for generator in InvariantContract.generator(3) {
      try ListContract(generator: generator, comparesLots: false) { try schemas.create(clock: $0, lanes: 3) }
        .run(lists: 12, of: 120)
    }
  }
}
#endif
