// MARK: Scanning, for `verify`

extension MemoryTables: StorageScan {
  func scan() -> any StorageScan { self }

  func transactions(after: TransactionNumber, limit: Int) -> [TransactionRow] {
    rows(after: Int(after), limit: limit, count: transactions.count) { transactions[$0] }
  }

  func entries(after: EntryNumber, limit: Int) -> [EntryRow] {
    rows(after: Int(after), limit: limit, count: entries.count) { entries[$0] }
  }

  func allocations(after: AllocationRow?, limit: Int) -> [AllocationRow] {
    let start = after.map { firstAllocation(notBefore: ($0.entry, $0.position + 1)) } ?? 0
    return Array(allocations[start...].prefix(limit))
  }

  func accounts(after: AccountNumber, limit: Int) -> [AccountRow] {
    var all: [AccountRow] = []
    for customer in stride(from: after.customer, through: Int64(customers.count), by: 1) {
      for account in accounts(of: customer) where account.number > after {
        all.append(account)
      }
      if all.count >= limit { break }
    }
    return Array(all.prefix(limit))
  }

  func lots(after: LotNumber, limit: Int) -> [LotRow] {
    var found: [LotRow] = []
    var number = after + 1
    while number <= lotCount, found.count < limit {
      if let lot = lots[number] { found.append(lot) }
      number += 1
    }
    return found
  }

  func purchases(after: Int64, limit: Int) -> [PurchaseRow] {
    Array(purchases.lazy.filter { $0.number > after }.prefix(limit)).map(withRefund)
  }

  func anchors(after: AnchorRow?, limit: Int) -> [AnchorRow] {
    page(
      Array(anchors.values), after: after, limit: limit,
      by: { ($0.account.rawValue, $0.version) < ($1.account.rawValue, $1.version) })
  }

  func keys(after: KeyScanPosition?, limit: Int) -> [(KeyRow, KeyScanPosition)] {
    rows(after: Int(after?.place ?? 0), limit: limit, count: keys.count) {
      (keys[$0], KeyScanPosition(place: Int64($0) + 1, row: nil))
    }
  }

  func itemEntries(after: ItemEntryRow?, limit: Int) -> [ItemEntryRow] {
    page(
      itemEntries.values.flatMap(\.self), after: after, limit: limit,
      by: { ($0.transaction, $0.item, $0.customer) < ($1.transaction, $1.item, $1.customer) })
  }

  func ownedItems(after: OwnedItemRow?, limit: Int) -> [OwnedItemRow] {
    page(
      ownedItems.map { OwnedItemRow(customer: $0.key.customer, item: $0.key.item, quantity: $0.value) }, after: after,
      limit: limit, by: { ($0.customer, $0.item) < ($1.customer, $1.item) })
  }

  func integrityProblems() -> [String] { [] }

  // Small tables only: what is large is scanned by number above.
  private func page<Row>(_ rows: [Row], after: Row?, limit: Int, by precedes: (Row, Row) -> Bool) -> [Row] {
    let rest = after.map { last in rows.filter { precedes(last, $0) } } ?? rows
    return Array(rest.sorted(by: precedes).prefix(limit))
  }
}
