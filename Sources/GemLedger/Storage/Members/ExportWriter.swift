/// Fills a buffer with lines of JSON, passes on full buffers, and keeps the count and the checksum of the lines.
///
/// It makes no intermediate values and reserves room for many bytes at once: an export writes millions of lines.
package final class ExportWriter {
  /// Receives full buffers; nil if only the checksum of the lines is needed.
  private let sink: (([UInt8]) throws(LedgerError) -> Void)?
  private var json = JSONWriter(capacity: 2 * bufferSize)
  private var lineStart = 0
  package private(set) var lineCount: Int64 = 0
  /// The sum of the lines' hashes, independent of their order.
  package private(set) var checksum: UInt64 = 0
  private var clock = TimestampBytes()

  /// The size from which the buffer is passed on.
  private static let bufferSize = 256 << 10

  /// Environments to write with their sessions, instead of as numbers that other lines define.
  package var environments: [Int64: StoreEnvironment] = [:]
  /// Receives each line instead of the buffer, for example to digest it.
  private let line: ((UnsafeRawBufferPointer) -> Void)?

  package init(_ sink: (([UInt8]) throws(LedgerError) -> Void)?) {
    self.sink = sink
    line = nil
  }

  private init(line: @escaping (UnsafeRawBufferPointer) -> Void) {
    sink = nil
    self.line = line
  }

  /// Makes a writer that passes on each complete line without its line feed, and keeps none.
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

  /// Passes on the remaining bytes.
  package func finish() throws(LedgerError) {
    if let sink, json.count > 0 { try flush(sink) }
  }

  private func flush(_ sink: ([UInt8]) throws(LedgerError) -> Void) throws(LedgerError) {
    try sink(json.bytes)
    json.removeAll()
  }

  /// Returns the hash of one line without its line feed.
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

  package func integer(_ name: StaticString, ifAny value: Int64?) { json.integer(name, value) }

  package func text(_ name: StaticString, _ value: String) {
    json.name(name)
    json.text(value)
  }

  package func text(_ name: StaticString, ifAny value: String?) { json.text(name, value) }

  package func null(_ name: StaticString) {
    json.name(name)
    json.null()
  }

  package func time(_ name: StaticString, _ value: Timestamp) {
    json.name(name)
    clock.append(value, to: &json)
  }

  /// Writes a text that needs no escapes.
  package func plain(_ name: StaticString, _ value: [UInt8]) {
    json.name(name)
    value.withUnsafeBufferPointer { json.plain($0) }
  }

  /// Writes sixteen hexadecimal digits.
  package func hexadecimal(_ name: StaticString, _ value: UInt64) {
    json.name(name)
    json.hexadecimal(value)
  }

  package func id(_ name: StaticString, _ id: TransactionID) {
    json.name(name)
    json.uuid(id.high, id.low)
  }

  /// Writes environments without a session by name, others by the number that a separate line defines.
  package func environment(_ name: StaticString, _ number: Int64) {
    if let kind = StoreEnvironment.Kind(rawValue: number) {
      text(name, kind.name)
    } else if let known = environments[number] {
      text(name, known.kind.name)
      text("session", ifAny: known.session)
    } else {
      integer(name, number)
    }
  }

  /// Writes a JSON document as a value if it reads back as the same text, otherwise as a string.
  package func document(_ name: StaticString, _ text: String) {
    json.name(name)
    if isOwnForm(text) { json.json(text) } else { json.text(text) }
  }

  /// A cache: most purchases share the terms of few products.
  private var knownForms: [String: Bool] = [:]

  private func isOwnForm(_ text: String) -> Bool {
    if let known = knownForms[text] { return known }
    var isOwn = false
    // An unreadable document is written as a string.
    if let value = try? JSONValue.parse(text), value.object != nil { isOwn = value.text().hasBytes(of: text) }
    if knownForms.count >= 1000 { knownForms.removeAll() }
    knownForms[text] = isOwn
    return isOwn
  }

  // MARK: Lists and objects

  package func list(_ name: StaticString, _ body: () -> Void) {
    json.name(name)
    json.beginList()
    body()
    json.endList()
  }

  package func object(_ body: () -> Void) {
    json.beginObject()
    body()
    json.endObject()
  }

  package func object(_ name: StaticString, _ body: () -> Void) {
    json.name(name)
    object(body)
  }

  /// Writes a pair of numbers as a list of two.
  package func pair(_ one: Int64, _ other: Int64) {
    json.beginList()
    json.integer(one)
    json.integer(other)
    json.endList()
  }

  package func pair(_ name: StaticString, _ one: Int64, _ other: Int64) {
    json.name(name)
    pair(one, other)
  }
}

/// Writes instants as ``Timestamp/description`` does, caching the last second: instants in the journal often share it.
struct TimestampBytes {
  private var second: Int64 = .min
  /// The text of the last instant; its milliseconds precede the last byte.
  private var text: [UInt8] = []

  mutating func append(_ instant: Timestamp, to json: inout JSONWriter) {
    let (quotient, remainder) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
    let second = remainder < 0 ? quotient - 1 : quotient
    let fraction = remainder < 0 ? remainder + 1000 : remainder
    if second != self.second {
      self.second = second
      // A store may have stated any date; the first representable second begins before the first representable
      // millisecond.
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
