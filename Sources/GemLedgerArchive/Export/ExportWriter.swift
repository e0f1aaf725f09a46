internal import GemLedger

/// Fills a buffer with lines of JSON and hands it on whenever it is full; knows how many there were, and their sum.
///
/// It makes no values in between, and asks for room once for many bytes: an export writes millions of lines.
package final class ExportWriter {
  /// Where full buffers go; nil where only the sum of the lines is wanted.
  private let sink: (([UInt8]) throws(LedgerError) -> Void)?
  private var buffer = ByteBuffer(capacity: 2 * bufferSize)
  private var lineStart = 0
  private(set) var lineCount: Int64 = 0
  /// The sum of the lines' hashes: the same for the same lines in any order.
  private(set) var checksum: UInt64 = 0
  private var isFirstMember = true
  private var clock = TimestampBytes()

  /// From how many bytes on the buffer is handed on.
  private static let bufferSize = 256 << 10

  init(_ sink: (([UInt8]) throws(LedgerError) -> Void)?) { self.sink = sink }

  // MARK: Lines

  func begin(_ type: StaticString) {
    lineStart = buffer.count
    buffer.append("{\"type\":\"")
    buffer.append(type)
    buffer.append(ASCII.quote)
    isFirstMember = false
  }

  func end() throws(LedgerError) {
    buffer.append(ASCII.rightBrace)
    checksum &+= buffer.withBytes(from: lineStart, Self.hash)
    lineCount += 1
    buffer.append(ASCII.lineFeed)
    guard let sink else { return buffer.removeAll() }
    if buffer.count >= Self.bufferSize { try flush(sink) }
  }

  /// Hands on the remaining bytes.
  func finish() throws(LedgerError) {
    if let sink, buffer.count > 0 { try flush(sink) }
  }

  private func flush(_ sink: ([UInt8]) throws(LedgerError) -> Void) throws(LedgerError) {
    try sink(buffer.withBytes(from: 0) { Array($0) })
    buffer.removeAll()
  }

  /// The hash of one line without its line feed.
  package static func hash(of line: ArraySlice<UInt8>) -> UInt64 { line.withUnsafeBytes { hash(of: $0) } }

  private static func hash(of line: UnsafeRawBufferPointer) -> UInt64 {
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

  // MARK: Members

  func integer(_ name: StaticString, _ value: Int64) {
    member(name)
    buffer.append(value)
  }

  func integer(_ name: StaticString, ifAny value: Int64?) {
    if let value { integer(name, value) }
  }

  func text(_ name: StaticString, _ value: String) {
    member(name)
    buffer.append(quoted: value)
  }

  func text(_ name: StaticString, ifAny value: String?) {
    if let value { text(name, value) }
  }

  func null(_ name: StaticString) {
    member(name)
    buffer.append("null")
  }

  func time(_ name: StaticString, _ value: Timestamp) {
    member(name)
    clock.append(value, to: &buffer)
  }

  /// A text that needs no escapes.
  func plain(_ name: StaticString, _ value: [UInt8]) {
    member(name)
    value.withUnsafeBufferPointer { buffer.append(plain: $0) }
  }

  /// Sixteen hexadecimal digits.
  func hexadecimal(_ name: StaticString, _ value: UInt64) {
    member(name)
    buffer.append(hexadecimal: value)
  }

  /// A digest; nothing where there is none.
  func digest(_ name: StaticString, _ value: Int64) {
    if value != 0 { hexadecimal(name, UInt64(bitPattern: value)) }
  }

  func id(_ name: StaticString, _ id: TransactionID) {
    member(name)
    buffer.append(uuid: id.high, id.low)
  }

  /// A JSON document as a value, where it reads back as the same text, and else as a text.
  func document(_ name: StaticString, _ text: String) {
    member(name)
    guard isOwnForm(text) else { return buffer.append(quoted: text) }
    var text = text
    text.withUTF8 { buffer.append($0) }
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
    buffer.append(ASCII.leftBracket)
    var isFirst = true
    for element in elements {
      if !isFirst { buffer.append(ASCII.comma) }
      isFirst = false
      body(element)
    }
    buffer.append(ASCII.rightBracket)
  }

  func object(_ body: () -> Void) {
    buffer.append(ASCII.leftBrace)
    isFirstMember = true
    body()
    isFirstMember = false
    buffer.append(ASCII.rightBrace)
  }

  func object(_ name: StaticString, _ body: () -> Void) {
    member(name)
    object(body)
  }

  /// A pair of numbers as a list of two.
  func pair(_ one: Int64, _ other: Int64) {
    buffer.append(ASCII.leftBracket)
    buffer.append(one)
    buffer.append(ASCII.comma)
    buffer.append(other)
    buffer.append(ASCII.rightBracket)
  }

  func pair(_ name: StaticString, _ one: Int64, _ other: Int64) {
    member(name)
    pair(one, other)
  }

  private func member(_ name: StaticString) {
    buffer.append(member: name, isFirst: isFirstMember)
    isFirstMember = false
  }
}
