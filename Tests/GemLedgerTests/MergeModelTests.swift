import GemLedger
import GemTestSupport
import XCTest

final class MergeModelTests: XCTestCase {
  /// Longer streams make lots of more parts than the model's, which then burn in another order.
  func testEachGetsItsOwnBack() throws {
    for generator in InvariantContract.generator(400, quick: 20) {
      var contract = try MergeModelContract(generator: generator) { Ledger.inMemory(clock: $0, salt: 1) }
      try contract.run(90)
    }
  }
}
