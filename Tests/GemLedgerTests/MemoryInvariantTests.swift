import GemLedger
import GemTestSupport
import XCTest

final class MemoryInvariantTests: XCTestCase {
  func testTheTwelveInvariantsHoldOverAStreamOfEverything() throws {
    for dice in InvariantContract.dice(4) {
      var contract = try InvariantContract(dice: dice) { Ledger.inMemory(clock: $0, salt: 1) }
      XCTAssertFalse(try contract.run(1200).transactions.isEmpty)
    }
  }

  func testAListGivesWhatItsCommandsGiveOneAfterTheOther() throws {
    for dice in InvariantContract.dice(8) {
      try ListContract(dice: dice) { Ledger.inMemory(clock: $0, salt: 1) }.run(lists: 12, of: 120)
    }
  }
}
