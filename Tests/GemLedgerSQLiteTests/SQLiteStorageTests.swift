import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

final class SQLiteStorageTests: XCTestCase {
  func testMeetsStorageContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try StorageContract { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }.runAll()
  }

  func testRefundsMeetTheContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try RefundContract { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }.runAll()
  }

  func testMergesMeetTheContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try MergeContract { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }.runAll()
  }

  func testDocumentsMeetTheContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    let open = { (clock: LedgerClock) in try Ledger.openSQLite(at: directory.path("\(count).sqlite"), clock: clock) }
    try DocumentContract(
      make: { clock in
        count += 1
        return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
      },
      reopen: { ledger, clock in
        ledger.close()
        return try open(clock)
      }, join: { try open($1) }
    ).runAll()
  }

  func testRefusesBadInput() async throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try await BadInputContract { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }.runAll()
  }

  /// The same commands give the same journal on every storage, transaction ids and all, and closing it in between
  /// changes nothing.
  func testFollowsTheModelAndGivesTheJournalOfMemory() throws {
    let directory = try TemporaryDirectory()
    let generator = SeededRandom()
    var memory = try ModelContract(generator: generator) { clock in Ledger.inMemory(clock: clock, salt: 1) }
    let path = directory.path("ledger.sqlite")
    let reopen: ModelContract.Reopen = { ledger, clock in
      ledger.close()
      return try Ledger.openSQLite(at: path, clock: clock)
    }
    var file = try ModelContract(generator: generator, reopen: reopen) { clock in
      try Ledger.createSQLite(at: path, clock: clock, salt: 1)
    }
    let count = Tier.current.length(800, thorough: 2500)
    XCTAssertEqual(try file.run(count), try memory.run(count))
  }

  func testServesManyCallersAtOnce() async throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try await ConcurrencyContract {
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"))
    }.runAll()
  }

  func testTheFeedMeetsTheContract() async throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try await FeedContract {
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), salt: 1)
    }.runAll()
  }

  func testReportsMeetTheContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try InsightContract { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }.runAll()
  }

  func testTheSummaryMeetsTheContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try SummaryContract { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }.runAll()
  }

  func testTheSearchMeetsTheContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try SearchContract { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }.runAll()
  }

  func testWhatWasReportedStaysSo() throws {
    let directory = try TemporaryDirectory()
    var contract = try LaterContract(generator: InvariantContract.generator(1)[0]) { clock in
      try Ledger.createSQLite(at: directory.path("ledger.sqlite"), clock: clock, salt: 1)
    }
    try contract.run(300)
  }
}
