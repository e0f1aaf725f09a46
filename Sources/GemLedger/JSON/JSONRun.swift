/// The part of a JSON string without quotes, backslashes and control characters, which needs no decoding.
///
/// Eight bytes a step: a receipt is a text of a thousand bytes without any of these.
package struct JSONRun {
  /// The position after the last byte of the run.
  package let end: Int
  /// Whether every byte of it is ASCII.
  package let isASCII: Bool

  package init(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) {
    var position = start
    var all: UInt64 = 0
    if let base = UnsafeRawPointer(bytes.baseAddress) {
      while position + 8 <= bytes.count {
        let word = base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        guard !Self.ends(word) else { break }
        all |= word
        position += 8
      }
    }
    while position < bytes.count {
      let byte = bytes[position]
      if byte < ASCII.space || byte == ASCII.quote || byte == ASCII.backslash { break }
      all |= UInt64(byte)
      position += 1
    }
    end = position
    isASCII = all & Self.highBits == 0
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Whether one of the eight bytes ends a run.
  @inline(__always)
  private static func ends(_ word: UInt64) -> Bool {
    // Taking a small number from a byte borrows from its high bit if the byte is smaller than the number.
    let controls = (word &- ones &* UInt64(ASCII.space)) & ~word
    let quotes = word ^ (ones &* UInt64(ASCII.quote))
    let backslashes = word ^ (ones &* UInt64(ASCII.backslash))
    let others = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
    return (controls | others) & highBits != 0
  }
}
