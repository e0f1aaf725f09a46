/// Books items that a customer gets or gives away.
enum OwnedItems {
  /// Books the items of the newest transaction.
  static func add(
    _ work: inout UnitOfWork, _ items: [(ItemID, Int64)], to booking: inout Booking, _ customer: FoundCustomer
  ) throws(LedgerError) {
    for (item, quantity) in items {
      let owned = try work.owned(item, customer: customer.number) + quantity
      work.setOwned(item, customer: customer.number, to: owned)
      work.changes.itemEntries.append(
        ItemEntryRow(
          transaction: work.sequences.transaction, customer: customer.number, item: item, quantity: quantity,
          owned: owned))
      booking.items.append(PostedItem(item: item, quantity: quantity, owned: owned))
    }
  }
}
