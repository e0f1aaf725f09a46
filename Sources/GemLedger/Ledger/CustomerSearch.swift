/// Finds customers by one text: an id, the beginning of an id, an attribute, or the id of a purchase or a booking.
///
/// Each kind is a look-up in an index, with a bounded number of results. Only the storage in memory sorts all ids to
/// find the beginning of an id.
package struct CustomerSearch: Sendable {
  let ledger: Ledger

  /// The maximum number of ids that begin with the text.
  package static let idCountMax = 20
  /// The number of test sessions, newest first, whose purchases are searched.
  package static let sessionCountMax = 100

  /// What a customer was found by.
  package enum Kind: Hashable, Sendable {
    /// The text is an id of the customer, or of a customer merged into it.
    case id
    /// An id begins with the text.
    case idPrefix
    /// The text is the value of the attribute, such as `$email`.
    case attribute(String)
    /// The text is the id of a transaction in the store.
    case purchase(Store, StoreEnvironment)
    /// The text is the code of an order.
    case order
    case transaction
    case hold
  }

  /// A customer, and what it was found by.
  package struct Match: Hashable, Sendable {
    package let kind: Kind
    /// The current original id.
    package let customer: CustomerID
    /// The id or the value that was found.
    package let found: String
  }

  /// The matches, in the order of ``Kind``.
  package struct Result: Hashable, Sendable {
    package let matches: [Match]
    /// Whether more ids begin with the text.
    package let hasMoreIDs: Bool
    /// Whether the attributes of all customers were searched.
    ///
    /// Until ``AttributeStore/buildIndex()`` has ended, only the attributes of a thousand customers are searched.
    package let hasAllAttributes: Bool
  }

  /// Finds customers by a text; no matches for a text that is no possible id or value.
  ///
  /// - Throws: ``LedgerError`` if the storage fails.
  package func find(_ text: String) throws(LedgerError) -> Result {
    guard !text.isEmpty, text.utf8.count <= Limits.storeTransactionIDBytes else {
      return Result(matches: [], hasMoreIDs: false, hasAllAttributes: true)
    }
    return try ledger.reading { (snapshot, definitions) throws(LedgerError) -> Result in
      let lookup = Lookup(snapshot: snapshot, definitions: definitions, text: text)
      let (ids, hasMore) = try lookup.ids()
      let (attributes, hasAll) = try lookup.attributes()
      let matches = ids + attributes + (try lookup.purchases()) + (try lookup.orders()) + (try lookup.bookings())
      return Result(matches: matches, hasMoreIDs: hasMore, hasAllAttributes: hasAll)
    }
  }
}

extension Ledger {
  /// The search of customers by one text.
  package var customerSearch: CustomerSearch { CustomerSearch(ledger: self) }
}

/// The look-ups of one search.
private struct Lookup {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions
  let text: String

  private func match(
    _ kind: CustomerSearch.Kind, _ number: CustomerNumber, _ found: String
  ) throws(LedgerError) -> CustomerSearch.Match {
    CustomerSearch.Match(kind: kind, customer: try CustomerFinder(snapshot).survivor(of: number).id, found: found)
  }

  func ids() throws(LedgerError) -> (matches: [CustomerSearch.Match], hasMore: Bool) {
    guard let id = try? CustomerID(text), !id.isReserved else { return ([], false) }
    var matches: [CustomerSearch.Match] = []
    if let found = try snapshot.customer(id) { matches.append(try match(.id, found.number, text)) }
    // The ids that begin with the text follow it in the order of bytes.
    let limit = CustomerSearch.idCountMax + 1
    let page = try snapshot.scan().page(after: AddedIDRow(customer: 0, id: id), limit: limit)
    let longer = page.prefix { $0.id.text.utf8.starts(with: text.utf8) }
    for row in longer.prefix(CustomerSearch.idCountMax) where !row.id.isReserved {
      matches.append(try match(.idPrefix, row.customer, row.id.text))
    }
    return (matches, longer.count == limit)
  }

  func attributes() throws(LedgerError) -> (matches: [CustomerSearch.Match], hasAll: Bool) {
    var (matches, hasAll): ([CustomerSearch.Match], Bool) = ([], true)
    for name in AttributeIndex.names {
      let folded = AttributeIndex.folded(text, of: name)
      let (ids, last) = try AttributeStore.customerIDs(with: name, text, in: snapshot) {
        AttributeIndex.folded($0, of: name).hasBytes(of: folded)
      }
      if last != nil { hasAll = false }
      matches += ids.map { CustomerSearch.Match(kind: .attribute(name), customer: $0, found: text) }
    }
    return (matches, hasAll)
  }

  func purchases() throws(LedgerError) -> [CustomerSearch.Match] {
    guard let id = try? StoreTransactionID(text) else { return [] }
    let sessions = try snapshot.environments().suffix(CustomerSearch.sessionCountMax)
    let kinds = StoreEnvironment.Kind.allCases.map {
      EnvironmentRow(number: $0.rawValue, environment: StoreEnvironment(kind: $0, session: nil))
    }
    let environments = Dictionary(
      (kinds + sessions).map { ($0.number, $0.environment) }, uniquingKeysWith: { first, _ in first })
    let keys = environments.keys.sorted().flatMap { environment in
      Store.all.map { IndexKey(PurchaseIdentity(store: $0, environment: environment, transactionID: id)) }
    }
    var matches: [CustomerSearch.Match] = []
    for row in try snapshot.rows(PurchaseRow.byIdentity, keys) {
      guard let environment = environments[row.identity.environment] else { continue }
      matches.append(try match(.purchase(row.identity.store, environment), row.customer, text))
    }
    return matches
  }

  func orders() throws(LedgerError) -> [CustomerSearch.Match] {
    guard let code = try? PurchaseCode(text), let order = try snapshot.order(code) else { return [] }
    return [try match(.order, order.customer, text)]
  }

  /// Finds a transaction; one that began a hold is found as the hold too, open or ended.
  func bookings() throws(LedgerError) -> [CustomerSearch.Match] {
    guard let id = try? TransactionID(text.lowercased()), let number = definitions.transactionIDs.number(of: id),
      let row = try snapshot.transaction(number),
      definitions.transactionIDs.id(number: number, createdAt: row.createdAt) == id
    else { return [] }
    let kinds = row.kind == .hold ? [CustomerSearch.Kind.transaction, .hold] : [.transaction]
    var matches: [CustomerSearch.Match] = []
    for kind in kinds { matches.append(try match(kind, row.customer, id.description)) }
    return matches
  }
}
