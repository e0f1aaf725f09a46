extension JSONValue {
  /// The value as JSON: without space, or with one member a line when pretty.
  package func text(pretty: Bool = false) -> String {
    var writer = JSONWriter(isPretty: pretty)
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Appends the value without space, for callers that fill a buffer of their own.
  package func append(to bytes: inout [UInt8]) {
    var writer = JSONWriter(isPretty: false, bytes: bytes)
    bytes = []  // Leaves the writer as the buffer's only owner, so that it grows in place.
    writer.write(self)
    bytes = writer.bytes
  }
}

/// Writes values, and the tokens they are made of, as bytes.
package struct JSONWriter {
  package private(set) var bytes: [UInt8]
  private let isPretty: Bool
  private var depth = 0

  package init(isPretty: Bool, bytes: [UInt8] = []) {
    self.isPretty = isPretty
    self.bytes = bytes
  }

  package mutating func write(_ value: JSONValue) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let bool): bytes += (bool ? "true" : "false").utf8
    case .integer(let integer): Self.append(integer, to: &bytes)
    case .number(let text): bytes += text.utf8
    case .string(let text): Self.append(text, to: &bytes)
    case .array(let elements): list(elements, ASCII.leftBracket, ASCII.rightBracket) { $0.write($1) }
    case .object(let object): list(object.members, ASCII.leftBrace, ASCII.rightBrace) { $0.write(member: $1) }
    }
  }

  private mutating func write(member: (name: String, value: JSONValue)) {
    Self.append(member.name, to: &bytes)
    bytes.append(ASCII.colon)
    if isPretty { bytes.append(ASCII.space) }
    write(member.value)
  }

  private mutating func list<Element>(
    _ elements: [Element], _ opening: UInt8, _ closing: UInt8, _ body: (inout JSONWriter, Element) -> Void
  ) {
    bytes.append(opening)
    depth += 1
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(ASCII.comma) }
      breakLine()
      body(&self, element)
    }
    depth -= 1
    if !elements.isEmpty { breakLine() }
    bytes.append(closing)
  }

  private mutating func breakLine() {
    guard isPretty else { return }
    bytes.append(ASCII.lineFeed)
    for _ in 0..<depth { bytes += [ASCII.space, ASCII.space] }
  }
}

extension JSONWriter {
  /// Appends the text in quotes, and escapes only the characters that need it.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { utf8 in
      var position = 0
      if utf8.count <= shortCount, JSONRun(in: utf8, from: 0).end == utf8.count {
        return append(short: utf8, to: &bytes)
      }
      bytes.append(ASCII.quote)
      while true {
        let end = JSONRun(in: utf8, from: position).end
        bytes += UnsafeBufferPointer(rebasing: utf8[position..<end])
        guard end < utf8.count else { break }
        bytes += escape(utf8[end])
        position = end + 1
      }
      bytes.append(ASCII.quote)
    }
  }

  /// Appends a member's name of ours, which needs no escaping and has at most 60 bytes, with its colon.
  ///
  /// - Parameter isFirst: Whether no comma stands before it.
  package static func append(name: StaticString, isFirst: Bool = false, to bytes: inout [UInt8]) {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    append(short: name, after: isFirst ? nil : ASCII.comma, before: ASCII.colon, to: &bytes)
  }

  private static let shortCount = 60

  /// Appends bytes in quotes in one go: an array looks at itself with every append.
  private static func append(
    short text: UnsafeBufferPointer<UInt8>, after: UInt8? = nil, before: UInt8? = nil, to bytes: inout [UInt8]
  ) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: shortCount + 4) { buffer in
      var end = 0
      func put(_ byte: UInt8) {
        buffer[end] = byte
        end += 1
      }
      if let after { put(after) }
      put(ASCII.quote)
      end = buffer[end...].update(fromContentsOf: text)
      put(ASCII.quote)
      if let before { put(before) }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<end]))
    }
  }

  /// Appends the digits.
  package static func append(_ integer: Int64, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
      var start = buffer.count
      func put(_ byte: UInt8) {
        start -= 1
        buffer[start] = byte
      }
      var rest = integer.magnitude
      repeat {
        put(ASCII.zero + UInt8(rest % 10))
        rest /= 10
      } while rest > 0
      if integer < 0 { put(ASCII.minus) }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start...]))
    }
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case ASCII.quote, ASCII.backslash: [ASCII.backslash, byte]
    case 0x08: Array("\\b".utf8)
    case 0x0C: Array("\\f".utf8)
    case ASCII.lineFeed: Array("\\n".utf8)
    case ASCII.carriageReturn: Array("\\r".utf8)
    case ASCII.tab: Array("\\t".utf8)
    default: Array((byte < 16 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
    }
  }
}
