package import GemLedger

/// Fills a buffer with lines of JSON and hands it on whenever it is full; knows how many there were, and their sum.
///
/// It makes no values in between, and asks for room once for many bytes: an export writes millions of lines.
package final class ExportWriter {
  /// Where full buffers go; nil where only the sum of the lines is wanted.
  private let sink: (([UInt8]) throws(LedgerError) -> Void)?
  private var json = JSONWriter(capacity: 2 * bufferSize)
  private var lineStart = 0
  private(set) var lineCount: Int64 = 0
  /// The sum of the lines' hashes: the same for the same lines in any order.
  private(set) var checksum: UInt64 = 0
  private var clock = TimestampBytes()

  /// From how many bytes on the buffer is handed on.
  private static let bufferSize = 256 << 10

  /// Environments to be written with their sessions, and not as the numbers that other lines explain.
  package var environments: [Int64: StoreEnvironment] = [:]
  /// Takes each line instead of the buffer, for a caller that wants to digest it.
  private let line: ((UnsafeRawBufferPointer) -> Void)?

  package init(_ sink: (([UInt8]) throws(LedgerError) -> Void)?) {
    self.sink = sink
    line = nil
  }

  private init(line: @escaping (UnsafeRawBufferPointer) -> Void) {
    sink = nil
    self.line = line
  }

  /// Makes a writer that hands on each line as it ends, without its line feed, and keeps none.
  package static func ofLines(_ take: @escaping (UnsafeRawBufferPointer) -> Void) -> ExportWriter {
    ExportWriter(line: take)
  }

  // MARK: Lines

  package func begin(_ type: StaticString) {
    lineStart = json.count
    json.beginObject()
    json.name("type")
    json.plain(type)
  }

  package func end() throws(LedgerError) {
    json.endObject()
    if let line {
      json.withBytes(from: lineStart, line)
      json.endLine()
      return json.removeAll()
    }
    checksum &+= json.withBytes(from: lineStart, Self.hash)
    lineCount += 1
    json.endLine()
    guard let sink else { return json.removeAll() }
    if json.count >= Self.bufferSize { try flush(sink) }
  }

  /// Hands on the remaining bytes.
  package func finish() throws(LedgerError) {
    if let sink, json.count > 0 { try flush(sink) }
  }

  private func flush(_ sink: ([UInt8]) throws(LedgerError) -> Void) throws(LedgerError) {
    try sink(json.bytes)
    json.removeAll()
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

  package func integer(_ name: StaticString, _ value: Int64) {
    json.name(name)
    json.integer(value)
  }

  func integer(_ name: StaticString, ifAny value: Int64?) { json.integer(name, value) }

  package func text(_ name: StaticString, _ value: String) {
    json.name(name)
    json.text(value)
  }

  func text(_ name: StaticString, ifAny value: String?) { json.text(name, value) }

  func null(_ name: StaticString) {
    json.name(name)
    json.null()
  }

  package func time(_ name: StaticString, _ value: Timestamp) {
    json.name(name)
    clock.append(value, to: &json)
  }

  /// A text that needs no escapes.
  func plain(_ name: StaticString, _ value: [UInt8]) {
    json.name(name)
    value.withUnsafeBufferPointer { json.plain($0) }
  }

  /// Sixteen hexadecimal digits.
  package func hexadecimal(_ name: StaticString, _ value: UInt64) {
    json.name(name)
    json.hexadecimal(value)
  }

  /// A digest; nothing where there is none.
  func digest(_ name: StaticString, _ value: Int64) {
    if value != 0 { hexadecimal(name, UInt64(bitPattern: value)) }
  }

  package func id(_ name: StaticString, _ id: TransactionID) {
    json.name(name)
    json.uuid(id.high, id.low)
  }

  /// A JSON document as a value, where it reads back as the same text, and else as a text.
  func document(_ name: StaticString, _ text: String) {
    json.name(name)
    if isOwnForm(text) { json.json(text) } else { json.text(text) }
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
    json.name(name)
    json.beginList()
    for element in elements { body(element) }
    json.endList()
  }

  func object(_ body: () -> Void) {
    json.beginObject()
    body()
    json.endObject()
  }

  package func object(_ name: StaticString, _ body: () -> Void) {
    json.name(name)
    object(body)
  }

  /// A pair of numbers as a list of two.
  func pair(_ one: Int64, _ other: Int64) {
    json.beginList()
    json.integer(one)
    json.integer(other)
    json.endList()
  }

  func pair(_ name: StaticString, _ one: Int64, _ other: Int64) {
    json.name(name)
    pair(one, other)
  }
}

/// Writes instants as ``Timestamp/description`` does; the journal repeats its seconds, so the last one is kept.
struct TimestampBytes {
  private var second: Int64 = .min
  /// The text of the last instant; its milliseconds stand before the last byte.
  private var text: [UInt8] = []

  mutating func append(_ instant: Timestamp, to json: inout JSONWriter) {
    let (quotient, remainder) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
    let second = remainder < 0 ? quotient - 1 : quotient
    let fraction = remainder < 0 ? remainder + 1000 : remainder
    if second != self.second {
      self.second = second
      // A store may have said any date; the first second there is begins before the first millisecond.
      let (start, overflow) = second.multipliedReportingOverflow(by: 1000)
      text = Array(Timestamp(milliseconds: overflow ? .min : start).description.utf8)
    }
    text.withUnsafeMutableBufferPointer { text in
      var rest = fraction
      for offset in 2...4 {
        text[text.count - offset] = ASCII.zero + UInt8(rest % 10)
        rest /= 10
      }
      json.plain(UnsafeBufferPointer(text))
    }
  }
}
