extension JSONValue {
  /// Reads one JSON text, strictly: RFC 8259 without the liberties that it leaves to readers.
  ///
  /// It rejects a byte-order mark, invalid UTF-8, names that occur twice in an object (compared byte by byte), NUL in
  /// names, lone surrogates, text after the value, and nesting deeper than ``Limits/jsonDepth``. No input traps.
  ///
  /// - Throws: ``JSONError`` with the position of the first fault.
  /// - Complexity: O(n), one pass.
  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes)
    do throws(JSONFailure) {
      return try parser.document()
    } catch {
      throw JSONError(error, in: bytes)
    }
  }

  /// Reads the text's bytes; see ``parse(_:)-swift.type.method``.
  package static func parse(_ text: String) throws(JSONError) -> JSONValue { try parse(Array(text.utf8)) }
}

/// Walks over the bytes once; every method starts at `position` and leaves it after the bytes it read.
struct JSONParser {
  let bytes: [UInt8]
  var position = 0
  private var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(JSONFailure) -> JSONValue {
    guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
      throw JSONFailure("The text starts with a byte-order mark.", at: 0)
    }
    skipSpace()
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw failure("Only space may follow the value") }
    return value
  }

  private mutating func value() throws(JSONFailure) -> JSONValue {
    guard let byte = peek else { throw failure("A value is missing") }
    switch byte {
    case ASCII.quote: return .string(try string(isName: false))
    case ASCII.leftBrace: return try nested { (parser) throws(JSONFailure) in try parser.object() }
    case ASCII.leftBracket: return try nested { (parser) throws(JSONFailure) in try parser.array() }
    case ASCII.minus, ASCII.zero...0x39: return try number()
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw failure("A value is missing")
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONFailure) -> JSONValue
  ) throws(JSONFailure) -> JSONValue {
    guard depth < Limits.jsonDepth else {
      throw JSONFailure("Values are nested deeper than \(Limits.jsonDepth) levels.", at: position)
    }
    depth += 1
    position += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func array() throws(JSONFailure) -> JSONValue {
    var elements: [JSONValue] = []
    skipSpace()
    guard !skip(ASCII.rightBracket) else { return .array(elements) }
    while true {
      skipSpace()
      do throws(JSONFailure) {
        elements.append(try value())
      } catch {
        throw error.leaving(.element(elements.count))
      }
      skipSpace()
      if skip(ASCII.rightBracket) { return .array(elements) }
      guard skip(ASCII.comma) else { throw failure("A comma or ] is missing") }
    }
  }

  private mutating func object() throws(JSONFailure) -> JSONValue {
    var members = JSONMembers()
    skipSpace()
    guard !skip(ASCII.rightBrace) else { return .object(JSONObject()) }
    members.list.reserveCapacity(4)  // Saves most objects the first two moves.
    while true {
      skipSpace()
      try member(into: &members)
      skipSpace()
      if skip(ASCII.rightBrace) { return .object(JSONObject(members.list)) }
      guard skip(ASCII.comma) else { throw failure("A comma or } is missing") }
    }
  }

  private mutating func member(into members: inout JSONMembers) throws(JSONFailure) {
    let start = position
    guard peek == ASCII.quote else { throw failure("A name in quotes is missing") }
    let name = try string(isName: true)
    guard members.reserve(name) else {
      throw JSONFailure("The name \"\(name.prefix(100))\" occurs twice in one object.", at: start)
    }
    skipSpace()
    guard skip(ASCII.colon) else { throw failure("A colon is missing") }
    skipSpace()
    do throws(JSONFailure) {
      members.list.append((name, try value()))
    } catch {
      throw error.leaving(.member(name))
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONFailure) -> JSONValue {
    for byte in UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount) {
      guard skip(byte) else { throw failure("Only true, false and null are words") }
    }
    return value
  }
}

extension JSONParser {
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  mutating func skipSpace() {
    while let byte = peek, byte <= ASCII.space {
      switch byte {
      case ASCII.space, ASCII.lineFeed, ASCII.tab, ASCII.carriageReturn: position += 1
      default: return
      }
    }
  }

  /// A failure at the current position, with the unexpected text there.
  func failure(_ message: String) -> JSONFailure {
    JSONFailure("\(message); \(found) stands here.", at: position)
  }

  private var found: String {
    guard let byte = peek else { return "the end of the text" }
    return switch byte {
    case 0x21...0x7E: "\"\(Unicode.Scalar(byte))\""
    default: "byte 0x" + String(byte, radix: 16, uppercase: true)
    }
  }
}

/// The members read so far, with a set of names once walking over them would cost too much.
struct JSONMembers {
  private static let walkedMax = 32

  var list: [(name: String, value: JSONValue)] = []
  private var names: Set<ByteString> = []

  /// Whether the name is new.
  mutating func reserve(_ name: String) -> Bool {
    guard list.count >= Self.walkedMax else {
      return list.index(of: name) == nil
    }
    if names.isEmpty { names = Set(list.lazy.map { ByteString($0.name) }) }
    return names.insert(ByteString(name)).inserted
  }
}
