/// Fills a buffer with lines of JSON and hands it on whenever it is full; knows how many there were, and their sum.
///
/// It makes no values in between: an export writes some five hundred thousand entries a second.
final class ExportWriter {
  /// Where full buffers go; nil where only the sum of the lines is wanted.
  private let sink: (([UInt8]) throws(LedgerError) -> Void)?
  private var bytes: [UInt8] = []
  private var lineStart = 0
  private(set) var lineCount: Int64 = 0
  /// The sum of the lines' hashes: the same for the same lines in whatever order.
  private(set) var checksum: UInt64 = 0
  private var isFirstMember = true
  private var clock = TimestampBytes()

  private static let bufferSize = 256 << 10

  init(_ sink: (([UInt8]) throws(LedgerError) -> Void)?) {
    self.sink = sink
    bytes.reserveCapacity(Self.bufferSize + 4096)
  }

  // MARK: Lines

  func begin(_ type: StaticString) {
    lineStart = bytes.count
    append("{\"type\":\"")
    append(type)
    bytes.append(ASCII.quote)
    isFirstMember = false
  }

  func end() throws(LedgerError) {
    bytes.append(ASCII.rightBrace)
    checksum &+= Self.hash(of: bytes[lineStart...])
    lineCount += 1
    bytes.append(ASCII.lineFeed)
    guard let sink else {
      bytes.removeAll(keepingCapacity: true)
      return
    }
    if bytes.count >= Self.bufferSize { try flush(sink) }
  }

  /// Hands on what is left.
  func finish() throws(LedgerError) {
    if let sink, !bytes.isEmpty { try flush(sink) }
  }

  private func flush(_ sink: ([UInt8]) throws(LedgerError) -> Void) throws(LedgerError) {
    try sink(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// The hash of one line without its line feed.
  static func hash(of line: ArraySlice<UInt8>) -> UInt64 {
    line.withUnsafeBytes { line in
      var hash = StableHash(seed: UInt64(line.count))
      var offset = 0
      while offset + 8 <= line.count {
        hash.combine(UInt64(littleEndian: line.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        offset += 8
      }
      var rest: UInt64 = 0
      while offset < line.count {
        rest = rest << 8 | UInt64(line[offset])
        offset += 1
      }
      hash.combine(rest)
      return hash.value
    }
  }

  // MARK: Members

  func integer(_ name: StaticString, _ value: Int64) {
    member(name)
    JSONWriter.append(value, to: &bytes)
  }

  func integer(_ name: StaticString, ifAny value: Int64?) {
    if let value { integer(name, value) }
  }

  func text(_ name: StaticString, _ value: String) {
    member(name)
    JSONWriter.append(value, to: &bytes)
  }

  func text(_ name: StaticString, ifAny value: String?) {
    if let value { text(name, value) }
  }

  func null(_ name: StaticString) {
    member(name)
    append("null")
  }

  func time(_ name: StaticString, _ value: Timestamp) {
    member(name)
    clock.append(value, to: &bytes)
  }

  /// A text that needs no escapes.
  func plain(_ name: StaticString, _ value: [UInt8]) {
    member(name)
    bytes.append(ASCII.quote)
    bytes += value
    bytes.append(ASCII.quote)
  }

  /// Sixteen hexadecimal digits.
  func hexadecimal(_ name: StaticString, _ value: UInt64) {
    member(name)
    bytes.append(ASCII.quote)
    HexBytes.append(value, from: 60, count: 16, to: &bytes)
    bytes.append(ASCII.quote)
  }

  func id(_ name: StaticString, _ id: TransactionID) {
    member(name)
    bytes.append(ASCII.quote)
    HexBytes.append(id, to: &bytes)
    bytes.append(ASCII.quote)
  }

  /// A JSON document as a value, where it reads back as the same text, and else as a text.
  func document(_ name: StaticString, _ text: String) {
    member(name)
    if isOwnForm(text) { bytes += text.utf8 } else { JSONWriter.append(text, to: &bytes) }
  }

  /// Purchases repeat the terms of few products.
  private var knownForms: [String: Bool] = [:]

  private func isOwnForm(_ text: String) -> Bool {
    if let known = knownForms[text] { return known }
    var isOwn = false
    // A document that cannot be read is a text like any other.
    if let value = try? JSONValue.parse(text), value.object != nil { isOwn = value.text().hasBytes(of: text) }
    if knownForms.count >= 1000 { knownForms.removeAll() }
    knownForms[text] = isOwn
    return isOwn
  }

  // MARK: Lists and objects

  func list<Element>(_ name: StaticString, _ elements: some Sequence<Element>, _ body: (Element) -> Void) {
    member(name)
    bytes.append(ASCII.leftBracket)
    var isFirst = true
    for element in elements {
      if !isFirst { bytes.append(ASCII.comma) }
      isFirst = false
      body(element)
    }
    bytes.append(ASCII.rightBracket)
  }

  func object(_ body: () -> Void) {
    bytes.append(ASCII.leftBrace)
    isFirstMember = true
    body()
    isFirstMember = false
    bytes.append(ASCII.rightBrace)
  }

  func object(_ name: StaticString, _ body: () -> Void) {
    member(name)
    object(body)
  }

  /// A pair of numbers as a list of two.
  func pair(_ one: Int64, _ other: Int64) {
    bytes.append(ASCII.leftBracket)
    JSONWriter.append(one, to: &bytes)
    bytes.append(ASCII.comma)
    JSONWriter.append(other, to: &bytes)
    bytes.append(ASCII.rightBracket)
  }

  func pair(_ name: StaticString, _ one: Int64, _ other: Int64) {
    member(name)
    pair(one, other)
  }

  func element(_ text: String) { JSONWriter.append(text, to: &bytes) }

  private func member(_ name: StaticString) {
    if isFirstMember { isFirstMember = false } else { bytes.append(ASCII.comma) }
    bytes.append(ASCII.quote)
    append(name)
    bytes.append(ASCII.quote)
    bytes.append(ASCII.colon)
  }

  private func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

/// Hexadecimal digits as bytes.
enum HexBytes {
  static func append(_ id: TransactionID, to bytes: inout [UInt8]) {
    append(id.high, from: 60, count: 8, to: &bytes)
    bytes.append(ASCII.minus)
    append(id.high, from: 28, count: 4, to: &bytes)
    bytes.append(ASCII.minus)
    append(id.high, from: 12, count: 4, to: &bytes)
    bytes.append(ASCII.minus)
    append(id.low, from: 60, count: 4, to: &bytes)
    bytes.append(ASCII.minus)
    append(id.low, from: 44, count: 12, to: &bytes)
  }

  /// - Parameter bit: The lowest bit of the first digit.
  static func append(_ word: UInt64, from bit: Int, count: Int, to bytes: inout [UInt8]) {
    var shift = bit
    for _ in 0..<count {
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15
      bytes.append(digit < 10 ? ASCII.zero + digit : UInt8(ascii: "a") - 10 + digit)
      shift -= 4
    }
  }
}

/// Writes instants as ``Timestamp/description`` does; the journal repeats its seconds, so the last one is kept.
struct TimestampBytes {
  private var second: Int64 = .min
  private var text: [UInt8] = []

  mutating func append(_ instant: Timestamp, to bytes: inout [UInt8]) {
    let (quotient, remainder) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
    let second = remainder < 0 ? quotient - 1 : quotient
    let fraction = remainder < 0 ? remainder + 1000 : remainder
    if second != self.second {
      self.second = second
      text = Array(Timestamp(milliseconds: second * 1000).description.utf8.dropLast(4))
    }
    bytes.append(ASCII.quote)
    bytes += text
    for divisor in [100, 10, 1] as [Int64] { bytes.append(ASCII.zero + UInt8(fraction / divisor % 10)) }
    bytes.append(UInt8(ascii: "Z"))
    bytes.append(ASCII.quote)
  }
}
