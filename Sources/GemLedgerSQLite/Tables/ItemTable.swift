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
    try statements.all(
      "SELECT customer, item, quantity FROM owned_items WHERE customer = ?1 ORDER BY item", { $0.bind(1, customer) },
      Self.ownedItem)
  }

  func items(of transaction: TransactionNumber) throws(LedgerError) -> [ItemEntryRow] {
    try statements.all(
      "SELECT transaction_number, item, customer, quantity, owned FROM item_entries WHERE transaction_number = ?1",
      { $0.bind(1, transaction) }, Self.itemEntry)
  }

  // MARK: Scanning

  func itemEntries(after: ItemEntryRow?, limit: Int) throws(LedgerError) -> [ItemEntryRow] {
    try statements.scanned(
      """
      SELECT transaction_number, item, customer, quantity, owned FROM item_entries
      WHERE (transaction_number, item, customer) > (?1, ?2, ?3) ORDER BY transaction_number, item, customer LIMIT ?4
      """, after: after,
      {
        if $0.transaction != $1.transaction { return $0.transaction < $1.transaction }
        return ByteOrder.precedes(($0.item.text, $0.customer), ($1.item.text, $1.customer))
      },
      {
        $0.bind(1, after?.transaction ?? -1)
        $0.bind(2, after?.item.text ?? "")
        $0.bind(3, after?.customer ?? -1)
        $0.bind(4, Int64(limit))
      }, Self.itemEntry)
  }

  func ownedItems(after: OwnedItemRow?, limit: Int) throws(LedgerError) -> [OwnedItemRow] {
    try statements.scanned(
      """
      SELECT customer, item, quantity FROM owned_items WHERE (customer, item) > (?1, ?2)
      ORDER BY customer, item LIMIT ?3
      """, after: after,
      {
        $0.customer != $1.customer
          ? $0.customer < $1.customer : ByteOrder.precedes(($0.item.text, 0), ($1.item.text, 0))
      },
      {
        $0.bind(1, after?.customer ?? -1)
        $0.bind(2, after?.item.text ?? "")
        $0.bind(3, Int64(limit))
      }, Self.ownedItem)
  }

  // MARK: Writing

  func add(_ entries: [ItemEntryRow]) throws(LedgerError) {
    try statements.run("INSERT INTO item_entries VALUES (?1, ?2, ?3, ?4, ?5)", entries) {
      $0.bind(1, $1.transaction)
      $0.bind(2, $1.item.text)
      $0.bind(3, $1.customer)
      $0.bind(4, $1.quantity)
      $0.bind(5, $1.owned)
    }
  }

  func setOwned(after entries: [ItemEntryRow]) throws(LedgerError) {
    try statements.run("INSERT OR REPLACE INTO owned_items VALUES (?1, ?2, ?3)", entries) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.item.text)
      $0.bind(3, $1.owned)
    }
  }

  // MARK: Rows

  private static func itemEntry(_ row: SQLiteStatement) throws(SQLiteFailure) -> ItemEntryRow {
    ItemEntryRow(
      transaction: try row.transaction(0), customer: try row.number(2), item: ItemID(unchecked: row.text(1)),
      quantity: try row.amount(3), owned: try row.amount(4))
  }

  private static func ownedItem(_ row: SQLiteStatement) throws(SQLiteFailure) -> OwnedItemRow {
    OwnedItemRow(customer: try row.number(0), item: ItemID(unchecked: row.text(1)), quantity: try row.amount(2))
  }
}
