import GemLedger
import GemTestSupport
import XCTest

final class MemoryStorageTests: XCTestCase {
  func testMeetsStorageContract() throws {
    try StorageContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testRefundsMeetTheContract() throws {
    try RefundContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testMergesMeetTheContract() throws {
    try MergeContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testDocumentsMeetTheContract() throws {
    try DocumentContract(make: { clock in Ledger.inMemory(clock: clock, salt: 1) }).runAll()
  }

  func testRefusesBadInput() async throws {
    try await BadInputContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testFollowsTheModel() throws {
    for _ in 0..<4 {
      var contract = try ModelContract(generator: SeededRandom()) { clock in Ledger.inMemory(clock: clock, salt: 1) }
      XCTAssertFalse(try contract.run(1000).isEmpty)
    }
  }

  /// With this seed the clock goes back before anything is booked: behind the catalog's time nothing is.
  func testFollowsTheModelWhereTheClockGoesBackAtFirst() throws {
    let generator = SeededRandom(seed: 7_916_319_143_591_912_180)
    var contract = try ModelContract(generator: generator) { clock in Ledger.inMemory(clock: clock, salt: 1) }
    XCTAssertFalse(try contract.run(100).isEmpty)
  }

  func testServesManyCallersAtOnce() async throws {
    try await ConcurrencyContract { Ledger.inMemory() }.runAll()
  }

  func testTheFeedMeetsTheContract() async throws {
    try await FeedContract { Ledger.inMemory(salt: 1) }.runAll()
  }

  func testReportsMeetTheContract() throws {
    try InsightContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testTheSummaryMeetsTheContract() throws {
    try SummaryContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testTheSearchMeetsTheContract() throws {
    try SearchContract { clock in Ledger.inMemory(clock: clock, salt: 1) }.runAll()
  }

  func testWhatWasReportedStaysSo() throws {
    for generator in InvariantContract.generator(3) {
      var contract = try LaterContract(generator: generator) { clock in Ledger.inMemory(clock: clock, salt: 1) }
      try contract.run(400)
    }
  }
}
