// MARK: Writing

extension MemoryTables {
  func write(_ changes: borrowing ChangeSet) {
    sums = sums + changes.sums()
    for customer in changes.customers {
      customerIndex.insert(ByteHash.of(customer.id.text), row: customers.count)
      customers.append(customer)
    }
    environmentRows += changes.environments
    if !changes.orders.isEmpty { orders.write(changes.orders) }
    if let rows = changes.catalog {
      let made = CatalogVersionRow(version: catalog.version + 1, appliedAt: changes.catalogAppliedAt)
      catalog.replace(by: rows, as: changes.copy?.catalogVersions ?? [made])
    }
    transactions.append(contentsOf: changes.transactions)
    for row in changes.transactionsWithoutEntries { withoutEntries[row.customer, default: []].append(row.number) }
    entries.append(contentsOf: changes.entries)
    allocations += changes.allocations
    for row in changes.checkpoints { checkpoints[CheckpointID(account: row.account, version: row.version)] = row }
    for row in changes.notes { notes[row.transaction] = row }
    for row in changes.itemEntries {
      itemEntries[row.transaction, default: []].append(row)
      ownedItems[OwnedID(customer: row.customer, item: row.item)] = row.owned
      cold.itemsOfCustomers[row.customer, default: []].insert(row.item)
    }
    for row in changes.purchases { purchases.append(row) }
    for index in changes.keys.indices {
      keyIndex.insert(changes.keyHashes[index], row: keys.count)
      keys.append(changes.keys[index])
    }
    for row in changes.newAccounts { accounts.set(row) }
    for row in changes.changedAccounts { accounts.set(row) }
    lots.write(changes)
    if let cold = changes.cold { write(cold) }
  }
}

extension Array where Element == PagedTable<AccountRow> {
  fileprivate mutating func set(_ row: AccountRow) {
    let currency = Int(row.number.currency)
    while count <= currency { append(PagedTable()) }
    self[currency][row.number.customer] = row
  }
}
