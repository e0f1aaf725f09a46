#if PostgreSQL
internal import GemLedger

/// Reads of customers, their ids, accounts and items.
protocol PostgresCustomerReads: PostgresReads {}

extension PostgresCustomerReads {
  func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
    if let deciding { return try deciding.found(id) }
    let alias = PostgresRequest("SELECT customer FROM aliases WHERE id = $1") { $0.add(id.text) }
    guard !layout.isDistributed else {
      // Ids and customers lie on different machines, which no statement joins.
      let found = try ask([alias])[0]
      return found.count == 0 ? nil : try self.found(try existing(found.integer(0, 0)))
    }
    let row = PostgresRequest(
      "SELECT \(CustomerRow.columns) FROM customers WHERE customer = (SELECT customer FROM aliases WHERE id = $1)"
    ) { $0.add(id.text) }
    let found = try ask([alias, row])
    guard found[0].count > 0 else { return nil }
    return try self.found(found[1].count > 0 ? CustomerRow.read(found[1], 0) : existing(found[0].integer(0, 0)))
  }

  private func found(_ row: CustomerRow) throws(LedgerError) -> FoundCustomer {
    FoundCustomer(row.mergedInto == 0 ? row : try existing(row.mergedInto), original: row.number)
  }

  private func existing(_ number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    guard let row = try customer(number: number) else {
      throw LedgerError(.storageDamaged, "\(storageName) has no customer \(number), whom an id names. Run verify.")
    }
    return row
  }

  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? {
    if let deciding {
      _ = try deciding.customers.rows(number.customer)
      return deciding.accounts[number]
    }
    return try first(
      "SELECT \(AccountRow.columns) FROM accounts WHERE customer = $1 AND currency = $2",
      {
        $0.add(number.customer)
        $0.add(number.currency)
      }, AccountRow.read)
  }

  func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    if let deciding { return try deciding.customers.first(number) }
    return try first(
      "SELECT \(CustomerRow.columns) FROM customers WHERE customer = $1", { $0.add(number) }, CustomerRow.read)
  }

  func customers(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow] {
    let page = try all(
      "SELECT \(CustomerRow.columns) FROM customers WHERE customer > $1 ORDER BY customer LIMIT $2",
      {
        $0.add(number)
        $0.add(Int64(limit))
      }, CustomerRow.read)
    if let end = page.last?.number, end <= number { throw .leadsBack("customers") }
    return page
  }

  func mergedCustomers(into number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    if let deciding {
      let row = try deciding.customers.first(number)
      return row?.merged ?? 0 > 0 ? try deciding.merged.rows(number) : []
    }
    return try all(
      "SELECT merged FROM merged_customers WHERE customer = $1 ORDER BY merged", { $0.add(number) },
      { $0.integer($1, 0) })
  }

  func merges(into number: CustomerNumber) throws(LedgerError) -> [MergeRow] {
    if let deciding { return try deciding.rows(deciding.merges, of: number) }
    return try all(
      "SELECT transaction_number, from_customer FROM merges WHERE customer = $1 ORDER BY transaction_number",
      { $0.add(number) },
      { MergeRow(transaction: $0.integer($1, 0), from: $0.integer($1, 1), into: number) })
  }

  func addedIDs(of number: CustomerNumber) throws(LedgerError) -> [CustomerID] {
    if let deciding { return try deciding.rows(deciding.addedIDs, of: number) }
    return try all(
      "SELECT id FROM added_ids WHERE customer = $1 ORDER BY id", { $0.add(number) },
      { CustomerID(unchecked: $0.text($1, 0)) })
  }

  func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber? {
    try first(
      "SELECT customer FROM account_tokens WHERE high = $1 AND low = $2",
      {
        $0.add(token.high)
        $0.add(token.low)
      }, { $0.integer($1, 0) })
  }

  func accounts(of customer: CustomerNumber) throws(LedgerError) -> [AccountRow] {
    try all(
      "SELECT \(AccountRow.columns) FROM accounts WHERE customer = $1 ORDER BY currency", { $0.add(customer) },
      AccountRow.read)
  }

  // MARK: Items

  func owned(_ item: ItemID, customer: CustomerNumber) throws(LedgerError) -> Int64 {
    if let deciding {
      if deciding.isMade(customer) { return 0 }
      if let all = deciding.ownedItems.found[customer] { return all.first { $0.item == item }?.quantity ?? 0 }
      return try deciding.owned.first(GroupRows.OwnedItem(customer: customer, item: item)) ?? 0
    }
    return try first(
      "SELECT quantity FROM owned_items WHERE customer = $1 AND item = $2",
      {
        $0.add(customer)
        $0.add(item.text)
      }, { $0.integer($1, 0) }) ?? 0
  }

  func ownedItems(of customer: CustomerNumber) throws(LedgerError) -> [OwnedItemRow] {
    if let deciding { return try deciding.rows(deciding.ownedItems, of: customer) }
    return try all(
      "SELECT \(OwnedItemRow.columns) FROM owned_items WHERE customer = $1 ORDER BY item", { $0.add(customer) },
      OwnedItemRow.read)
  }
}
#endif
