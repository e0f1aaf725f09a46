/// What a storage reads of orders, account tokens and moved entitlements.
package protocol OrderReads: AnyObject {
  func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow?
  /// The order that the purchase paid for.
  func order(purchase: Int64) throws(LedgerError) -> OrderRow?
  func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow?
  /// The customer's orders below a number, newest first.
  func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow]
  /// The orders of a state after a position that are due until an instant, it included, in the order of their due instants.
  func orders(
    _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
  ) throws(LedgerError) -> [OrderRow]
  /// All orders in the order of their numbers, for `verify`.
  func orders(after: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow]

  func purchase(number: Int64) throws(LedgerError) -> PurchaseRow?
  func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber?

  /// Who has the purchase's entitlement, where it was moved.
  func entitlementHolder(_ identity: PurchaseIdentity) throws(LedgerError) -> CustomerNumber?
  /// The purchases of others whose entitlements the customer has; at most `limit`.
  func heldEntitlements(of customer: CustomerNumber, limit: Int) throws(LedgerError) -> [PurchaseIdentity]
}
