extension Ledger {
  /// Returns the customer's open holds, earliest deadline first.
  ///
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func holds(of customer: CustomerID) throws(LedgerError) -> [OpenHold] {
    return try reading { (snapshot, definitions) throws(LedgerError) -> [OpenHold] in
      let now = try clock.now(in: snapshot)
      let row = try CustomerFinder(snapshot).customer(customer)
      let owners = try CustomerFinder(snapshot).numbers(of: row)
      var holds: [OpenHold] = []
      for hold in try snapshot.holds(of: row.number) where hold.deadline > now {
        guard let begun = try snapshot.transaction(hold.number) else {
          throw LedgerError(.storageDamaged, "The journal lacks transaction \(hold.number); run verify.")
        }
        let parts = HoldRules.outstanding(
          try snapshot.events(about: hold.number, ofAny: owners), of: row.number)
        let amounts = parts.compactMap { part in
          definitions.currency(number: part.account.currency).map {
            CurrencyAmount(currency: $0.code, amount: part.amount)
          }
        }
        let id = HoldID(definitions.transactionIDs.id(number: hold.number, createdAt: begun.createdAt))
        holds.append(
          OpenHold(
            id: id, amounts: CurrencySums.sum([], amounts), createdAt: begun.createdAt, expiresAt: hold.deadline))
      }
      return holds
    }
  }
}

/// A hold that has not ended.
public struct OpenHold: Hashable, Sendable {
  /// The hold's id.
  public let id: HoldID
  /// The held amounts, in the order of codes.
  public let amounts: [CurrencyAmount]
  /// When it began.
  public let createdAt: Timestamp
  /// The hold's deadline.
  public let expiresAt: Timestamp
}
