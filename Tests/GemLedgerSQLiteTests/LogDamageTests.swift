import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Damage in the write-ahead log is named when the ledger is opened, and takes nothing away in silence.
///
/// The seeds are fixed; others run with
///
///     GEMLEDGER_DAMAGE_SEEDS=1000 .ci/test --filter LogDamageTests
///
/// which draws that many and prints the first.
final class LogDamageTests: XCTestCase {
  private let time = ManualClock()

  /// A process was killed, the disk lost one bit of the log, and the ledger is opened again.
  func testADamagedLogIsNamedAndLeftAsItIs() throws {
    let directory = try TemporaryDirectory()
    var files = try killedLedger(directory)
    let commits = files.commitFrames
    let frame = commits[commits.count / 2]
    files.log[LedgerFiles.headerByteCount + (frame - 1) * LedgerFiles.frameByteCount + 1000] ^= 4
    let path = directory.path("damaged.sqlite")
    try files.write(to: path)
    let refusal = assertRefused(.storageDamaged) { try Ledger.openSQLite(at: path, clock: time.clock) }
    XCTAssertEqual(refusal?.text("file"), path)
    XCTAssertEqual(refusal?.text("log"), path + "-wal")
    XCTAssertEqual(refusal?.integer("frame"), Int64(frame))
    XCTAssertEqual(refusal?.integer("frames_behind"), Int64(files.frameCount - frame))
    XCTAssertEqual(refusal?.integer("commits_behind"), Int64(commits.count - commits.count / 2))
    XCTAssertTrue(refusal?.message.contains("sound") == false && refusal?.message.contains("-wal") == true)
    XCTAssertEqual(try LedgerFiles(at: path).log, files.log)
    XCTAssertEqual(try LedgerFiles(at: path).database, files.database)
    // The documented way to go on without the part behind the damage.
    let soundByteCount = Int(try XCTUnwrap(refusal?.integer("sound_bytes")))
    files.log.removeLast(files.log.count - soundByteCount)
    try files.write(to: path)
    let ledger = try CountedLedger.open(at: path, clock: time.clock)
    XCTAssertGreaterThan(ledger.bookedCount, 0)
    ledger.ledger.close()
  }

  func testADamagedHeaderIsNamed() throws {
    let directory = try TemporaryDirectory()
    let whole = try killedLedger(directory)
    for position in 0..<LedgerFiles.headerByteCount {
      var files = whole
      files.log[position] ^= 1
      let path = directory.path("damaged-\(position).sqlite")
      try files.write(to: path)
      let refusal = assertRefused(.storageDamaged) { try Ledger.openSQLite(at: path, clock: time.clock) }
      XCTAssertEqual(refusal?.integer("frame"), 0, "byte \(position)")
    }
  }

  /// The frames behind a broken header are in the database already: SQLite loses nothing without them.
  func testABrokenHeaderOfALogThatWasCopiedBackIsNoDamage() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    var generator = SeededRandom(seed: 5)
    var counted = try CountedLedger.create(at: path, clock: time.clock)
    for _ in 0..<10 { try counted.book(&generator) }
    XCTAssertNil(try RawSQLite(path).run("PRAGMA wal_checkpoint(FULL)"))
    var files = try LedgerFiles(at: path)
    XCTAssertGreaterThan(files.frameCount, 10)
    files.log[20] ^= 1
    let copy = directory.path("copy.sqlite")
    try files.write(to: copy)
    let opened = try CountedLedger.open(at: copy, clock: time.clock)
    XCTAssertEqual(opened.bookedCount, counted.bookedCount)
    opened.ledger.close()
    counted.ledger.close()
  }

  /// Each damage is named, or loses only the last commit, and the one before it where the damage hit its commit frame.
  func testAnyDamageIsNamedOrLosesNothing() throws {
    let drawn = ProcessInfo.processInfo.environment["GEMLEDGER_DAMAGE_SEEDS"].flatMap { UInt64($0) }
    let first = drawn == nil ? 1 : UInt64.random(in: 1...UInt64(Int64.max / 2))
    let directory = try TemporaryDirectory()
    let whole = try killedLedger(directory)
    let booked = try countOf(whole, directory)
    let commits = whole.commitFrames
    let (lastBegins, secondLast) = (commits[commits.count - 2] + 1, commits[commits.count - 2])
    var outcomes = (named: 0, harmless: 0, last: 0)
    let count = drawn ?? UInt64(Tier.current.length(10, thorough: 60))
    for seed in first..<first + count {
      var generator = SeededRandom(seed: seed)
      let (files, frames) = damaged(whole, &generator)
      switch try open(files, directory) {
      case nil: outcomes.named += 1
      case booked: outcomes.harmless += 1
      case let left?:
        outcomes.last += 1
        // The last commit, and the mark of the one before it where the damage took that mark.
        XCTAssertGreaterThanOrEqual(frames.upperBound, secondLast, "seed \(seed)")
        XCTAssertLessThanOrEqual(booked - left, frames.lowerBound < lastBegins ? 2 : 1, "seed \(seed)")
      }
    }
    print("of \(count) damages \(outcomes)")
    XCTAssertGreaterThan(outcomes.named, 0)
  }

  /// A power cut may lose the last commit, so damage to that commit cannot be told from a power cut.
  func testDamageToTheLastCommitIsTakenForAPowerCut() throws {
    let directory = try TemporaryDirectory()
    let whole = try killedLedger(directory)
    let commits = whole.commitFrames
    let (last, secondLast) = (commits[commits.count - 1], commits[commits.count - 2])
    // The page and the checksum of the commit before it do prove something; its mark is the end of it.
    for (frame, position, isNamed) in [
      (last, 1000, false), (secondLast + 1, 24, false), (last, 17, false), (secondLast, 1000, true),
      (secondLast, 17, true), (secondLast, 8, true), (secondLast, 0, true),
    ] {
      var files = whole
      files.log[LedgerFiles.headerByteCount + (frame - 1) * LedgerFiles.frameByteCount + position] ^= 1
      let left = try open(files, directory)
      XCTAssertEqual(left == nil, isNamed, "frame \(frame), byte \(position)")
      if let left { XCTAssertGreaterThanOrEqual(left, bookedCount - 1) }
    }
  }

  /// The control: without the check SQLite itself says nothing.
  func testSQLiteAloneLosesTheRestInSilence() throws {
    let directory = try TemporaryDirectory()
    let whole = try killedLedger(directory)
    var lost = 0
    for seed in 1...40 as ClosedRange<UInt64> {
      var generator = SeededRandom(seed: seed)
      let path = directory.path("raw-\(seed).sqlite")
      try damaged(whole, &generator).files.write(to: path)
      let raw = try RawSQLite(path)
      if raw.rows("PRAGMA quick_check") == ["ok"],
        raw.rows("SELECT count(*) FROM all_transactions") != ["\(bookedCount)"]
      {
        lost += 1
      }
    }
    XCTAssertGreaterThan(lost, 20)
  }

  // MARK: Helpers

  /// The files of a killed process: everything after the schema is in the log.
  private func killedLedger(_ directory: TemporaryDirectory) throws -> LedgerFiles {
    let path = directory.path("killed.sqlite")
    var generator = SeededRandom(seed: 3)
    try CountedLedger.create(at: path, clock: time.clock).ledger.close()
    var counted = try CountedLedger.open(at: path, clock: time.clock)
    for _ in 0..<25 { try counted.book(&generator) }
    let files = try LedgerFiles(at: path)
    counted.ledger.close()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    bookedCount = counted.bookedCount
    return files
  }

  private var bookedCount = 0

  private func countOf(_ files: LedgerFiles, _ directory: TemporaryDirectory) throws -> Int {
    let count = try XCTUnwrap(try open(files, directory), "the log is whole")
    XCTAssertEqual(count, bookedCount)
    return count
  }

  /// - Returns: How many bookings there are; nil where the damage is named.
  private func open(_ files: LedgerFiles, _ directory: TemporaryDirectory) throws -> Int? {
    let path = directory.path("\(UUID()).sqlite")
    try files.write(to: path)
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
    do {
      let counted = try CountedLedger.open(at: path, clock: time.clock)
      defer { counted.ledger.close() }
      return counted.bookedCount
    } catch let error as LedgerError where error.code == .storageDamaged {
      return nil
    }
  }

  /// Changes one byte, some bytes, a sector or a few, anywhere in the log.
  private func damaged(_ whole: LedgerFiles, _ generator: inout SeededRandom) -> (
    files: LedgerFiles, frames: ClosedRange<Int>
  ) {
    var files = whole
    let position = generator.below(files.log.count)
    let range: Range<Int>
    switch generator.below(4) {
    case 0, 1: range = position..<position + 1
    case 2: range = position..<min(files.log.count, position + 1 + generator.below(200))
    default:
      let sector = position / 512 * 512
      range = sector..<min(files.log.count, sector + 512 * (1 + generator.below(4)))
    }
    let isZeroed = generator.percent(30)
    for byte in range { files.log[byte] = isZeroed ? 0 : files.log[byte] ^ UInt8(1 + generator.below(255)) }
    let frame = { (byte: Int) in 1 + max(0, byte - LedgerFiles.headerByteCount) / LedgerFiles.frameByteCount }
    return (files, frame(range.lowerBound)...frame(range.upperBound - 1))
  }
}
