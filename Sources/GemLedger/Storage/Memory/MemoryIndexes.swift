// MARK: Rows by their keys

extension MemoryTables {
  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) -> [Row] {
    let keys = keys.withoutOwners
    return switch index.inMemory {
    case .one(let read): keys.compactMap { read(self, $0) }
    case .many(let read): keys.flatMap { read(self, $0) }
    case .page(let read): keys.flatMap { read(self, $0, nil, .max) }
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
