#if Server
package import GemLedger

extension Schema {
  /// Checks a body; refuses unknown members, since they may be misspelt.
  ///
  /// - Parameter takesUnknown: Whether unknown members are ignored instead.
  /// - Throws: `LedgerError` with `invalid_request`; the detail `param` is the path of the member.
  package func check(
    _ value: JSONValue, at path: String = "", takesUnknown: Bool = false
  ) throws(LedgerError) {
    switch (self, value) {
    case (.anything, _), (.nullable, .null), (.boolean, .bool): return
    case (.nullable(let schema), _), (.stating(_, let schema), _): try schema.check(value, at: path)
    case (.text(let bounds, _), .string(let text)):
      guard bounds.contains(text.unicodeScalars.count) else {
        throw .parameter(path, "has to have \(bounds.lowerBound) to \(bounds.upperBound) characters")
      }
    case (.word(let words), .string(let text)):
      guard words.contains(where: { $0.hasBytes(of: text) }) else {
        throw .parameter(path, "has to be one of \(words.joined(separator: ", "))")
      }
    case (.integer(let bounds), .integer(let number)):
      guard bounds.contains(number) else {
        throw .parameter(path, "has to be \(bounds.lowerBound) to \(bounds.upperBound)")
      }
    case (.decimal, .integer(let number)) where (0...999_999_999_999).contains(number): return
    case (.decimal, .number(let text)) where Self.isDecimal(text): return
    case (.list(let schema, let bounds), .array(let elements)):
      try Self.check(elements.count, in: bounds, "elements", at: path)
      for (index, element) in elements.enumerated() { try schema.check(element, at: "\(path)[\(index)]") }
    case (.map(let schema, let bounds), .object(let object)):
      try Self.check(object.members.count, in: bounds, "members", at: path)
      for member in object.members { try schema.check(member.value, at: Self.path(path, member.name)) }
    case (.object(let fields), .object(let object)):
      try Self.check(object, fields, at: path, takesUnknown: takesUnknown)
    default: throw .parameter(path, "has to be \(kind), and is \(value.kind)")
    }
  }

  private static func check(
    _ object: JSONObject, _ fields: [Field], at path: String, takesUnknown: Bool
  ) throws(LedgerError) {
    for member in object.members {
      guard let field = fields.first(where: { $0.name.hasBytes(of: member.name) }) else {
        if takesUnknown { continue }
        throw .unknownName(self.path(path, member.name), "field", among: fields.map { self.path(path, $0.name) })
      }
      try field.schema.check(member.value, at: self.path(path, member.name))
    }
    for field in fields where field.isRequired && object[field.name] == nil {
      throw .parameter(self.path(path, field.name), "is missing")
    }
  }

  private static func check(
    _ count: Int, in bounds: ClosedRange<Int>, _ what: String, at path: String
  ) throws(LedgerError) {
    guard bounds.contains(count) else {
      throw .parameter(path, "has to have \(bounds.lowerBound) to \(bounds.upperBound) \(what), and has \(count)")
    }
  }

  private static func isDecimal(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isDigits = parts.allSatisfy { $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    return isDigits && parts.count == 2 && (1...12).contains(parts[0].count) && (1...3).contains(parts[1].count)
  }

  private static func path(_ path: String, _ name: String) -> String {
    path.isEmpty ? String(name.prefix(100)) : "\(path).\(name.prefix(100))"
  }

  /// The description of the form in messages.
  private var kind: String {
    switch self {
    case .text, .word: "a text"
    case .integer: "a whole number of at most 64 bits in plain digits"
    case .decimal: "a number of at most twelve plain digits, with at most three decimal places"
    case .boolean: "true or false"
    case .list: "a list"
    case .map, .object: "an object"
    case .nullable(let schema): "\(schema.kind) or null"
    case .stating(_, let schema): schema.kind
    case .anything: "a value"
    }
  }

  /// Whether an object without members is valid.
  package var takesNothing: Bool {
    guard case .object(let fields) = self else { return false }
    return !fields.contains { $0.isRequired }
  }

  /// Converts a parameter's text to a value of this form.
  ///
  /// - Throws: As ``check(_:at:)``.
  package func value(ofParameter text: String, _ name: String) throws(LedgerError) -> JSONValue {
    if case .stating(_, let schema) = self { return try schema.value(ofParameter: text, name) }
    let value: JSONValue
    switch self {
    case .integer:
      guard let number = Int64(text), String(number) == text else {
        throw .parameter(name, "has to be a whole number of at most 64 bits in plain digits")
      }
      value = .integer(number)
    case .boolean:
      guard text == "true" || text == "false" else { throw .parameter(name, "has to be true or false") }
      value = .bool(text == "true")
    default: value = .string(text)
    }
    try check(value, at: name)
    return value
  }
}

extension LedgerError {
  /// The error for an unknown field or parameter, with the most similar known name.
  static func unknownName(_ name: String, _ what: String, among known: [String]) -> LedgerError {
    let nearest = Spelling.nearest(to: name, among: known).map { " Did you mean \"\($0)\"?" } ?? ""
    return LedgerError(
      .invalidRequest, "\"\(name)\" is not a \(what) of this request.\(nearest)", details: [.text("param", name)])
  }

  /// The error for an invalid part of a request.
  package static func parameter(_ name: String, _ what: String) -> LedgerError {
    let subject = name.isEmpty ? "The body" : "\"\(name)\""
    return LedgerError(
      .invalidRequest, "\(subject) \(what).", details: name.isEmpty ? [] : [.text("param", name)])
  }
}
#endif
