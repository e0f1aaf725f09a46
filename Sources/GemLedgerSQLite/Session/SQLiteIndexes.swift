internal import GemLedger

/// Reads of rows by key, nearly all with the statement of an index's description.
extension SQLiteTables {
  @specialized(where Row == CustomerRow)
  @specialized(where Row == LotAttributesRow)
  @specialized(where Row == TransactionRow)
  @specialized(where Row == EntryRow)
  @specialized(where Row == AllocationRow)
  @specialized(where Row == ItemEntryRow)
  @specialized(where Row == JournalEventRow)
  @specialized(where Row == HoldRow)
  @specialized(where Row == CountRow)
  @specialized(where Row == OwnedItemRow)
  @specialized(where Row == PurchaseRow)
  @specialized(where Row == RefundRow)
  @specialized(where Row == EvidenceRow)
  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    let keys = index.id == PurchaseRow.creditedBy.id ? keys : keys.withoutOwners
    if let found = try Self.reads.rows(index, in: self, keys) { return found }
    return try statements.rows(index, keys)
  }

  @specialized(where Row == LotRow)
  func page<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int
  ) throws(LedgerError) -> [Row] {
    let page = Page(customer: key.first, before: place ?? IndexPlace(.max), limit: limit)
    if let found = try Self.pages.rows(index, in: self, page) { return found }
    return try statements.page(index, key, after: place, limit: limit)
  }

  private static let reads = IndexReads<SQLiteTables, [IndexKey]>(
    .init(TransactionRow.byNumber) { $0.journal.transactions(_:) },
    .init(EntryRow.byNumber) { $0.journal.entries(_:) },
    .init(EntryRow.ofTransaction) { $0.journal.entries(of:) },
    .init(TransactionRow.listedWithoutEntries) { $0.listed(_:) },
    .init(AccountRow.ofCustomer) { $0.accounts.accounts(of:) },
    near(CustomerRow.byNumber), near(LotAttributesRow.byLot), near(EntitlementRow.byPurchase),
    .init(AddedIDRow.byID) { $0.customers.named(_:) },
    .init(JournalEventRow.about) { $0.events.events(about:) },
    .init(KeyRow.byKey) { $0.keys.keys(_:) },
    .init(HoldRow.ofCustomer) { $0.holds.holds(of:) },
    .init(PurchaseRow.creditedBy) { $0.purchases.credited(by:) })

  private static func near<Row>(_ index: RowIndex<Row>) -> IndexReads<SQLiteTables, [IndexKey]>.Entry {
    .init(index) { tables in { (keys) throws(LedgerError) in try tables.statements.rows(near: index, keys) } }
  }

  private func listed(_ keys: [IndexKey]) throws(LedgerError) -> [TransactionRow] {
    try lists.transactionsWithoutEntries(keys, in: journal)
  }

  // MARK: Pages

  /// A page of a customer's rows, newest first.
  private struct Page {
    let customer: CustomerNumber
    let before: IndexPlace
    let limit: Int
  }

  private static let pages = IndexReads<SQLiteTables, Page>(
    .init(TransactionRow.withoutEntries) { $0.unlisted(_:) },
    .init(JournalEventRow.askedByCustomer) { $0.asked(_:) })

  private func unlisted(_ page: Page) throws(LedgerError) -> [TransactionRow] {
    try lists.transactionsWithoutEntries(of: page.customer, below: page.before.first, limit: page.limit, in: journal)
  }

  private func asked(_ page: Page) throws(LedgerError) -> [JournalEventRow] {
    try events.events(of: page.customer, before: page.before, limit: page.limit)
  }
}
