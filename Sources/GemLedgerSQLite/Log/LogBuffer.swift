/// Gathers the frames of a commit, and writes them to the write-ahead log with few system calls.
///
/// SQLite writes a frame with two calls, one of 24 bytes and one of a page, and each call costs more than the copy of
/// its bytes. This gathers frames while a commit is running: the connection then holds the log's lock for writing, and
/// other connections read no frame before SQLite has published the commit. The frame that ends the commit is written at
/// once, with all frames before it. Frames are also written when the buffer is full, and before the log is synced,
/// read, measured or cut.
///
/// At any other time each write goes to the file at once. Frames of a transaction that was rolled back must not be
/// written later: their place in the log may belong to a commit of another connection by then.
final class LogBuffer {
  /// Writes bytes at an offset of the file, and returns a result code of SQLite.
  typealias Write = (_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32

  /// The longest write of SQLite's file access on Unix, which cuts the length to 17 bits.
  static let capacityMax = 1 << 17 - 1

  private let capacity: Int
  /// Allocated with the first frame: most connections only read.
  private var bytes: UnsafeMutableRawPointer?
  private var count = 0
  /// The offset behind the gathered bytes.
  private var end: Int64 = 0
  private var isGathering = false
  /// Whether the newest frame ends the commit.
  private var endsCommit = false
  /// The result code of frames that could not be written: the commit then fails.
  private var failure: Int32 = 0

  /// - Parameter capacity: In bytes, more than a frame; a longer write is not gathered.
  init(capacity: Int = capacityMax) { self.capacity = capacity }

  deinit { bytes?.deallocate() }

  /// Begins to gather frames, until the frame that ends the commit.
  func begin() { (isGathering, count, endsCommit, failure) = (true, 0, false, 0) }

  /// Ends the gathering; frames that are not written yet belong to a commit that failed.
  func finish() { (isGathering, count, failure) = (false, 0, 0) }

  /// Takes the bytes, or writes them.
  ///
  /// - Returns: A result code of SQLite; an error may be that of earlier frames of the same commit.
  func write(_ new: UnsafeRawPointer, _ newCount: Int, at offset: Int64, _ file: Write) -> Int32 {
    guard failure == 0 else { return failure }
    guard isGathering else { return file(new, newCount, offset) }
    let isHead = newCount == WriteAheadLog.frameHeadByteCount
    if isHead { endsCommit = new.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0 }
    let follows = count > 0 && offset == end
    if !follows || count + newCount > capacity {
      let code = flush(file)
      guard code == 0 else { return code }
    }
    guard isHead || follows, newCount <= capacity else { return file(new, newCount, offset) }
    let bytes = bytes ?? .allocate(byteCount: capacity, alignment: 16)
    self.bytes = bytes
    (bytes + count).copyMemory(from: new, byteCount: newCount)
    count += newCount
    end = offset + Int64(newCount)
    guard endsCommit, !isHead else { return 0 }
    isGathering = false
    return flush(file)
  }

  /// Writes the gathered frames.
  func flush(_ file: Write) -> Int32 {
    guard count > 0, let bytes else { return failure }
    let length = count
    count = 0
    failure = file(bytes, length, end - Int64(length))
    return failure
  }

  /// Writes the gathered frames if some of them are before the end of a read.
  func flush(beforeReadTo readEnd: Int64, _ file: Write) -> Int32 {
    count > 0 && readEnd > end - Int64(count) ? flush(file) : 0
  }
}
