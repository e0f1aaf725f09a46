internal import GemLedger

/// The ledger's rows about a transaction before a decision.
struct TransactionLookup: Sendable {
  let productIndex: ProductIndex
  let buyer: CustomerID
  /// Whether the buyer is the customer of the transaction's token; true also without a token that is made of an id.
  let isBuyerKnown: Bool
  /// When the named order was announced.
  let orderedAt: Timestamp?
  /// The purchase, where the transaction is credited.
  let known: Purchase?

  init(
    of transaction: StoreTransaction, customer: CustomerID, order code: PurchaseCode?, in view: LedgerView,
    _ productIndex: ProductIndex
  ) throws(LedgerError) {
    let order = try code.map { (code) throws(LedgerError) in try view.orders.order(code) }
    let token = transaction.accountToken
    let isPosters = token == AccountToken(of: customer)
    var isBuyerKnown = token?.isMadeOfID != true || isPosters
    var buyer: CustomerID?
    if let token, order != nil || !isPosters {
      buyer = try view.customers.buyer(token.number, at: transaction.purchasedAt, asNamedBy: customer)
      if buyer != nil { isBuyerKnown = true }
    }
    // Where the token is the poster's own, the store itself says that the poster paid, whoever announced the order.
    if buyer == nil, !isPosters, let order { buyer = try view.orders.customer(of: order, asNamedBy: customer) }
    self.productIndex = productIndex
    self.buyer = buyer ?? customer
    self.isBuyerKnown = isBuyerKnown || buyer.map { token == AccountToken(of: $0) } ?? false
    orderedAt = order?.createdAt
    known = try view.purchase(of: transaction)
  }
}

extension LedgerView {
  /// The credit of a store transaction, where there is one.
  func purchase(of transaction: StoreTransaction) throws(LedgerError) -> Purchase? {
    try purchases.purchase(
      store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID)
  }
}
