// MARK: Writing

extension MemoryTables {
  func write(_ changes: borrowing ChangeSet) {
    sums = sums + changes.sums()
    for customer in changes.customers { add(customer) }
    environmentRows += changes.environments
    if !changes.orders.isEmpty { orders.write(changes.orders) }
    if let rows = changes.catalog {
      let made = CatalogVersionRow(version: version + 1, appliedAt: changes.catalogAppliedAt)
      replaceCatalog(rows, as: changes.copy?.catalogVersions ?? [made])
    }
    appendJournal(changes)
    for index in changes.keys.indices { add(changes.keys[index], hash: changes.keyHashes[index]) }
    for row in changes.newAccounts { set(row) }
    for row in changes.changedAccounts { set(row) }
    if let lastLot = changes.lastLot { lotCount = lastLot }
    for lot in changes.newLots {
      if lot.purchase == nil, lot.price == nil, lot.expiresAt == .max {
        accountLots[lot.account, default: .init()].pooled.append(lot.number)
      }
      set(lot)
    }
    for lot in changes.changedLots { set(lot) }
    if let rare = changes.rare { write(rare) }
  }

  func set(_ lot: LotRow) {
    if let old = lots[lot.number], old.account != lot.account { leave(old) }
    let wasOpen = (lots[lot.number]?.remaining ?? 0) > 0
    lots[lot.number] = lot
    guard wasOpen != (lot.remaining > 0) else { return }
    accountLots[lot.account, default: .init()].setOpen(lot, isOpen: !wasOpen)
  }

  private func add(_ customer: CustomerRow) {
    customerIndex.insert(ByteHash.of(customer.id.text), row: customers.count)
    customers.append(customer)
  }

  private func replaceCatalog(_ rows: [CatalogRow], as versions: [CatalogVersionRow]) {
    catalogVersions += versions
    version = versions.last?.version ?? version
    catalog = Dictionary(grouping: rows, by: \.kind)
    catalogByCode = catalog.mapValues { rows in
      Dictionary(uniqueKeysWithValues: rows.enumerated().map { (ByteString($0.element.code), $0.offset) })
    }
  }

  private func appendJournal(_ changes: borrowing ChangeSet) {
    transactions.append(contentsOf: changes.transactions)
    for row in changes.transactionsWithoutEntries { withoutEntries[row.customer, default: []].append(row.number) }
    entries.append(contentsOf: changes.entries)
    allocations += changes.allocations
    for row in changes.anchors { anchors[AnchorID(account: row.account, version: row.version)] = row }
    for row in changes.notes { notes[row.transaction] = row }
    for row in changes.itemEntries {
      itemEntries[row.transaction, default: []].append(row)
      ownedItems[OwnedID(customer: row.customer, item: row.item)] = row.owned
      rare.itemsOfCustomers[row.customer, default: []].insert(row.item)
    }
    for row in changes.purchases {
      purchaseIndex[row.identity] = purchases.count
      rare.purchasesOfCustomers[row.customer, default: []].append(purchases.count)
      purchases.append(row)
    }
  }

  private func add(_ row: KeyRow, hash: Int) {
    keyIndex.insert(hash, row: keys.count)
    keys.append(row)
  }

  private func set(_ row: AccountRow) {
    let currency = Int(row.number.currency)
    while accounts.count <= currency { accounts.append(PagedTable()) }
    accounts[currency][row.number.customer] = row
  }
}
