/// A value with a lossless JSON form for the exchange between a server and its clients.
package protocol WireValue: JSONDocument {
  /// Reads the form; unknown members are ignored, since the other end may have a later version.
  ///
  /// - Throws: `LedgerError` as ``JSONReader``'s readers with a ``WireContext``.
  init(wire: WireObject) throws(LedgerError)
}

extension WireValue {
  package var wire: JSONValue { json }
}

/// A JSON document from the other end of a connection.
package typealias WireObject = JSONReader<WireContext>

/// Problems are `invalid_request`, with the path as the detail `param`; texts that are not identifiers are
/// `invalid_identifier`.
package struct WireContext: JSONContext, Sendable {
  package func error(_ problem: JSONProblem) -> LedgerError {
    LedgerError(.invalidRequest, "\(problem).", details: [.text("param", problem.path.parameter)])
  }
}

extension JSONReader<WireContext> {
  package init(_ value: JSONValue, at path: JSONPath = .root) throws(LedgerError) {
    self = try Self(value, at: path, WireContext()).object()
  }

  package init(_ object: JSONObject) { self.init(.object(object), WireContext()) }

  package func read<Value: WireValue>() throws(LedgerError) -> Value { try Value(wire: object()) }

  /// The elements of a list; empty if the list is missing.
  package func values<Value: WireValue>() throws(LedgerError) -> [Value] {
    var values: [Value] = []
    for element in try optional?.elements() ?? [] { values.append(try element.read()) }
    return values
  }

  /// A list of identifiers; empty if the list is missing.
  package func identifiers<Kind>() throws(LedgerError) -> [Identifier<Kind>] {
    var identifiers: [Identifier<Kind>] = []
    for element in try optional?.elements() ?? [] { identifiers.append(try element.identifier()) }
    return identifiers
  }

  /// Catalog objects in the form of the catalog's file; references to other objects are not checked.
  package func documents<Document: CatalogDocument>() throws(LedgerError) -> [Document] {
    var documents: [Document] = []
    for element in try optional?.elements() ?? [] {
      do throws(CatalogProblems) { documents.append(try Document(json: element.value ?? .null)) } catch {
        let path = element.path.parameter
        throw LedgerError(.invalidRequest, "\"\(path)\": \(error.description)", details: [.text("param", path)])
      }
    }
    return documents
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
