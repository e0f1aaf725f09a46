/// Attributes are stored in documents, one for each customer number: they are not part of the journal, and an erasure
/// removes them in the erasure's commit.
package struct AttributeStore: Sendable {
  let storage: any LedgerStorage

  /// Returns the attributes of a customer; of equal names in merged customers, the newest counts.
  ///
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  package func all(of customer: CustomerID) throws(LedgerError) -> CustomerAttributes {
    try storage.read { (snapshot) throws(LedgerError) -> CustomerAttributes in
      try CustomerFinder(snapshot).attributes(of: try CustomerFinder(snapshot).customer(customer))
    }
  }

  /// Sets and removes attributes, all or none; one commit.
  ///
  /// - Returns: All attributes of the customer.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `customer_not_found`, and `in_progress`
  ///   if merges kept moving the customer.
  @discardableResult
  package func change(
    _ changes: [CustomerAttribute.Change], of customer: CustomerID
  ) throws(LedgerError) -> CustomerAttributes {
    for change in changes { try change.check() }
    // An erasure of the customer takes the same lane, so that no document is saved after it.
    let command = LedgerCommand.createCustomer(customer)
    for _ in 0..<Self.attributeTries {
      let lanes = Set([0] + (try storage.lanes(of: [command]).joined())).sorted()
      let changed = try storage.commit(lanes: lanes) { (session) throws(LedgerError) -> CustomerAttributes? in
        guard try session.prefetch([command]).isEmpty else { return nil }
        while true {
          do throws(LedgerError) {
            return try Self.save(changes, of: customer, session)
          } catch {
            guard error == .rowsMissing, try session.loadMissing() else { throw error }
          }
        }
      }
      if let changed { return changed }
    }
    throw LedgerError(.inProgress, "The customer \"\(customer)\" is being merged. Try again.")
  }

  private static func save(
    _ changes: [CustomerAttribute.Change], of customer: CustomerID, _ session: any StorageSession
  ) throws(LedgerError) -> CustomerAttributes {
    let finder = CustomerFinder(session)
    let found = try finder.customer(customer)
    let documents = try finder.attributeDocuments(of: found)
    var attributes = try CustomerAttributes(merging: documents.map(\.row))
    for change in changes { attributes.apply(change) }
    try attributes.checkCount()
    let name = try CustomerAttributes.documentName(found.number)
    let version = documents.first { $0.customer == found.number }?.row.version ?? 0
    var written = ChangeSet()
    written.ownCold.documents = [DocumentRow(name: name, version: version + 1, content: attributes.content)]
    let index = AttributeIndex(salt: try session.project().salt)
    var earlier: Set<DocumentName> = []
    for (number, row) in documents {
      earlier.formUnion(index.documentNames(of: try CustomerAttributes(row), number))
      // From now on one document has the attributes of a merged customer's parts.
      if number != found.number { written.ownCold.removedDocuments.append(row) }
    }
    index.change(from: earlier, to: index.documentNames(of: attributes, found.number), in: &written.ownCold)
    try session.write(written)
    return attributes
  }

  private static let attributeTries = 5

  /// Searches customers by the exact value of an attribute, a bounded number of them for each call.
  ///
  /// - Parameter place: A cursor of an earlier call; nil for the beginning.
  /// - Returns: The original ids of the customers found, and a cursor if more customers remain.
  /// - Throws: ``LedgerError`` with `invalid_request` for a cursor of another list.
  package func customerIDs(
    with name: String, value: String, after place: PageCursor?
  ) throws(LedgerError) -> (ids: [CustomerID], next: PageCursor?) {
    try storage.read { (snapshot) throws(LedgerError) -> (ids: [CustomerID], next: PageCursor?) in
      let salt = try snapshot.project().salt
      let start = try place?.position(list: Self.attributesList, salt: salt)
      let (ids, last) = try Self.customerIDs(with: name, value, after: start, in: snapshot) { $0.hasBytes(of: value) }
      return (ids, last.map { PageCursor(position: $0, list: Self.attributesList, salt: salt) })
    }
  }

  /// Searches through the index if it has the attribute, otherwise through all documents.
  ///
  /// Each of the customers merged into one is found by its own value.
  ///
  /// - Returns: The number of the last customer read if more remain.
  static func customerIDs(
    with name: String, _ value: String, after start: CustomerNumber? = nil, in snapshot: any StorageSnapshot,
    where matches: (String) -> Bool
  ) throws(LedgerError) -> (ids: [CustomerID], last: CustomerNumber?) {
    let isIndexed = AttributeIndex.names.contains(name) ? try AttributeIndex.isComplete(in: snapshot) : false
    let index = AttributeIndex(salt: try snapshot.project().salt)
    let prefix = isIndexed ? index.prefix(of: name, value) : CustomerAttributes.documentPrefix
    let finder = CustomerFinder(snapshot)
    var (ids, last): ([CustomerID], CustomerNumber?) = ([], start)
    for _ in 0..<searchedPages {
      let after = try last.map { (number) throws(LedgerError) in
        try DocumentName(prefix + CustomerAttributes.digits(of: number))
      }
      let page = try snapshot.documents(withPrefix: DocumentName(prefix), after: after, limit: Limits.documentsPerPage)
      for document in page {
        guard let number = CustomerAttributes.customer(of: document.name) else { continue }
        last = number
        let row = isIndexed ? try snapshot.document(CustomerAttributes.documentName(number)) : document
        guard let row, let found = try CustomerAttributes(row)[name], matches(found.value) else { continue }
        let id = try finder.survivor(of: number).id
        if !ids.contains(id) { ids.append(id) }
      }
      guard page.count == Limits.documentsPerPage else { return (ids, nil) }
    }
    return (ids, last)
  }

  /// The number of document pages that one search reads.
  private static let searchedPages = 10
  private static let attributesList: Int64 = -2
}

extension Ledger {
  /// The customers' attributes.
  package var attributes: AttributeStore { AttributeStore(storage: storage) }
}

extension CustomerFinder {
  /// Returns the attributes of a customer and of all customers merged into it; of equal names the newest counts.
  package func attributes(of customer: FoundCustomer) throws(LedgerError) -> CustomerAttributes {
    try CustomerAttributes(merging: attributeDocuments(of: customer).map(\.row))
  }

  /// Returns the documents of a customer and of all customers merged into it; the survivor's is first.
  fileprivate func attributeDocuments(
    of customer: FoundCustomer
  ) throws(LedgerError) -> [(customer: CustomerNumber, row: DocumentRow)] {
    try numbers(of: customer).gather { (number) throws(LedgerError) in
      try snapshot.document(CustomerAttributes.documentName(number)).map { (number, $0) }
    }.compactMap(\.self)
  }
}

extension CustomerAttributes {
  /// Merges documents; of equal names the newest counts, and of equally new ones that of the first document.
  fileprivate init(merging documents: [DocumentRow]) throws(LedgerError) {
    self.init()
    for document in documents.reversed() {
      for attribute in try CustomerAttributes(document).list {
        apply(.init(attribute.name, attribute.value, at: attribute.updatedAt))
      }
    }
  }
}
