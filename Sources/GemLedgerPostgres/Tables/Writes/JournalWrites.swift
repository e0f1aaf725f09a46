#if PostgreSQL
internal import GemLedger

/// Writes of journal rows other than transactions and entries: allocations, notes and items.
enum JournalWrites {
  static func rows(_ changes: borrowing ChangeSet) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    let owners = Owners(changes)
    let (allocations, notes, items) = (changes.allocations, changes.notes, changes.itemEntries)
    if !allocations.isEmpty {
      requests.append(AllocationRow.insert(allocations, owners: allocations.map { owners.entries[$0.entry] ?? 0 }))
    }
    if !notes.isEmpty {
      requests.append(NoteRow.insert(notes, owners: notes.map { owners.transactions[$0.transaction] ?? 0 }))
    }
    if !items.isEmpty { requests += self.items(items) }
    return requests
  }

  /// The customers of rows that refer to a transaction or an entry of the group.
  private struct Owners {
    var transactions: [TransactionNumber: CustomerNumber] = [:]
    var entries: [EntryNumber: CustomerNumber] = [:]

    init(_ changes: borrowing ChangeSet) {
      if !changes.notes.isEmpty {
        for row in changes.transactions { transactions[row.number] = row.customer }
      }
      if !changes.allocations.isEmpty {
        for row in changes.entries { entries[row.number] = row.account.customer }
      }
    }
  }

  private static func items(_ rows: [ItemEntryRow]) -> [PostgresRequest] {
    // One row for each item and customer: the last row has the owned quantity.
    var owned: [[String]: ItemEntryRow] = [:]
    for row in rows { owned[[String(row.customer), row.item.text]] = row }
    let last = owned.values.map { OwnedItemRow(customer: $0.customer, item: $0.item, quantity: $0.owned) }
    return [
      ItemEntryRow.insert(rows),
      OwnedItemRow.insert(last, conflict: OwnedItemRow.changing()),
    ]
  }
}
#endif
