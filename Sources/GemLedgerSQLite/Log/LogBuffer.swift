/// Gathers the frames that a connection appends to a write-ahead log, and writes many of them with one system call.
///
/// SQLite writes a frame with two calls, one of 24 bytes and one of a page, and each call costs more than the copy of
/// its bytes. Other connections read no frame before SQLite publishes its commit. So a frame that ends a commit is
/// written at once, with all frames before it; other frames are written when the buffer is full, and before the log is
/// synced, read, measured or cut.
///
/// All other writes go to the file at once: the log's header, changes of frames, and the first frame after such a
/// write.
final class LogBuffer {
  /// Writes bytes at an offset of the file, and returns a result code of SQLite.
  typealias Write = (_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32

  private let capacity: Int
  /// Allocated with the first frame: most connections only read.
  private var bytes: UnsafeMutableRawPointer?
  private var count = 0
  /// The offset behind the last write; nil before the first, and after a failed one.
  private var end: Int64?
  /// Whether the newest frame ends a commit.
  private var endsCommit = false
  /// The offset of gathered frames that could not be written, and the result code.
  private var lost: (offset: Int64, code: Int32)?

  /// The longest write of SQLite's file access on Unix, which cuts the length to 17 bits.
  static let capacityMax = 1 << 17 - 1

  /// - Parameter capacity: In bytes, more than a frame; a longer write is not gathered.
  init(capacity: Int = capacityMax) { self.capacity = capacity }

  deinit { bytes?.deallocate() }

  /// Takes the bytes, or writes them.
  ///
  /// If gathered frames could not be written, no later frame can be, until the next transaction has filled their place.
  ///
  /// - Returns: A result code of SQLite; an error may be that of earlier frames of the same transaction.
  func write(_ new: UnsafeRawPointer, _ newCount: Int, at offset: Int64, _ file: Write) -> Int32 {
    if let lost {
      guard offset <= lost.offset else { return lost.code }
      if offset == lost.offset { self.lost = nil }
    }
    let isHead = newCount == WriteAheadLog.frameHeadByteCount
    if isHead { endsCommit = new.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0 }
    guard offset == end, isHead || count > 0, newCount <= capacity else {
      let code = flush(file)
      guard code == 0 else { return code }
      return write(through: new, newCount, at: offset, file)
    }
    if count + newCount > capacity {
      let code = flush(file)
      guard code == 0 else { return code }
    }
    let bytes = bytes ?? .allocate(byteCount: capacity, alignment: 16)
    self.bytes = bytes
    (bytes + count).copyMemory(from: new, byteCount: newCount)
    count += newCount
    end = offset + Int64(newCount)
    return endsCommit && !isHead ? flush(file) : 0
  }

  /// Writes the gathered frames.
  func flush(_ file: Write) -> Int32 {
    guard count > 0, let bytes, let end else { return 0 }
    let (length, offset) = (count, end - Int64(count))
    count = 0
    let code = write(through: bytes, length, at: offset, file)
    if code != 0 { lost = (offset, code) }
    return code
  }

  /// Writes the gathered frames if some of them are before the end of a read.
  func flush(beforeReadTo readEnd: Int64, _ file: Write) -> Int32 {
    guard count > 0, let end, readEnd > end - Int64(count) else { return 0 }
    return flush(file)
  }

  private func write(through bytes: UnsafeRawPointer, _ length: Int, at offset: Int64, _ file: Write) -> Int32 {
    let code = file(bytes, length, offset)
    end = code == 0 ? offset + Int64(length) : nil
    return code
  }
}
