#if PostgreSQL
internal import GemLedger

/// Reads of rows by key: during the decision of a group, its look-ups provide them.
///
/// They extend a part of the session, not the session: its ``SessionPart/ask(_:)`` sends nothing during a decision.
protocol PostgresIndexReads: PostgresReads {}

/// Rows that other rows or separate statements lead to.
private enum SpecialReads {
  static let byOtherRows = IndexReads<PostgresSession, [IndexKey]>(
    .init(PurchaseRow.byIdentity) { $0.purchases(_:) },
    .init(OrderRow.byCode) { $0.orders(codes:) },
    .init(EvidenceRow.ofPurchase) { $0.evidence(_:) },
    .init(CatalogRow.ofKind) { $0.catalog(_:) },
    .init(KeyRow.byKey) { $0.answers(_:) },
    .init(RefundRow.byTransaction) { $0.refunds(bookedBy:) },
    .init(EntryRow.ofTransaction) { $0.entries(of:) })

  /// Rows whose customers the reader does not know.
  static let unowned = IndexReads<PostgresSession, [IndexKey]>(
    .init(TransactionRow.byNumber) { $0.transactions(ofAnybody:) })
}

extension PostgresIndexReads {
  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    if let deciding, let known = try deciding.rows(index, keys) { return known }
    if let found = try SpecialReads.byOtherRows.rows(index, in: session, keys) { return found }
    return try index.isOwned ? ofOwners(index, keys) : found(index, keys)
  }

  func page<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int
  ) throws(LedgerError) -> [Row] {
    if let deciding, place == nil, limit == GroupRows.lotsPerPage,
      let known = try deciding.firstLots(index, key)
    {
      return known
    }
    let source = session.source(of: index)
    let start = place ?? (source.isDescending ? IndexPlace(.max, .max) : IndexPlace(.min, .min))
    let request = PostgresRequest(source.page) {
      $0.add(key, of: index.key)
      $0.add(start.first)
      if source.order.count > 1 { $0.add(start.second) }
      $0.add(Int64(limit))
    }
    let found: [Row] = try RowReader.rows(ask([request]))
    prefetched?.received(found)
    if index.id == CustomerRow.inOrder.id, let end = (found.last as? CustomerRow)?.number, end <= start.first {
      throw .leadsBack("customers")
    }
    return found
  }

  // MARK: One key, and many

  /// Returns the rows of the keys; a group looks them up for all its commands at once.
  private func found<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    if keys.isEmpty { return [] }
    let source = session.source(of: index)
    let addresses = keys.compactMap(source.address)
    if let deciding, !addresses.isEmpty { return try deciding.rows(index, at: addresses) }
    let found: [Row] = try RowReader.rows(ask(requests(index, keys, Array(Set(addresses)), source)))
    prefetched?.received(found)
    return found
  }

  private func requests<Row>(
    _ index: RowIndex<Row>, _ keys: [IndexKey], _ addresses: [RowAddress], _ source: IndexSource
  ) -> [PostgresRequest] {
    // An entry's number begins with its transaction's: the index finds a range of numbers, not the transaction.
    if keys.count == 1, index.id != EntryRow.ofTransaction.id { return [session.request(index, keys[0])] }
    if !addresses.isEmpty { return source.requests(addresses, layout) }
    guard let sql = source.rowsOfAnyText else { return Set(keys).map { session.request(index, $0) } }
    return [PostgresRequest(sql, keys.map(\.text))]
  }

  /// Returns catalog rows; the currencies may have been read together with the catalog's version.
  fileprivate func catalog(_ kinds: [IndexKey]) throws(LedgerError) -> [CatalogRow] {
    if let currencies = session.currencies, kinds.allSatisfy({ $0.first == CatalogRow.Kind.currency.rawValue }) {
      return currencies
    }
    deciding?.wantCatalog(isChanged: true)
    return try RowReader.rows(ask(kinds.map { session.request(CatalogRow.ofKind, $0) }))
  }

  fileprivate func answers(_ keys: [IndexKey]) throws(LedgerError) -> [KeyRow] {
    try keys.gather { (key) throws(LedgerError) in
      try self.key(IdempotencyKey(unchecked: key.text), customer: key.first, hash: 0)
    }.compactMap(\.self)
  }

  // MARK: Rows with their customers

  private func ofOwners<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    let unowned = keys.filter { $0.owner == nil }
    let resolved = unowned.isEmpty ? [] : try keysWithOwners(unowned, session.source(of: index).difference.owners)
    let own = try found(index, keys.filter { $0.owner != nil } + (resolved ?? []))
    var others: [Row] = []
    if resolved == nil {
      let special = try SpecialReads.unowned.rows(index, in: session, unowned)
      others = if let special { special } else { try found(index, unowned) }
    }
    if index.id == PurchaseRow.byNumber.id { others += try moved(index, keys, own) }
    // The attributes of a lot are stored with each of its customers.
    return others.isEmpty && index.id != LotAttributesRow.byLot.id ? own : Self.once(own + others)
  }

  /// Returns entries in order: those of a merge are stored with both customers.
  fileprivate func entries(of keys: [IndexKey]) throws(LedgerError) -> [EntryRow] {
    try ofOwners(EntryRow.ofTransaction, keys).sorted { $0.number < $1.number }
  }

  /// Returns each row once, even if several keys found it.
  private static func once<Row: StoredRow>(_ rows: [Row]) -> [Row] {
    guard rows.count > 1 else { return rows }
    var known: Set<RowKey> = []
    return rows.filter { known.insert(RowKey(of: $0)).inserted }
  }

  /// Returns the keys with their rows' customers, if other rows contain these; nil if there are no such rows.
  private func keysWithOwners(
    _ keys: [IndexKey], _ owners: IndexDifference.Owners
  ) throws(LedgerError) -> [IndexKey]? {
    switch owners {
    case .unneeded: return nil
    case .unknown: return []
    case .transaction(let transaction): return try keysWithOwners(keys, transaction: transaction)
    case .purchase: return try rows(PurchaseRow.byNumber, keys).map { IndexKey($0.number, of: $0.customer) }
    }
  }

  /// Returns purchases of customers that were merged since.
  private func moved<Row>(
    _ index: RowIndex<Row>, _ keys: [IndexKey], _ found: [Row]
  ) throws(LedgerError) -> [Row] {
    let known = Set((found as? [PurchaseRow] ?? []).map(\.number))
    let missing = keys.filter { $0.owner != nil && !known.contains($0.first) }
    return try self.found(index, missing.map { IndexKey($0.first) })
  }

  /// Returns transactions of unknown customers, found by the lanes that assigned their numbers.
  fileprivate func transactions(ofAnybody keys: [IndexKey]) throws(LedgerError) -> [TransactionRow] {
    let requests = Dictionary(grouping: Set(keys.map(\.first)), by: Numbering.lane).map { lane, numbers in
      PostgresRequest(
        "SELECT \(TransactionRow.columns) FROM transactions WHERE (number & 63) = $1 AND number = ANY($2)", lane,
        numbers)
    }
    return try RowReader.rows(ask(requests))
  }

  /// Returns the keys with all customers that may have rows of the transaction.
  private func keysWithOwners(
    _ keys: [IndexKey], transaction: (Int64) -> TransactionNumber
  ) throws(LedgerError) -> [IndexKey] {
    let rows: [TransactionRow] = try rows(
      TransactionRow.byNumber, Set(keys.map { transaction($0.first) }).map { IndexKey($0) })
    var owners = Dictionary(grouping: rows, by: \.number).mapValues { $0.map(\.customer) }
    // Entries of the same transaction remove the balance of the other customer.
    let merges = rows.filter { $0.kind == .merge || $0.kind == .unmerge }
    if !merges.isEmpty {
      let others = try self.rows(
        MergeRow.byTransaction, merges.map { IndexKey($0.number, of: $0.customer) })
      for merge in others { owners[merge.transaction, default: []].append(merge.from) }
    }
    return keys.flatMap { key in
      (owners[transaction(key.first)] ?? []).map { IndexKey(key.first, of: $0) }
    }
  }

  // MARK: Rows that other rows lead to

  /// Returns purchases, found by the customer in the store transaction's row.
  fileprivate func purchases(_ keys: [IndexKey]) throws(LedgerError) -> [PurchaseRow] {
    var found: [PurchaseRow] = []
    for key in keys {
      guard let claim = try claim(PurchaseIdentity(key)), claim.purchase != 0 else { continue }
      found += try rows(PurchaseRow.byNumber, [IndexKey(claim.purchase, of: claim.customer)])
    }
    return found
  }

  func claim(_ identity: PurchaseIdentity) throws(LedgerError) -> GroupRows.StoreClaim? {
    if let held = prefetched?.claims[identity] { return held }
    let request = PostgresRequest(
      """
      SELECT customer, purchase FROM store_transactions
      WHERE store_transaction = $1 AND environment = $2 AND store = $3
      """, identity.transactionID.text, identity.environment, identity.store.number)
    return try first(request) { GroupRows.StoreClaim(customer: $0.integer($1, 0), purchase: $0.integer($1, 1)) }
  }

  /// Returns orders in two steps: the code's row has the order's customer, which may be on another node.
  fileprivate func orders(codes keys: [IndexKey]) throws(LedgerError) -> [OrderRow] {
    let request = PostgresRequest(
      "SELECT customer, number FROM purchase_codes WHERE code = ANY($1)", keys.map(\.text))
    let places = try all(request) { ($0.integer($1, 0), $0.integer($1, 1)) }
    return try RowReader.rows(
      ask(
        places.map { (customer, number) in
          PostgresRequest(
            "SELECT \(OrderRow.columns) FROM orders WHERE customer = $1 AND number = $2", customer, number)
        }))
  }

  fileprivate func evidence(_ keys: [IndexKey]) throws(LedgerError) -> [EvidenceRow] {
    guard keys.count > 1 else { return try found(EvidenceRow.ofPurchase, keys) }
    let wanted = Set(keys)
    return try all(EvidenceRow.request(ofAny: keys.map(\.text)), read: EvidenceRow.read).filter {
      wanted.contains(IndexKey($0.identity))
    }
  }

  /// Returns the refunds that these transactions booked.
  ///
  /// A refund is stored with the customer that the purchase was credited to, which may have been merged and split off
  /// since. After an undone merge, the chain continues with that customer's merges.
  fileprivate func refunds(bookedBy keys: [IndexKey]) throws(LedgerError) -> [RefundRow] {
    var places = Set(keys.filter { $0.owner != nil }.map { RowAddress($0.first, of: $0.owner) })
    var found: [RefundRow] = try self.found(
      RefundRow.byTransaction, places.map { IndexKey($0.number, of: $0.customer) })
    var visited = places
    while true {
      let known = Set(found.map(\.transaction))
      places = places.filter { !known.contains($0.number) }
      if places.isEmpty { return found }
      let parts = try partsEver(of: Set(places.compactMap(\.customer)))
      places = Set(
        places.flatMap { place in (parts[place.customer ?? 0] ?? []).map { RowAddress(place.number, of: $0) } }
      ).subtracting(visited)
      visited.formUnion(places)
      found += try self.found(RefundRow.byTransaction, places.map { IndexKey($0.number, of: $0.customer) })
    }
  }

  /// Returns the customers that are or were part of these.
  private func partsEver(
    of customers: Set<CustomerNumber>
  ) throws(LedgerError) -> [CustomerNumber: Set<CustomerNumber>] {
    let answers = try ask(
      ["SELECT customer, merged FROM merged_customers", "SELECT customer, from_customer FROM merges"].map { rows in
        PostgresRequest("\(rows) WHERE customer = ANY($1)", Array(customers))
      })
    var parts: [CustomerNumber: Set<CustomerNumber>] = [:]
    for rows in answers {
      for row in 0..<rows.count { parts[rows.integer(row, 0), default: []].insert(rows.integer(row, 1)) }
    }
    return parts
  }
}

extension PostgresParameters {
  /// Adds the key's values in the order of the index's columns.
  mutating func add(_ key: IndexKey, of columns: [IndexColumn]) {
    var number = 0
    for column in columns {
      switch column {
      case .text: add(key.text)
      case .account:
        let account = AccountNumber(rawValue: key[number: number])
        add(account.customer)
        add(account.currency)
        number += 1
      case .number:
        add(key[number: number])
        number += 1
      }
    }
  }
}
#endif
