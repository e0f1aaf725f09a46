#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The group's look-ups by the indexes of the storage contract.
extension GroupRows {
  /// Returns the rows with any of the keys; nil if the general reads must answer, with ``rows(_:at:)``.
  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row]? {
    try Self.reads.rows(index, in: self, keys)
  }

  /// The indexes of rows that other look-ups contain.
  private static let reads = IndexReads<GroupRows, [IndexKey]>(
    each(CustomerRow.byNumber) { rows in { (key) throws(LedgerError) in try rows.customers.rows(key.first) } },
    each(MergedCustomerRow.ofSurvivor) { $0.mergedCustomers(_:) },
    each(OwnedItemRow.byItem) { $0.ownedItem(_:) },
    each(CountRow.byKey) { $0.count(_:) },
    each(HoldRow.byNumber) { $0.hold(_:) },
    each(LotRow.pooled) { $0.pooledLot(_:) },
    .init(LotAttributesRow.byLot) { $0.attributes(of:) },
    each(TransactionRow.byNumber) { $0.transaction(_:) },
    each(EntryRow.byNumber) { $0.entry(_:) },
    each(AllocationRow.ofEntry) { $0.allocations(of:) },
    .init(EvidenceRow.ofPurchase) { $0.knownEvidence(_:) })

  private typealias Entry = IndexReads<GroupRows, [IndexKey]>.Entry

  /// - Parameter read: Returns the rows of one key; nil if the general reads must answer.
  private static func each<Row>(
    _ index: RowIndex<Row>,
    _ read: @escaping @Sendable (GroupRows) -> (IndexKey) throws(LedgerError) -> [Row]?
  ) -> Entry {
    Entry(index) { rows in
      { (keys) throws(LedgerError) in
        let found = try keys.gather(read(rows))
        return found.contains { $0 == nil } ? nil : found.flatMap { $0 ?? [] }
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
    if isMade(account.customer) { return [] }
    return try firstLots.rows(account.customer).filter { $0.account == account && $0.isPaid == paid }
  }

  /// Returns the rows at the addresses, looked up for the whole group.
  func rows<Row>(_ index: RowIndex<Row>, at addresses: [RowAddress]) throws(LedgerError) -> [Row] {
    let lookup = lookup(index)
    let isOfCustomers = session.source(of: index).isOfCustomers
    let found = try addresses.gather { (address) throws(LedgerError) -> [Row] in
      if let owner = isOfCustomers ? address.number : address.customer, isMade(owner) { return [] }
      if lookup.found[address] == nil { wantMore(than: index.id, at: address) }
      return try lookup.rows(address)
    }
    return found.flatMap(\.self)
  }

  private func rows<Row>(_ index: RowIndex<Row>, of customer: CustomerNumber) throws(LedgerError) -> [Row] {
    try rows(index, at: [RowAddress(customer, of: nil)])
  }

  // MARK: Customers

  private func mergedCustomers(_ survivor: IndexKey) throws(LedgerError) -> [MergedCustomerRow] {
    let row = try customers.first(survivor.first)
    return row?.merged ?? 0 > 0 ? try rows(MergedCustomerRow.ofSurvivor, of: survivor.first) : []
  }

  private func ownedItem(_ key: IndexKey) throws(LedgerError) -> [OwnedItemRow] {
    try rows(OwnedItemRow.ofCustomer, of: key.first).filter { $0.item.text.hasBytes(of: key.text) }
  }

  private func count(_ key: IndexKey) throws(LedgerError) -> [CountRow] {
    memory.countDemand.store(StorageCache.countDemandMax, ordering: .relaxed)
    return try rows(CountRow.ofCustomer, of: key.first).filter {
      $0.key.kind.rawValue == key.second && $0.key.subject.hasBytes(of: key.text)
    }
  }

  // MARK: Lots and holds

  private func pooledLot(_ key: IndexKey) throws(LedgerError) -> [LotRow] {
    let account = AccountNumber(rawValue: key.first)
    if isMade(account.customer) { return [] }
    return try pooledLots.rows(RowAddress(account.customer, of: nil)).filter {
      $0.account == account && $0.source.rawValue == key.second && $0.environment == key.third
    }
  }

  /// Returns the attributes of a lot if the group has looked them up.
  func attributes(at address: RowAddress) -> LotAttributesRow? {
    let known = layout.cluster == nil ? lineages.found[address.number] : lookup(LotAttributesRow.byLot).found[address]
    return known?.first
  }

  /// Returns attributes of lots, which are the same for each of a lot's customers.
  private func attributes(of keys: [IndexKey]) throws(LedgerError) -> [LotAttributesRow]? {
    if layout.cluster != nil { return nil }
    return try keys.gather { (key) throws(LedgerError) in try lineages.rows(key.first) }.flatMap(\.self)
  }

  /// Without its customer, only a known hold is found.
  private func hold(_ key: IndexKey) -> [HoldRow]? {
    key.owner == nil ? holdsByNumber[key.first].map { [$0] } ?? [] : nil
  }

  // MARK: The journal

  private func transaction(_ key: IndexKey) throws(LedgerError) -> [TransactionRow]? {
    key.owner == nil ? try located.rows(key.first).map(\.row) : nil
  }

  private func entry(_ key: IndexKey) throws(LedgerError) -> [EntryRow]? {
    guard let owner = key.owner else { return nil }
    if isMade(owner) { return [] }
    let address = RowAddress(key.first, of: owner)
    if let known = entriesByAddress[address] { return [known] }
    return try entryPages.rows(address).filter { $0.number == key.first }
  }

  private func allocations(of key: IndexKey) throws(LedgerError) -> [AllocationRow]? {
    guard let owner = key.owner else { return nil }
    if isMade(owner) { return [] }
    let transaction = RowAddress(Numbering.transaction(of: key.first), of: owner)
    return try allocations.rows(transaction).filter { $0.entry == key.first }
  }

  private func knownEvidence(_ keys: [IndexKey]) -> [EvidenceRow]? {
    keys.count == 1 ? evidence[PurchaseIdentity(keys[0])] : nil
  }
}
#endif
