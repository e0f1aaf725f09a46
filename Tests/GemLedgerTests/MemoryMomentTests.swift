import GemLedger
import GemTestSupport
import XCTest

final class MemoryMomentTests: XCTestCase {
  func testAnInstantThatIsOverHasOneAnswer() throws {
    for dice in InvariantContract.dice(6) {
      var contract = try MomentContract(dice: dice) { Ledger.inMemory(clock: $0, salt: 1) }
      try contract.run(250)
    }
  }
}
