/// One value of a document and its position; reading it as a type gives the value or reports a problem.
package typealias CatalogField = JSONReader<CatalogCheck>

// The errors are the reports: whoever reads on after one needs no more than to know that there is no value.
extension CatalogCheck: JSONContext {
  package func error(_ problem: JSONProblem) -> LedgerError {
    let message = problem.found.map { "This should be \(problem.expected), but is \($0)." } ?? "The field is missing."
    return error(LedgerError(.invalidCatalog, message), at: problem.path)
  }

  package func error(_ error: LedgerError, at path: JSONPath) -> LedgerError {
    add(path, error.message)
    return error
  }
}

extension JSONReader<CatalogCheck> {
  /// Reports a problem with this value; nil for the caller to return.
  package func refuse<Value>(_ message: String) -> Value? {
    context.add(path, message)
    return nil
  }

  /// Reports a problem with this value, and returns it as an error.
  package func refused(_ message: String) -> LedgerError {
    context.error(LedgerError(.invalidCatalog, message), at: path)
  }
}

// Scalars.
extension JSONReader<CatalogCheck> {
  /// Any text within the limit of bytes.
  package func shortText() throws(LedgerError) -> String {
    let text = try text()
    guard text.utf8.count <= Limits.catalogTextBytes else {
      throw refused("The text has \(text.utf8.count) bytes; the most is \(Limits.catalogTextBytes).")
    }
    return text
  }

  /// A text for people; it must not be empty.
  package func caption() throws(LedgerError) -> String {
    let text = try shortText()
    guard !text.isEmpty else { throw refused("The text is empty.") }
    return text
  }

  /// A text that names something: checked like an identifier.
  package func name() throws(LedgerError) -> String { try identifier(Identifier<CatalogNameKind>.self).text }

  /// A currency that the catalog must have.
  package func currencyReference() throws(LedgerError) -> CurrencyCode {
    let code = try currency()
    context.refer(to: .currency, code.description, at: path)
    return code
  }

  package func option<Option: CatalogOption>(_ type: Option.Type) throws(LedgerError) -> Option {
    let text = try text()
    guard let kind = Option.Kind(rawValue: text) else {
      throw refused(text, isNoneOf: Option.Kind.allCases.map(\.rawValue))
    }
    return Option(kind)
  }

  package func refused(_ text: String, isNoneOf words: [String]) -> LedgerError {
    let all = words.map { "\"\($0)\"" }.joined(separator: ", ")
    return refused(expected: "one of \(all)", found: "\"\(text.abridged)\"")
  }
}

// Values that contain other values.
extension JSONReader<CatalogCheck> {
  /// Reads a member that must be there; nil if there is a problem.
  package func required<Value>(_ name: String, _ read: (Self) throws -> Value?) -> Value? {
    self[name].reported(read)
  }

  /// Reads a member that may be missing or null; nil also if there is a problem.
  package func optional<Value>(_ name: String, _ read: (Self) throws -> Value?) -> Value? {
    self[name].optional?.reported(read)
  }

  /// Reads a member that may be missing, and then has this value.
  package func optional<Value>(_ name: String, default value: Value, _ read: (Self) throws -> Value?) -> Value {
    self[name].value == nil ? value : self[name].reported(read) ?? value
  }

  /// Reads the value; the problem that an error stands for is reported already.
  private func reported<Value>(_ read: (Self) throws -> Value?) -> Value? {
    do { return try read(self) } catch { return nil }
  }

  /// The reader of an object; members that are not known are reported.
  package func fields(_ known: [String]) -> Self? {
    guard let object = value?.object else { return reported { (field) throws in try field.object() } }
    for (name, _) in object.members where !known.contains(name) {
      let suggestion = Spelling.nearest(to: name, among: known).map { " Did you mean \"\($0)\"?" } ?? ""
      context.add(path / name, "There is no such field.\(suggestion)")
    }
    return self
  }

  /// The elements that could be read, in order.
  package func list<Element>(max: Int, _ read: (Self) throws -> Element?) -> [Element]? {
    guard let elements = reported({ try $0.elements() }) else { return nil }
    guard elements.count <= max else { return refuse("The list has \(elements.count) entries; the most is \(max).") }
    return elements.compactMap { $0.reported(read) }
  }

  /// The elements that could be read; two with the same key are a problem.
  package func list<Element>(
    max: Int, uniqueBy key: (Element) -> String, _ read: (Self) throws -> Element?
  ) -> [Element]? {
    var keys: Set<ByteString> = []
    return list(max: max) { field in
      guard let element = try read(field) else { return nil }
      let key = key(element)
      guard keys.insert(ByteString(key)).inserted else {
        return field.refuse("\"\(key.abridged)\" is in the list already.")
      }
      return element
    }
  }

  /// Returns the readable members, of an object with data as names instead of fields.
  package func members<Member>(_ read: (String, Self) throws -> Member?) -> [Member]? {
    var names: Set<ByteString> = []
    return reported { try $0.members() }?.compactMap { name, member in
      // A file never has a name twice, since its reader checks that; a catalog made in code might.
      guard names.insert(ByteString(name)).inserted else { return member.refuse("The name occurs twice.") }
      return member.reported { try read(name, $0) }
    }
  }
}

/// The kind of names that are not identifiers of the ledger: store ids, entitlements, package ids.
package enum CatalogNameKind: IdentifierKind {
  package static let word = "name"
  package static let byteCountMax = Limits.catalogIDBytes
}
