/// One step of a basket; see ``LedgerCommand/basket(_:payer:key:details:)``.
public enum BasketLeg: Hashable, Sendable {
  /// Currency goes from one customer to another; its lots keep their source, their share of the price and their expiry.
  case transfer([Adjustment], from: CustomerID, to: CustomerID)
  /// Items go from one customer to another.
  case item(ItemID, quantity: Int64, from: CustomerID, to: CustomerID)
  /// Currency is taken and gone, such as a fee.
  case spend([Adjustment], customer: CustomerID)
  /// Currency is given.
  case grant([Adjustment], customer: CustomerID, source: LotSource)
}
