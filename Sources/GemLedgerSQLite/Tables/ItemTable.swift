internal import GemLedger

/// Items that customers own, and the entries that changed them.
struct ItemTable {
  let statements: StatementRunner

  func add(_ entries: [ItemEntryRow]) throws(LedgerError) { try statements.insert(entries) }

  func setOwned(after entries: [ItemEntryRow]) throws(LedgerError) {
    try statements.replace(entries.map { OwnedItemRow(customer: $0.customer, item: $0.item, quantity: $0.owned) })
  }
}
