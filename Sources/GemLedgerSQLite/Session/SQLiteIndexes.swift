internal import GemLedger

/// Reads of rows by key, nearly all with the statement of an index's shape.
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
    if index.name == .purchaseCreditedBy { return try Row.rows(purchases.credited(by: keys)) }
    let keys = keys.withoutOwners
    switch index.name {
    case .transactionByNumber: return try Row.rows(journal.transactions(keys))
    case .entryByNumber: return try Row.rows(journal.entries(keys))
    case .entriesOfTransaction: return try Row.rows(journal.entries(of: keys))
    case .transactionWithoutEntries: return try Row.rows(lists.transactionsWithoutEntries(keys, in: journal))
    case .accountsOfCustomer: return try Row.rows(accounts.accounts(of: keys))
    case .customerByNumber, .attributesByLot, .entitlementByPurchase:
      return try statements.rows(near: index, keys)
    case .customerByID: return try Row.rows(customers.named(keys))
    case .eventsAbout: return try Row.rows(events.events(about: keys))
    case .keyOfCustomer: return try Row.rows(self.keys.keys(keys))
    case .holdsOfCustomer: return try Row.rows(holds.holds(of: keys))
    default: return try statements.rows(index, keys)
    }
  }

  @specialized(where Row == LotRow)
  func page<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int
  ) throws(LedgerError) -> [Row] {
    switch index.name {
    case .transactionsWithoutEntries:
      return try Row.rows(
        lists.transactionsWithoutEntries(of: key.first, below: place?.first ?? .max, limit: limit, in: journal))
    case .eventsOfCustomer:
      return try Row.rows(
        events.events(of: key.first, before: place ?? IndexPlace(.max), limit: limit))
    default: return try statements.page(index, key, after: place, limit: limit)
    }
  }
}
