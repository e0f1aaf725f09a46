internal import GemLedger

/// The form of a record in the file: one line, `= 57 9ab3f0c1 {"what":"…"}`.
///
/// The flag is `=` if the record ends its append and `+` if more records of it follow, so that an interrupted append is
/// dropped as a whole. The text's length in bytes and the checksum of flag, length and text follow.
struct RecordFrame: Equatable {
  static let last = UInt8(ascii: "=")
  static let more = UInt8(ascii: "+")
  static let lineFeed: UInt8 = 0x0A

  /// Whether the record ends its append.
  let isLast: Bool
  /// The position of the text.
  let text: Range<Int>
  /// Whether the line ends in its right place; nil if the file ends first.
  let isTerminated: Bool?

  /// The position after the line.
  var end: Int { text.upperBound + (isTerminated == nil ? 0 : 1) }

  /// Returns the lines of records that are appended together.
  ///
  /// - Throws: `invalid_request` if a record has more than one line.
  static func lines(_ records: [String]) throws(LedgerError) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, record) in records.enumerated() {
      guard !record.utf8.contains(lineFeed) else {
        throw .invalid("A record must have one line, but this record contains a line feed.")
      }
      append(record, isLast: index == records.count - 1, to: &bytes)
    }
    return bytes
  }

  /// Appends the line of a record.
  static func append(_ record: String, isLast: Bool, to bytes: inout [UInt8]) {
    var record = record
    record.withUTF8 { text in
      let start = bytes.count
      bytes.append(isLast ? last : more)
      bytes.append(UInt8(ascii: " "))
      bytes += String(text.count).utf8
      bytes.append(UInt8(ascii: " "))
      let sum = Checksum.of(text, after: Checksum.of(bytes[start...]))
      bytes += HexForm.hex(UInt64(sum), digits: 8).utf8
      bytes.append(UInt8(ascii: " "))
      bytes += text
      bytes.append(RecordFrame.lineFeed)
    }
  }

  /// Reads the record at the position; nil if no record begins there.
  init?(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    guard start + 2 < bytes.count, bytes[start] == Self.last || bytes[start] == Self.more,
      bytes[start + 1] == UInt8(ascii: " "), let length = Self.number(in: bytes, from: start + 2)
    else { return nil }
    let sumStart = length.end + 1
    let textStart = sumStart + 9
    guard textStart <= bytes.count, length.value <= bytes.count - textStart, bytes[textStart - 1] == UInt8(ascii: " "),
      let sum = Self.sum(bytes[sumStart..<sumStart + 8])
    else { return nil }
    text = textStart..<textStart + length.value
    guard Checksum.of(bytes[text], after: Checksum.of(bytes[start..<sumStart])) == sum else { return nil }
    isLast = bytes[start] == Self.last
    isTerminated = text.upperBound < bytes.count ? bytes[text.upperBound] == RecordFrame.lineFeed : nil
  }

  /// Returns whether the bytes may be the beginning of an unfinished line.
  ///
  /// Zero bytes are no such beginning: they result from a disk that lost data, or from a file that grew before its
  /// bytes were written.
  static func isBeginning(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard !bytes.contains(lineFeed), !bytes.contains(0) else { return false }
    let line = UnsafeBufferPointer(rebasing: bytes)
    guard let mark = line.first, mark == last || mark == more else { return false }
    guard line.count > 1 else { return true }
    guard line[1] == UInt8(ascii: " ") else { return false }
    guard let length = number(in: line, from: 2) else {
      // The number is incomplete, or invalid.
      return line.count < 14 && line.dropFirst(2).allSatisfy(ASCII.isDigit)
    }
    return line.count < length.end + 10 + length.value
  }

  /// Reads digits followed by a space.
  private static func number(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (value: Int, end: Int)? {
    var (value, position) = (0, start)
    while position < bytes.count, position < start + 12, ASCII.isDigit(bytes[position]) {
      value = value * 10 + Int(bytes[position] - 0x30)
      position += 1
    }
    guard position > start, position < bytes.count, bytes[position] == UInt8(ascii: " ") else { return nil }
    return (value, position)
  }

  private static func sum(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
    guard digits.allSatisfy({ ASCII.isDigit($0) || (0x61...0x66).contains($0) }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
