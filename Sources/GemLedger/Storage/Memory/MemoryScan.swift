/// One scan over everything in memory, for verification.
///
/// Rows that the tables keep in another order, or in none, are sorted once. A scan belongs to one read of the tables,
/// which do not change meanwhile.
final class MemoryScan: StorageScan {
  private let tables: MemoryTables
  /// The requested tables, by their row types.
  private var lists: [ObjectIdentifier: AnyObject] = [:]

  init(_ tables: MemoryTables) { self.tables = tables }

  func page<Row: StoredRow>(after: Row?, limit: Int) throws(LedgerError) -> [Row] {
    let list = try list(of: Row.self)
    return list.page(after, limit)
  }

  private func list<Row: StoredRow>(of type: Row.Type) throws(LedgerError) -> RowList<Row> {
    if let known = lists[ObjectIdentifier(type)] as? RowList<Row> { return known }
    guard let list = Self.list(of: type, in: tables) as? RowList<Row> else {
      throw .defect("No table \(type.table) in memory")
    }
    lists[ObjectIdentifier(type)] = list
    return list
  }

  private static func list(of type: any StoredRow.Type, in tables: MemoryTables) -> AnyObject? {
    switch type {
    case is TransactionRow.Type:
      RowList<TransactionRow> { after, limit in
        positions(after: after?.number ?? 0, limit: limit, count: tables.transactions.count)
          .map { tables.transactions[$0] }
      }
    case is EntryRow.Type:
      RowList<EntryRow> { after, limit in
        positions(after: after?.number ?? 0, limit: limit, count: tables.entries.count).map { tables.entries[$0] }
      }
    case is AccountRow.Type:
      RowList<AccountRow> { tables.accounts(after: $0?.number ?? AccountNumber(rawValue: 0), limit: $1) }
    case is LotRow.Type: RowList<LotRow> { tables.lots.rows(after: $0?.number ?? 0, limit: $1) }
    case is AllocationRow.Type: RowList(inOrder: tables.allocations)
    case is MergeRow.Type: RowList(inOrder: tables.cold.merges)
    case is RefundRow.Type: RowList(inOrder: tables.purchases.refunds)
    case is JournalEventRow.Type: RowList(inOrder: tables.cold.events.all)
    case is LotAttributesRow.Type: RowList(inOrder: tables.cold.lotAttributes.rows)
    case is OrderRow.Type: RowList(inOrder: tables.orders.rows)
    case is KeyRow.Type: RowList<KeyRow>(tables.keys(after:limit:))
    // A storage in memory is never the target of a copy.
    case is CopyProgress.Type: RowList(inOrder: [CopyProgress]())
    case is CatalogVersionRow.Type: RowList(inOrder: tables.catalog.versions)
    case is CatalogRow.Type: RowList(tables.catalog.rows.values.joined())
    case is EnvironmentRow.Type: RowList(inOrder: tables.environmentRows)
    case is DocumentRow.Type: RowList(inOrder: tables.cold.documents.rows)
    case is PurchaseRow.Type:
      RowList<PurchaseRow> { after, limit in
        let rows = tables.purchases.rows
        let start = rows.partitioningIndex { $0.number > after?.number ?? 0 }
        return rows[start...].prefix(limit).map(tables.purchases.withRefund)
      }
    case is ItemEntryRow.Type: RowList(tables.itemEntries.values.joined())
    case is NoteRow.Type: RowList(tables.notes.values)
    case is CheckpointRow.Type: RowList(tables.checkpoints.values)
    case is HoldRow.Type: RowList(tables.cold.events.holds.values)
    case is CountRow.Type: RowList(tables.cold.events.counts.values.lazy.flatMap(\.values))
    case is RefundPartRow.Type: RowList(tables.purchases.refundParts.values.joined())
    case is EvidenceRow.Type: RowList(tables.purchases.evidence.values.joined())
    case is RefundStateRow.Type:
      RowList(
        tables.purchases.refundsOfPurchases.values.compactMap { $0.last.map { tables.purchases.refunds[$0].state } })
    case is OwnedItemRow.Type:
      RowList(
        tables.ownedItems.map { OwnedItemRow(customer: $0.key.customer, item: $0.key.item, quantity: $0.value) })
    case is AccountTokenRow.Type:
      RowList(tables.orders.tokens.map { AccountTokenRow(token: $0.key, customer: $0.value) })
    case is EntitlementRow.Type:
      RowList(tables.orders.holders.map { EntitlementRow(purchase: $0.key, holder: $0.value) })
    case is AddedIDRow.Type:
      RowList(
        tables.customers.map { AddedIDRow(customer: $0.number, id: $0.id) }
          + tables.cold.addedIDs.map { AddedIDRow(customer: $0.value, id: $0.key) })
    default: nil
    }
  }

  /// Returns the indexes after a number, of rows numbered from 1.
  static func positions(after number: Int64, limit: Int, count: Int) -> Range<Int> {
    let start = min(count, max(0, Int(number)))
    return start..<min(count, start + limit)
  }
}

/// The rows of one table in the order of their keys.
private final class RowList<Row: StoredRow> {
  let page: (_ after: Row?, _ limit: Int) -> [Row]

  init(_ page: @escaping (_ after: Row?, _ limit: Int) -> [Row]) { self.page = page }

  init(inOrder rows: [Row]) {
    page = { after, limit in
      let last = after.map { RowKey(of: $0) }
      let start = last.map { last in rows.partitioningIndex { RowKey(of: $0) > last } } ?? 0
      return Array(rows[start...].prefix(limit))
    }
  }

  convenience init(_ rows: some Sequence<Row>) {
    self.init(inOrder: rows.map { (RowKey(of: $0), $0) }.sorted { $0.0 < $1.0 }.map(\.1))
  }
}

extension MemoryTables {
  func scan() -> any StorageScan { MemoryScan(self) }

  fileprivate func accounts(after: AccountNumber, limit: Int) -> [AccountRow] {
    var all: [AccountRow] = []
    for customer in stride(from: after.customer, through: Int64(customers.count), by: 1) {
      all += accounts(of: customer).filter { $0.number > after }
      if all.count >= limit { break }
    }
    return Array(all.prefix(limit))
  }
}

extension MemoryTables {
  /// Returns the keys in the order of insertion.
  fileprivate func keys(after last: KeyRow?, limit: Int) -> [KeyRow] {
    var place = 0
    if let last { place = self.place(of: last.key, customer: last.customer).map { $0 + 1 } ?? keys.count }
    var rows: [KeyRow] = []
    while place < keys.count, rows.count < limit {
      let row = keys[place]
      if !row.isErased { rows.append(row) }
      place += 1
    }
    return rows
  }

  private func place(of key: IdempotencyKey, customer: CustomerNumber) -> Int? {
    keyIndex.find(KeyHash.of(ByteHash.of(key.text), customer: customer)) {
      keys[$0].customer == customer && keys[$0].key == key
    }
  }
}

extension MemoryLots {
  fileprivate func rows(after: LotNumber, limit: Int) -> [LotRow] {
    var found: [LotRow] = []
    var number = after + 1
    while number <= count, found.count < limit {
      if let lot = self[number] { found.append(lot) }
      number += 1
    }
    return found
  }
}
