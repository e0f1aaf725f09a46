/// A transaction with all of its rows.
package struct TransactionParts: Sendable {
  package var row: TransactionRow
  package var entries: [EntryRow]
  package var allocations: [AllocationRow]
  package var items: [ItemEntryRow]
  /// The sources of the lots that its allocations name.
  package var sources: [LotNumber: LotSource]

  package init(
    row: TransactionRow, entries: [EntryRow], allocations: [AllocationRow], items: [ItemEntryRow],
    sources: [LotNumber: LotSource]
  ) {
    self.row = row
    self.entries = entries
    self.allocations = allocations
    self.items = items
    self.sources = sources
  }

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

  /// The lots that the entry changed.
  func lots(of entry: EntryRow) -> [LotNumber] {
    entry.lot == 0 ? allocations.filter { $0.entry == entry.number }.map(\.lot) : [entry.lot]
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

extension StorageSnapshot {
  /// A transaction of one of several customers' own numbers, or nil where none of them has it.
  package func parts(
    of number: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> TransactionParts? {
    for owner in owners {
      if let parts = try parts(of: number, of: owner) { return parts }
    }
    return nil
  }

  /// A transaction of the journal, or nil where there is none of that number.
  ///
  /// - Parameter owner: The customer's own number that the transaction is of.
  package func parts(
    of number: TransactionNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> TransactionParts? {
    guard let row = try transaction(number, of: owner), row.customer == owner else { return nil }
    var parts = try postings(of: row)
    for entry in parts.entries {
      // Lots change and may move with a merge; their lot attributes stay.
      for lot in parts.lots(of: entry) where parts.sources[lot] == nil {
        parts.sources[lot] = try lotAttributes(lot, of: entry.account.customer)?.source
      }
    }
    return parts
  }

  /// Returns a transaction's entries with their allocations, and its items; without the sources of its lots.
  package func postings(of row: TransactionRow) throws(LedgerError) -> TransactionParts {
    let entries = try entries(of: row)
    var allocations: [AllocationRow] = []
    for entry in entries where entry.lot == 0 {
      allocations += try self.allocations(of: entry.number, of: entry.account.customer)
    }
    return TransactionParts(
      row: row, entries: entries, allocations: allocations, items: try items(of: row.number, of: row.customer),
      sources: [:])
  }
}
