// Scalar values.
extension JSONWriter {
  package mutating func null() {
    beginValue()
    buffer.append("null")
  }

  package mutating func bool(_ bool: Bool) {
    beginValue()
    buffer.append(bool ? "true" : "false")
  }

  package mutating func integer(_ integer: Int64) {
    beginValue()
    // The lowest number has twenty bytes.
    let start = buffer.room(for: 20)
    let end = start + 20
    var next = end
    var rest = integer.magnitude
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      next -= 1
      next.pointee = ASCII.zero + UInt8(digit)
      rest = quotient
    } while rest > 0
    if integer < 0 {
      next -= 1
      next.pointee = ASCII.minus
    }
    start.update(from: next, count: end - next)
    buffer.advance(by: end - next)
  }

  /// Writes the text in quotes, with the escapes that it needs.
  package mutating func text(_ text: String) {
    beginValue()
    quote(text)
  }

  /// Writes a text that needs no escapes, in quotes.
  package mutating func plain(_ text: UnsafeBufferPointer<UInt8>) {
    beginValue()
    quote(plain: text)
  }

  /// Writes a constant text that needs no escapes, in quotes.
  package mutating func plain(_ text: StaticString) {
    plain(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes sixteen hexadecimal digits in quotes.
  package mutating func hexadecimal(_ number: UInt64) {
    beginValue()
    let next = buffer.room(for: 18)
    next[0] = ASCII.quote
    HexForm.write(number, to: next + 1)
    next[17] = ASCII.quote
    buffer.advance(by: 18)
  }

  /// Writes a UUID in quotes.
  package mutating func uuid(_ high: UInt64, _ low: UInt64) {
    beginValue()
    let next = buffer.room(for: 38)
    next[0] = ASCII.quote
    HexForm.write(high: high, low: low, to: next + 1)
    next[37] = ASCII.quote
    buffer.advance(by: 38)
  }

  /// Writes a value that is JSON without space already.
  package mutating func json(_ json: UnsafeBufferPointer<UInt8>) {
    beginValue()
    buffer.append(json)
  }

  /// Writes a value that is JSON without space already.
  package mutating func json(_ json: String) {
    var json = json
    json.withUTF8 { self.json($0) }
  }

  /// Writes a value with its members and elements.
  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let bool): self.bool(bool)
    case .integer(let integer): self.integer(integer)
    case .number(let number): json(number)
    case .string(let text): self.text(text)
    case .array(let elements):
      beginList()
      for element in elements { self.value(element) }
      endList()
    case .object(let object):
      beginObject()
      for member in object.members {
        name(escaping: member.name)
        self.value(member.value)
      }
      endObject()
    }
  }
}

// Texts.
extension JSONWriter {
  mutating func quote(_ text: String) {
    var text = text
    text.withUTF8 { quote($0) }
  }

  private mutating func quote(_ text: UnsafeBufferPointer<UInt8>) {
    guard style != .terminal else { return quoteForTerminal(text) }
    var end = JSONRun(in: text, from: 0).end
    guard end < text.count else { return quote(plain: text) }
    buffer.append(ASCII.quote)
    var start = 0
    while end < text.count {
      buffer.append(UnsafeBufferPointer(rebasing: text[start..<end]))
      escape(text[end])
      start = end + 1
      end = JSONRun(in: text, from: start).end
    }
    buffer.append(UnsafeBufferPointer(rebasing: text[start..<end]))
    buffer.append(ASCII.quote)
  }

  private mutating func quote(plain text: UnsafeBufferPointer<UInt8>) {
    let next = buffer.room(for: text.count + 2)
    next.pointee = ASCII.quote
    if let start = text.baseAddress { (next + 1).update(from: start, count: text.count) }
    next[text.count + 1] = ASCII.quote
    buffer.advance(by: text.count + 2)
  }

  /// Escapes a byte that no text of JSON may hold as it is.
  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x08: buffer.append("\\b")
    case 0x0C: buffer.append("\\f")
    default: escapeInBothStyles(byte)
    }
  }

  private mutating func escapeInBothStyles(_ byte: UInt8) {
    switch byte {
    case ASCII.quote: buffer.append("\\\"")
    case ASCII.backslash: buffer.append("\\\\")
    case ASCII.lineFeed: buffer.append("\\n")
    case ASCII.carriageReturn: buffer.append("\\r")
    case ASCII.tab: buffer.append("\\t")
    default:
      buffer.append("\\u00")
      for digit in [byte >> 4, byte & 0x0F] { buffer.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    }
  }

  private mutating func quoteForTerminal(_ text: UnsafeBufferPointer<UInt8>) {
    let run = JSONRun(in: text, from: 0)
    // Most texts are ids and paths, without characters to escape. DEL is the only control character that a run may
    // have.
    if run.end == text.count, run.isASCII, !text.contains(0x7F) { return quote(plain: text) }
    buffer.append(ASCII.quote)
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\"", "\\": escapeInBothStyles(UInt8(scalar.value))
      default: for byte in UTF8.encode(scalar) ?? .encodedReplacementCharacter { buffer.append(byte) }
      }
    }
    buffer.append(ASCII.quote)
  }
}
