import GemLedger
import GemLedgerArchive
import GemTestSupport
import XCTest

/// The contract suites on a storage that knows rows and indexes by their descriptions alone.
final class KeyValueStorageTests: XCTestCase {
  override func invokeTest() {
    // The quick tier has all steps of the contracts in memory and on SQLite, and some of them here.
    ContractRun.$quickDivisor.withValue(6) { super.invokeTest() }
  }

  private func make() throws -> (LedgerClock) throws -> Ledger {
    let directory = try TemporaryDirectory()
    var count = 0
    return { clock in
      count += 1
      return try Self.ledger(at: directory.path("\(count)"), clock)
    }
  }

  private static func ledger(at path: String, _ clock: LedgerClock) throws -> Ledger {
    let project = ProjectRow(salt: 1, createdAt: Timestamp(milliseconds: 0))
    return Ledger(storage: try KeyValueStorage(path: path, project: project), clock: clock)
  }

  func testMeetsStorageContract() throws { try StorageContract(make: make()).runAll() }
  func testRefundsMeetTheContract() throws { try RefundContract(make: make()).runAll() }
  func testMergesMeetTheContract() throws { try MergeContract(make: make()).runAll() }
  func testHoldsMeetTheContract() throws { try HoldContract(make: make()).runAll() }
  func testTimeMeetsTheContract() throws { try TimeContract(make: make()).runAll() }
  func testReversalsMeetTheContract() throws { try ReversalContract(make: make()).runAll() }
  func testBasketsMeetTheContract() throws { try BasketContract(make: make()).runAll() }
  func testLineagesMeetTheContract() throws { try LineageContract(make: make()).runAll() }
  func testPoliciesMeetTheContract() throws { try PolicyContract(make: make()).runAll() }
  func testOrdersMeetTheContract() throws { try OrderContract(make: make()).runAll() }
  func testReportsMeetTheContract() throws { try InsightContract(make: make()).runAll() }
  func testTheSearchMeetsTheContract() throws { try SearchContract(make: make()).runAll() }
  func testTheSummaryMeetsTheContract() throws { try SummaryContract(make: make()).runAll() }
  func testDocumentsMeetTheContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    let open: (LedgerClock) throws -> Ledger = { try Self.ledger(at: directory.path("\(count)"), $0) }
    try DocumentContract(
      make: { clock in
        count += 1
        return try open(clock)
      },
      reopen: { ledger, clock in
        ledger.close()
        return try open(clock)
      }
    ).runAll()
  }

  func testRefusesBadInput() async throws { try await BadInputContract(make: make()).runAll() }

  func testTheFeedMeetsTheContract() async throws {
    let make = try make()
    try await FeedContract { try make(.system) }.runAll()
  }

  func testServesManyCallersAtOnce() async throws {
    let make = try make()
    try await ConcurrencyContract { try make(.system) }.runAll()
  }

  /// The same commands give the same journal as in memory, and closing the file in between changes nothing.
  func testFollowsTheModelAndGivesTheJournalOfMemory() throws {
    let directory = try TemporaryDirectory()
    let generator = SeededRandom()
    var memory = try ModelContract(generator: generator) { clock in Ledger.inMemory(clock: clock, salt: 1) }
    let reopen: ModelContract.Reopen = { ledger, clock in
      ledger.close()
      return try Self.ledger(at: directory.path("ledger"), clock)
    }
    var file = try ModelContract(generator: generator, reopen: reopen) { clock in
      try Self.ledger(at: directory.path("ledger"), clock)
    }
    let count = Tier.current.length(200, thorough: 600)
    XCTAssertEqual(try file.run(count), try memory.run(count))
  }

  func testTheTwelveInvariantsHoldOverAStreamOfEverything() throws {
    for generator in InvariantContract.generator(1) {
      var contract = try InvariantContract(generator: generator, make: make())
      XCTAssertFalse(try contract.run(Tier.current.length(250, thorough: 600)).transactions.isEmpty)
    }
  }

  // MARK: Exports and copies

  private static func open(_ path: String, _ head: JournalImport.Head) throws -> any LedgerStorage {
    if !head.isWhole { return try KeyValueStorage.openImport(path: path) }
    return try KeyValueStorage.openCopy(path: path, project: head.project, source: 0)
  }

  private static func copy(_ name: String, _ directory: TemporaryDirectory) -> ArchiveContract.Copy {
    ArchiveContract.Copy(
      name, open: { try open(directory.path(name), $0) }, ledger: { try ledger(at: directory.path(name), $0) })
  }

  func testAnExportMakesTheSameLedger() throws {
    let directory = try TemporaryDirectory()
    let source: (LedgerClock) throws -> Ledger = { try Self.ledger(at: directory.path("from"), $0) }
    try ExportContract(
      make: source, open: source, openTarget: { try Self.open(directory.path($1), $0) },
      openResult: { try Self.ledger(at: directory.path($1), $0) }
    ).runAll()
  }

  func testFromMemoryIntoAFile() throws {
    let (kept, directory) = (KeptStorages(), try TemporaryDirectory())
    try ExportContract(
      make: { kept.ledger("from", $0) }, open: { kept.ledger("from", $0) },
      openTarget: { try Self.open(directory.path($1), $0) },
      openResult: { try Self.ledger(at: directory.path($1), $0) }, areAlike: false
    ).runAll()
  }

  func testEveryJournalComesBack() throws {
    for generator in InvariantContract.generator(2) {
      let (kept, directory) = (KeptStorages(), try TemporaryDirectory())
      var contract = try ArchiveContract(
        generator: generator, make: { try Self.ledger(at: directory.path("source"), $0) },
        chain: [.memory("copy", kept), Self.copy("copy", directory)],
        whole: { Self.copy("whole", try TemporaryDirectory()) })
      try contract.run(cuts: 3, of: 60)
    }
  }

  func testEveryStoryComesBack() throws {
    let directory = try TemporaryDirectory()
    try ArchiveStories.run(make: { Ledger.inMemory(clock: $0, salt: 7) }, copy: { Self.copy($0, directory) })
  }

  func testACopyIsTheSameLedger() throws {
    let directory = try TemporaryDirectory()
    let source: (LedgerClock) throws -> Ledger = { try Self.ledger(at: directory.path("from"), $0) }
    try CopyContract(
      make: source, open: source,
      openCopy: { try KeyValueStorage.openCopy(path: directory.path("to"), project: $0, source: $1) },
      openResult: { try Self.ledger(at: directory.path("to"), $0) }
    ).runAll()
  }
}
