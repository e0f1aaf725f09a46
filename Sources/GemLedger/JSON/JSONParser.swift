extension JSONValue {
  /// Reads one JSON text, strictly: RFC 8259 without the liberties that it leaves to readers.
  ///
  /// It rejects a byte-order mark, invalid UTF-8, names that occur twice in an object (compared byte by byte), NUL in
  /// names, lone surrogates, text after the value, and nesting deeper than ``Limits/jsonDepth``. No input traps.
  ///
  /// - Throws: ``JSONError`` with the position of the first fault.
  /// - Complexity: O(n), one pass.
  package static func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes)
    do throws(JSONFailure) {
      return try parser.document()
    } catch {
      throw JSONError(error, in: bytes)
    }
  }

  /// Reads the bytes; see ``parse(_:)-swift.type.method``.
  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in try parse(bytes) }
  }

  /// Reads the text's bytes; see ``parse(_:)-swift.type.method``.
  package static func parse(_ text: String) throws(JSONError) -> JSONValue { try parse(Array(text.utf8)) }
}

/// Makes one value of the tokens of a text.
struct JSONParser {
  private var scanner: JSONScanner

  init(_ bytes: UnsafeBufferPointer<UInt8>) { scanner = JSONScanner(bytes) }

  mutating func document() throws(JSONFailure) -> JSONValue {
    try scanner.begin()
    let value = try value()
    try scanner.end()
    return value
  }

  private mutating func value() throws(JSONFailure) -> JSONValue {
    switch try scanner.kind() {
    case .text: return .string(try scanner.string())
    case .object: return try object()
    case .list: return try array()
    case .number: return try number()
    case .true: return try word("true", .bool(true))
    case .false: return try word("false", .bool(false))
    case .null: return try word("null", .null)
    }
  }

  private mutating func array() throws(JSONFailure) -> JSONValue {
    var elements: [JSONValue] = []
    guard try scanner.open(closing: ASCII.rightBracket) else { return .array(elements) }
    repeat {
      do throws(JSONFailure) {
        elements.append(try value())
      } catch {
        throw error.leaving(.element(elements.count))
      }
    } while try scanner.more(closing: ASCII.rightBracket)
    return .array(elements)
  }

  private mutating func object() throws(JSONFailure) -> JSONValue {
    guard try scanner.open(closing: ASCII.rightBrace) else { return .object(JSONObject()) }
    var members = JSONMembers()
    members.list.reserveCapacity(8)  // Saves most objects the first three moves.
    repeat { try member(into: &members) } while try scanner.more(closing: ASCII.rightBrace)
    return .object(JSONObject(members.list))
  }

  private mutating func member(into members: inout JSONMembers) throws(JSONFailure) {
    let start = scanner.position
    let text = try scanner.name()
    let name = try scanner.string(of: text)
    guard members.reserve(name) else {
      throw JSONFailure("The name \"\(name.prefix(100))\" occurs twice in one object.", at: start)
    }
    try scanner.colon()
    do throws(JSONFailure) {
      members.list.append((name, try value()))
    } catch {
      throw error.leaving(.member(name))
    }
  }

  /// Reads a number; plain digits that fit become an integer, anything else stays text.
  private mutating func number() throws(JSONFailure) -> JSONValue {
    let start = scanner.position
    let isPlain = try scanner.number()
    let text = scanner.bytes(from: start)
    if isPlain, let integer = JSONScanner.integer(text) { return .integer(integer) }
    return .number(String(decoding: text, as: UTF8.self))
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONFailure) -> JSONValue {
    try scanner.word(text)
    return value
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
