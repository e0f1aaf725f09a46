import GemLedger
import GemTestSupport
import XCTest

final class MemoryMomentTests: XCTestCase {
  func testAnInstantThatIsOverHasOneAnswer() throws {
    for generator in InvariantContract.generator(6) {
      var contract = try MomentContract(generator: generator) { Ledger.inMemory(clock: $0, salt: 1) }
      try contract.run(250)
    }
  }

  func testWhatIsRefusedChangesNoBalance() throws {
    for generator in InvariantContract.generator(150, quick: 12) {
      var contract = try IdleContract(generator: generator) { Ledger.inMemory(clock: $0, salt: 1) }
      try contract.run(40)
    }
  }

  func testGroupsChangeNoAnswer() throws {
    for generator in InvariantContract.generator(150, quick: 12) {
      var contract = try GroupingContract(generator: generator) { Ledger.inMemory(clock: $0, salt: 1) }
      try contract.run(40)
    }
  }
}
