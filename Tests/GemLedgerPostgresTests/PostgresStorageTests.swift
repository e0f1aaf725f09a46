#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

final class PostgresStorageTests: XCTestCase {
  override func invokeTest() {
    // The quick tier has all steps of the contracts in memory and on SQLite, and a third of them here.
    ContractRun.$quickDivisor.withValue(3) { super.invokeTest() }
  }

  func testMeetsStorageContract() throws {
    let schemas = try Schemas()
    try StorageContract { try schemas.create(clock: $0) }.runAll()
  }

  func testRefundsMeetTheContract() throws {
    let schemas = try Schemas()
    try RefundContract { try schemas.create(clock: $0) }.runAll()
  }

  func testMergesMeetTheContract() throws {
    let schemas = try Schemas()
    try MergeContract { try schemas.create(clock: $0) }.runAll()
  }

  func testOrdersMeetTheContract() throws {
    let schemas = try Schemas()
    try OrderContract(make: { try schemas.create(clock: $0) }, reopen: { try schemas.reopen($0, clock: $1) }).runAll()
  }

  func testDocumentsMeetTheContract() throws {
    let schemas = try Schemas()
    for lanes in [1, 4] {
      try DocumentContract(
        make: { try schemas.create(clock: $0, lanes: lanes) }, reopen: { try schemas.reopen($0, clock: $1) },
        join: { try Ledger.openPostgres(at: schemas.current, clock: $1) }
      ).runAll()
    }
  }

  func testRefusesBadInput() async throws {
    let schemas = try Schemas()
    // One lane: its customers are listed in the order in which they came.
    try await BadInputContract { try schemas.create(clock: $0, lanes: 1) }.runAll()
  }

  func testServesManyCallersAtOnce() async throws {
    let schemas = try Schemas()
    try await ConcurrencyContract { try schemas.create(clock: .system) }.runAll()
  }

  func testTheFeedMeetsTheContract() async throws {
    let schemas = try Schemas()
    try await FeedContract { try schemas.create() }.runAll()
  }

  func testReportsMeetTheContract() throws {
    let schemas = try Schemas()
    try InsightContract { try schemas.create(clock: $0) }.runAll()
  }

  func testTheSummaryMeetsTheContract() throws {
    let schemas = try Schemas()
    for lanes in [1, 4] { try SummaryContract { try schemas.create(clock: $0, lanes: lanes) }.runAll() }
  }

  func testTheSearchMeetsTheContract() throws {
    let schemas = try Schemas()
    for lanes in [1, 4] { try SearchContract { try schemas.create(clock: $0, lanes: lanes) }.runAll() }
  }

  func testWhatWasReportedStaysSo() throws {
    let schemas = try Schemas()
    var contract = try LaterContract(generator: InvariantContract.generator(1)[0]) { try schemas.create(clock: $0) }
    try contract.run(Tier.current.length(80, thorough: 200))
  }

  /// The same commands give the same journal as in memory, numbers apart, and opening it anew in between changes
  /// nothing.
  func testFollowsTheModelAndGivesTheJournalOfMemory() throws {
    let schemas = try Schemas()
    let generator = SeededRandom()
    var memory = try ModelContract(generator: generator) { clock in Ledger.inMemory(clock: clock, salt: 1) }
    let reopen: ModelContract.Reopen = { try schemas.reopen($0, clock: $1) }
    var database = try ModelContract(generator: generator, reopen: reopen) { try schemas.create(clock: $0, lanes: 1) }
    let count = Tier.current.length(300, thorough: 1200)
    let (found, expected) = (try database.run(count), try memory.run(count))
    XCTAssertEqual(found.map { $0.map(Self.withoutNumbers) }, expected.map { $0.map(Self.withoutNumbers) })
  }

  /// Over several lanes too, merges from lane to lane among them.
  func testFollowsTheModelOverManyLanes() throws {
    let schemas = try Schemas()
    let reopen: ModelContract.Reopen = { try schemas.reopen($0, clock: $1) }
    var database = try ModelContract(generator: SeededRandom(), hasManyLanes: true, reopen: reopen) {
      try schemas.create(clock: $0, lanes: 8)
    }
    _ = try database.run(Tier.current.length(300, thorough: 1200))
  }

  /// The parts of a record that do not depend on how a storage numbers.
  private static func withoutNumbers(_ record: HistoryRecord) -> String {
    let entries = record.booking.entries.map { entry in
      let allocations = entry.allocations.map { "\($0.source) \($0.amount)" }.joined(separator: ",")
      return "\(entry.currency) \(entry.kind) \(entry.amount) \(entry.balance) \(entry.debt) \(entry.version) "
        + allocations
    }
    return "\(record.booking.customer) \(record.booking.kind) \(record.booking.createdAt) "
      + "\(entries.joined(separator: "; ")) \(record.booking.items) \(record.reference?.text ?? "")"
  }
}

/// Ledgers in schemas of one database, one after the other.
final class Schemas {
  /// The URL of the database.
  let database: String
  private var count = 0

  init() throws { database = try PostgresServer.shared().createDatabase() }

  /// The schema of the newest one.
  var schema: String { "ledger_\(count)" }
  /// The URL of the newest one.
  var current: String { "\(database)?schema=\(schema)" }

  func create(clock: LedgerClock = .system, lanes: Int? = nil) throws -> Ledger {
    count += 1
    return try Ledger.createPostgres(at: current + (lanes.map { "&lanes=\($0)" } ?? ""), clock: clock, salt: 1)
  }

  func reopen(_ ledger: Ledger, clock: LedgerClock = .system) throws -> Ledger {
    ledger.close()
    return try Ledger.openPostgres(at: current, clock: clock)
  }
}
#endif
