/// A change of one document, and of further documents that its version protects, in a separate commit.
///
/// All writers of documents take the first lane, so that the second of two processes finds the first one's version.
struct DocumentUpdate {
  let storage: any LedgerStorage
  let name: DocumentName
  /// The version that the document must have; nil if there must be no such document.
  let version: Int64?

  /// - Parameter others: Further documents of the same commit; nil removes a document.
  /// - Returns: The document as it is now.
  func save(_ content: String, and others: [DocumentName: String?] = [:]) throws(LedgerError) -> DocumentRow {
    try Self.check(content)
    for case let other? in others.values { try Self.check(other) }
    return try commit { (changes, session) throws(LedgerError) in
      let row = DocumentRow(name: name, version: (version ?? 0) + 1, content: content)
      changes.documents = [row]
      for (other, content) in others {
        let found = try session.document(other)
        if let content {
          changes.documents.append(DocumentRow(name: other, version: (found?.version ?? 0) + 1, content: content))
        } else if let found {
          changes.removedDocuments.append(found)
        }
      }
      return row
    }
  }

  func remove() throws(LedgerError) {
    try commit { (changes, _) in
      changes.removedDocuments = [DocumentRow(name: name, version: version ?? 0, content: "")]
    }
  }

  private func commit<R>(
    _ change: (inout ColdChanges, any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try storage.commit(lanes: [0]) { (session) throws(LedgerError) -> R in
      let found = try session.document(name)?.version
      guard found == version else { throw changed(found) }
      var changes = ChangeSet()
      let answer = try change(&changes.ownCold, session)
      try session.write(changes)
      return answer
    }
  }

  private func changed(_ found: Int64?) -> LedgerError {
    let state = found.map { "has version \($0)" } ?? "does not exist"
    let condition = version.map { "version \($0) was to be changed" } ?? "it was to be new"
    return LedgerError(
      .conditionFailed,
      "The document \"\(name)\" \(state), and \(condition); nothing was changed. Read it anew and decide anew.",
      details: [.text("document", name.text), .integer("version", found ?? 0)])
  }

  private static func check(_ content: String) throws(LedgerError) {
    let count = content.utf8.count
    guard count <= Limits.documentBytes else {
      throw LedgerError(
        .limitExceeded, "The document has \(count) bytes; the most is \(Limits.documentBytes).",
        details: [.integer("limit", Int64(Limits.documentBytes))])
    }
    do throws(JSONError) { _ = try JSONValue.parse(content) } catch {
      throw .invalid("The document is not JSON: \(error).")
    }
  }
}
