#if PostgreSQL
internal import GemLedger

/// The rows of customers that a process knows only by their ids, read in the round trip that looks up the ids.
///
/// Rows of customers in lanes that the group holds cannot change between the statements of the round trip. Commands of
/// other customers are refused after the prefetch, and routed again, so their rows here are never decided on.
struct RowsOfIDs {
  var customers: [CustomerNumber: [CustomerRow]] = [:]
  var keys: [GroupRows.KeyAddress: [KeyRow]] = [:]
  /// The first lots; nil if they were not requested.
  var lots: [CustomerNumber: [LotRow]]?
}

extension GroupRows {
  /// Returns the queries for the rows of all ids that are about to be looked up.
  ///
  /// A distributed engine does not join ids with customers.
  func queriesOfIDs() -> [RowsQuery] {
    let ids = Array(aliases.wanted)
    rowsOfIDs = RowsOfIDs()
    guard layout.cluster == nil, !ids.isEmpty else { return [] }
    var queries = [
      RowsQuery(requests: [CustomerStatements.customersWithAccounts(of: ids)]) {
        let (number, customer) = $0.keep(customer: $1, $2)
        $0.rowsOfIDs.customers[number, default: []].append(customer)
      }
    ]
    if guess.wantsLots {
      rowsOfIDs.lots = [:]
      queries.append(
        RowsQuery(requests: [CustomerStatements.firstLots(of: ids)]) {
          let lot = LotRow.read($1, $2)
          $0.rowsOfIDs.lots?[lot.account.customer, default: []].append(lot)
        })
    }
    let named = ids.flatMap { id in (guess.keysOfIDs[id] ?? []).map { (id, $0) } }
    if !named.isEmpty {
      queries.append(
        RowsQuery(requests: [KeyStatements.request(named)]) { (rows, answer, row) throws(LedgerError) in
          let key = try KeyRow.readAnswered(answer, row, rows.storageName)
          rows.rowsOfIDs.keys[KeyAddress(customer: key.customer, key: key.key), default: []].append(key)
        })
    }
    return queries
  }

  /// Uses the rows that were read by an id of the customer.
  func useRows(ofIDs number: CustomerNumber, named id: CustomerID) {
    guard let rows = rowsOfIDs.customers[number] else { return }
    let addresses = (guess.keysOfIDs[id] ?? []).map { KeyAddress(customer: number, key: $0) }
    for address in addresses where keys.found[address] == nil {
      let known = rowsOfIDs.keys[address] ?? []
      keys.set(address, to: known)
      received(known)
    }
    if let lots = rowsOfIDs.lots, firstLots.found[number] == nil {
      firstLots.set(number, to: lots[number] ?? [])
      received(lots[number] ?? [])
    }
    customers.set(number, to: rows)
    want(number, named: id)
    arrived(customer: number, rows)
  }
}
#endif
