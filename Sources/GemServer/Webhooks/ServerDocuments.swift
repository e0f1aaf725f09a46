#if Server
package import GemLedger

/// A JSON document that the server stores under a name.
package struct ServerDocument: Sendable {
  package let name: String
  /// Starts at 1 and increases with every change.
  package let version: Int64
  package let content: String

  package init(name: String, version: Int64, content: String) {
    self.name = name
    self.version = version
    self.content = content
  }
}

/// The storage of the server's state: named JSON documents, shared by all processes of a project.
package protocol ServerDocuments: Sendable {
  /// Returns the document with the name; nil if there is none.
  func document(named name: String) throws(LedgerError) -> ServerDocument?
  /// Returns a page of documents with the name prefix, in byte order of their names.
  func documents(withPrefix prefix: String, after name: String?, limit: Int) throws(LedgerError) -> [ServerDocument]
  /// Creates a document, or replaces a document that is unchanged since it was read.
  ///
  /// - Parameter version: The version to replace; nil if the document must not exist.
  /// - Throws: `LedgerError` with `condition_failed` if the document has another version.
  @discardableResult
  func save(_ name: String, content: String, replacing version: Int64?) throws(LedgerError) -> ServerDocument
  /// Removes a document that is unchanged since it was read.
  ///
  /// - Throws: `LedgerError` with `condition_failed` if the document has another version.
  func remove(_ name: String, version: Int64) throws(LedgerError)
}

extension ServerDocuments {
  /// Visits all documents with the name prefix.
  func forEach(
    withPrefix prefix: String, _ body: (ServerDocument) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var last: String?
    while true {
      let page = try documents(withPrefix: prefix, after: last, limit: Self.pageSize)
      for document in page { try body(document) }
      guard page.count == Self.pageSize, let name = page.last?.name else { return }
      last = name
    }
  }

  private static var pageSize: Int { 100 }
}

/// The documents in the storage of a ledger.
package struct LedgerDocuments: ServerDocuments {
  private let ledger: Ledger

  package init(_ ledger: Ledger) { self.ledger = ledger }

  package func document(named name: String) throws(LedgerError) -> ServerDocument? {
    try ledger.documents.find(named: name).map(ServerDocument.init)
  }

  package func documents(
    withPrefix prefix: String, after name: String?, limit: Int
  ) throws(LedgerError) -> [ServerDocument] {
    try ledger.documents.page(withPrefix: prefix, after: name, limit: limit).map(ServerDocument.init)
  }

  package func save(
    _ name: String, content: String, replacing version: Int64?
  ) throws(LedgerError) -> ServerDocument {
    ServerDocument(try ledger.documents.save(document: name, content: content, replacing: version))
  }

  package func remove(_ name: String, version: Int64) throws(LedgerError) {
    try ledger.documents.remove(named: name, version: version)
  }
}

extension ServerDocument {
  fileprivate init(_ document: LedgerDocument) {
    self.init(name: document.name, version: document.version, content: document.content)
  }

  /// - Throws: `LedgerError` with `storage_damaged`.
  func reader() throws(LedgerError) -> StoredJSON { try StoredJSON(content, named: name) }
}
#endif
