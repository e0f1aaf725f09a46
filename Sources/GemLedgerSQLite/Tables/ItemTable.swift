internal import GemLedger

/// Items that customers own, and the entries that changed them.
struct ItemTable {
  let statements: StatementRunner

  func owned(_ item: ItemID, customer: CustomerNumber) throws(LedgerError) -> Int64 {
    try statements.first(
      "SELECT quantity FROM owned_items WHERE customer = ?1 AND item = ?2",
      {
        $0.bind(1, customer)
        $0.bind(2, item.text)
      }, { (row) throws(SQLiteFailure) in try row.amount(0) }) ?? 0
  }

  func ownedItems(of customer: CustomerNumber) throws(LedgerError) -> [OwnedItemRow] {
    try statements.rows("WHERE customer = ?1 ORDER BY item") { $0.bind(1, customer) }
  }

  func items(of transaction: TransactionNumber) throws(LedgerError) -> [ItemEntryRow] {
    try statements.rows("WHERE transaction_number = ?1") { $0.bind(1, transaction) }
  }

  // MARK: Writing

  func add(_ entries: [ItemEntryRow]) throws(LedgerError) { try statements.insert(entries) }

  func setOwned(after entries: [ItemEntryRow]) throws(LedgerError) {
    try statements.replace(entries.map { OwnedItemRow(customer: $0.customer, item: $0.item, quantity: $0.owned) })
  }
}
