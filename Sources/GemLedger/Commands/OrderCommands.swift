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
  /// The store transaction that has paid for the order already, where the order is announced late.
  package var paidBy: PaidTransaction?
  /// How long after the opening the second try of its delivery is due, where it is paid for already; nil without a
  /// delivery.
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

/// The credit of a receipt together with the order that it pays for.
package struct OrderCompletion: Sendable {
  package var code: PurchaseCode
  package var purchase: StorePurchase
  /// How long after the credit the second try of its delivery is due; nil without a delivery.
  package var retryAfterMilliseconds: Int64?

  package init(code: PurchaseCode, purchase: StorePurchase, retryAfterMilliseconds: Int64?) {
    self.code = code
    self.purchase = purchase
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }
}

/// A step that an order takes without a payment.
package enum OrderStep: Hashable, Sendable {
  /// It will not be paid.
  case fail
  /// The delivery was confirmed.
  case deliver
  /// The try after `attempts` earlier ones begins; the next one is due at that instant, or never.
  case tryDelivery(attempts: Int64, nextAt: Timestamp?)
}

extension LedgerCommand {
  /// Announces a purchase; the same request under the same key is one order.
  ///
  /// The answer has no transaction; it is replayed where the order was there.
  package static func openOrder(_ opening: OrderOpening, customer: CustomerID) -> Self {
    Self(customer: customer, key: nil, action: .openOrder(opening))
  }

  /// Credits a purchase and marks the order that it pays for, in one commit.
  package static func completeOrder(_ completion: OrderCompletion, customer: CustomerID) -> Self {
    Self(customer: customer, key: nil, action: .completeOrder(completion))
  }

  /// Takes an order one step on; the answer is replayed where the order has no such step to take.
  package static func advanceOrder(_ code: PurchaseCode, _ step: OrderStep, customer: CustomerID) -> Self {
    Self(customer: customer, key: nil, action: .advanceOrder(code, step))
  }

  /// Makes the customer if need be, and registers the token by which purchases name the customer.
  ///
  /// The answer is replayed where the customer existed. A known token stays with its customer.
  package static func registerToken(_ token: TokenNumber, customer: CustomerID) -> Self {
    Self(customer: customer, key: nil, action: .registerToken(token))
  }

  /// Gives the entitlement of a purchase, and of all of its subscription, to the customer; currency stays where it is.
  ///
  /// The answer is replayed where the customer owns it already, or the purchase gave none.
  package static func holdEntitlement(
    store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID, customer: CustomerID
  ) -> Self {
    Self(customer: customer, key: nil, action: .holdEntitlement(store, environment, transactionID))
  }
}
