#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The group's look-ups by the indexes of the storage contract.
extension GroupRows {
  /// Returns the rows with any of the keys; nil if the group has no look-up of that kind.
  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row]? {
    let isFoundAnywhere =
      Self.foundAnywhere.contains(index.id) || index.id == LotAttributesRow.byLot.id && !layout.isDistributed
    if index.isOwned, !isFoundAnywhere, keys.contains(where: { $0.owner == nil }) { return nil }
    return try Self.reads.rows(index, in: self, keys)
  }

  /// The indexes by which a group also looks rows up without their customers.
  private static let foundAnywhere: Set = [TransactionRow.byNumber.id, PurchaseRow.byNumber.id, HoldRow.byNumber.id]

  private static let reads = IndexReads<GroupRows, [IndexKey]>(
    each(CustomerRow.byNumber) { rows in { (key) throws(LedgerError) in try rows.customers.rows(key.first) } },
    each(MergedCustomerRow.ofSurvivor) { $0.mergedCustomers(_:) },
    ofCustomers(AddedIDRow.added) { $0.addedIDs },
    ofCustomers(MergeRow.into) { $0.merges },
    ofCustomers(OwnedItemRow.ofCustomer) { $0.ownedItems },
    each(OwnedItemRow.byItem) { $0.ownedItem(_:) },
    each(CountRow.ofCustomer) { $0.counts(of:) },
    each(CountRow.byKey) { $0.count(_:) },
    each(HoldRow.ofCustomer) { $0.holds(of:) },
    each(HoldRow.byNumber) { $0.hold(_:) },
    each(LotRow.pooled) { $0.pooledLot(_:) },
    owned(LotRow.byNumber) { $0.lots },
    .init(LotAttributesRow.byLot) { $0.attributes(of:) },
    each(TransactionRow.byNumber) { $0.transaction(_:) },
    each(EntryRow.byNumber) { $0.entry(_:) },
    .init(EntryRow.ofTransaction) { $0.entries(of:) },
    each(AllocationRow.ofEntry) { $0.allocations(of:) },
    owned(ItemEntryRow.ofTransaction, by: { ($0.item, $0.customer) < ($1.item, $1.customer) }) { $0.items },
    owned(JournalEventRow.ofTransaction, by: JournalEventRow.precedes) { $0.ownEvents },
    owned(JournalEventRow.about, by: JournalEventRow.precedes) { $0.laterEvents },
    each(PurchaseRow.byNumber) { $0.purchase(_:) },
    owned(RefundRow.ofPurchase, by: { $0.transaction < $1.transaction }) { $0.refunds },
    owned(RefundPartRow.ofTransaction, by: { $0.position < $1.position }) { $0.refundParts },
    .init(EvidenceRow.ofPurchase) { $0.knownEvidence(_:) },
    .init(OrderRow.byCode) { $0.orders(codes:) })

  private typealias Entry = IndexReads<GroupRows, [IndexKey]>.Entry

  private static func each<Row>(
    _ index: RowIndex<Row>,
    _ read: @escaping @Sendable (GroupRows) -> (IndexKey) throws(LedgerError) -> [Row]
  ) -> Entry {
    Entry(index) { rows in { (keys) throws(LedgerError) in try rows.all(keys, read(rows)) } }
  }

  private static func ofCustomers<Row>(
    _ index: RowIndex<Row>, _ lookup: @escaping @Sendable (GroupRows) -> RowLookup<CustomerNumber, Row>
  ) -> Entry {
    each(index) { rows in { (key) throws(LedgerError) in try rows.rows(lookup(rows), of: key.first) } }
  }

  /// - Parameter precedes: Orders the rows, if the look-up does not.
  private static func owned<Row>(
    _ index: RowIndex<Row>, by precedes: (@Sendable (Row, Row) -> Bool)? = nil,
    _ lookup: @escaping @Sendable (GroupRows) -> RowLookup<RowAddress, Row>
  ) -> Entry {
    Entry(index) { rows in
      { (keys) throws(LedgerError) in
        let found = try rows.rows(lookup(rows), at: keys)
        guard let precedes else { return found }
        return found.sorted(by: precedes)
      }
    }
  }

  /// Returns the first page of an account's open lots; nil for other indexes.
  func firstLots<Row>(_ index: RowIndex<Row>, _ key: IndexKey) throws(LedgerError) -> [Row]? {
    try Self.lotPages.rows(index, in: self, key)
  }

  private static let lotPages = IndexReads<GroupRows, IndexKey>(
    .init(LotRow.openFree) { rows in { (key) throws(LedgerError) in try rows.firstLots(key, paid: false) } },
    .init(LotRow.openPaid) { rows in { (key) throws(LedgerError) in try rows.firstLots(key, paid: true) } })

  private func firstLots(_ key: IndexKey, paid: Bool) throws(LedgerError) -> [LotRow] {
    let account = AccountNumber(rawValue: key.first)
    return try rows(firstLots, of: account.customer).filter { $0.account == account && $0.isPaid == paid }
  }

  // MARK: Many keys

  private func all<Row>(
    _ keys: [IndexKey], _ read: (IndexKey) throws(LedgerError) -> [Row]
  ) throws(LedgerError) -> [Row] {
    if keys.count == 1 { return try read(keys[0]) }
    return try keys.gather(read).flatMap(\.self)
  }

  /// Returns the rows by customer and number.
  private func rows<Row>(
    _ lookup: RowLookup<RowAddress, Row>, at keys: [IndexKey]
  ) throws(LedgerError) -> [Row] {
    try all(keys) { (key) throws(LedgerError) in
      guard let owner = key.owner, !isMade(owner) else { return [] }
      return try lookup.rows(RowAddress(key.first, of: owner))
    }
  }

  // MARK: Customers

  private func mergedCustomers(_ survivor: IndexKey) throws(LedgerError) -> [MergedCustomerRow] {
    let row = try customers.first(survivor.first)
    return row?.merged ?? 0 > 0 ? try merged.rows(survivor.first) : []
  }

  private func ownedItem(_ key: IndexKey) throws(LedgerError) -> [OwnedItemRow] {
    if isMade(key.first) { return [] }
    let item = ItemID(unchecked: key.text)
    if let all = ownedItems.found[key.first] { return all.filter { $0.item == item } }
    return try owned.rows(OwnedItem(customer: key.first, item: item))
  }

  private func counts(of key: IndexKey) throws(LedgerError) -> [CountRow] {
    memory.countDemand.store(StorageCache.countDemandMax, ordering: .relaxed)
    return try rows(counts, of: key.first).sorted { $0.key < $1.key }
  }

  private func count(_ key: IndexKey) throws(LedgerError) -> [CountRow] {
    try counts(of: key).filter { $0.key.kind.rawValue == key.second && $0.key.subject.hasBytes(of: key.text) }
  }

  // MARK: Lots and holds

  private func pooledLot(_ key: IndexKey) throws(LedgerError) -> [LotRow] {
    let account = AccountNumber(rawValue: key.first)
    return try rows(pooledLots, of: account.customer).filter {
      $0.account == account && $0.source.rawValue == key.second && $0.environment == key.third
    }
  }

  /// Returns the attributes of a lot if the group has looked them up.
  func attributes(at address: RowAddress) -> LotAttributesRow? {
    (layout.isDistributed ? lotAttributes.found[address] : lineages.found[address.number])?.first
  }

  /// Returns attributes of lots, which are the same for each of a lot's customers.
  private func attributes(of keys: [IndexKey]) throws(LedgerError) -> [LotAttributesRow] {
    if layout.isDistributed { return try rows(lotAttributes, at: keys) }
    return try all(keys) { (key) throws(LedgerError) in try lineages.rows(key.first) }
  }

  private func holds(of key: IndexKey) throws(LedgerError) -> [HoldRow] {
    if !isMade(key.first) { heldEvents.want(key.first) }
    return try rows(holdsOf, of: key.first)
  }

  private func hold(_ key: IndexKey) throws(LedgerError) -> [HoldRow] {
    key.owner == nil ? holdsByNumber[key.first].map { [$0] } ?? [] : try rows(holds, at: [key])
  }

  // MARK: The journal

  private func transaction(_ key: IndexKey) throws(LedgerError) -> [TransactionRow] {
    key.owner == nil ? try located.rows(key.first).map(\.row) : try rows(transactions, at: [key])
  }

  private func entry(_ key: IndexKey) throws(LedgerError) -> [EntryRow] {
    guard let owner = key.owner, !isMade(owner) else { return [] }
    let address = RowAddress(key.first, of: owner)
    if let known = entriesByAddress[address] { return [known] }
    return try entryPages.rows(address).filter { $0.number == key.first }
  }

  /// Also looks up their allocations, which are nearly always needed next.
  private func entries(of keys: [IndexKey]) throws(LedgerError) -> [EntryRow] {
    for key in keys { if let owner = key.owner, !isMade(owner) { allocations.want(RowAddress(key.first, of: owner)) } }
    return try rows(entries, at: keys).sorted { $0.number < $1.number }
  }

  private func allocations(of key: IndexKey) throws(LedgerError) -> [AllocationRow] {
    let transaction = IndexKey(Numbering.transaction(of: key.first), of: key.owner)
    return try rows(allocations, at: [transaction]).filter { $0.entry == key.first }.sorted {
      $0.position < $1.position
    }
  }

  private func knownEvidence(_ keys: [IndexKey]) -> [EvidenceRow]? {
    keys.count == 1 ? evidence[PurchaseIdentity(keys[0])] : nil
  }

  /// Returns the orders of codes; nil on a distributed engine, where a code leads to an order in two steps.
  private func orders(codes keys: [IndexKey]) throws(LedgerError) -> [OrderRow]? {
    if layout.isDistributed { return nil }
    return try all(keys) { (key) throws(LedgerError) in try ordersOfCodes.rows(PurchaseCode(unchecked: key.text)) }
  }

  private func purchase(_ key: IndexKey) throws(LedgerError) -> [PurchaseRow] {
    if key.owner != nil { return try rows(purchases, at: [key]) }
    if let known = purchasesByNumber[key.first] { return [known] }
    return try purchasesAnywhere.rows(key.first)
  }
}
#endif
