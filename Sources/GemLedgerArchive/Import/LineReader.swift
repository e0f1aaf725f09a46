package import GemLedger

/// A file or a text that can be read from the start any number of times.
package protocol ImportText {
  /// Begins to read.
  ///
  /// - Returns: A closure that returns the next bytes, and none at the end.
  func open() throws(LedgerError) -> () throws(LedgerError) -> [UInt8]
}

/// Bytes that are already in memory.
package struct ImportBytes: ImportText {
  private let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package func open() -> () throws(LedgerError) -> [UInt8] {
    var rest: [UInt8]? = bytes
    return {
      defer { rest = nil }
      return rest ?? []
    }
  }
}

/// Consecutive lines of an export.
struct LineBlock: Sendable {
  let firstLine: Int64
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  init(firstLine: Int64) { self.firstLine = firstLine }

  var count: Int { ends.count }
  var byteCount: Int { bytes.count }

  /// The line at an index from 0.
  subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

  mutating func append(_ line: ArraySlice<UInt8>) {
    bytes += line
    ends.append(bytes.count)
  }
}

/// Splits a text into lines.
struct LineReader {
  /// The maximum length of a line; a whole catalog is one line, and longer there than in its file.
  static let lineLengthMax = 256 << 20

  private let read: () throws(LedgerError) -> [UInt8]
  private let lengthMax: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// The number of the last returned line, from 1.
  private(set) var number: Int64 = 0
  /// The number of bytes read.
  private(set) var byteCount: Int64 = 0

  init(_ text: some ImportText, lengthMax: Int = Self.lineLengthMax) throws(LedgerError) {
    read = try text.open()
    self.lengthMax = lengthMax
  }

  /// Returns the next line without its line feed; nil after the last.
  ///
  /// - Throws: `invalid_import` for a line over the maximum, or the errors of reading.
  mutating func next() throws(LedgerError) -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = lineFeed(from: searched) { return try take(upTo: end, next: end + 1) }
      searched = buffer.count
      if isAtEnd { return start < buffer.count ? try take(upTo: buffer.count, next: buffer.count) : nil }
      try checkLength(upTo: buffer.count)
      let more = try read()
      isAtEnd = more.isEmpty
      byteCount += Int64(more.count)
      searched -= start
      buffer.removeSubrange(..<start)
      start = 0
      buffer += more
    }
  }

  private mutating func take(upTo end: Int, next: Int) throws(LedgerError) -> ArraySlice<UInt8> {
    try checkLength(upTo: end)
    defer { start = next }
    number += 1
    return buffer[start..<end]
  }

  private func checkLength(upTo end: Int) throws(LedgerError) {
    guard end - start > lengthMax else { return }
    throw LedgerError(
      .invalidImport, "Line \(number + 1) has more than \(lengthMax) bytes.",
      details: [.integer("line", number + 1)])
  }

  /// Returns the next lines until the block is full; nil after the last line.
  mutating func block(_ isFull: (LineBlock) -> Bool) throws(LedgerError) -> LineBlock? {
    var block = LineBlock(firstLine: number + 1)
    while !isFull(block), let line = try next() { block.append(line) }
    return block.count == 0 ? nil : block
  }

  /// Returns the position of the next line feed, searching eight bytes per step.
  private func lineFeed(from start: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      var position = start
      while position + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) ^ Self.lineFeeds
        // Subtracting 1 from a byte borrows from its high bit if the byte is 0.
        guard (word &- Self.ones) & ~word & (Self.ones << 7) == 0 else { break }
        position += 8
      }
      while position < bytes.count, bytes[position] != ASCII.lineFeed { position += 1 }
      return position < bytes.count ? position : nil
    }
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let lineFeeds = ones &* UInt64(ASCII.lineFeed)
}
