// MARK: Documents

extension StorageSnapshot {
  package func document(_ name: DocumentName) throws(LedgerError) -> DocumentRow? {
    try row(DocumentRow.byName, IndexKey(text: name.text))
  }

  /// Returns the documents after a name, in the order of names.
  ///
  /// - Parameter prefix: The beginning of their names; nil for all documents.
  package func documents(
    withPrefix prefix: DocumentName?, after name: DocumentName?, limit: Int
  ) throws(LedgerError) -> [DocumentRow] {
    guard let prefix else { return try scan().documents(after: name, limit: limit) }
    let isBehind = name.map { $0 >= prefix } ?? false
    // A page starts after a row, but the prefix itself may be a name.
    let first = isBehind ? nil : try document(prefix)
    let others = try scan().documents(after: isBehind ? name : prefix, limit: limit)
    let found = (first.map { [$0] } ?? []) + others
    return Array(found.prefix { $0.name.text.utf8.starts(with: prefix.text.utf8) }.prefix(limit))
  }
}
