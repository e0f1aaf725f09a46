import Foundation
import GemLedger
import GemLedgerAudit
import GemTestSupport
import XCTest

@testable import GemLedgerSQLite

/// A write-ahead log that a killed process left, beside a file that was put in the place of the one that it continues.
///
/// SQLite would read the log's pages over those of the other file. Either this is named, or the log does continue the
/// file and nothing is lost.
final class RestoredFileTests: XCTestCase {
  private let time = ManualClock()
  private let directory = try? TemporaryDirectory()

  private func path(_ name: String) throws -> String { try XCTUnwrap(directory).path(name) }

  /// A ledger with so many commits after each other that its log was begun anew several times.
  private func book(_ count: Int, into ledger: Ledger, _ word: String) throws {
    for number in 0..<count {
      try ledger.grant(
        [Make.amount("GEM", 1)], customer: Make.customer("\(word)-\(number % 7)"), key: Make.key("\(word)-\(number)"))
    }
  }

  private func create(_ name: String, salt: UInt64 = 1) throws -> Ledger {
    let ledger = try Ledger.createSQLite(at: path(name), clock: time.clock, salt: salt)
    try ledger.apply(Make.catalog())
    return ledger
  }

  /// A copy of the ledger by SQLite, as `sqlite3 FILE ".backup COPY"` makes it.
  private func backUp(_ name: String, to copy: String) throws {
    let raw = try RawSQLite(path(name))
    XCTAssertNil(raw.backUp(to: try path(copy)))
  }

  /// Empties the log into the file, and lets the next commit begin it anew.
  private func checkpoint(_ name: String) throws {
    XCTAssertNil(try RawSQLite(path(name)).run("PRAGMA wal_checkpoint(RESTART)"))
  }

  /// Puts the files beside each other under a name of their own.
  private func lay(_ database: [UInt8], _ log: [UInt8]) throws -> String {
    let path = try path("laid-\(UUID()).sqlite")
    try Data(database).write(to: URL(fileURLWithPath: path))
    if !log.isEmpty { try Data(log).write(to: URL(fileURLWithPath: path + "-wal")) }
    return path
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  private func assertNamed(
    _ database: [UInt8], _ log: [UInt8], file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let path = try lay(database, log)
    let refusal = assertRefused(.storageDamaged, file: file, line: line) {
      try Ledger.openSQLite(at: path, clock: time.clock)
    }
    XCTAssertEqual(refusal?.message.contains("does not continue this file"), true, file: file, line: line)
    XCTAssertEqual(Array(try Data(contentsOf: URL(fileURLWithPath: path))), database, file: file, line: line)
    XCTAssertEqual(Array(try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))), log, file: file, line: line)
  }

  func testAnOlderBackupIsNamed() throws {
    let ledger = try create("it")
    try book(100, into: ledger, "first")
    try backUp("it", to: "backup")
    try checkpoint("it")
    try book(50, into: ledger, "second")
    try checkpoint("it")
    try book(30, into: ledger, "third")
    let killed = try LedgerFiles(at: path("it"))
    try assertNamed(bytes("backup"), killed.log)
    // Twice, since nothing was changed.
    try assertNamed(bytes("backup"), killed.log)
    XCTAssertEqual(try count(killed.database, killed.log), 180)
    XCTAssertEqual(try count(bytes("backup"), []), 100)
    ledger.close()
  }

  /// The log goes on from before the backup: SQLite would put back all that was booked since, without a word.
  func testABackupOfTheSameLogIsNamed() throws {
    let ledger = try create("it")
    try book(40, into: ledger, "first")
    try backUp("it", to: "backup")
    try book(40, into: ledger, "second")
    try assertNamed(bytes("backup"), LedgerFiles(at: path("it")).log)
    ledger.close()
  }

  func testANewerBackupIsNamed() throws {
    let ledger = try create("it")
    try book(40, into: ledger, "first")
    let killed = try LedgerFiles(at: path("it"))
    try checkpoint("it")
    try book(40, into: ledger, "second")
    try backUp("it", to: "backup")
    try assertNamed(bytes("backup"), killed.log)
    ledger.close()
  }

  func testAnotherLedgersFileOrLogIsNamed() throws {
    let (one, other) = (try create("one", salt: 11), try create("other", salt: 12))
    for ledger in [one, other] { try book(40, into: ledger, "first") }
    let (files, others) = (try LedgerFiles(at: path("one")), try LedgerFiles(at: path("other")))
    for (name, ledger) in [("one", one), ("other", other)] {
      try checkpoint(name)
      try book(40, into: ledger, "second")
    }
    let later = (try LedgerFiles(at: path("one")), try LedgerFiles(at: path("other")))
    try assertNamed(later.0.database, later.1.log)
    try assertNamed(later.1.database, later.0.log)
    try assertNamed(later.0.database, others.log)
    try assertNamed(later.1.database, files.log)
    try backUp("other", to: "backup")
    try assertNamed(bytes("backup"), later.0.log)
    one.close()
    other.close()
  }

  func testACopyWithAnotherLayoutIsNamed() throws {
    let ledger = try create("it")
    try book(40, into: ledger, "first")
    XCTAssertNil(try RawSQLite(path("it")).run("VACUUM INTO '\(path("backup"))'"))
    try book(40, into: ledger, "second")
    try assertNamed(bytes("backup"), LedgerFiles(at: path("it")).log)
    ledger.close()
  }

  /// The control: a log is taken wherever its process was killed, and whatever was copied back from it meanwhile.
  func testALogThatContinuesTheFileIsTaken() throws {
    let ledger = try create("it")
    var booked = 0
    for round in 0..<6 {
      for step in 0..<4 {
        try book(5, into: ledger, "\(round)-\(step)")
        booked += 5
        let files = try LedgerFiles(at: path("it"))
        XCTAssertEqual(try count(files.database, files.log), booked)
        XCTAssertNil(try RawSQLite(path("it")).run("PRAGMA wal_checkpoint(PASSIVE)"))
        let copied = try LedgerFiles(at: path("it"))
        XCTAssertEqual(try count(copied.database, copied.log), booked)
        // A checkpoint that was cut off: any of the pages are in the file.
        var cut = files
        var generator = SeededRandom(seed: UInt64(round * 10 + step))
        for page in 0..<(min(files.database.count, copied.database.count) / 4096) where generator.percent(50) {
          let range = page * 4096..<(page + 1) * 4096
          cut.database.replaceSubrange(range, with: copied.database[range])
        }
        XCTAssertEqual(try count(cut.database, cut.log), booked)
      }
      // Another process books, and leaves the log to this one.
      let other = try Ledger.openSQLite(at: path("it"), clock: time.clock)
      try book(1, into: other, "other-\(round)")
      other.close()
      booked += 1
    }
    ledger.close()
  }

  /// An operator's statement in the log changes the schema's count too.
  func testALogWithAnOperatorsStatementIsTaken() throws {
    for statement in ["VACUUM", "CREATE INDEX mine ON plain_transactions (created_at)"] {
      let name = "it-\(statement.count)"
      let ledger = try create(name)
      try book(40, into: ledger, "first")
      try checkpoint(name)
      let raw = try RawSQLite(path(name))
      XCTAssertNil(raw.run("PRAGMA wal_autocheckpoint = 0; \(statement)"))
      let files = try LedgerFiles(at: path(name))
      XCTAssertGreaterThan(files.frameCount, 0)
      XCTAssertEqual(try count(files.database, files.log), 40, statement)
      ledger.close()
    }
  }

  /// The page at 1 GiB holds the bytes that SQLite locks, and is never written.
  func testTheLockedPageIsInNeitherFile() throws {
    let size = 4096
    let lockPage = 0x4000_0000 / size + 1
    var content = LogContent()
    for page in lockPage - 2...lockPage + 1 where page != lockPage {
      var frame = [UInt8](repeating: 0, count: 24 + size)
      for (offset, value) in [(0, page), (4, page == lockPage + 1 ? page : 0)] {
        for byte in 0..<4 { frame[offset + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * byte)) }
      }
      frame.withUnsafeBytes { content.take(LogFrame(bytes: $0, isBigEndian: false)) }
    }
    XCTAssertTrue(content.continues(nil, fileByteCount: (lockPage - 3) * size, pageSize: size))
    XCTAssertFalse(content.continues(nil, fileByteCount: (lockPage - 4) * size, pageSize: size))
  }

  /// A log that was cut ends at an earlier commit, or is named.
  func testACutLogIsAnEarlierStateOrNamed() throws {
    let ledger = try create("it")
    try book(40, into: ledger, "first")
    try checkpoint("it")
    try book(40, into: ledger, "second")
    let files = try LedgerFiles(at: path("it"))
    for frames in stride(from: 0, to: files.frameCount, by: 7) {
      let log = Array(files.log.prefix(LedgerFiles.headerByteCount + frames * LedgerFiles.frameByteCount))
      guard let left = try? count(files.database, log) else { continue }
      XCTAssertTrue((40...80).contains(left), "\(frames) frames: \(left)")
    }
    ledger.close()
  }

  /// How many grants a ledger of these files has; its books add up.
  private func count(_ database: [UInt8], _ log: [UInt8], file: StaticString = #filePath, line: UInt = #line) throws
    -> Int
  {
    let ledger = try Ledger.openSQLite(at: lay(database, log), clock: time.clock)
    defer { ledger.close() }
    let verification = try ledger.verify()
    XCTAssertEqual(verification.problems, [], file: file, line: line)
    return Int(verification.transactions)
  }
}
