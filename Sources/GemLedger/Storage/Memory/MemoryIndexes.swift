// MARK: Rows by their keys

extension MemoryTables {
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
    let keys = keys.withoutOwners
    switch index.inMemory {
    case .one(let read): return keys.compactMap { read(self, $0) }
    case .many(let read): return keys.flatMap { read(self, $0) }
    case .page: throw .defect("The rows of \(index.name) are read in pages")
    }
  }

  @specialized(where Row == LotRow)
  func page<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int
  ) throws(LedgerError) -> [Row] {
    guard case .page(let read) = index.inMemory else {
      throw .defect("The rows of \(index.name) are not read in pages")
    }
    return read(self, key, place, limit)
  }

  func owned(_ customer: CustomerNumber, _ item: ItemID) -> OwnedItemRow? {
    ownedItems[OwnedID(customer: customer, item: item)].map {
      OwnedItemRow(customer: customer, item: item, quantity: $0)
    }
  }
}
