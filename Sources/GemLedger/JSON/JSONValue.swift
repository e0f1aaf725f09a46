/// A JSON text as a value: whole numbers exact, other numbers as they were written, members in their order.
///
/// Texts compare byte by byte, unlike `String`: two spellings of `café` are two values.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number written with digits only that fits 64 bits.
  case integer(Int64)
  /// Any other number, as its text; it is never converted to binary floating point.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The text, or null if there is none.
  package init(_ text: String?) {
    self = text.map(JSONValue.string) ?? .null
  }

  /// The number, or null if there is none.
  package init(_ number: Int64?) {
    self = number.map(JSONValue.integer) ?? .null
  }
}

extension JSONValue {
  package var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  package var integer: Int64? {
    guard case .integer(let integer) = self else { return nil }
    return integer
  }

  package var bool: Bool? {
    guard case .bool(let bool) = self else { return nil }
    return bool
  }

  package var array: [JSONValue]? {
    guard case .array(let array) = self else { return nil }
    return array
  }

  package var object: JSONObject? {
    guard case .object(let object) = self else { return nil }
    return object
  }

  package var isNull: Bool {
    guard case .null = self else { return false }
    return true
  }

  /// The member with this name, if the value is an object that has one.
  package subscript(name: String) -> JSONValue? { object?[name] }

  /// The name of such a value in messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer: "a whole number"
    case .number: "a number that is not plain digits"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

extension JSONValue: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)), (.string(let left), .string(let right)):
      left.hasBytes(of: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let bool): hasher.combine(bool)
    case .integer(let integer): hasher.combine(integer)
    case .number(let text), .string(let text): hasher.combine(ByteString(text))
    case .array(let array): hasher.combine(array)
    case .object(let object): hasher.combine(object)
    }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(nilLiteral: ()) { self = .null }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(stringLiteral value: String) { self = .string(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

/// A text that compares and hashes byte by byte, so that it can be a key.
package struct ByteString: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: Self, right: Self) -> Bool { left.text.hasBytes(of: right.text) }

  package static func < (left: Self, right: Self) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
