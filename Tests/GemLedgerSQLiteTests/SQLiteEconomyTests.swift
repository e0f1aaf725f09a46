import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

final class SQLiteEconomyTests: XCTestCase {
  private func make() throws -> (LedgerClock) throws -> Ledger {
    let directory = try TemporaryDirectory()
    var count = 0
    return { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }
  }

  func testHoldsMeetTheContract() throws { try HoldContract(make: make()).runAll() }

  func testTimeMeetsTheContract() throws { try TimeContract(make: make()).runAll() }
  func testReversalsMeetTheContract() throws { try ReversalContract(make: make()).runAll() }
  func testBasketsMeetTheContract() throws { try BasketContract(make: make()).runAll() }
  func testLineagesMeetTheContract() throws { try LineageContract(make: make()).runAll() }

  func testExchangesWithAnotherServerSurviveTheirProcesses() async throws {
    let directory = try TemporaryDirectory()
    try Ledger.createSQLite(at: directory.path("saga.sqlite")).close()
    try await SagaContract { try SQLiteStorage(path: directory.path("saga.sqlite")) }.runAll()
  }

  func testPoliciesMeetTheContract() throws { try PolicyContract(make: make()).runAll() }

  func testCatalogHistoryMeetsTheContract() throws { try CatalogHistoryContract(make: make()).runAll() }

  func testInactiveCurrenciesMeetTheContract() throws { try InactiveCurrencyContract(make: make()).runAll() }
}
