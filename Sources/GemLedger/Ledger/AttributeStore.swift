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
    var attributes = try finder.attributes(of: found)
    for change in changes { attributes.apply(change) }
    try attributes.checkCount()
    let name = try CustomerAttributes.documentName(found.number)
    let version = try session.document(name)?.version ?? 0
    var written = ChangeSet()
    written.ownCold.documents = [DocumentRow(name: name, version: version + 1, content: attributes.content)]
    // From now on one document has the attributes of a merged customer's parts.
    for number in try finder.numbers(of: found) where number != found.number {
      let name = try CustomerAttributes.documentName(number)
      written.ownCold.removedDocuments.append(DocumentRow(name: name, version: 0, content: ""))
    }
    try session.write(written)
    return attributes
  }

  private static let attributeTries = 5

  /// Searches customers by the value of an attribute, a bounded number of them for each call.
  ///
  /// - Parameter place: A cursor of an earlier call; nil for the beginning.
  /// - Returns: The original ids of the customers found, and a cursor if more customers remain.
  /// - Throws: ``LedgerError`` with `invalid_request` for a cursor of another list.
  package func customerIDs(
    with name: String, value: String, after place: PageCursor?
  ) throws(LedgerError) -> (ids: [CustomerID], next: PageCursor?) {
    try storage.read { (snapshot) throws(LedgerError) -> (ids: [CustomerID], next: PageCursor?) in
      let salt = try snapshot.project().salt
      var last = try place?.position(list: Self.attributesList, salt: salt)
      let prefix = try DocumentName(CustomerAttributes.documentPrefix)
      let finder = CustomerFinder(snapshot)
      var ids: [CustomerID] = []
      for _ in 0..<Self.searchedPages {
        let after = try last.map { (number) throws(LedgerError) in try CustomerAttributes.documentName(number) }
        let page = try snapshot.documents(withPrefix: prefix, after: after, limit: Limits.documentsPerPage)
        for document in page {
          guard try CustomerAttributes(document)[name]?.value.hasBytes(of: value) == true,
            let number = CustomerAttributes.customer(of: document.name)
          else { continue }
          let id = try finder.survivor(of: number).id
          if !ids.contains(id) { ids.append(id) }
        }
        guard page.count == Limits.documentsPerPage, let end = page.last else { return (ids, nil) }
        last = CustomerAttributes.customer(of: end.name)
      }
      return (ids, last.map { PageCursor(position: $0, list: Self.attributesList, salt: salt) })
    }
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
    var attributes = CustomerAttributes()
    for number in try numbers(of: customer).reversed() {
      guard let document = try snapshot.document(CustomerAttributes.documentName(number)) else { continue }
      for attribute in try CustomerAttributes(document).list {
        attributes.apply(.init(attribute.name, attribute.value, at: attribute.updatedAt))
      }
    }
    return attributes
  }
}
