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

  /// The lots that the entry changed.
  func lots(of entry: EntryRow) -> [LotNumber] {
    entry.lot == 0 ? allocations.filter { $0.entry == entry.number }.map(\.lot) : [entry.lot]
  }
}

extension TransactionParts {
  /// Finds a transaction under one of several customer numbers; nil if none of them has it.
  package static func find(
    _ number: TransactionNumber, ofAny owners: [CustomerNumber], in snapshot: some StorageSnapshot
  ) throws(LedgerError) -> Self? {
    var reads = JointReads()
    let found = try reads.read { () throws(LedgerError) -> TransactionRow? in
      try owners.firstRow { (owner) throws(LedgerError) -> TransactionRow? in
        let row = try snapshot.transaction(number, of: owner)
        return row?.customer == owner ? row : nil
      }
    }
    let row = found.flatMap(\.self)
    // Entries and items are stored under each of the customers that the transaction touched.
    let first = row?.firstEntry ?? 0
    let keys = owners.map { IndexKey(number, first, of: $0) }
    let entries = try reads.read { () throws(LedgerError) -> [EntryRow] in
      try snapshot.rows(EntryRow.ofTransaction, keys)
    }
    let items = try reads.read { () throws(LedgerError) -> [ItemEntryRow] in
      try snapshot.rows(ItemEntryRow.ofTransaction, keys)
    }
    try reads.end()
    guard let row, let entries, let items else { return nil }
    var parts = Self(
      row: row, entries: entries, allocations: try allocations(of: entries, in: snapshot), items: items,
      sources: [:])
    // Lots change and may move with a merge; their lot attributes stay.
    var addresses: [RowAddress] = []
    for entry in parts.entries {
      for lot in parts.lots(of: entry) where !addresses.contains(where: { $0.number == lot }) {
        addresses.append(RowAddress(lot, of: entry.account.customer))
      }
    }
    if !addresses.isEmpty { parts.sources = try snapshot.lotAttributes(addresses).mapValues(\.source) }
    return parts
  }

  /// Returns a transaction's entries with their allocations, and its items; without the sources of its lots.
  static func postings(of row: TransactionRow, in snapshot: any StorageSnapshot) throws(LedgerError) -> Self {
    let entries = try snapshot.entries(of: row)
    return TransactionParts(
      row: row, entries: entries, allocations: try allocations(of: entries, in: snapshot),
      items: try snapshot.rows(ItemEntryRow.ofTransaction, [IndexKey(row.number, of: row.customer)]), sources: [:])
  }

  private static func allocations(
    of entries: [EntryRow], in snapshot: some StorageSnapshot
  ) throws(LedgerError) -> [AllocationRow] {
    let split = entries.filter { $0.lot == 0 }.map { IndexKey($0.number, of: $0.account.customer) }
    return split.isEmpty ? [] : try snapshot.rows(AllocationRow.ofEntry, split)
  }
}
