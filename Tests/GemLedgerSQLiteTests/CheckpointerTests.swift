import Foundation
import GemLedger
import GemLedgerAudit
import GemTestSupport
import XCTest

@testable import GemLedgerSQLite

/// The log is copied beside the writer, stays short, and nothing is lost.
final class CheckpointerTests: XCTestCase {
  private let time = ManualClock()
  private static let frameByteCount = 4096 + 24

  private static func sizes(_ pages: Int) -> TableSizes {
    var sizes = TableSizes()
    sizes.logPages = pages
    return sizes
  }

  private func open(_ path: String, pages: Int) throws -> Ledger {
    Ledger(
      storage: try SQLiteStorage(path: path, now: time.now, sizes: Self.sizes(pages)), clock: time.clock)
  }

  /// Creates a ledger with a currency.
  private func create(_ path: String) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock)
    try ledger.apply(Make.catalog())
    ledger.close()
  }

  private func pages(_ path: String) throws -> Int {
    let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    return (log ?? 0) / Self.frameByteCount
  }

  /// Books grants to many customers, so that each commit writes several pages.
  private static func book(_ ledger: Ledger, _ random: inout SeededRandom) throws {
    let gem = try Make.amount("GEM", 1)
    let commands = try (0..<20).map { _ in
      try LedgerCommand.grant([gem], customer: Make.customer("c\(random.below(2000))"))
    }
    for answer in ledger.submit(commands) { _ = try answer.get() }
  }

  func testTheLogStaysShortWhileCommitsFollowEachOther() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try create(path)
    var random = SeededRandom()
    // The second ledger is the control: without checkpoints the log only grows.
    for (limit, isShort) in [(100, true), (.max / 8, false)] {
      let ledger = try open(path, pages: limit)
      for _ in 0..<150 { try Self.book(ledger, &random) }
      let count = try pages(path)
      XCTAssertEqual(count < 800, isShort, "\(count) pages")
      try assertBooksAddUp(ledger)
      ledger.close()
    }
    let ledger = try open(path, pages: 100)
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    ledger.close()
  }

  func testTwoWritersAndReadersBesideThePasses() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try create(path)
    let ledgers = try (0..<2).map { _ in try open(path, pages: 40) }
    let random = SeededRandom()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var random = SeededRandom(seed: random.seed &+ UInt64(thread))
      for _ in 0..<60 {
        do {
          if thread < 2 { try Self.book(ledgers[thread], &random) } else { _ = try ledgers[thread - 2].verify() }
        } catch {
          XCTFail("\(error)")
        }
      }
    }
    XCTAssertEqual(try LedgerState(ledgers[0]), try LedgerState(ledgers[1]))
    ledgers[0].close()
    XCTAssertEqual(try ledgers[1].verify().problems.map(\.description), [])
    let gem = try CurrencyCode("GEM")
    // Some of the customers were never drawn.
    let balances = (0..<2000).compactMap { try? ledgers[1].balance(of: gem, customer: Make.customer("c\($0)")).balance }
    XCTAssertEqual(balances.reduce(0, +), 2 * 60 * 20)
    ledgers[1].close()
  }

  /// A reader of an early snapshot keeps pages from being copied, and no commit waits for it.
  func testAReaderKeepsTheLog() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try create(path)
    var random = SeededRandom()
    let ledger = try open(path, pages: 40)
    try Self.book(ledger, &random)
    let reader = try RawSQLite(path)
    reader.run("BEGIN; SELECT count(*) FROM customers")
    for _ in 0..<30 { try Self.book(ledger, &random) }
    XCTAssertGreaterThan(try pages(path), 160)
    reader.run("COMMIT")
    let before = try pages(path)
    for _ in 0..<30 { try Self.book(ledger, &random) }
    XCTAssertLessThan(try pages(path), before + 80, "the log begins again")
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Without a second connection the writer copies the pages itself.
  func testTheWriterCopiesAlone() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try create(path)
    let writer = try Self.connection(path)
    let checkpointer = Checkpointer(pages: 10) { () throws(LedgerError) in throw .defect("no connection") }
    writer.countLogPages()
    try writer.execute("CREATE TABLE more (bytes BLOB)")
    var restarts = 0
    for _ in 0..<60 {
      let before = writer.logPages
      try writer.execute("INSERT INTO more VALUES (randomblob(9000))")
      if writer.logPages < before { restarts += 1 }
      checkpointer.checkpointIfNeeded(after: writer)
    }
    checkpointer.close()
    XCTAssertGreaterThan(restarts, 0)
    XCTAssertEqual(try Self.connection(path).integer("SELECT count(*) FROM more"), 60)
  }

  /// The log was replaced: its pages must not get into the file of the writer's log.
  func testAnotherLogIsNotCopied() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try create(path)
    let writer = try Self.connection(path)
    try writer.execute("CREATE TABLE more (bytes BLOB)")
    for _ in 0..<40 { try writer.execute("INSERT INTO more VALUES (randomblob(3000))") }
    try writer.execute("PRAGMA wal_checkpoint(RESTART)")
    writer.countLogPages()
    // The rows stay in their pages, so that the first page is not in the log.
    try writer.execute("UPDATE more SET bytes = randomblob(3000)")
    XCTAssertGreaterThan(writer.logPages, 30)
    var log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    try FileManager.default.moveItem(atPath: path + "-wal", toPath: path + ".log")
    for byte in log.indices where byte > 32 && (byte - 32) % Self.frameByteCount >= 24 { log[byte] ^= 0xFF }
    try log.write(to: URL(fileURLWithPath: path + "-wal"))
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let checkpointer = Checkpointer(pages: 10) { () throws(LedgerError) in
      do throws(SQLiteFailure) { return try Self.connection(path) } catch { throw error.ledgerError(path: path) }
    }
    checkpointer.checkpointIfNeeded(after: writer)
    checkpointer.close()
    XCTAssertTrue(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  private static func connection(_ path: String) throws(SQLiteFailure) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path)
    try connection.configure()
    _ = try connection.version()
    do throws(LedgerError) { connection.files = try OpenFiles(connection) } catch { XCTFail("\(error)") }
    return connection
  }

  /// Closing waits for a running pass, and leaves no log.
  func testClosingDuringAPass() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try create(path)
    var random = SeededRandom()
    for _ in 0..<20 {
      let ledger = try open(path, pages: 20 + random.below(20))
      for _ in 0..<1 + random.below(4) { try Self.book(ledger, &random) }
      ledger.close()
      XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-wal"))
    }
  }
}

final class CheckpointPlanTests: XCTestCase {
  private typealias Progress = CheckpointPlan.Progress

  func testAPassBesideIsFollowedByOneInACommit() {
    var plan = CheckpointPlan(limit: 800)
    XCTAssertEqual(plan.step(pages: 799), .nothing)
    XCTAssertEqual(plan.step(pages: 800), .beside)
    XCTAssertEqual(plan.step(pages: 850), .nothing, "one pass at a time")
    plan.endBeside(Progress(pages: 800, copied: 800))
    XCTAssertEqual(plan.step(pages: 900), .inCommit, "a commit copies the last 100")
    plan.endInCommit()
    XCTAssertEqual(plan.step(pages: 10), .nothing, "the log began again")
    XCTAssertEqual(plan.step(pages: 800), .beside)
  }

  func testEachPassLeavesAtMostHalf() {
    var plan = CheckpointPlan(limit: 800)
    for (copied, left) in [(0, 800), (800, 400), (1200, 200)] {
      XCTAssertEqual(plan.step(pages: copied + left), .beside)
      plan.endBeside(Progress(pages: copied + left, copied: copied + left))
    }
    XCTAssertEqual(plan.step(pages: 1400 + 101), .inCommit, "101 are more than half of 200")
  }

  /// The writer is as fast as the passes, or a reader prevents them: the commit copies what it can, then new pages come.
  func testWithoutProgressACommitCopies() {
    for copied in [0, 800] {
      var plan = CheckpointPlan(limit: 800)
      XCTAssertEqual(plan.step(pages: 800), .beside)
      plan.endBeside(Progress(pages: 800, copied: copied))
      XCTAssertEqual(plan.step(pages: 1700), .inCommit)
      plan.endInCommit()
      XCTAssertEqual(plan.step(pages: 1701), .nothing)
      XCTAssertEqual(plan.step(pages: 1800), .beside)
    }
  }

  func testAFailedPassIsMadeInACommit() {
    var plan = CheckpointPlan(limit: 800)
    XCTAssertEqual(plan.step(pages: 800), .beside)
    plan.endBeside(nil)
    XCTAssertEqual(plan.step(pages: 801), .inCommit)
  }

  func testAPassThatDoesNotBeginLeavesTheLogBounded() {
    var plan = CheckpointPlan(limit: 800)
    XCTAssertEqual(plan.step(pages: 800), .beside)
    XCTAssertEqual(plan.step(pages: 3199), .nothing)
    XCTAssertEqual(plan.step(pages: 3200), .inCommit)
  }

  /// The pass copied a log that ended meanwhile.
  func testTheProgressOfAnEarlierLogIsNotUsed() {
    var plan = CheckpointPlan(limit: 800)
    XCTAssertEqual(plan.step(pages: 800), .beside)
    XCTAssertEqual(plan.step(pages: 20), .nothing)
    plan.endBeside(Progress(pages: 800, copied: 800))
    XCTAssertEqual(plan.step(pages: 900), .beside)
  }
}
