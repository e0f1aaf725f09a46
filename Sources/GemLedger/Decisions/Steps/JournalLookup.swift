/// Finds transactions and purchases that commands name, and the customers that have them now.
enum JournalLookup {
  /// Finds the transaction of an id and its current owner; nil also if the owner was erased.
  static func booked(_ decider: inout Decider, _ id: TransactionID) throws(LedgerError) -> (
    row: TransactionRow, owner: FoundCustomer, id: CustomerID
  )? {
    guard let number = decider.definitions.transactionIDs.number(of: id) else { return nil }
    var row = decider.work.transaction(number)
    if row == nil { row = try decider.session.transaction(number) }
    guard let row, decider.definitions.transactionIDs.id(number: number, createdAt: row.createdAt) == id else {
      return nil
    }
    var customer = try decider.work.knownCustomer(row.customer)
    let original = customer.number
    // The keys of an erased customer are gone, so a repeated call could not be recognised.
    guard !customer.isErased(salt: decider.definitions.transactionIDs.salt) else { return nil }
    if customer.mergedInto != 0 { customer = try decider.work.knownCustomer(customer.mergedInto) }
    return (row, FoundCustomer(customer, original: original), customer.id)
  }

  static func bookedAt(_ work: inout UnitOfWork, _ hold: TransactionNumber) throws(LedgerError) -> Timestamp {
    if let own = work.transaction(hold) { return own.createdAt }
    guard let row = try work.session.transaction(hold) else {
      throw LedgerError(.storageDamaged, "The journal lacks transaction \(hold); run verify.")
    }
    return row.createdAt
  }

  /// Finds the current owner of the purchase, after merges.
  static func owner(_ work: inout UnitOfWork, of purchase: PurchaseRow) throws(LedgerError) -> CustomerRow {
    try survivor(&work, of: purchase.customer)
  }

  /// Whether the customer that announced the order owns the purchase, after merges.
  static func isOwn(_ work: inout UnitOfWork, _ purchase: PurchaseRow, of order: OrderRow) throws(LedgerError) -> Bool {
    if order.customer == purchase.customer { return true }
    let customer = try survivor(&work, of: order.customer)
    return try customer.number == owner(&work, of: purchase).number
  }

  private static func survivor(_ work: inout UnitOfWork, of number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    let row = try work.knownCustomer(number)
    return row.mergedInto == 0 ? row : try work.knownCustomer(row.mergedInto)
  }

  static func knownPurchase(_ work: inout UnitOfWork, _ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow?
  {
    if let new = work.newPurchase(identity) { return new }
    guard let row = try work.session.purchase(identity) else { return nil }
    return work.withRefund(row)
  }

  static func purchase(_ work: inout UnitOfWork, _ number: Int64) throws(LedgerError) -> PurchaseRow? {
    if let new = work.changes.purchases.first(where: { $0.number == number }) { return work.withRefund(new) }
    guard var row = try work.session.purchase(number: number) else { return nil }
    if work.instant != nil { row.refund = try work.refunds(of: row).last?.state }
    return work.withRefund(row)
  }
}
