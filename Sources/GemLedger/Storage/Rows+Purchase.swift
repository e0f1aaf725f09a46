/// The unique identity of a store transaction.
package struct PurchaseIdentity: Hashable, Sendable {
  package var store: Store
  package var environment: Int64
  package var transactionID: StoreTransactionID

  package init(store: Store, environment: Int64, transactionID: StoreTransactionID) {
    self.store = store
    self.environment = environment
    self.transactionID = transactionID
  }
}

/// Currency of one lot.
package struct LotAmount: Hashable, Sendable {
  /// The currency's number.
  package var currency: Int64
  package var lot: LotNumber
  package var amount: Int64

  package init(currency: Int64, lot: LotNumber, amount: Int64) {
    self.currency = currency
    self.lot = lot
    self.amount = amount
  }
}

/// A credited purchase with its frozen product.
package struct PurchaseRow: Hashable, Sendable {
  package var number: Int64
  package var identity: PurchaseIdentity
  package var customer: CustomerNumber
  package var transaction: TransactionNumber
  package var product: ProductCode
  package var quantity: Int64
  package var price: Money?
  package var purchasedAt: Timestamp
  /// The product's JSON document at the time of the purchase.
  package var frozenProduct: String
  /// The first transaction of the same subscription; nil if this is the first.
  package var originalTransactionID: StoreTransactionID?
  /// When the paid period ends, for a subscription.
  package var expiresAt: Timestamp?
  /// The grant of a purchase that granted a single amount, as in its transaction; nil for other purchases.
  package var grant: LotAmount?
  /// The state after its refunds, nil if it has none; not part of the journal's row.
  package var refund: RefundStateRow?

  package init(
    number: Int64, identity: PurchaseIdentity, customer: CustomerNumber, transaction: TransactionNumber,
    product: ProductCode, quantity: Int64, price: Money?, purchasedAt: Timestamp, frozenProduct: String,
    originalTransactionID: StoreTransactionID? = nil, expiresAt: Timestamp? = nil, grant: LotAmount? = nil,
    refund: RefundStateRow? = nil
  ) {
    self.originalTransactionID = originalTransactionID
    self.expiresAt = expiresAt
    self.grant = grant
    self.refund = refund
    self.number = number
    self.identity = identity
    self.customer = customer
    self.transaction = transaction
    self.product = product
    self.quantity = quantity
    self.price = price
    self.purchasedAt = purchasedAt
    self.frozenProduct = frozenProduct
  }
}
