internal import GemLedger

/// A transaction over the tables: what it writes is seen by itself, and by others once it is committed.
final class KeyValueSession: KeyValueSnapshot, StorageSession {
  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    for erasure in changes.cold?.erasures ?? [] { free(erasure) }
    writeJournal(changes)
    writeProjections(changes)
    if let cold = changes.cold { try write(cold) }
    write(changes.orders)
    if let rows = changes.catalog { writeCatalog(rows, changes) }
    let sums = (recordSums() ?? RecordSums()) + changes.sums()
    set("sums", sums.values)
    if let cold = changes.cold {
      let new = changes.customers.map { AddedIDRow(customer: $0.number, id: $0.id) } + cold.addedIDs
      for erasure in cold.erasures { try erase(erasure, new) }
    }
  }

  // MARK: Lists of rows

  private func writeJournal(_ changes: borrowing ChangeSet) {
    let listed = Set(changes.transactionsWithoutEntries.map(\.number))
    for row in changes.transactions {
      put(row, but: listed.contains(row.number) ? [] : [.transactionsWithoutEntries, .transactionWithoutEntries])
    }
    put(changes.entries)
    put(changes.allocations)
    put(changes.notes)
    put(changes.purchases)
    put(changes.itemEntries)
    put(changes.itemEntries.map { OwnedItemRow(customer: $0.customer, item: $0.item, quantity: $0.owned) })
    for row in changes.keys { put(row) }
  }

  private func writeProjections(_ changes: borrowing ChangeSet) {
    put(changes.environments)
    put(changes.customers)
    for row in changes.customers { put(AddedIDRow(customer: row.number, id: row.id), but: [.addedIDs]) }
    put(changes.newAccounts)
    put(changes.changedAccounts)
    put(changes.checkpoints)
    put(changes.newLots)
    put(changes.changedLots)
    if let last = changes.lastLot { set("lot", [max(last, self.last(.lot))]) }
  }

  private func write(_ cold: ColdChanges) throws(LedgerError) {
    put(cold.lotAttributes)
    put(cold.movedLots)
    for row in cold.changedCustomers {
      if let old = try customer(number: row.number), old.mergedInto != row.mergedInto {
        remove(MergedCustomerRow(customer: old.mergedInto, merged: row.number))
      }
      if row.mergedInto != 0 { put(MergedCustomerRow(customer: row.mergedInto, merged: row.number)) }
    }
    put(cold.changedCustomers)
    put(cold.addedIDs)
    put(cold.merges)
    put(cold.refunds)
    put(cold.refunds.map(\.state))
    put(cold.refundParts)
    put(cold.refundEvidence)
    put(cold.events)
    put(cold.holds)
    cold.endedHolds.forEach(remove)
    put(cold.counts)
    cold.endedCounts.forEach(remove)
    for change in cold.idChanges.renamed {
      var row = change.row
      row.id = change.id
      put(row)
    }
    cold.idChanges.removed.forEach(remove)
    for row in cold.idChanges.named { put(row, but: [.addedIDs]) }
  }

  private func write(_ orders: OrderChanges) {
    put(orders.new)
    put(orders.changed)
    put(orders.accountTokens)
    put(orders.entitlements)
  }

  private func writeCatalog(_ rows: [CatalogRow], _ changes: borrowing ChangeSet) {
    for row in KeyValueScan(self).page(after: nil as CatalogRow?, limit: .max) { remove(row) }
    put(rows)
    let made = CatalogVersionRow(version: catalogVersion() + 1, appliedAt: changes.catalogAppliedAt)
    put(changes.copy?.catalogVersions ?? [made])
  }

  // MARK: Erasure

  /// Frees the ids of an erased customer, before new customers take them.
  private func free(_ erasure: ErasureRow) {
    free(zip(erasure.numbers, erasure.former).map { AddedIDRow(customer: $0, id: $1) } + erasure.added)
  }

  /// An id that another customer has by now stays with that customer.
  private func free(_ ids: [AddedIDRow]) {
    for id in ids where row(ofKey: AddedIDRow.self, { $0.add(id.id.text) })?.customer == id.customer { remove(id) }
  }

  private func erase(_ erasure: ErasureRow, _ new: [AddedIDRow]) throws(LedgerError) {
    let numbers = Set(erasure.numbers)
    free(new.filter { numbers.contains($0.customer) })
    for (number, id) in zip(erasure.numbers, erasure.ids) {
      if var row = try customer(number: number) {
        row.id = id
        put(row)
      }
      put(AddedIDRow(customer: number, id: id), but: [.addedIDs])
      for order in page(.ofCustomer, IndexKey(number), after: nil, limit: .max) as [OrderRow] {
        var order = order
        (order.request, order.key) = (OrderRow.erasedRequest, nil)
        put(order)
      }
      for (key, value) in zip(tables["keys"].keys, tables["keys"].values) where Self.key(value).customer == number {
        tables.set("keys", key, to: nil)
      }
    }
    for note in KeyValueScan(self).page(after: nil as NoteRow?, limit: .max) {
      if let row = try transaction(note.transaction), numbers.contains(row.customer) { remove(note) }
    }
  }

  // MARK: Rows with their places

  private func put<Row: StoredRow>(_ rows: [Row]) { for row in rows { put(row) } }

  /// - Parameter others: The indexes that the row is not in, though its columns do not say so.
  private func put<Row: StoredRow>(_ row: Row, but others: Set<IndexName> = []) {
    remove(row)
    let values = ColumnValues(of: row)
    tables.set("\(Row.table)", values.key.bytes, to: RowWriter.bytes(row))
    for index in IndexName.of(Row.self) where !others.contains(index) {
      if let place = values.place(in: index.shape) { tables.set("\(index)", place, to: values.key.bytes) }
    }
  }

  private func remove<Row: StoredRow>(_ row: Row) {
    let key = ColumnValues(of: row).key.bytes
    guard let old = tables["\(Row.table)"].value(key) else { return }
    let values = ColumnValues(of: RowReader.row(old) as Row)
    tables.set("\(Row.table)", key, to: nil)
    for index in IndexName.of(Row.self) {
      if let place = values.place(in: index.shape) { tables.set("\(index)", place, to: nil) }
    }
  }

  private func put(_ row: KeyRow) {
    var (key, values) = (KeyBytes(), ValueWriter())
    key.add(row.customer)
    key.add(row.key.text)
    values.add(row.customer)
    values.add(bytes: Array(row.key.text.utf8))
    values.add(row.fingerprint.asked)
    values.add(row.fingerprint.qualifiers)
    values.add(row.bookedTransaction ?? 0)
    if case .refused(let refusal) = row.outcome { values.add(bytes: Array(refusal.stored.utf8)) }
    tables.set("keys", key.bytes, to: values.bytes)
  }

  private func set(_ name: String, _ numbers: [Int64]) {
    var values = ValueWriter()
    for number in numbers { values.add(number) }
    tables.set("numbers", Array(name.utf8), to: values.bytes)
  }
}
