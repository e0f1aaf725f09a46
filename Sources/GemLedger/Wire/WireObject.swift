/// A value with a lossless JSON form for the exchange between a server and its clients.
package protocol WireValue: Sendable {
  /// Reads the form; unknown members are ignored, since the other end may have a later version.
  ///
  /// - Throws: `LedgerError` as the readers of ``WireObject``.
  init(wire: WireObject) throws(LedgerError)

  /// The form, with its members in a fixed order.
  var wire: JSONValue { get }
}

/// A JSON object from the other end of a connection: reading a member gives its value or throws.
///
/// All readers throw `LedgerError` with `invalid_request`, with the member's path as the detail `param`. Readers of
/// identifiers throw `invalid_identifier`. A member that is null counts as missing.
package struct WireObject {
  package let object: JSONObject
  private let path: String

  package init(_ value: JSONValue, at path: String = "") throws(LedgerError) {
    guard let object = value.object else { throw Self.refused(path, "an object", value) }
    self.init(object, at: path)
  }

  package init(_ object: JSONObject, at path: String = "") {
    self.object = object
    self.path = path
  }

  private static func refused(_ path: String, _ expected: String, _ value: JSONValue?) -> LedgerError {
    LedgerError(
      .invalidRequest, "\"\(path)\" has to be \(expected), and is \(value?.kind ?? "missing").",
      details: [.text("param", path)])
  }

  private func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// The value of a member, read with `read`.
  private func member<Value>(
    _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(LedgerError) -> Value? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let read = read(value) else { throw Self.refused(path(of: name), expected, value) }
    return read
  }

  private func required<Value>(_ name: String, _ expected: String, _ value: Value?) throws(LedgerError) -> Value {
    guard let value else { throw Self.refused(path(of: name), expected, nil) }
    return value
  }
}

// Single values.
extension WireObject {
  package func optionalText(_ name: String) throws(LedgerError) -> String? { try member(name, "a text", \.text) }

  package func text(_ name: String) throws(LedgerError) -> String {
    try required(name, "a text", try optionalText(name))
  }

  package func optionalInteger(_ name: String) throws(LedgerError) -> Int64? {
    try member(name, "a whole number", \.integer)
  }

  package func integer(_ name: String) throws(LedgerError) -> Int64 {
    try required(name, "a whole number", try optionalInteger(name))
  }

  /// The flag; false if the member is missing.
  package func flag(_ name: String) throws(LedgerError) -> Bool {
    try member(name, "true or false", \.bool) ?? false
  }

  /// An instant, in milliseconds since 1970.
  package func optionalInstant(_ name: String) throws(LedgerError) -> Timestamp? {
    try optionalInteger(name).map(Timestamp.init(milliseconds:))
  }

  package func instant(_ name: String) throws(LedgerError) -> Timestamp {
    Timestamp(milliseconds: try integer(name))
  }

  package func optionalIdentifier<Kind>(_ name: String) throws(LedgerError) -> Identifier<Kind>? {
    guard let text = try optionalText(name) else { return nil }
    return try Identifier(text)
  }

  package func identifier<Kind>(_ name: String) throws(LedgerError) -> Identifier<Kind> {
    try Identifier(try text(name))
  }

  package func currency(_ name: String) throws(LedgerError) -> CurrencyCode { try CurrencyCode(try text(name)) }

  package func optionalTransactionID(_ name: String) throws(LedgerError) -> TransactionID? {
    guard let text = try optionalText(name) else { return nil }
    return try TransactionID(text)
  }

  /// One of a few known values, by its text.
  package func word<Value>(_ name: String, _ read: (String) -> Value?) throws(LedgerError) -> Value {
    let value = try member(name, "a known word") { $0.text.flatMap(read) }
    return try required(name, "a known word", value)
  }
}

// Values that contain other values.
extension WireObject {
  package func optionalObject(_ name: String) throws(LedgerError) -> WireObject? {
    try member(name, "an object", \.object).map { WireObject($0, at: path(of: name)) }
  }

  package func optionalValue<Value: WireValue>(_ name: String) throws(LedgerError) -> Value? {
    guard let object = try optionalObject(name) else { return nil }
    return try Value(wire: object)
  }

  package func value<Value: WireValue>(_ name: String) throws(LedgerError) -> Value {
    try required(name, "an object", try optionalValue(name))
  }

  /// The elements of a list; empty if the member is missing.
  package func elements<Element>(
    _ name: String, _ read: (JSONValue, _ path: String) throws(LedgerError) -> Element
  ) throws(LedgerError) -> [Element] {
    var elements: [Element] = []
    for (index, value) in (try member(name, "a list", \.array) ?? []).enumerated() {
      elements.append(try read(value, "\(path(of: name))[\(index)]"))
    }
    return elements
  }

  package func values<Value: WireValue>(_ name: String) throws(LedgerError) -> [Value] {
    try elements(name) { (value, path) throws(LedgerError) in try Value(wire: WireObject(value, at: path)) }
  }

  /// A list of identifiers; empty if the member is missing.
  package func identifiers<Kind>(_ name: String) throws(LedgerError) -> [Identifier<Kind>] {
    try elements(name) { (value, path) throws(LedgerError) in
      guard let text = value.text else { throw Self.refused(path, "a text", value) }
      return try Identifier(text)
    }
  }

  /// Amounts by currency code, in the order of the text; empty if the member is missing.
  package func amounts(_ name: String) throws(LedgerError) -> [CurrencyAmount] {
    guard let object = try optionalObject(name) else { return [] }
    var amounts: [CurrencyAmount] = []
    for (code, value) in object.object.members {
      guard let amount = value.integer else { throw Self.refused("\(path(of: name)).\(code)", "a whole number", value) }
      amounts.append(CurrencyAmount(currency: try CurrencyCode(code), amount: amount))
    }
    return amounts
  }

  /// Catalog objects in the form of the catalog's file; references to other objects are not checked.
  package func documents<Document: CatalogDocument>(_ name: String) throws(LedgerError) -> [Document] {
    try elements(name) { (value, path) throws(LedgerError) in
      do throws(CatalogProblems) { return try Document(json: value) } catch {
        throw LedgerError(.invalidRequest, "\"\(path)\": \(error.description)", details: [.text("param", path)])
      }
    }
  }
}

extension Sequence where Element: WireValue {
  /// The list of the elements' forms.
  package var wire: JSONValue { .array(map(\.wire)) }
}

extension JSONValue {
  /// An instant in milliseconds since 1970, or null.
  package init(_ instant: Timestamp?) { self = JSONValue(instant?.milliseconds) }

  /// The identifier's text, or null.
  package init<Kind>(_ identifier: Identifier<Kind>?) { self = JSONValue(identifier?.text) }

  /// Amounts by currency code, in their order.
  package init(amounts: [CurrencyAmount]) {
    self = .object(JSONObject(amounts.map { ($0.currency.description, .integer($0.amount)) }))
  }
}
