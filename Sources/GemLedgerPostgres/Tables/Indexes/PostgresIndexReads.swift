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
    let found = try asked(index, keys)
    note(index, found)
    return found
  }

  private func asked<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    if let found = try SpecialReads.byOtherRows.rows(index, in: session, keys) { return found }
    return try loaded(index, keys)
  }

  /// Returns the rows with a separate query.
  private func loaded<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    let source = session.source(of: index)
    if let address = source.difference.address, keys.count > 1 { return try many(index, keys.map(address)) }
    if index.isOwned { return try ofOwners(index, keys) }
    return try keys.count == 1 ? one(index, keys[0]) : any(index, keys)
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
    note(index, found)
    if index.id == CustomerRow.inOrder.id, let end = (found.last as? CustomerRow)?.number, end <= start.first {
      throw .leadsBack("customers")
    }
    return found
  }

  // MARK: One key, and many

  private func one<Row>(_ index: RowIndex<Row>, _ key: IndexKey) throws(LedgerError) -> [Row] {
    try RowReader.rows(ask([session.request(index, key)]))
  }

  private func any<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    guard let sql = session.source(of: index).rowsOfAny() else {
      return try RowReader.rows(ask(Set(keys).map { session.request(index, $0) }))
    }
    let request = PostgresRequest(sql) {
      if case .text = index.key[0] { $0.add(keys, text: \.text) } else { $0.add(keys, \.first) }
    }
    return try RowReader.rows(ask([request]))
  }

  /// Returns catalog rows; the currencies may have been read together with the catalog's version.
  fileprivate func catalog(_ kinds: [IndexKey]) throws(LedgerError) -> [CatalogRow] {
    if let currencies = session.currencies, kinds.allSatisfy({ $0.first == CatalogRow.Kind.currency.rawValue }) {
      return currencies
    }
    deciding?.wantCatalog(isChanged: true)
    return try kinds.count == 1 ? one(CatalogRow.ofKind, kinds[0]) : any(CatalogRow.ofKind, kinds)
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
    let own = try owned(index, keys.filter { $0.owner != nil } + (resolved ?? []))
    var others: [Row] = []
    if resolved == nil {
      if let found = try SpecialReads.unowned.rows(index, in: session, unowned) {
        others = found
      } else {
        others = try any(index, unowned)
      }
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

  private func owned<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    if keys.isEmpty { return [] }
    if keys.count == 1, index.id != EntryRow.ofTransaction.id { return try one(index, keys[0]) }
    return try many(index, keys.map { RowAddress($0.first, of: $0.owner) })
  }

  private func many<Row>(_ index: RowIndex<Row>, _ addresses: [RowAddress]) throws(LedgerError) -> [Row] {
    try RowReader.rows(ask(OwnedTable(session.source(of: index)).requests(Array(Set(addresses)), layout)))
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
    return missing.isEmpty ? [] : try any(index, missing)
  }

  /// Returns transactions of unknown customers, found by the lanes that assigned their numbers.
  fileprivate func transactions(ofAnybody keys: [IndexKey]) throws(LedgerError) -> [TransactionRow] {
    let requests = Dictionary(grouping: Set(keys.map(\.first)), by: Numbering.lane).map { lane, numbers in
      PostgresRequest(
        "SELECT \(TransactionRow.columns) FROM transactions WHERE (number & 63) = $1 AND number = ANY($2)"
      ) {
        $0.add(lane)
        $0.add(numbers, \.self)
      }
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
    return try first(
      """
      SELECT customer, purchase FROM store_transactions
      WHERE store_transaction = $1 AND environment = $2 AND store = $3
      """,
      {
        $0.add(identity.transactionID.text)
        $0.add(identity.environment)
        $0.add(identity.store.number)
      }, { GroupRows.StoreClaim(customer: $0.integer($1, 0), purchase: $0.integer($1, 1)) })
  }

  /// Returns orders in two steps: the code's row has the order's customer, which may be on another node.
  fileprivate func orders(codes keys: [IndexKey]) throws(LedgerError) -> [OrderRow] {
    let places = try all(
      "SELECT customer, number FROM purchase_codes WHERE code = ANY($1)", { $0.add(keys, text: \.text) },
      { ($0.integer($1, 0), $0.integer($1, 1)) })
    return try RowReader.rows(
      ask(
        places.map { (customer, number) in
          PostgresRequest("SELECT \(OrderRow.columns) FROM orders WHERE customer = $1 AND number = $2") {
            $0.add(customer)
            $0.add(number)
          }
        }))
  }

  fileprivate func evidence(_ keys: [IndexKey]) throws(LedgerError) -> [EvidenceRow] {
    guard keys.count > 1 else { return try one(EvidenceRow.ofPurchase, keys[0]) }
    let rows = try all(
      """
      SELECT \(EvidenceRow.columns) FROM evidence
      WHERE store_transaction = ANY($1) ORDER BY kind, revoked_at, variant
      """, { $0.add(keys, text: \.text) }, EvidenceRow.read)
    let wanted = Set(keys)
    return rows.filter { wanted.contains(IndexKey($0.identity)) }
  }

  /// Returns the refunds that these transactions booked.
  ///
  /// A refund is stored with the customer that the purchase was credited to, which may have been merged and split off
  /// since. After an undone merge, the chain continues with that customer's merges.
  fileprivate func refunds(bookedBy keys: [IndexKey]) throws(LedgerError) -> [RefundRow] {
    var places = Set(keys.filter { $0.owner != nil }.map { RowAddress($0.first, of: $0.owner) })
    var found: [RefundRow] = try owned(RefundRow.byTransaction, places.map { IndexKey($0.number, of: $0.customer) })
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
      found += try owned(RefundRow.byTransaction, places.map { IndexKey($0.number, of: $0.customer) })
    }
  }

  /// Returns the customers that are or were part of these.
  private func partsEver(
    of customers: Set<CustomerNumber>
  ) throws(LedgerError) -> [CustomerNumber: Set<CustomerNumber>] {
    let answers = try ask(
      ["SELECT customer, merged FROM merged_customers", "SELECT customer, from_customer FROM merges"].map { rows in
        PostgresRequest("\(rows) WHERE customer = ANY($1)") { $0.add(Array(customers), \.self) }
      })
    var parts: [CustomerNumber: Set<CustomerNumber>] = [:]
    for rows in answers {
      for row in 0..<rows.count { parts[rows.integer(row, 0), default: []].insert(rows.integer(row, 1)) }
    }
    return parts
  }

  // MARK: Owners

  /// Records the places of the rows that the group may move.
  private func note<Row>(_ index: RowIndex<Row>, _ rows: [Row]) {
    guard let prefetched else { return }
    switch index.id {
    case LotRow.byNumber.id, LotRow.openFree.id, LotRow.openPaid.id:
      for lot in rows as? [LotRow] ?? [] { prefetched.lotOwners[lot.number] = lot.account.customer }
    case HoldRow.byNumber.id:
      for hold in rows as? [HoldRow] ?? [] { prefetched.holdOwners[hold.number] = hold.customer }
    case EntitlementRow.byPurchase.id:
      for row in rows as? [EntitlementRow] ?? [] { prefetched.holders[row.purchase] = row.holder }
    default: break
    }
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
