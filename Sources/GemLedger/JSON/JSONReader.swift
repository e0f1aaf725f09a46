/// A value of a JSON document with its position: each reading gives a Swift value, or throws.
///
/// Members that are not asked for are ignored, since the writer may have a later version.
package struct JSONReader<Context: JSONContext> {
  /// The value; nil for a member that the object does not have.
  package let value: JSONValue?
  package let path: JSONPath
  package let context: Context

  package init(_ value: JSONValue?, at path: JSONPath = .root, _ context: Context) {
    self.value = value
    self.path = path
    self.context = context
  }

  /// The member with this name.
  package subscript(name: String) -> Self { Self(value?[name], at: path / name, context) }

  /// The reader, or nil if the value is missing or null.
  package var optional: Self? {
    guard let value, !value.isNull else { return nil }
    return self
  }

  /// The error for this value; `found` is the kind of the value by default.
  package func refused(expected: String, found: String? = nil) -> LedgerError {
    context.error(JSONProblem(path: path, expected: expected, found: found ?? value?.kind))
  }
}

extension JSONReader: Sendable where Context: Sendable {}

/// The kind of a document, which decides the errors of its readers.
package protocol JSONContext {
  /// The error for a missing value, or for a value of another form.
  func error(_ problem: JSONProblem) -> LedgerError

  /// The error for a text that is not an identifier, a currency code or a transaction id; by default `error` itself.
  func error(_ error: LedgerError, at path: JSONPath) -> LedgerError
}

extension JSONContext {
  package func error(_ error: LedgerError, at path: JSONPath) -> LedgerError { error }
}

/// A difference between a document and its expected form.
package struct JSONProblem: CustomStringConvertible {
  package let path: JSONPath
  /// The expected value, such as `a text`.
  package let expected: String
  /// The value in the document; nil if it is missing.
  package let found: String?

  /// The problem as a sentence without its period.
  package var description: String { "\"\(path.parameter)\" has to be \(expected), and is \(found ?? "missing")" }
}

// Single values.
extension JSONReader {
  package func text() throws(LedgerError) -> String {
    guard let text = value?.text else { throw refused(expected: "a text") }
    return text
  }

  package func integer() throws(LedgerError) -> Int64 {
    guard let integer = value?.integer else { throw refused(expected: "a whole number, in plain digits") }
    return integer
  }

  package func integer(in bounds: ClosedRange<Int64>) throws(LedgerError) -> Int64 {
    let integer = try integer()
    guard bounds.contains(integer) else {
      throw refused(expected: "from \(bounds.lowerBound) to \(bounds.upperBound)", found: "\(integer)")
    }
    return integer
  }

  package func bool() throws(LedgerError) -> Bool {
    guard let bool = value?.bool else { throw refused(expected: "true or false") }
    return bool
  }

  /// The Boolean; false if it is missing.
  package func flag() throws(LedgerError) -> Bool { try optional?.bool() ?? false }

  /// An instant, in milliseconds since 1970.
  package func instant() throws(LedgerError) -> Timestamp { Timestamp(milliseconds: try integer()) }

  /// One of a few known values, by its text.
  package func word<Word>(
    expected: String = "a known word", _ read: (String) -> Word?
  ) throws(LedgerError) -> Word {
    let text = try text()
    guard let word = read(text) else { throw refused(expected: expected, found: "\"\(text.abridged)\"") }
    return word
  }

  package func word<Word: RawRepresentable<String>>() throws(LedgerError) -> Word { try word(Word.init(rawValue:)) }

  package func identifier<Kind>(
    _ type: Identifier<Kind>.Type = Identifier<Kind>.self
  ) throws(LedgerError) -> Identifier<Kind> {
    try parsed { (text) throws(LedgerError) in try Identifier(text) }
  }

  package func currency() throws(LedgerError) -> CurrencyCode {
    try parsed { (text) throws(LedgerError) in try CurrencyCode(text) }
  }

  package func transactionID() throws(LedgerError) -> TransactionID {
    try parsed { (text) throws(LedgerError) in try TransactionID(text) }
  }

  private func parsed<Value>(_ make: (String) throws(LedgerError) -> Value) throws(LedgerError) -> Value {
    let text = try text()
    do throws(LedgerError) { return try make(text) } catch { throw context.error(error, at: path) }
  }
}

// Values that contain other values.
extension JSONReader {
  /// The reader itself, of an object.
  package func object() throws(LedgerError) -> Self {
    guard value?.object != nil else { throw refused(expected: "an object") }
    return self
  }

  package func elements() throws(LedgerError) -> [Self] {
    guard let array = value?.array else { throw refused(expected: "a list") }
    return array.enumerated().map { index, value in Self(value, at: path[index], context) }
  }

  /// The members of an object with data as names.
  package func members() throws(LedgerError) -> [(name: String, value: Self)] {
    guard let object = value?.object else { throw refused(expected: "an object") }
    return object.members.map { name, value in (name, Self(value, at: path / name, context)) }
  }

  /// Amounts by currency code, in the order of the text; empty if the value is missing.
  package func amounts() throws(LedgerError) -> [CurrencyAmount] {
    var amounts: [CurrencyAmount] = []
    for (code, amount) in try optional?.members() ?? [] {
      amounts.append(CurrencyAmount(currency: try CurrencyCode(code), amount: try amount.integer()))
    }
    return amounts
  }
}
