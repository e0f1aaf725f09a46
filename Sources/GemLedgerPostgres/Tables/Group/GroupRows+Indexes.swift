#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The group's look-ups by the indexes of the storage contract.
extension GroupRows {
  /// Returns the rows with any of the keys; nil if the group has no look-up of that kind.
  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row]? {
    let isFoundAnywhere = index.name.isFoundAnywhere || index.name == .attributesByLot && !layout.isDistributed
    if index.name.isOwned, !isFoundAnywhere, keys.contains(where: { $0.owner == nil }) { return nil }
    return try known(index, keys)
  }

  private func known<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row]? {
    switch index.name {
    case .customerByNumber: try Row.rows(all(keys) { (key) throws(LedgerError) in try customers.rows(key.first) })
    case .mergedCustomers: try Row.rows(all(keys) { (key) throws(LedgerError) in try mergedCustomers(key.first) })
    case .addedIDs: try Row.rows(rows(addedIDs, of: keys))
    case .mergesInto: try Row.rows(rows(merges, of: keys))
    case .ownedItemsOfCustomer: try Row.rows(rows(ownedItems, of: keys))
    case .ownedItem: try Row.rows(all(keys, ownedItem))
    case .countsOfCustomer: try Row.rows(all(keys) { (key) throws(LedgerError) in try counts(of: key.first) })
    case .countByKey: try Row.rows(all(keys, count))
    case .holdsOfCustomer: try Row.rows(all(keys) { (key) throws(LedgerError) in try holds(of: key.first) })
    case .holdByNumber: try Row.rows(all(keys, hold))
    case .pooledLot: try Row.rows(all(keys, pooledLot))
    case .lotByNumber: try Row.rows(rows(lots, at: keys))
    case .attributesByLot: try Row.rows(attributes(of: keys))
    case .transactionByNumber: try Row.rows(all(keys, transaction))
    case .entryByNumber: try Row.rows(all(keys, entry))
    case .entriesOfTransaction: try Row.rows(entries(of: keys))
    case .allocationsOfEntry: try Row.rows(all(keys, allocations(of:)))
    case .itemsOfTransaction:
      try Row.rows(rows(items, at: keys).sorted { ($0.item, $0.customer) < ($1.item, $1.customer) })
    case .eventsOfTransaction: try Row.rows(rows(ownEvents, at: keys).sorted(by: JournalEventRow.precedes))
    case .eventsAbout: try Row.rows(rows(laterEvents, at: keys).sorted(by: JournalEventRow.precedes))
    case .purchaseByNumber: try Row.rows(all(keys, purchase))
    case .refundsOfPurchase: try Row.rows(rows(refunds, at: keys).sorted { $0.transaction < $1.transaction })
    case .partsOfRefund: try Row.rows(rows(refundParts, at: keys).sorted { $0.position < $1.position })
    case .evidenceOfPurchase: try knownEvidence(keys).map { (known) throws(LedgerError) in try Row.rows(known) }
    case .orderByCode:
      try layout.isDistributed
        ? nil
        : Row.rows(all(keys) { (key) throws(LedgerError) in try ordersOfCodes.rows(PurchaseCode(unchecked: key.text)) })
    default: nil
    }
  }

  /// Returns the first page of an account's open lots; nil for other indexes.
  func firstLots<Row>(_ index: RowIndex<Row>, _ key: IndexKey) throws(LedgerError) -> [Row]? {
    guard index.name == .openFreeLots || index.name == .openPaidLots else { return nil }
    let account = AccountNumber(rawValue: key.first)
    return try Row.rows(
      rows(firstLots, of: account.customer).filter {
        $0.account == account && $0.isPaid == (index.name == .openPaidLots)
      })
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

  private func rows<Row>(
    _ lookup: RowLookup<CustomerNumber, Row>, of keys: [IndexKey]
  ) throws(LedgerError) -> [Row] {
    try all(keys) { (key) throws(LedgerError) in try rows(lookup, of: key.first) }
  }

  // MARK: Customers

  private func mergedCustomers(_ survivor: CustomerNumber) throws(LedgerError) -> [MergedCustomerRow] {
    let row = try customers.first(survivor)
    return row?.merged ?? 0 > 0 ? try merged.rows(survivor) : []
  }

  private func ownedItem(_ key: IndexKey) throws(LedgerError) -> [OwnedItemRow] {
    if isMade(key.first) { return [] }
    let item = ItemID(unchecked: key.text)
    if let all = ownedItems.found[key.first] { return all.filter { $0.item == item } }
    return try owned.rows(OwnedItem(customer: key.first, item: item))
  }

  private func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    memory.countDemand.store(StorageCache.countDemandMax, ordering: .relaxed)
    return try rows(counts, of: customer).sorted { $0.key < $1.key }
  }

  private func count(_ key: IndexKey) throws(LedgerError) -> [CountRow] {
    try counts(of: key.first).filter { $0.key.kind.rawValue == key.second && $0.key.subject.hasBytes(of: key.text) }
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

  private func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    if !isMade(customer) { heldEvents.want(customer) }
    return try rows(holdsOf, of: customer)
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

  private func purchase(_ key: IndexKey) throws(LedgerError) -> [PurchaseRow] {
    if key.owner != nil { return try rows(purchases, at: [key]) }
    if let known = purchasesByNumber[key.first] { return [known] }
    return try purchasesAnywhere.rows(key.first)
  }
}

extension IndexName {
  /// Whether a group also looks rows up without their customers.
  fileprivate var isFoundAnywhere: Bool {
    self == .transactionByNumber || self == .purchaseByNumber || self == .holdByNumber
  }
}
#endif
