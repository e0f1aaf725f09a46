/// The data that opens an order.
package struct OrderOpening: Sendable {
  package var code: PurchaseCode
  package var store: Store
  package var product: ProductCode
  package var quantity: Int64
  /// The whole announcement, as a JSON document.
  package var request: String
  package var key: IdempotencyKey?
  package var lifetimeMilliseconds: Int64
  /// The store transaction that has paid for the order already, if the order is announced late.
  package var paidBy: PaidTransaction?
  /// The time from the opening to the second delivery try, if the order is paid for already; nil without a delivery.
  package var retryAfterMilliseconds: Int64?

  package struct PaidTransaction: Hashable, Sendable {
    package var environment: StoreEnvironment
    package var id: StoreTransactionID

    package init(environment: StoreEnvironment, id: StoreTransactionID) {
      self.environment = environment
      self.id = id
    }
  }

  package init(
    code: PurchaseCode, store: Store, product: ProductCode, quantity: Int64, request: String, key: IdempotencyKey?,
    lifetimeMilliseconds: Int64, paidBy: PaidTransaction?, retryAfterMilliseconds: Int64? = nil
  ) {
    self.code = code
    self.store = store
    self.product = product
    self.quantity = quantity
    self.request = request
    self.key = key
    self.lifetimeMilliseconds = lifetimeMilliseconds
    self.paidBy = paidBy
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }
}

/// Announces a purchase.
final class OpenOrderCommand: Command {
  let opening: OrderOpening

  init(_ opening: OrderOpening) { self.opening = opening }

  var action: LedgerCommand.Action { .openOrder(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(.keyless, 0) }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    opening.paidBy.map { paid in
      LedgerCommand.Footprint(
        purchase: .init(store: opening.store, environment: paid.environment, transactionID: paid.id))
    }
  }
  var independence: Independence { .none }

  /// - Throws: in order of precedence `amount_out_of_range`, `key_conflict`, `already_exists` (the code is taken).
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try RequestRules.check(quantity: opening.quantity, of: opening.product.text)
    let known = try decider.books.work.customers.find(command.customer)
    if let known, let key = opening.key,
      let order = try decider.books.work.orders.find(key: key, customer: known)
    {
      if let field = order.differingField(from: opening) {
        throw LedgerError(
          .keyConflict,
          "The key \"\(key)\" was used before for another order: it differs in \(field). Use a new key for a new "
            + "order.",
          details: [.text("field", field)])
      }
      return decider.books.work.answer(command.customer, isReplayed: true)
    }
    let purchase = try paidPurchase(decider.books.work, by: known)
    if let purchase, try decider.books.work.orders.find(purchase: purchase.number) != nil {
      return decider.books.work.answer(command.customer, isReplayed: true)
    }
    guard try decider.books.work.orders.find(opening.code) == nil else {
      throw LedgerError(.alreadyExists, "There is an order \(opening.code) already.")
    }
    let customer = if let known { known } else { try decider.books.work.customers.add(command.customer) }
    var row = OrderRow(
      number: try decider.books.work.orders.nextNumber(), code: opening.code, customer: customer.number,
      store: opening.store, product: opening.product, quantity: opening.quantity, request: opening.request,
      key: opening.key, createdAt: decider.books.work.now,
      deadline: decider.books.work.now.advanced(milliseconds: opening.lifetimeMilliseconds))
    if let purchase, row.fits(purchase) {
      row.complete(by: purchase, at: decider.books.work.now, retryAfterMilliseconds: opening.retryAfterMilliseconds)
    }
    decider.books.work.orders.add(row)
    return decider.books.work.answer(command.customer, isReplayed: false)
  }

  /// Returns the customer's purchase that the announcement names; nil if it is not credited yet or not the customer's.
  private func paidPurchase(_ work: borrowing UnitOfWork, by customer: FoundCustomer?) throws(LedgerError)
    -> PurchaseRow?
  {
    guard let paid = opening.paidBy, let customer else { return nil }
    // A read does not give a number to an environment that no purchase has used yet.
    guard let environment = try work.purchases.knownNumber(of: paid.environment) else { return nil }
    let identity = PurchaseIdentity(store: opening.store, environment: environment, transactionID: paid.id)
    guard let purchase = try work.purchases.find(identity),
      try work.owner(of: purchase).number == customer.number
    else { return nil }
    return purchase
  }
}

extension LedgerCommand {
  /// Announces a purchase; the same request under the same key is one order.
  ///
  /// The answer has no transaction; it is replayed if the order existed.
  package static func openOrder(_ opening: OrderOpening, customer: CustomerID) -> Self {
    Self(OpenOrderCommand(opening), customer: customer, key: nil)
  }
}
