#if PostgreSQL
internal import GemLedger

/// Writes of the journal beside transactions and entries: allocations, notes and items.
enum JournalWrites {
  static func rows(_ changes: borrowing ChangeSet) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    let owners = Owners(changes)
    let (allocations, notes, items) = (changes.allocations, changes.notes, changes.itemEntries)
    if !allocations.isEmpty {
      requests.append(
        PostgresRequest(
          "INSERT INTO allocations (customer, entry, position, lot, amount) SELECT \(BulkInsert.lists(5))"
        ) {
          $0.add(allocations, { owners.entries[$0.entry] ?? 0 })
          $0.add(allocations, \.entry)
          $0.add(allocations, \.position)
          $0.add(allocations, \.lot)
          $0.add(allocations, \.amount)
        })
    }
    if !notes.isEmpty {
      requests.append(
        PostgresRequest(
          """
          INSERT INTO notes (customer, transaction_number, reference, reason, actor)
          SELECT \(BulkInsert.lists(5))
          """
        ) {
          $0.add(notes, { owners.transactions[$0.transaction] ?? 0 })
          $0.add(notes, \.transaction)
          $0.add(notes, text: \.reference?.text)
          $0.add(notes, text: \.reason?.text)
          $0.add(notes, text: \.actor?.text)
        })
    }
    if !items.isEmpty { requests += self.items(items) }
    return requests
  }

  /// The customers of the rows that name a transaction or an entry of the group.
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
    // One row an item and customer: the last has the owned quantity.
    var owned: [[String]: ItemEntryRow] = [:]
    for row in rows { owned[[String(row.customer), row.item.text]] = row }
    let last = Array(owned.values)
    return [
      PostgresRequest(
        """
        INSERT INTO item_entries (customer, transaction_number, item, quantity, owned)
        SELECT \(BulkInsert.lists(5))
        """
      ) {
        $0.add(rows, \.customer)
        $0.add(rows, \.transaction)
        $0.add(rows, text: \.item.text)
        $0.add(rows, \.quantity)
        $0.add(rows, \.owned)
      },
      PostgresRequest(
        """
        INSERT INTO owned_items (customer, item, quantity) SELECT \(BulkInsert.lists(3))
        ON CONFLICT (customer, item) DO UPDATE SET quantity = excluded.quantity
        """
      ) {
        $0.add(last, \.customer)
        $0.add(last, text: \.item.text)
        $0.add(last, \.owned)
      },
    ]
  }
}
#endif
