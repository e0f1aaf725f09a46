package import GemLedger

// Documents that several processes read and change.
extension LedgerDocuments {
  /// Saves a document unless another process has changed it since it was read.
  ///
  /// - Parameter version: The version that was read; nil for a new document.
  /// - Returns: The saved document; nil if another process was first.
  @discardableResult
  package func saveUnlessChanged(
    _ name: String, content: String, replacing version: Int64?
  ) throws(LedgerError) -> LedgerDocument? {
    do throws(LedgerError) { return try save(name, content: content, replacing: version) } catch {
      guard error.code == .conditionFailed else { throw error }
      return nil
    }
  }

  /// Removes a document unless another process has changed it since it was read.
  ///
  /// - Returns: Whether it was removed.
  @discardableResult
  package func removeUnlessChanged(_ document: LedgerDocument) throws(LedgerError) -> Bool {
    do throws(LedgerError) {
      try remove(document.name, version: document.version)
      return true
    } catch {
      guard error.code == .conditionFailed else { throw error }
      return false
    }
  }

  /// Returns the content of a document; the first process to read it creates it.
  package func content(of name: String, orMake make: () -> String) throws(LedgerError) -> String {
    while true {
      if let document = try find(named: name) { return document.content }
      if let made = try saveUnlessChanged(name, content: make(), replacing: nil) { return made.content }
    }
  }

  /// Reads all documents whose names begin with a prefix, page by page, in the order of their names.
  ///
  /// - Parameter body: Returns whether to continue.
  package func each(
    withPrefix prefix: String, _ body: (LedgerDocument) async throws(LedgerError) -> Bool
  ) async throws(LedgerError) {
    var last: String?
    while true {
      let page = try self.page(withPrefix: prefix, after: last)
      for document in page where try await !body(document) { return }
      guard page.count == Limits.documentsPerPage else { return }
      last = page.last?.name
    }
  }
}
