package import GemLedger

/// A file or a text that can be read from its beginning, as often as need be.
package protocol ImportText {
  /// Begins to read.
  ///
  /// - Returns: A closure that gives the next bytes with each call, and none at the end.
  func open() throws(LedgerError) -> () throws(LedgerError) -> [UInt8]
}

/// Bytes that are in memory already.
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

/// Cuts a text into lines.
struct LineReader {
  /// The longest line that is read; a whole catalog is one line, and longer there than in its file.
  static let lineLengthMax = 256 << 20

  private let read: () throws(LedgerError) -> [UInt8]
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// The number of the line that was given last, from 1.
  private(set) var number: Int64 = 0
  /// Whether the last line that was given had a line feed.
  private(set) var isWhole = true
  /// How many bytes were read.
  private(set) var byteCount: Int64 = 0

  init(_ text: some ImportText) throws(LedgerError) { read = try text.open() }

  /// The next line without its line feed; nil behind the last.
  ///
  /// - Throws: `invalid_import` for a longer line, or as reading does.
  mutating func next() throws(LedgerError) -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = lineFeed(from: searched) {
        defer { start = end + 1 }
        number += 1
        isWhole = true
        return buffer[start..<end]
      }
      searched = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        number += 1
        isWhole = false
        return buffer[start...]
      }
      guard buffer.count - start <= Self.lineLengthMax else {
        throw LedgerError(
          .invalidImport, "Line \(number + 1) has more than \(Self.lineLengthMax) bytes.",
          details: [.integer("line", number + 1)])
      }
      let more = try read()
      isAtEnd = more.isEmpty
      byteCount += Int64(more.count)
      searched -= start
      buffer.removeSubrange(..<start)
      start = 0
      buffer += more
    }
  }

  /// Where the next line feed is, looked for eight bytes a step.
  private func lineFeed(from start: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      var position = start
      while position + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) ^ Self.lineFeeds
        // Taking one from a byte borrows from its high bit where the byte is 0.
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
