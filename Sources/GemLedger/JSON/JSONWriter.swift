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
  /// Appends the text in quotes, escaping what must be escaped and nothing else.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    bytes.append(ASCII.quote)
    text.withUTF8 { utf8 in
      var position = 0
      while true {
        let end = JSONRun(in: utf8, from: position).end
        bytes += UnsafeBufferPointer(rebasing: utf8[position..<end])
        guard end < utf8.count else { break }
        bytes += escape(utf8[end])
        position = end + 1
      }
    }
    bytes.append(ASCII.quote)
  }

  /// Appends the digits.
  package static func append(_ integer: Int64, to bytes: inout [UInt8]) {
    if integer < 0 { bytes.append(ASCII.minus) }
    let start = bytes.count
    var rest = integer.magnitude
    repeat {
      bytes.append(ASCII.zero + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
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
