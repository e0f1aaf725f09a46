internal import GemLedger

/// The ledger's rows about a transaction before a decision.
struct TransactionLookup: Sendable {
  let productIndex: ProductIndex
  let buyer: CustomerID
  /// Whether the token names the buyer, or the transaction has no token.
  let isBuyerKnown: Bool
  /// The named order, or else the order of an earlier post that could not be credited yet.
  let order: PurchaseCode?
  /// When that order was announced.
  let orderedAt: Timestamp?
  /// The purchase, if the transaction is credited.
  let known: Purchase?
  /// The store's newest statement of an uncredited purchase: the transaction itself, or a stored one.
  let newest: StoreTransaction

  /// - Parameters:
  ///   - customer: The poster; nil if the evidence is a store's notice.
  ///   - digest: Computes the SHA-256 of an id.
  init(
    of transaction: StoreTransaction, customer: CustomerID, order code: PurchaseCode?, in view: LedgerView,
    _ productIndex: ProductIndex, digest: (String) -> [UInt8]?
  ) throws(LedgerError) {
    known = try view.purchase(of: transaction)
    let held = known == nil ? try view.evidence.held(transaction) : nil
    var order = try code.map { (code) throws(LedgerError) in try view.orders.order(code) }
    let noted = held.flatMap { HoldNote($0.note).order }
    if let named = order, named.code != noted, let first = held?.customer {
      // A later poster's order does not take the purchase from the first poster.
      let people = try [first, customer, view.orders.customer(of: named, asNamedBy: customer)].map {
        (id) throws(LedgerError) in try view.customers.find(id)
      }
      if people[0] != people[1], people[0] != people[2] { order = nil }
    }
    if order == nil, let noted { order = try view.orders.find(noted) }
    let token = transaction.accountToken
    let isPosters = token.map { $0.names(customer, digest: digest) } ?? false
    var buyer: CustomerID?
    if let token, order != nil || !isPosters {
      buyer = try view.customers.buyer(token, at: transaction.purchasedAt, asNamedBy: customer)
    }
    var isBuyerKnown = token == nil || isPosters || buyer != nil
    // If the token is the poster's, the store confirms that the poster paid, no matter which customer announced the
    // order.
    if buyer == nil, !isPosters, let order {
      let orderer = try view.orders.customer(of: order, asNamedBy: customer)
      isBuyerKnown = isBuyerKnown || token.map { $0.names(orderer, digest: digest) } ?? false
      buyer = orderer
    }
    self.productIndex = productIndex
    self.isBuyerKnown = isBuyerKnown
    self.order = order?.code
    let kept = held?.evidence.flatMap { $0.statesPurchase ? $0.transaction : nil }
    newest = kept.flatMap { $0.signedAt > transaction.signedAt ? $0 : nil } ?? transaction
    orderedAt = order?.createdAt
    // Without another name, the buyer is the first poster.
    if buyer == nil, !isPosters { buyer = held?.customer }
    self.buyer = buyer ?? customer
  }
}

extension LedgerView {
  /// Returns the credit of a store transaction, if any.
  func purchase(of transaction: StoreTransaction) throws(LedgerError) -> Purchase? {
    try purchases.purchase(
      store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID)
  }
}

extension LedgerView.KeptEvidence {
  /// Returns a held purchase; nil if it is not held.
  func held(_ transaction: StoreTransaction) throws(LedgerError) -> HeldPurchase? {
    try held(store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID)
  }
}

extension LedgerView.Customers {
  /// Returns the customer that a store's token names: by a registered token, or by an id that equals the token.
  ///
  /// - Parameters:
  ///   - instant: When the purchase was made.
  ///   - asked: The id to return if it names the same customer.
  func buyer(
    _ token: AccountToken, at instant: Timestamp, asNamedBy asked: CustomerID? = nil
  ) throws(LedgerError) -> CustomerID? {
    let registered = try buyer(token.number, at: instant, asNamedBy: asked)
    guard !token.isMadeOfID, !token.isMadeOfDigest else { return registered }
    // Apps write UUIDs in lower or upper case. If two customers' ids differ only in case, the result is nil: one of
    // them may have taken the other's id to receive its purchases.
    var found: [KnownCustomer: CustomerID] = [:]
    if let registered, let known = try find(registered) { found[known] = registered }
    for text in [token.description, token.description.uppercased()] {
      let id = CustomerID(unchecked: text)
      if let known = try find(id), found[known] == nil { found[known] = id }
    }
    return found.count == 1 ? found.values.first : found.isEmpty ? registered : nil
  }
}
