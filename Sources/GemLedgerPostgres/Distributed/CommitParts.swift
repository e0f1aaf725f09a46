#if PostgreSQL
internal import GemLedger

/// The rows of a group on nodes that may commit independently.
///
/// A lane's rows are on one node with the group's commit token; each id is on a node of its value.
struct CommitParts {
  /// The ids of new customers, and added ids.
  let ids: [AddedIDRow]
  let transactions: [RowAddress]
  let purchases: [PurchaseRow]

  init(_ changes: borrowing ChangeSet) {
    let erased = Set(changes.cold?.erasures.flatMap(\.numbers) ?? [])
    let new = changes.customers.map { AddedIDRow(customer: $0.number, id: $0.id) }
    ids = (new + (changes.cold?.addedIDs ?? [])).filter { !erased.contains($0.customer) }
    transactions = changes.transactions.map { RowAddress($0.number, of: $0.customer) }
    purchases = changes.purchases
  }
}

extension CommitParts {
  /// Returns the missing part of a commit, or an existing part of a failed commit; nil if it is consistent.
  ///
  /// - Parameter isThere: Whether the group's commit token exists.
  func half(_ isThere: Bool, in session: PostgresSession) throws(LedgerError) -> LedgerError? {
    let answers = try session.ask([
      PostgresRequest("SELECT id, customer FROM aliases WHERE id = ANY($1)", ids.map(\.id.text)),
      PostgresRequest("SELECT customer FROM customers WHERE customer = ANY($1)", ids.map(\.customer)),
      PostgresRequest(
        "SELECT number FROM transactions WHERE customer = ANY($1) AND number = ANY($2)",
        transactions.map { $0.customer ?? 0 }, transactions.map(\.number)),
      PurchaseIdentity.credits(ofAny: purchases.map(\.identity)),
    ])
    var named: [CustomerID: CustomerNumber] = [:]
    for row in 0..<answers[0].count {
      named[CustomerID(unchecked: answers[0].text(row, 0))] = answers[0].integer(row, 1)
    }
    let customers = Set((0..<answers[1].count).map { answers[1].integer($0, 0) })
    let booked = Set((0..<answers[2].count).map { answers[2].integer($0, 0) })
    for row in ids {
      let isNamed = named[row.id] == row.customer
      if isThere, !customers.contains(row.customer) {
        return .halfCommit(session.storageName, "customer number \(row.customer) is missing")
      }
      if isThere, !isNamed {
        return .halfCommit(
          session.storageName, "customer number \(row.customer) exists, but the id \"\(row.id)\" does not name it")
      }
      // Another group may have created the customer since, under the same number.
      if !isThere, isNamed, !customers.contains(row.customer) {
        return .halfCommit(
          session.storageName, "the id \"\(row.id)\" names customer number \(row.customer), which is missing")
      }
    }
    guard isThere else { return nil }
    if let missing = transactions.first(where: { !booked.contains($0.number) }) {
      return .halfCommit(session.storageName, "transaction number \(missing.number) is missing")
    }
    let credits = Dictionary(
      (0..<answers[3].count).map { (answers[3].purchaseIdentity($0), answers[3].storeClaim($0).purchase) },
      uniquingKeysWith: { first, _ in first })
    if let row = purchases.first(where: { credits[$0.identity] != $0.number }) {
      return .halfCommit(
        session.storageName,
        "purchase number \(row.number) exists, but its store transaction \(row.identity.transactionID) does not")
    }
    return nil
  }
}
#endif
