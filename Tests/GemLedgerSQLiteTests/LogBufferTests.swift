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
    log.append(frame: 0, 1, endsCommit: true)
    XCTAssertEqual(log.file.writes.count, 2, "nothing precedes them, so the frame's two parts go to the file at once")
    for number in 1...20 { log.append(frame: number, UInt8(number), endsCommit: number == 20) }
    XCTAssertEqual(
      log.file.writes.dropFirst(2), [Log.offset(ofFrame: 1)..<Log.offset(ofFrame: 21)],
      "the commit's frames are in the file before SQLite publishes them")
  }

  func testAFullBufferIsWritten() {
    let frame = Log.offset(ofFrame: 1) - Log.offset(ofFrame: 0)
    let log = Log(capacity: 3 * frame + 30)
    for number in 0...8 { log.append(frame: number, 1) }
    XCTAssertEqual(log.file.writes.dropFirst(2).map(\.count), [3 * frame + 24, 3 * frame - 24 + 24])
    XCTAssertEqual(log.buffer.flush(log.file.write), 0)
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 9))
  }

  /// SQLite's file access on Unix cuts the length of a write to 17 bits.
  func testNoWriteIsLongerThanSQLiteAllows() {
    let log = Log(capacity: LogBuffer.capacityMax)
    for number in 0..<600 { log.append(frame: number, 1, endsCommit: number == 599) }
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 600))
    XCTAssertLessThanOrEqual(log.file.writes.map(\.count).max() ?? 0, 131_071)
    XCTAssertLessThan(log.file.writes.count, 8)
  }

  /// A transaction may read its own frames back, and only those.
  func testAReadFindsTheFramesBeforeItsEnd() {
    let log = Log()
    for number in 0...3 { log.append(frame: number, 1) }
    let before = log.file.writes.count
    XCTAssertEqual(log.buffer.flush(beforeReadTo: Int64(Log.offset(ofFrame: 1)), log.file.write), 0)
    XCTAssertEqual(log.file.writes.count, before, "the read ends before the gathered frames")
    XCTAssertEqual(log.buffer.flush(beforeReadTo: Int64(Log.offset(ofFrame: 2)), log.file.write), 0)
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 4))
  }

  /// The transaction that could not be written is rolled back, and the next one begins at its frames.
  func testAFailedWriteFailsTheCommit() {
    let log = Log()
    log.append(frame: 0, 1, endsCommit: true)
    log.append(frame: 1, 2)
    log.file.isFull = true
    XCTAssertEqual(log.append(frame: 2, 2, endsCommit: true), 13)
    log.file.isFull = false
    XCTAssertEqual(log.buffer.flush(log.file.write), 0)
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 1), "frames of a transaction that failed are not written")
    for number in 1...2 { XCTAssertEqual(log.append(frame: number, 3, endsCommit: number == 2), 0) }
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 3))
    XCTAssertEqual(log.file.bytes[Log.offset(ofFrame: 1)], 3)
  }

  /// A read that fails does not make SQLite give up the transaction; its commit then has to fail.
  func testNoFrameFollowsLostFrames() {
    let log = Log()
    log.append(frame: 0, 1, endsCommit: true)
    for number in 1...2 { log.append(frame: number, 2) }
    log.file.isFull = true
    XCTAssertEqual(log.buffer.flush(beforeReadTo: Int64(Log.offset(ofFrame: 2)), log.file.write), 13)
    log.file.isFull = false
    XCTAssertEqual(log.append(frame: 3, 2, endsCommit: true), 13)
    // A change of a frame before them is no new transaction.
    XCTAssertEqual(log.write(Log.head(2, endsCommit: false), at: Log.offset(ofFrame: 0)), 0)
    XCTAssertEqual(log.append(frame: 3, 2, endsCommit: true), 13)
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 1))
    for number in 1...4 { XCTAssertEqual(log.append(frame: number, 3, endsCommit: number == 4), 0) }
    XCTAssertEqual(log.file.bytes.count, Log.offset(ofFrame: 5))
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
      /// The end of the last commit and of the open transaction, in frames.
      var (committed, end) = (0, 0)
      for _ in 0..<120 {
        let value = UInt8(generator.below(256))
        switch generator.below(20) {
        case 0: (committed, end) = (0, 0)
        case 1: end = committed
        case 2 where end > committed:
          // The page is changed again in the same transaction.
          let frame = committed + generator.below(end - committed)
          both(Log.page(value), at: Log.offset(ofFrame: frame) + WriteAheadLog.frameHeadByteCount)
        case 3 where end > committed:
          // Then the checksums of the frames behind it are computed again.
          for frame in (committed + generator.below(end - committed))..<end {
            both(Log.head(value, endsCommit: false), at: Log.offset(ofFrame: frame))
          }
        case 4: both([UInt8](repeating: value, count: WriteAheadLog.headerByteCount), at: 0)
        case 5:
          XCTAssertEqual(log.buffer.flush(log.file.write), 0)
          XCTAssertEqual(log.file.bytes, plain.bytes)
        case 6 where end > 0:
          let readEnd = Log.offset(ofFrame: 1 + generator.below(end))
          XCTAssertEqual(log.buffer.flush(beforeReadTo: Int64(readEnd), log.file.write), 0)
          XCTAssertEqual(log.file.bytes.prefix(readEnd), plain.bytes.prefix(readEnd))
        default:
          let endsCommit = generator.percent(15)
          both(Log.head(value, endsCommit: endsCommit), at: Log.offset(ofFrame: end))
          both(Log.page(value), at: Log.offset(ofFrame: end) + WriteAheadLog.frameHeadByteCount)
          end += 1
          guard endsCommit else { continue }
          committed = end
          XCTAssertEqual(log.file.bytes, plain.bytes, "a published commit is in the file")
        }
      }
    }
  }
}
