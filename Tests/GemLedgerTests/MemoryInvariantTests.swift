import GemLedger
import GemTestSupport
import XCTest

final class MemoryInvariantTests: XCTestCase {
  func testTheTwelveInvariantsHoldOverAStreamOfEverything() throws {
    for _ in 0..<4 {
      var contract = try InvariantContract(dice: SeededDice()) { Ledger.inMemory(clock: $0, salt: 1) }
      XCTAssertFalse(try contract.run(1200).transactions.isEmpty)
    }
  }
}
