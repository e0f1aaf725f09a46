internal import GemLedger

/// A transaction over the tables: what it writes is seen by itself, and by others once it is committed.
final class KeyValueSession: KeyValueSnapshot, StorageSession {
  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    for erasure in changes.cold?.erasures ?? [] { try free(erasure) }
    writeRows(changes)
    if let cold = changes.cold { try write(cold) }
    if let rows = changes.catalog {
      replaceAll(by: rows)
      if changes.copy == nil {
        put(CatalogVersionRow(version: try catalogVersion() + 1, appliedAt: changes.catalogAppliedAt))
      }
    }
    if let copy = changes.copy {
      put(copy.catalogVersions)
      replaceAll(by: copy.progress.map { [$0] } ?? [])
      if let journal = copy.journal { replaceAll(by: [journal]) }
    }
    let sums = (recordSums() ?? RecordSums()) + changes.sums()
    set("sums", sums.values)
    if let cold = changes.cold {
      let new = changes.customers.map { AddedIDRow(customer: $0.number, id: $0.id) } + cold.addedIDs
      for erasure in cold.erasures { try erase(erasure, new) }
    }
  }

  // MARK: Lists of rows

  private func writeRows(_ changes: borrowing ChangeSet) {
    let listed = Set(changes.transactionsWithoutEntries.map(\.number))
    let lists: Set = [TransactionRow.withoutEntries.id, TransactionRow.listedWithoutEntries.id]
    for row in changes.transactions { put(row, but: listed.contains(row.number) ? [] : lists) }
    for row in changes.customers { put(AddedIDRow(customer: row.number, id: row.id), but: [AddedIDRow.added.id]) }
    put(changes.itemEntries.map { OwnedItemRow(customer: $0.customer, item: $0.item, quantity: $0.owned) })
    put(changes.entries, changes.allocations, changes.notes, changes.itemEntries, changes.keys, changes.purchases)
    put(changes.environments, changes.customers, changes.newAccounts, changes.changedAccounts, changes.checkpoints)
    put(changes.newLots, changes.changedLots)
    if let last = changes.lastLot { set("lot", [max(last, self.last(.lot))]) }
    let orders = changes.orders
    put(orders.new, orders.changed, orders.accountTokens, orders.entitlements)
  }

  private func write(_ cold: ColdChanges) throws(LedgerError) {
    for row in cold.changedCustomers {
      if let old = try customer(number: row.number), old.mergedInto != row.mergedInto {
        remove(MergedCustomerRow(customer: old.mergedInto, merged: row.number))
      }
      if row.mergedInto != 0 { put(MergedCustomerRow(customer: row.mergedInto, merged: row.number)) }
    }
    put(cold.changedCustomers, cold.addedIDs, cold.merges, cold.lotAttributes, cold.movedLots)
    put(cold.refunds, cold.refunds.map(\.state), cold.refundParts, cold.evidence)
    for refund in cold.refunds {
      if var purchase = try purchase(number: refund.purchase) {
        purchase.refund = refund.state
        put(purchase)
      }
    }
    put(cold.events, cold.holds, cold.counts, cold.documents)
    cold.endedHolds.forEach(remove)
    cold.endedCounts.forEach(remove)
    cold.removedDocuments.forEach(remove)
    for change in cold.idChanges.renamed {
      var row = change.row
      row.id = change.id
      put(row)
    }
    cold.idChanges.removed.forEach(remove)
    for row in cold.idChanges.named { put(row, but: [AddedIDRow.added.id]) }
  }

  // MARK: Erasure

  /// Frees the ids of an erased customer, before new customers take them.
  private func free(_ erasure: ErasureRow) throws(LedgerError) {
    try free(zip(erasure.numbers, erasure.former).map { AddedIDRow(customer: $0, id: $1) } + erasure.added)
  }

  /// An id that another customer has by now stays with that customer.
  private func free(_ ids: [AddedIDRow]) throws(LedgerError) {
    for id in ids {
      let named: AddedIDRow? = try row(AddedIDRow.byID, IndexKey(text: id.id.text))
      if named?.customer == id.customer { remove(id) }
    }
  }

  private func erase(_ erasure: ErasureRow, _ new: [AddedIDRow]) throws(LedgerError) {
    let numbers = Set(erasure.numbers)
    try free(new.filter { numbers.contains($0.customer) })
    for (number, id) in zip(erasure.numbers, erasure.ids) {
      if var row = try customer(number: number) {
        row.id = id
        put(row)
      }
      put(AddedIDRow(customer: number, id: id), but: [AddedIDRow.added.id])
      for var order in try orders(of: number, below: .max, limit: .max) {
        (order.request, order.key) = (OrderRow.erasedRequest, nil)
        put(order)
      }
    }
    for key in page(after: nil as KeyRow?, limit: .max) where numbers.contains(key.customer) { remove(key) }
    for note in page(after: nil as NoteRow?, limit: .max) {
      if let row = try transaction(note.transaction), numbers.contains(row.customer) { remove(note) }
    }
  }

  // MARK: Rows with their places

  private func replaceAll<Row: StoredRow>(by rows: [Row]) {
    for row in page(after: nil as Row?, limit: .max) { remove(row) }
    put(rows)
  }

  private func put<each Row: StoredRow>(_ rows: repeat [each Row]) { repeat putAll(each rows) }
  private func putAll<Row: StoredRow>(_ rows: [Row]) { for row in rows { put(row) } }

  /// - Parameter others: The indexes that the row is not in, though its columns do not say so.
  func put<Row: StoredRow>(_ row: Row, but others: Set<ObjectIdentifier> = []) {
    remove(row)
    let columns = RowColumns(of: row)
    tables.set("\(Row.table)", columns.key, to: columns.bytes)
    for index in Row.indexes where !others.contains(index.id) {
      if let place = columns.place(in: index) { tables.set(index.name, place, to: columns.key) }
    }
  }

  private func remove<Row: StoredRow>(_ row: Row) {
    let key = RowColumns(of: row).key
    guard let old = tables["\(Row.table)"].value(key) else { return }
    tables.set("\(Row.table)", key, to: nil)
    let columns = RowColumns(of: RowColumns(bytes: old).row() as Row)
    for index in Row.indexes {
      if let place = columns.place(in: index) { tables.set(index.name, place, to: nil) }
    }
  }

  private func set(_ name: String, _ numbers: [Int64]) {
    tables.set("numbers", Array(name.utf8), to: numbers.map(StoredValue.integer).coded)
  }
}
