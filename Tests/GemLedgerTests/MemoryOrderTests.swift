import GemLedger
import GemTestSupport
import XCTest

final class MemoryOrderTests: XCTestCase {
  func testMeetsOrderContract() throws {
    try OrderContract(make: { clock in Ledger.inMemory(clock: clock, salt: 1) }).runAll()
  }
}
