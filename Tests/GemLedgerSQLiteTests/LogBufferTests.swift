import GemTestSupport
import XCTest

@testable import GemLedgerSQLite

/// The gathering of a log's frames: the file always has what other connections may read.
final class LogBufferTests: XCTestCase {
  private static let pageSize = 512

  /// A file in memory, which counts the writes.
  private final class File {
    var bytes: [UInt8] = []
    var writes: [Range<Int>] = []
    var isFull = false

    func write(_ new: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
      guard !isFull else { return 13 }
      let range = Int(offset)..<Int(offset) + count
      writes.append(range)
      if bytes.count < range.upperBound { bytes += [UInt8](repeating: 0, count: range.upperBound - bytes.count) }
      bytes.replaceSubrange(range, with: UnsafeRawBufferPointer(start: new, count: count))
      return 0
    }
  }

  /// A log as SQLite writes it, frame by frame.
  private final class Log {
    let file = File()
    let buffer: LogBuffer
    init(capacity: Int = 1 << 16) { buffer = LogBuffer(capacity: capacity) }

    func write(_ bytes: [UInt8], at offset: Int) -> Int32 {
      bytes.withUnsafeBytes { buffer.write($0.baseAddress!, $0.count, at: Int64(offset), file.write) }
    }

    static func offset(ofFrame number: Int) -> Int {
      WriteAheadLog.headerByteCount + number * (WriteAheadLog.frameHeadByteCount + pageSize)
    }

    static func head(_ value: UInt8, endsCommit: Bool) -> [UInt8] {
      var head = [UInt8](repeating: value, count: WriteAheadLog.frameHeadByteCount)
      head.replaceSubrange(4..<8, with: [0, 0, 0, endsCommit ? 1 : 0])
      return head
    }

    static func page(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: pageSize) }

    @discardableResult
    func append(frame number: Int, _ value: UInt8, endsCommit: Bool = false) -> Int32 {
      let code = write(Self.head(value, endsCommit: endsCommit), at: Self.offset(ofFrame: number))
      guard code == 0 else { return code }
      return write(
        Self.page(value), at: Self.offset(ofFrame: number) + WriteAheadLog.frameHeadByteCount)
    }
  }

  func testFramesOfACommitAreOneWrite() {
    let log = Log()
    log.buffer.begin()
    for number in 0...20 { log.append(frame: number, UInt8(number), endsCommit: number == 20) }
    let frames = Log.offset(ofFrame: 0)..<Log.offset(ofFrame: 21)
    XCTAssertEqual(log.file.writes, [frames], "the commit's frames are in the file before SQLite publishes them")
    // What follows in the same commit, such as copies up to a sector's end, goes to the file at once.
    log.append(frame: 21, 1, endsCommit: true)
    XCTAssertEqual(log.file.writes.count, 3)
  }

  /// Frames that do not fit into the page cache are written before the commit, and may be rolled back.
  func testOutsideOfACommitNothingIsGathered() {
    let log = Log()
    for number in 0...3 { log.append(frame: number, 1) }
    XCTAssertEqual(log.file.writes.count, 8)
    log.buffer.begin()
    log.append(frame: 4, 1)
    log.buffer.finish()
    XCTAssertEqual(log.buffer.flush(log.file.write), 0)
    XCTAssertEqual(log.file.writes.count, 8, "a commit that failed leaves no frame to write")
  }

  func testAFullBufferIsWritten() {
    let frame = Log.offset(ofFrame: 1) - Log.offset(ofFrame: 0)
    let log = Log(capacity: 3 * frame + 30)
    log.buffer.begin()
    for number in 0...6 { log.append(frame: number, 1) }
    XCTAssertEqual(log.file.writes.map(\.count), [3 * frame + 24, 3 * frame])
    XCTAssertEqual(log.buffer.flush(log.file.write), 0)
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 7))
  }

  /// SQLite's file access on Unix cuts the length of a write to 17 bits.
  func testNoWriteIsLongerThanSQLiteAllows() {
    let log = Log(capacity: LogBuffer.capacityMax)
    log.buffer.begin()
    for number in 0..<600 { log.append(frame: number, 1, endsCommit: number == 599) }
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 600))
    XCTAssertLessThanOrEqual(log.file.writes.map(\.count).max() ?? 0, 131_071)
    XCTAssertLessThan(log.file.writes.count, 8)
  }

  func testAReadFindsTheFramesBeforeItsEnd() {
    let log = Log()
    log.append(frame: 0, 1)
    log.buffer.begin()
    for number in 1...3 { log.append(frame: number, 1) }
    XCTAssertEqual(log.buffer.flush(beforeReadTo: Int64(Log.offset(ofFrame: 1)), log.file.write), 0)
    XCTAssertEqual(log.file.writes.count, 2, "the read ends before the gathered frames")
    XCTAssertEqual(log.buffer.flush(beforeReadTo: Int64(Log.offset(ofFrame: 2)), log.file.write), 0)
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 4))
  }

  /// After a failed write the whole commit fails, and the next one is written from its place.
  func testAFailedWriteFailsTheCommit() {
    let frame = Log.offset(ofFrame: 1) - Log.offset(ofFrame: 0)
    let log = Log(capacity: 2 * frame)
    log.buffer.begin()
    for number in 0...1 { log.append(frame: number, 2) }
    log.file.isFull = true
    XCTAssertEqual(log.append(frame: 2, 2), 13)
    log.file.isFull = false
    XCTAssertEqual(log.append(frame: 3, 2, endsCommit: true), 13)
    XCTAssertEqual(log.buffer.flush(log.file.write), 13)
    XCTAssertEqual(log.file.bytes, [])
    log.buffer.finish()
    log.buffer.begin()
    for number in 0...3 { XCTAssertEqual(log.append(frame: number, 3, endsCommit: number == 3), 0) }
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 4))
  }

  /// Any order of a connection's calls leaves the same bytes as without the buffer, wherever the file is read.
  func testTheFileIsAsWithoutTheBuffer() {
    var generator = SeededRandom()
    for _ in 0..<200 {
      let (log, plain) = (Log(capacity: 1000 + generator.below(6000)), File())
      func both(_ bytes: [UInt8], at offset: Int) {
        XCTAssertEqual(log.write(bytes, at: offset), 0)
        bytes.withUnsafeBytes { _ = plain.write($0.baseAddress!, $0.count, Int64(offset)) }
      }
      func append(_ value: UInt8, _ frame: Int, endsCommit: Bool) {
        both(Log.head(value, endsCommit: endsCommit), at: Log.offset(ofFrame: frame))
        both(Log.page(value), at: Log.offset(ofFrame: frame) + WriteAheadLog.frameHeadByteCount)
      }
      var committed = 0
      for _ in 0..<20 {
        var end = committed
        // Frames that do not fit into the page cache, before the commit.
        for _ in 0..<generator.below(4) {
          append(UInt8(generator.below(256)), end, endsCommit: false)
          end += 1
        }
        XCTAssertEqual(log.file.bytes, plain.bytes)
        guard generator.percent(80) else { continue }
        log.buffer.begin()
        for _ in 0..<generator.below(12) {
          let value = UInt8(generator.below(256))
          switch generator.below(12) {
          case 0 where end > committed:
            // The frame of a page that was written before is written again.
            let frame = committed + generator.below(end - committed)
            both(Log.page(value), at: Log.offset(ofFrame: frame) + WriteAheadLog.frameHeadByteCount)
          case 1 where end > 0:
            let readEnd = Log.offset(ofFrame: 1 + generator.below(end))
            XCTAssertEqual(log.buffer.flush(beforeReadTo: Int64(readEnd), log.file.write), 0)
            XCTAssertEqual(log.file.bytes.prefix(readEnd), plain.bytes.prefix(readEnd))
          default:
            append(value, end, endsCommit: false)
            end += 1
          }
        }
        append(7, end, endsCommit: true)
        end += 1
        // Then the checksums of changed frames are computed again.
        if generator.percent(20) {
          for frame in committed..<end {
            both(Log.head(8, endsCommit: frame == end - 1), at: Log.offset(ofFrame: frame))
          }
        }
        XCTAssertEqual(log.file.bytes, plain.bytes, "a published commit is in the file")
        log.buffer.finish()
        committed = generator.percent(10) ? 0 : end
      }
    }
  }

  // MARK: Several connections

  /// A transaction that outgrew the page cache and was rolled back leaves nothing that is written over later commits.
  func testARolledBackTransactionLeavesTheCommitsOfOthers() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let first = try SQLiteConnection(path: path, .create)
    try first.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")
    try first.execute("PRAGMA cache_size = 10")
    let other = try SQLiteConnection(path: path)
    func commit(_ connection: SQLiteConnection, _ rows: Range<Int>) throws {
      try connection.execute("BEGIN IMMEDIATE")
      for row in rows { try connection.execute("INSERT INTO t VALUES (\(row), randomblob(3000))") }
      try connection.gatheringFrames { () throws(SQLiteFailure) in try connection.execute("COMMIT") }
    }
    try commit(first, 0..<10)
    for round in 1...5 {
      try first.execute("BEGIN IMMEDIATE")
      for row in 0..<60 { try first.execute("INSERT INTO t VALUES (\(1_000_000 + row), randomblob(3000))") }
      try first.execute("ROLLBACK")
      try commit(other, round * 100..<round * 100 + 40)
      // Each of these made the connection write what it had gathered.
      if round.isMultiple(of: 2) { try first.execute("PRAGMA wal_checkpoint(PASSIVE)") }
      XCTAssertEqual(try first.integer("SELECT count(*) FROM t"), Int64(10 + 41 * (round - 1) + 40))
      try commit(first, round * 100 + 50..<round * 100 + 51)
    }
    let third = try SQLiteConnection(path: path)
    XCTAssertEqual(try third.integer("SELECT count(*) FROM t"), 10 + 41 * 5)
    XCTAssertEqual(try third.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1)
  }
}
