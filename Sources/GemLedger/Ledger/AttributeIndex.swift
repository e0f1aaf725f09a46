/// Finds the attributes' documents by the value of an attribute, for a few names.
///
/// Each indexed value of a document has an empty document whose name consists of the attribute's name, a hash of the
/// value and the customer's number. The hash depends on the project's salt, so that the names tell nothing about a
/// person. The commit that changes or removes a document changes its index too.
struct AttributeIndex {
  /// The indexed attributes.
  static let names = ["$email", "$displayName", "$phoneNumber"]
  private static let prefix = "attribute_value/"
  private static let progressName = "attribute_index"

  /// The project's salt.
  let salt: UInt64

  /// Returns the common prefix of the documents of a value; the customer's number follows, as in attributes' documents.
  func prefix(of name: String, _ value: String) -> String {
    var hash = StableHash(seed: salt ^ 0x6174_7472)
    hash.combine(name)
    hash.combine(Self.folded(value, of: name))
    return "\(Self.prefix)\(name)/\(HexForm.hex(hash.value, digits: 16))/"
  }

  /// Returns the value as it is compared; e-mail addresses are compared in lower case.
  static func folded(_ value: String, of name: String) -> String { name == "$email" ? value.lowercased() : value }

  /// Returns the names of the documents of all indexed values.
  func documentNames(of attributes: CustomerAttributes, _ customer: CustomerNumber) -> Set<DocumentName> {
    let indexed = attributes.list.filter { Self.names.contains($0.name) }
    return Set(
      indexed.map { attribute in
        DocumentName(unchecked: prefix(of: attribute.name, attribute.value) + CustomerAttributes.digits(of: customer))
      })
  }

  /// Changes the index in the commit that replaces attributes' documents.
  func change(from earlier: Set<DocumentName>, to later: Set<DocumentName>, in changes: inout ColdChanges) {
    changes.documents += later.subtracting(earlier).map { DocumentRow(name: $0, version: 1, content: "{}") }
    changes.removedDocuments += earlier.subtracting(later).map { DocumentRow(name: $0, version: 0, content: "") }
  }

  // MARK: Documents of earlier versions

  /// Whether the index has all values; in a ledger of an earlier version, ``AttributeStore/buildIndex()`` completes it.
  static func isComplete(in snapshot: any StorageSnapshot) throws(LedgerError) -> Bool {
    try Progress(snapshot.document(DocumentName(progressName))).isComplete
  }

  /// How far the attributes' documents of earlier versions are indexed.
  private struct Progress {
    var version: Int64?
    /// The last indexed document.
    var last: DocumentName?
    var isComplete = false

    init(_ document: DocumentRow?) throws(LedgerError) {
      guard let document else { return }
      version = document.version
      guard let content = try? JSONValue.parse(document.content) else { return }
      isComplete = content["is_complete"]?.bool ?? false
      last = try content["last"]?.text.map { (text) throws(LedgerError) in try DocumentName(text) }
    }

    func document(last: DocumentName?, isComplete: Bool) -> DocumentRow {
      let content: JSONValue = ["last": JSONValue(last?.text), "is_complete": .bool(isComplete)]
      return DocumentRow(
        name: DocumentName(unchecked: AttributeIndex.progressName), version: (version ?? 0) + 1, content: content.text()
      )
    }
  }

  /// Indexes the next page of documents, in one commit.
  ///
  /// - Returns: Whether the index is complete.
  fileprivate static func build(_ storage: any LedgerStorage) throws(LedgerError) -> Bool {
    let prefix = try DocumentName(CustomerAttributes.documentPrefix)
    let (progress, page, salt) = try storage.read { (snapshot) throws(LedgerError) in
      let progress = try Progress(snapshot.document(DocumentName(progressName)))
      guard !progress.isComplete else { return (progress, [DocumentName](), UInt64(0)) }
      let page = try snapshot.documents(withPrefix: prefix, after: progress.last, limit: Limits.documentsPerPage)
      return (progress, page.map(\.name), try snapshot.project().salt)
    }
    if progress.isComplete { return true }
    let isComplete = page.count < Limits.documentsPerPage
    // Erasures take the lanes of their customers, and none may remove a document between its reading and its indexing.
    return try storage.commit(lanes: Array(0..<storage.traits.laneCount)) { (session) throws(LedgerError) in
      let current = try Progress(session.document(DocumentName(progressName)))
      guard current.version == progress.version else { return current.isComplete }
      var changes = ChangeSet()
      for name in page {
        // A damaged document must not prevent the indexing of the others.
        guard let document = try session.document(name), let customer = CustomerAttributes.customer(of: name),
          let attributes = try? CustomerAttributes(document)
        else { continue }
        let index = AttributeIndex(salt: salt)
        index.change(from: [], to: index.documentNames(of: attributes, customer), in: &changes.ownCold)
      }
      changes.ownCold.documents.append(progress.document(last: page.last ?? progress.last, isComplete: isComplete))
      try session.write(changes)
      return isComplete
    }
  }
}

extension AttributeStore {
  /// Indexes the next hundred customers' attributes of an earlier version, for searches by value.
  ///
  /// Call it until it returns true; any process continues the work of another.
  ///
  /// - Returns: Whether all are indexed.
  /// - Throws: ``LedgerError`` if the storage fails.
  package func buildIndex() throws(LedgerError) -> Bool { try AttributeIndex.build(storage) }
}
