/// A JSON document of this project's own storage, or a part of it.
package typealias StoredJSON = JSONReader<StoredDocument>

/// The document with a name; problems are `storage_damaged`.
package struct StoredDocument: JSONContext, Sendable {
  let name: String

  package func error(_ problem: JSONProblem) -> LedgerError { damaged("\(problem)") }

  package func error(_ error: LedgerError, at path: JSONPath) -> LedgerError { damaged(error.message) }

  fileprivate func damaged(_ problem: String) -> LedgerError {
    LedgerError(.storageDamaged, "The document \(name) cannot be read: \(problem).")
  }
}

extension JSONReader<StoredDocument> {
  /// - Throws: `LedgerError` with `storage_damaged` for a text that is not JSON.
  package init(_ content: String, named name: String) throws(LedgerError) {
    let document = StoredDocument(name: name)
    do throws(JSONError) { self.init(try JSONValue.parse(content), document) } catch {
      throw document.damaged("\(error)")
    }
  }
}
