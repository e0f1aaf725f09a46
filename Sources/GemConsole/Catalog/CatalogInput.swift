#if Server
internal import GemLedger

/// An input of a catalog form: a member of an object, and its text in the form.
struct CatalogInput: Sendable {
  let field: Field
  let member: String
  /// Writes the member for people.
  let text: @Sendable (JSONValue) -> String
  /// Reads what a person wrote; checks of the catalog follow.
  let value: @Sendable (String) throws(LedgerError) -> JSONValue

  private init(
    _ member: String, _ label: String, _ kind: Field.Kind, hint: String?, isRequired: Bool,
    text: @escaping @Sendable (JSONValue) -> String,
    value: @escaping @Sendable (String) throws(LedgerError) -> JSONValue
  ) {
    field = Field(member, label, kind, hint: hint, isRequired: isRequired)
    self.member = member
    self.text = text
    self.value = value
  }

  /// A text; an optional one is null if it is empty.
  static func text(_ member: String, _ label: String, hint: String? = nil, isRequired: Bool = true) -> Self {
    Self(
      member, label, .text, hint: hint, isRequired: isRequired, text: { $0.text ?? "" },
      value: { text in
        text.isEmpty && !isRequired ? .null : .string(text)
      })
  }

  /// A text that is empty rather than null.
  static func note(_ member: String, _ label: String) -> Self {
    Self(member, label, .text, hint: nil, isRequired: false, text: { $0.text ?? "" }, value: { .string($0) })
  }

  static func amount(_ member: String, _ label: String, hint: String) -> Self {
    Self(
      member, label, .amount, hint: hint, isRequired: false, text: { $0.integer.map(String.init) ?? "" },
      value: {
        (text) throws(LedgerError) in text.isEmpty ? .null : .integer(try number(text))
      })
  }

  static func choice(_ member: String, _ label: String, _ names: [(value: String, name: String)]) -> Self {
    Self(member, label, .choice(names), hint: nil, isRequired: true, text: { $0.text ?? "" }, value: { .string($0) })
  }

  static func check(_ member: String, _ label: String) -> Self {
    Self(
      member, label, .check, hint: nil, isRequired: false, text: { $0.bool == false ? "" : "yes" },
      value: {
        .bool($0 == "yes")
      })
  }

  /// An object with a line `NAME=TEXT` for each member.
  static func texts(_ member: String, _ label: String, hint: String) -> Self {
    lines(member, label, hint: hint, line: { name, value in "\(name)=\(value.text ?? "")" }, value: { .string($0) })
  }

  /// An object with a line `NAME=NUMBER` for each member.
  static func amounts(_ member: String, _ label: String, hint: String) -> Self {
    lines(
      member, label, hint: hint, line: { name, value in "\(name)=\(value.integer ?? 0)" },
      value: {
        (text) throws(LedgerError) in .integer(try number(text))
      })
  }

  private static func lines(
    _ member: String, _ label: String, hint: String, line: @escaping @Sendable (String, JSONValue) -> String,
    value: @escaping @Sendable (String) throws(LedgerError) -> JSONValue
  ) -> Self {
    Self(
      member, label, .lines, hint: hint, isRequired: false,
      text: { ($0.object?.members ?? []).map { line($0.name, $0.value) }.joined(separator: "\n") },
      value: { (text) throws(LedgerError) in
        var object = JSONObject()
        for (name, rest) in try pairs(text, label) {
          guard object[name] == nil else { throw .invalid("\(label): \"\(name)\" occurs twice.") }
          object[name] = try value(rest)
        }
        return .object(object)
      })
  }

  /// A list of objects with a line `FIRST=SECOND` for each: two members, and the others as they were.
  ///
  /// - Parameter isNumber: Whether the second is a whole number.
  static func list(
    _ member: String, _ label: String, _ first: String, _ second: String, isNumber: Bool = false, hint: String
  ) -> Self {
    Self(
      member, label, .lines, hint: hint, isRequired: false,
      text: {
        ($0.array ?? []).map {
          "\($0[first]?.text ?? "")=\(isNumber ? String($0[second]?.integer ?? 0) : $0[second]?.text ?? "")"
        }.joined(separator: "\n")
      },
      value: { (text) throws(LedgerError) in
        var elements: [JSONValue] = []
        for (name, rest) in try pairs(text, label) {
          elements.append(
            .object(
              JSONObject([(first, .string(name)), (second, isNumber ? .integer(try number(rest)) : .string(rest))])))
        }
        return .array(elements)
      })
  }

  private static func pairs(_ text: String, _ label: String) throws(LedgerError) -> [(name: String, rest: String)] {
    var pairs: [(name: String, rest: String)] = []
    for line in text.split(separator: "\n") where line.contains(where: { $0 != " " }) {
      guard let middle = line.firstIndex(of: "=") else {
        throw .invalid("\(label): each line has the form NAME=VALUE, not \"\(line.prefix(60))\".")
      }
      pairs.append((trimmed(line[..<middle]), trimmed(line[line.index(after: middle)...])))
    }
    return pairs
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " }
    return start.lastIndex { $0 != " " }.map { String(start[...$0]) } ?? ""
  }

  private static func number(_ text: String) throws(LedgerError) -> Int64 {
    guard let number = Int64(text), String(number) == text else {
      throw .invalid("An amount is a whole number in plain digits, such as 1200, not \"\(text.prefix(40))\".")
    }
    return number
  }
}
#endif
