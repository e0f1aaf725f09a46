#if Server
package import GemLedger

/// The storage of the server's state: named JSON documents, shared by all processes of a project.
package protocol ServerDocuments: Sendable {
  /// Returns the document with the name; nil if there is none.
  func find(named name: String) throws(LedgerError) -> LedgerDocument?
  /// Returns a page of documents with the name prefix, in byte order of their names.
  func page(withPrefix prefix: String, after name: String?, limit: Int) throws(LedgerError) -> [LedgerDocument]
  /// Creates a document, or replaces a document that is unchanged since it was read.
  ///
  /// - Parameter version: The version to replace; nil if the document must not exist.
  /// - Throws: `LedgerError` with `condition_failed` if the document has another version.
  @discardableResult
  func save(_ name: String, content: String, replacing version: Int64?) throws(LedgerError) -> LedgerDocument
  /// Removes a document that is unchanged since it was read.
  ///
  /// - Throws: `LedgerError` with `condition_failed` if the document has another version.
  func remove(_ name: String, version: Int64) throws(LedgerError)
}

extension ServerDocuments {
  /// Visits all documents with the name prefix.
  func forEach(
    withPrefix prefix: String, _ body: (LedgerDocument) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var last: String?
    while true {
      let page = try self.page(withPrefix: prefix, after: last, limit: Self.pageSize)
      for document in page { try body(document) }
      guard page.count == Self.pageSize, let name = page.last?.name else { return }
      last = name
    }
  }

  private static var pageSize: Int { 100 }
}

extension LedgerDocuments: ServerDocuments {}

extension LedgerDocument {
  /// - Throws: `LedgerError` with `storage_damaged`.
  func reader() throws(LedgerError) -> StoredJSON { try StoredJSON(content, named: name) }
}
#endif
