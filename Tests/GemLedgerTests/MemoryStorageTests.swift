import GemLedger
import GemTestSupport
import XCTest

final class MemoryStorageTests: XCTestCase {
  func testMeetsStorageContract() throws {
    try StorageContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testRefusesBadInput() async throws {
    try await BadInputContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }
}
