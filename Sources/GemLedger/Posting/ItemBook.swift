/// The items that a group's customers own, as the group left them.
struct ItemBook: ~Copyable {
  private struct Key: Hashable {
    let customer: CustomerNumber
    let item: ItemID
  }

  private let scope: GroupScope
  private var quantities: [Key: Int64] = [:]
  private var entries: [ItemEntryRow] = []

  init(_ scope: GroupScope) { self.scope = scope }

  mutating func removeAll() {
    guard !entries.isEmpty || !quantities.isEmpty else { return }
    quantities.removeAll()
    entries.removeAll(keepingCapacity: true)
  }

  mutating func collect(into changes: inout ChangeSet) {
    swap(&entries, &changes.itemEntries)
  }

  /// The items of a transaction that this group booked.
  func entries(of transaction: TransactionNumber) -> [ItemEntryRow] { entries.filter { $0.transaction == transaction } }

  func owned(_ item: ItemID, by customer: CustomerNumber) throws(LedgerError) -> Int64 {
    if let quantity = quantities[Key(customer: customer, item: item)] { return quantity }
    return try scope.session.row(OwnedItemRow.byItem, IndexKey(customer, text: item.text))?.quantity ?? 0
  }

  /// All items that the customer owns, in the order of items.
  func all(of customer: CustomerNumber) throws(LedgerError) -> [(ItemID, Int64)] {
    var all: [ItemID: Int64] = [:]
    for row in try scope.session.rows(OwnedItemRow.ofCustomer, [IndexKey(customer)]) { all[row.item] = row.quantity }
    for (key, quantity) in quantities where key.customer == customer { all[key.item] = quantity }
    return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Adds items to those that the customer owns, or takes them away.
  @discardableResult
  mutating func add(
    _ quantity: Int64, of item: ItemID, to customer: CustomerNumber, in transaction: TransactionNumber
  ) throws(LedgerError) -> PostedItem {
    let owned = try owned(item, by: customer) + quantity
    quantities[Key(customer: customer, item: item)] = owned
    let entry = ItemEntryRow(
      transaction: transaction, customer: customer, item: item, quantity: quantity, owned: owned)
    entries.append(entry)
    return PostedItem(entry)
  }
}
