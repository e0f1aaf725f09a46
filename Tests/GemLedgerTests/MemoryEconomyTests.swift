import GemLedger
import GemTestSupport
import XCTest

final class MemoryEconomyTests: XCTestCase {
  func testHoldsMeetTheContract() throws {
    try HoldContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testTimeMeetsTheContract() throws {
    try TimeContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testReversalsMeetTheContract() throws {
    try ReversalContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testBasketsMeetTheContract() throws {
    try BasketContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testLineagesMeetTheContract() throws {
    try LineageContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testPoliciesMeetTheContract() throws {
    try PolicyContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testCatalogHistoryMeetsTheContract() throws {
    try CatalogHistoryContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testInactiveCurrenciesMeetTheContract() throws {
    try InactiveCurrencyContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }
}
