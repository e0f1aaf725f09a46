/// The findings about a document while it is read: its problems, the names it declares, and the references to them.
///
/// References are checked at the end, because a document may name things before it declares them.
package final class CatalogCheck {
  /// The kind of thing that a name denotes; the text is its name in messages.
  package enum Kind: String {
    case currency
    case product
    case offering
    case item
    case storeID = "store id"
  }

  private struct Name: Hashable {
    let kind: Kind
    let text: ByteString
  }

  private struct Reference {
    let name: Name
    let path: JSONPath
  }

  package private(set) var problems: [CatalogProblem] = []
  private var declared: [Name: JSONPath] = [:]
  private var references: [Reference] = []

  package init() {}

  package func add(_ path: JSONPath, _ message: String) {
    problems.append(CatalogProblem(path: path.description, message: message))
  }

  /// Records that this name is declared here, unless it is declared already.
  package func declare(_ kind: Kind, _ text: String, at path: JSONPath) {
    let name = Name(kind: kind, text: ByteString(text))
    if let first = declared[name] {
      add(path, "The \(kind.rawValue) \"\(text.abridged)\" is there already, at \(first).")
    } else {
      declared[name] = path
    }
  }

  /// Records that something with this name must exist.
  package func refer(to kind: Kind, _ text: String, at path: JSONPath) {
    references.append(Reference(name: Name(kind: kind, text: ByteString(text)), path: path))
  }

  /// Reports references to undeclared names.
  package func resolveReferences() {
    for reference in references where declared[reference.name] == nil {
      let name = reference.name
      add(reference.path, "The catalog has no \(name.kind.rawValue) \"\(name.text.text.abridged)\".")
    }
  }

  package func finish() throws(CatalogProblems) {
    guard problems.isEmpty else { throw CatalogProblems(problems) }
  }
}

/// A part of the catalog that is stored as a separate JSON document.
package protocol CatalogDocument {
  /// Reads the value, and reports its problems.
  init?(reading field: CatalogField)

  /// The value as it is stored: every field, in a fixed order.
  func json() -> JSONValue
}

extension CatalogDocument {
  /// Reads one document; its references are not checked.
  ///
  /// - Throws: ``CatalogProblems`` with every problem.
  package init(json: JSONValue) throws(CatalogProblems) {
    let check = CatalogCheck()
    let value = Self(reading: CatalogField(json, check))
    try check.finish()
    guard let value else { throw CatalogProblems(path: "$", message: "This is not such a document.") }
    self = value
  }
}

extension String {
  /// The text for use in a message: its first hundred characters.
  package var abridged: String { count > 100 ? prefix(100) + "…" : self }
}
