/// Storage reads of orders, account tokens and entitlements.
package protocol OrderReads: AnyObject {
  func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow?
  /// The order that the purchase paid for.
  func order(purchase: Int64) throws(LedgerError) -> OrderRow?
  func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow?
  /// The customer's orders below a number, newest first.
  func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow]
  /// The orders of a state after a position that are due until an instant, it included, in the order in which they are
  /// due.
  func orders(
    _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
  ) throws(LedgerError) -> [OrderRow]

  func purchase(number: Int64) throws(LedgerError) -> PurchaseRow?
  func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber?

  /// Returns the owner of the entitlement that the purchase gave; nil where it gave none.
  func entitlementHolder(purchase: Int64) throws(LedgerError) -> CustomerNumber?
  /// Reads the purchases, below a number, with entitlements that the customer has now, newest first.
  func entitlements(of customer: CustomerNumber, below purchase: Int64, limit: Int) throws(LedgerError) -> [Int64]
}

extension OrderReads {
  /// Finds the order under a key: of the customer as named first, then of the surviving customer, as keys are looked
  /// up.
  package func order(key: IdempotencyKey, customer: FoundCustomer) throws(LedgerError) -> OrderRow? {
    if let own = try order(key: key, customer: customer.original) { return own }
    return customer.original == customer.number ? nil : try order(key: key, customer: customer.number)
  }
}
