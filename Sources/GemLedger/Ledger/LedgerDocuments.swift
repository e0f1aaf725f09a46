/// A JSON text that a service on top of the ledger stores under a name.
package struct LedgerDocument: Sendable {
  package let name: String
  /// Starts at 1; increases with every change.
  package let version: Int64
  package let content: String

  package init(name: String, version: Int64, content: String) {
    (self.name, self.version, self.content) = (name, version, content)
  }
}

extension LedgerDocument {
  package func reader() throws(LedgerError) -> StoredJSON { try StoredJSON(content, named: name) }
}

/// Documents are shared by all processes that have the storage open.
///
/// A service keeps its state in them, such as API keys, webhook endpoints and leases of background work. They are not
/// part of the journal: `verify` does not check them, no export has them, and an erasure removes only the customer's
/// attributes. A copy of a whole storage includes them, even leases, which then end by their deadlines.
package struct LedgerDocuments: Sendable {
  let storage: any LedgerStorage

  /// Finds the document with the name; nil if there is none.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  package func find(named name: String) throws(LedgerError) -> LedgerDocument? {
    let name = try DocumentName(name)
    return try storage.read { (snapshot) throws(LedgerError) -> LedgerDocument? in
      try snapshot.document(name).map(LedgerDocument.init)
    }
  }

  /// Lists documents in the byte order of their names.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of their names, compared byte by byte; empty for all documents.
  ///   - name: The page begins after this name; no document needs to have it. Nil for the first page.
  ///   - limit: The maximum number of documents, 1 to ``Limits/documentsPerPage``.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_identifier` (a prefix or a name that no document
  ///   can have), `limit_exceeded`.
  package func page(
    withPrefix prefix: String = "", after name: String? = nil, limit: Int = Limits.documentsPerPage
  ) throws(LedgerError) -> [LedgerDocument] {
    let prefix = prefix.isEmpty ? nil : try DocumentName(prefix)
    var start: DocumentName?
    if let name { start = try DocumentName(name) }
    try Limits.check(page: limit, of: Limits.documentsPerPage)
    return try storage.read { (snapshot) throws(LedgerError) -> [LedgerDocument] in
      try snapshot.documents(withPrefix: prefix, after: start, limit: limit).map(LedgerDocument.init)
    }
  }

  /// Creates a document, or replaces a document that is unchanged since it was read, in one commit.
  ///
  /// A document that was removed and created again starts at version 1 again. So a holder of an old version cannot
  /// distinguish the two.
  ///
  /// - Parameters:
  ///   - content: One JSON text, of up to ``Limits/documentBytes``.
  ///   - version: The version to replace; nil if no such document may exist.
  /// - Returns: The document with its new version.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_identifier`, `limit_exceeded` (the content's
  ///   length), `invalid_request` (the content is not JSON), `condition_failed` (another version; the detail `version`
  ///   is the current one, 0 if there is no such document).
  @discardableResult
  package func save(
    _ name: String, content: String, replacing version: Int64?
  ) throws(LedgerError) -> LedgerDocument {
    let update = DocumentUpdate(storage: storage, name: try DocumentName(name), version: version)
    return LedgerDocument(try update.save(content))
  }

  /// Saves a document as ``save(_:content:replacing:)``, and others that change only together with it, in one commit.
  ///
  /// - Parameter others: The other contents by name; nil removes a document. Their versions are not compared.
  /// - Throws: ``LedgerError`` as ``save(_:content:replacing:)``.
  package func save(
    _ name: String, content: String, replacing version: Int64?, and others: [String: String?]
  ) throws(LedgerError) {
    var named: [DocumentName: String?] = [:]
    for (name, content) in others { named[try DocumentName(name)] = content }
    _ = try DocumentUpdate(storage: storage, name: try DocumentName(name), version: version).save(content, and: named)
  }

  /// Removes a document that is unchanged since it was read, in one commit.
  ///
  /// - Parameter version: The version to remove.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_identifier`, `condition_failed` as
  ///   ``save(_:content:replacing:)``.
  package func remove(_ name: String, version: Int64) throws(LedgerError) {
    try DocumentUpdate(storage: storage, name: try DocumentName(name), version: version).remove()
  }
}

extension Ledger {
  package var documents: LedgerDocuments { LedgerDocuments(storage: storage) }
}

extension LedgerDocument {
  fileprivate init(_ row: DocumentRow) {
    self.init(name: row.name.text, version: row.version, content: row.content)
  }
}
