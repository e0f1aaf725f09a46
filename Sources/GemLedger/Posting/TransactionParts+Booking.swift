extension TransactionParts {
  /// Returns the booking of the transaction's command.
  package func booking(customer: CustomerID, definitions: CurrencyDefinitions) throws(LedgerError) -> Booking {
    var posted: [PostedEntry] = []
    var isOverMaximum = false
    // A customer merged by the transaction has entries of it too; the booking is the surviving customer's.
    for entry in entries where entry.account.customer == row.customer {
      guard let currency = definitions.currency(number: entry.account.currency) else {
        throw .lacksCurrency(entry.account.currency)
      }
      if row.kind.mayPassMaximum, entry.balance > currency.maximumBalance { isOverMaximum = true }
      posted.append(
        PostedEntry(
          currency: currency.code, kind: entry.kind, amount: entry.amount, balance: entry.balance, debt: entry.debt,
          version: entry.version, allocations: allocations(of: entry)))
    }
    return Booking(
      transactionID: definitions.transactionIDs.id(number: row.number, createdAt: row.createdAt), customer: customer,
      kind: row.kind, createdAt: row.createdAt, entries: CompactList(posted.sorted { $0.currency < $1.currency }),
      items: items.filter { $0.customer == row.customer }.map(PostedItem.init),
      isOverMaximum: isOverMaximum)
  }

  private func allocations(of entry: EntryRow) -> CompactList<Allocation> {
    guard entry.lot == 0 else {
      return CompactList(
        Allocation(lot: entry.lot, source: sources[entry.lot] ?? .admin, amount: entry.amount))
    }
    return CompactList(
      allocations.filter { $0.entry == entry.number }.map {
        Allocation(lot: $0.lot, source: sources[$0.lot] ?? .admin, amount: $0.amount)
      })
  }
}

extension PostedItem {
  package init(_ row: ItemEntryRow) { self.init(item: row.item, quantity: row.quantity, owned: row.owned) }
}
