#if PostgreSQL
internal import GemLedger

/// The reads of nearly every command.
protocol PostgresHotReads: PostgresReads {}

extension PostgresHotReads {
  func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? {
    if let deciding { return try deciding.found(id) }
    let alias = PostgresRequest("SELECT customer FROM aliases WHERE id = $1", id.text)
    guard layout.cluster == nil else {
      // Ids and customers are on different nodes, which no statement joins.
      let found = try ask([alias])[0]
      return found.count == 0 ? nil : try self.found(try existing(found.integer(0, 0)))
    }
    let row = PostgresRequest(
      "SELECT \(CustomerRow.columns) FROM customers WHERE customer = (SELECT customer FROM aliases WHERE id = $1)",
      id.text)
    let found = try ask([alias, row])
    guard found[0].count > 0 else { return nil }
    return try self.found(found[1].count > 0 ? CustomerRow.read(found[1], 0) : existing(found[0].integer(0, 0)))
  }

  private func found(_ row: CustomerRow) throws(LedgerError) -> FoundCustomer {
    FoundCustomer(row.mergedInto == 0 ? row : try existing(row.mergedInto), original: row.number)
  }

  private func existing(_ number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    guard let row = try customer(number: number) else {
      throw LedgerError(.storageDamaged, "\(storageName) has no customer \(number), which an id names. Run verify.")
    }
    return row
  }

  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? {
    if let deciding {
      _ = try deciding.customers.rows(number.customer)
      return deciding.accounts[number]
    }
    let request = PostgresRequest(
      "SELECT \(AccountRow.columns) FROM accounts WHERE customer = $1 AND currency = $2", number.customer,
      number.currency)
    return try first(request, read: AccountRow.read)
  }

  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    let storageName = storageName
    if let deciding {
      if deciding.isMade(customer) { return nil }
      return try deciding.keys.first(GroupRows.KeyAddress(customer: customer, key: key))
    }
    let request = PostgresRequest(
      "SELECT \(KeyRow.columns) FROM keys WHERE customer = $1 AND key = $2", customer,
      PostgresBytes(bytes: PostgresKey.bytes(key)))
    return try first(request) { (rows, row) throws(LedgerError) in try KeyRow.readAnswered(rows, row, storageName) }
  }
}
#endif
