/// The credit of a receipt together with the order that it pays for.
package struct OrderCompletion: Sendable {
  package var code: PurchaseCode
  package var purchase: StorePurchase
  /// The time from the credit to the second delivery try; nil without a delivery.
  package var retryAfterMilliseconds: Int64?

  package init(code: PurchaseCode, purchase: StorePurchase, retryAfterMilliseconds: Int64?) {
    self.code = code
    self.purchase = purchase
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }
}

/// Credits a purchase and marks the order that it pays for.
final class CompleteOrderCommand: Command {
  let completion: OrderCompletion

  init(_ completion: OrderCompletion) { self.completion = completion }

  var action: LedgerCommand.Action { .completeOrder(self) }

  static let keyFields = KeyFields(rest: "purchase")
  var asked: Int64 { CreditPurchaseCommand(completion.purchase).asked }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    var footprint = LedgerCommand.Footprint(purchase: LedgerCommand.PurchaseClaim(completion.purchase))
    footprint.order = completion.code
    return footprint
  }
  var independence: Independence { .none }

  /// Credits the purchase first, in any state of the order: a paid purchase is always credited.
  ///
  /// A purchase pays for the order only if it matches the announced product, store and quantity and the order's
  /// customer. An order is paid for once.
  ///
  /// - Throws: `order_not_found`, then as the credit of a purchase.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    guard var order = try decider.books.work.orders.find(completion.code) else {
      throw .orderNotFound(completion.code)
    }
    var booking = try CreditPurchaseCommand(completion.purchase).decide(&decider, command)
    let environment = try decider.books.work.purchases.number(of: completion.purchase.environment)
    let identity = PurchaseIdentity(
      store: completion.purchase.store, environment: environment, transactionID: completion.purchase.transactionID)
    guard order.purchase == nil,
      let purchase = try decider.books.work.purchases.find(identity), order.fits(purchase),
      try decider.books.work.orders.find(purchase: purchase.number) == nil,
      try decider.books.work.isOwn(purchase, of: order)
    else { return booking }
    order.complete(by: purchase, at: decider.books.work.now, retryAfterMilliseconds: completion.retryAfterMilliseconds)
    decider.books.work.orders.replace(order)
    booking.completesOrder = true
    return booking
  }
}

extension LedgerCommand {
  /// Credits a purchase and marks the order that it pays for, in one commit.
  package static func completeOrder(_ completion: OrderCompletion, customer: CustomerID) -> Self {
    Self(CompleteOrderCommand(completion), customer: customer, key: nil)
  }
}
