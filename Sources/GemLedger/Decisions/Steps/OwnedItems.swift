/// Books items that a customer gets or gives away.
enum OwnedItems {
  /// Books items that come with the newest transaction.
  static func add(
    _ set: inout WorkingSet, _ items: [(ItemID, Int64)], to receipt: inout Receipt, _ customer: FoundCustomer,
    _ session: any StorageSnapshot
  ) throws(LedgerError) {
    for (item, quantity) in items {
      let owned = try set.owned(item, customer: customer.number, session: session) + quantity
      set.setOwned(item, customer: customer.number, to: owned)
      set.changes.itemEntries.append(
        ItemEntryRow(
          transaction: set.sequences.transaction, customer: customer.number, item: item, quantity: quantity,
          owned: owned))
      receipt.items.append(PostedItem(item: item, quantity: quantity, owned: owned))
    }
  }
}
