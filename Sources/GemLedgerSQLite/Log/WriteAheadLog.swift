internal import GemLedger

/// A write-ahead log, examined before SQLite reads it.
///
/// SQLite uses the frames before the first wrong checksum, and does not report the frames after it. After a power cut
/// that is correct: only frames of the one unacknowledged commit can be missing. Damage is different. Each checksum
/// continues from that of the previous frame, so a frame that continues from a **commit** was written after that commit
/// had reached the disk. Such a pair after a broken frame proves that the broken frame was intact earlier.
struct WriteAheadLog {
  /// The loss if SQLite uses the log.
  struct Damage: Equatable {
    /// The first invalid frame, from 1; 0 for the log's header.
    var frame: Int
    /// The end of the last commit before it.
    var soundByteCount: Int
    /// The number of later frames that continue from their previous frame.
    var framesBehind = 0
    /// The number of those frames that end a commit.
    var commitsBehind = 0
  }

  static let headerByteCount = 32
  static let frameHeadByteCount = 24

  let header: LogHeader?
  let reader: LogReader
  let frameCount: Int

  /// - Parameters:
  ///   - head: The first bytes of the log.
  ///   - pageSize: The page size of the database, for a log with a broken header.
  ///   - read: Fills the buffer with the bytes at an offset.
  init(
    head: [UInt8], byteCount: Int, pageSize: Int,
    read: @escaping (UnsafeMutableRawBufferPointer, Int) throws(LedgerError) -> Void
  ) {
    header = LogHeader(head)
    let size = header?.pageSize ?? pageSize
    let bytesPerFrame = Self.frameHeadByteCount + size
    frameCount = max(0, (byteCount - Self.headerByteCount) / bytesPerFrame)
    reader = LogReader(pageSize: size, isBigEndian: header?.isBigEndian ?? LogHeader.isBigEndian(head), read: read)
  }

  /// - Parameter page: Returns the database page with a number, from 1; nil if the database is shorter.
  /// - Returns: The damage, or nil if SQLite will find all acknowledged commits; and the content of the commits.
  func examine(
    page: (Int) throws(LedgerError) -> [UInt8]?
  ) throws(LedgerError) -> (damage: Damage?, content: LogContent) {
    guard frameCount > 0 else { return (nil, LogContent()) }
    guard let header else { return (try damageBehindABrokenHeader(page: page), LogContent()) }
    return try examine(behind: header)
  }

  private func examine(behind header: LogHeader) throws(LedgerError) -> (damage: Damage?, content: LogContent) {
    var chain = LogChain(header)
    try reader.forEach(through: frameCount) { (number, frame) throws(LedgerError) in
      chain.take(frame, number: number)
      return true
    }
    guard var damage = chain.damage, chain.isProved else { return (nil, chain.content) }
    damage.soundByteCount =
      Self.headerByteCount + chain.lastCommit * (Self.frameHeadByteCount + header.pageSize)
    return (damage, chain.content)
  }

  /// Examines a log with a broken header.
  ///
  /// The header reaches the disk before the first frame is written, so frames without a header are damage. If SQLite
  /// was restarting the log, the frames are old, and the database has all their contents.
  private func damageBehindABrokenHeader(
    page: (Int) throws(LedgerError) -> [UInt8]?
  ) throws(LedgerError) -> Damage? {
    var run = FirstRun()
    try reader.forEach(through: frameCount) { (number, frame) throws(LedgerError) in run.take(frame, number: number) }
    var damage = Damage(frame: 0, soundByteCount: 0)
    damage.framesBehind = max(1, run.lastCommit - run.first + 1)
    damage.commitsBehind = max(1, run.commitCount)
    if let alone = run.alone, try reader.page(ofFrame: alone.frame) != page(alone.page) { return damage }
    for (number, frame) in run.newestCommitted where try reader.page(ofFrame: frame) != page(number) { return damage }
    return nil
  }
}

/// The content of the log's first 32 bytes, if they are valid.
struct LogHeader {
  let pageSize: Int
  let isBigEndian: Bool
  let salt: UInt64
  let checksum: LogChecksum

  /// - Returns: Nil if SQLite would not use the log.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= WriteAheadLog.headerByteCount, Self.word(bytes, 0) & ~1 == Self.magic,
      Self.word(bytes, 4) == Self.version
    else { return nil }
    pageSize = Int(Self.word(bytes, 8))
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
    isBigEndian = Self.isBigEndian(bytes)
    salt = UInt64(Self.word(bytes, 16)) << 32 | UInt64(Self.word(bytes, 20))
    checksum = LogChecksum(Self.word(bytes, 24), Self.word(bytes, 28))
    var computed = LogChecksum(0, 0)
    let isBigEndian = isBigEndian
    bytes.withUnsafeBytes { computed.go(on: UnsafeRawBufferPointer(rebasing: $0[..<24]), isBigEndian: isBigEndian) }
    guard computed == checksum else { return nil }
  }

  static func isBigEndian(_ bytes: [UInt8]) -> Bool { bytes.count >= 4 && word(bytes, 0) == magic | 1 }

  private static let magic: UInt32 = 0x377F_0682
  private static let version: UInt32 = 3_007_000

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// A log's checksum, which each frame continues from the previous frame.
struct LogChecksum: Equatable {
  private var first: UInt32
  private var second: UInt32

  init(_ first: UInt32, _ second: UInt32) {
    self.first = first
    self.second = second
  }

  /// - Parameter bytes: A multiple of eight bytes.
  mutating func go(on bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
    var (one, two) = (first, second)
    for offset in stride(from: 0, to: bytes.count, by: 8) {
      let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      one = one &+ (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ two
      two = two &+ (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ one
    }
    (first, second) = (one, two)
  }
}

/// A frame of a log, valid only during the call that passes it.
struct LogFrame {
  let bytes: UnsafeRawBufferPointer
  let isBigEndian: Bool

  var page: Int { Int(word(0)) }
  /// Whether the frame ends a commit.
  var endsCommit: Bool { pageCount != 0 }
  /// The number of database pages after the commit that the frame ends; 0 if it ends none.
  var pageCount: Int { Int(word(4)) }
  var content: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[WriteAheadLog.frameHeadByteCount...])
  }
  var salt: UInt64 { UInt64(word(8)) << 32 | UInt64(word(12)) }
  var checksum: LogChecksum { LogChecksum(word(16), word(20)) }

  /// Returns the checksum that the frame must have after that of the previous frame.
  func checksum(after previous: LogChecksum) -> LogChecksum {
    var sum = previous
    sum.go(on: UnsafeRawBufferPointer(rebasing: bytes[..<8]), isBigEndian: isBigEndian)
    sum.go(
      on: UnsafeRawBufferPointer(rebasing: bytes[WriteAheadLog.frameHeadByteCount...]), isBigEndian: isBigEndian)
    return sum
  }

  private func word(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

/// Reads the frames of a log in order, many at a time.
struct LogReader {
  let pageSize: Int
  let isBigEndian: Bool
  let read: (UnsafeMutableRawBufferPointer, Int) throws(LedgerError) -> Void

  private static let framesPerRead = 64
  private var frameByteCount: Int { WriteAheadLog.frameHeadByteCount + pageSize }

  /// Stops when the body returns false.
  func forEach(
    through last: Int, _ body: (Int, LogFrame) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.framesPerRead * frameByteCount, alignment: 8)
    defer { buffer.deallocate() }
    var first = 1
    while first <= last {
      let count = min(Self.framesPerRead, last - first + 1)
      let filled = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(count * frameByteCount)])
      try read(filled, WriteAheadLog.headerByteCount + (first - 1) * frameByteCount)
      for position in 0..<count {
        let bytes = filled[(position * frameByteCount)..<((position + 1) * frameByteCount)]
        let frame = LogFrame(bytes: UnsafeRawBufferPointer(rebasing: bytes), isBigEndian: isBigEndian)
        guard try body(first + position, frame) else { return }
      }
      first += count
    }
  }

  func page(ofFrame number: Int) throws(LedgerError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 8)
    defer { buffer.deallocate() }
    let offset = WriteAheadLog.headerByteCount + (number - 1) * frameByteCount
    try read(buffer, offset + WriteAheadLog.frameHeadByteCount)
    return Array(buffer)
  }
}
