import GemLedger
import GemTestSupport
import XCTest

final class MemoryInvariantTests: XCTestCase {
  func testTheTwelveInvariantsHoldOverAStreamOfEverything() throws {
    for generator in InvariantContract.generator(4) {
      var contract = try InvariantContract(generator: generator) { Ledger.inMemory(clock: $0, salt: 1) }
      XCTAssertFalse(try contract.run(1200).transactions.isEmpty)
    }
  }

  func testAListGivesWhatItsCommandsGiveOneAfterTheOther() throws {
    for generator in InvariantContract.generator(8) {
      try ListContract(generator: generator) { Ledger.inMemory(clock: $0, salt: 1) }.run(lists: 12, of: 120)
    }
  }
}
