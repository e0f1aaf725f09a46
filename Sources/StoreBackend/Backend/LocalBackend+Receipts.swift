public import GemLedger

extension LocalBackend {
  /// Credits what a receipt proves was paid for, once; applies what it says was given back.
  ///
  /// The customer whom the receipt's account token names is credited where the backend knows the token. A token that it
  /// does not know yet is waited for (``BackendPolicy/unknownBuyerWaitMilliseconds``), unless it is that of the post's
  /// customer; without a token, and after that time, the post's customer is credited.
  ///
  /// What was credited before, to whomever, is a success: the answer's receipt is the first one and names the owner,
  /// whatever the policy says by now. Inactive products are credited too.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_identifier`, `receipt_malformed`,
  ///   `receipt_unverified`, `receipt_future_dated`, `bundle_mismatch`, `environment_not_allowed`, `product_not_found`,
  ///   `amount_mismatch`, `receipt_revoked`, `validation_pending` while the buyer is waited for (detail `retry_after`,
  ///   in seconds), and those of `Ledger.creditPurchase(_:customer:key:)`. Its detail `request_id` names the request.
  public func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await answer(post, order: nil)
  }

  func answer(_ post: ReceiptPost, order: PurchaseCode?) async throws(LedgerError) -> ReceiptAnswer {
    let requestID = newRequestID()
    do throws(LedgerError) {
      try post.customer.checkNotReserved()
      let transaction = try verifier.verify(post.receipt)
      return try await settle(
        transaction, customer: post.customer, order: order, search: post.orderSearch, requestID: requestID)
    } catch {
      throw error.adding(.text("request_id", requestID))
    }
  }

  /// Credits a verified transaction, or finds its credit, and applies what the store gave back.
  ///
  /// - Parameters:
  ///   - named: The order that it pays for, where the client says.
  ///   - search: Whether its order is looked for, where the client does not say.
  ///   - waitsForBuyer: Whether a buyer whom nobody knows yet is waited for.
  func settle(
    _ transaction: StoreTransaction, customer: CustomerID, order named: PurchaseCode?,
    search: ReceiptPost.OrderSearch = .none, requestID: String, waitsForBuyer: Bool = true
  ) async throws(LedgerError) -> ReceiptAnswer {
    try ReceiptRules.check(
      datesOf: transaction, now: clock.now(), skewMilliseconds: policy.futureSkewMilliseconds)
    let scene = try scene(of: transaction, customer: customer, order: named)
    let rules = ReceiptRules(policy: policy, settings: scene.shelf.catalog.settings)
    try rules.check(bundleID: transaction.bundleID)
    if let known = scene.known {
      let code = try await order(named, for: transaction, as: known.product, scene: scene, search)
      let receipt = try await book(transaction, as: known.product, scene: scene, order: code)
      return try await answer(
        again: receipt, transaction, customer: customer, order: code, requestID: requestID)
    }
    let product = try await checkedProduct(of: transaction, scene: scene, rules: rules)
    if waitsForBuyer, !scene.isBuyerKnown { try rules.check(waitFor: transaction, now: clock.now()) }
    let code = try await order(named, for: transaction, as: product.code, scene: scene, search)
    let receipt = try await book(transaction, as: product.code, scene: scene, order: code)
    guard !receipt.isReplayed, transaction.revocation == nil, code == nil, product.entitlement == nil,
      let id = receipt.transactionID
    else {
      return try await answer(
        again: receipt, transaction, customer: customer, order: code, requestID: requestID)
    }
    return ReceiptAnswer(
      receipt: receipt, purchase: PurchaseRecord(transaction, product, transactionID: id), requestID: requestID)
  }

  /// The product that the transaction pays for, where everything about the transaction is as it should be.
  ///
  /// - Throws: in order of precedence `environment_not_allowed`, `product_not_found`, `amount_mismatch`,
  ///   `receipt_revoked`.
  private func checkedProduct(
    of transaction: StoreTransaction, scene: Scene, rules: ReceiptRules
  ) async throws(LedgerError) -> Product {
    try rules.check(environment: transaction.environment, customer: scene.buyer)
    guard let product = try product(of: transaction, scene: scene) else {
      throw LedgerError(
        .productNotFound,
        "No product of the catalog has the id \"\(transaction.storeProductID.prefix(100))\" at \(transaction.store).",
        details: [.text("store_product_id", transaction.storeProductID)])
    }
    try rules.check(quantityOf: transaction, product: product)
    do throws(LedgerError) { try rules.check(priceOf: transaction, product: product) } catch {
      // What was paid for at the catalog's price is credited, whatever the price is by now.
      let former = try formerProducts(sinceOrderOf: transaction, scene: scene)?.filter { $0.code == product.code }
      if let former, !rules.isPrice(of: transaction, amongThoseOf: former) { throw error }
    }
    if let revocation = transaction.revocation, revocation.extent == .full {
      // Kept, so that older evidence of the same purchase, should it still come, is not credited for good.
      _ = try await refund(transaction, revocation)
      throw LedgerError(
        .receiptRevoked, "The store took the purchase back on \(revocation.revokedAt), before it was credited.",
        details: [.integer("revoked_at", revocation.revokedAt.milliseconds)])
    }
    return product
  }

  /// The product with the transaction's id at the store: as the catalog says, or as it said when the purchase was made.
  private func product(of transaction: StoreTransaction, scene: Scene) throws(LedgerError) -> Product? {
    let (shelf, id) = (scene.shelf, transaction.storeProductID)
    if let product = shelf.product(storeID: id, at: transaction.store) { return product }
    let former = try formerProducts(sinceOrderOf: transaction, scene: scene)?.last {
      $0.storeIDs[transaction.store.description]?.hasBytes(of: id) == true
    }
    return former.flatMap { shelf.place(of: $0.code)?.product }
  }

  /// The products as the catalog had them from the order or the purchase until now; nil where that is not known.
  private func formerProducts(
    sinceOrderOf transaction: StoreTransaction, scene: Scene
  ) throws(LedgerError) -> [Product]? {
    let instant = min(transaction.purchasedAt, scene.orderedAt ?? transaction.purchasedAt)
    return try reading { (snapshot, _) throws(LedgerError) in
      try Ledger.formerProducts(since: instant, in: snapshot)
    }
  }

  private func book(
    _ transaction: StoreTransaction, as product: ProductCode, scene: Scene, order: PurchaseCode?
  ) async throws(LedgerError) -> Receipt {
    let purchase = StorePurchase(transaction, product: product)
    guard let order else {
      return try await ledger.book(LedgerCommand.creditPurchase(purchase, customer: scene.buyer).namedByLedger())
    }
    var command = LedgerCommand.completeOrder(
      OrderCompletion(code: order, purchase: purchase, retryAfterMilliseconds: secondDeliveryMilliseconds),
      customer: scene.buyer)
    command.reference = Reference(unchecked: order.text)
    return try await ledger.book(command.namedByLedger())
  }

  /// The answer where more has to be looked at than the transaction: a refund, an order, an earlier credit.
  private func answer(
    again receipt: Receipt, _ transaction: StoreTransaction, customer: CustomerID, order code: PurchaseCode?,
    requestID: String
  ) async throws(LedgerError) -> ReceiptAnswer {
    try await applyGivenBack(of: transaction)
    if let code, receipt.completesOrder {
      _ = try await settleHold(of: order(code))
      await deliverFirst(code)
    }
    var answer = try reading { (snapshot, shelf) throws(LedgerError) -> ReceiptAnswer in
      guard let row = try snapshot.purchase(of: transaction) else {
        throw .defect("Store transaction \(transaction.id) was credited and has no purchase")
      }
      var receipt = receipt
      receipt.customer = try snapshot.id(of: row.customer, asNamedBy: customer)
      var order = try snapshot.order(purchase: row.number)
      if order == nil, let code { order = try snapshot.order(code) }
      return ReceiptAnswer(
        receipt: receipt, purchase: try self.record(row, snapshot, shelf),
        order: try order.map { (row) throws(LedgerError) in
          try self.order(row, isReplayed: !receipt.completesOrder, in: snapshot)
        }, entitlement: try self.ownEntitlement(of: row, snapshot, shelf), requestID: requestID)
    }
    if let order = answer.order { answer.held = try await settleHold(of: order) }
    return answer
  }
}

// MARK: What is known before a decision

extension LocalBackend {
  /// What the storage knows about a transaction.
  struct Scene {
    let shelf: Shelf
    let buyer: CustomerID
    /// Whether the buyer is the one whom the transaction's token names, as far as it can name anybody.
    let isBuyerKnown: Bool
    /// When the named order was announced.
    let orderedAt: Timestamp?
    let known: PurchaseRow?
  }

  func scene(
    of transaction: StoreTransaction, customer: CustomerID, order: PurchaseCode?
  ) throws(LedgerError) -> Scene {
    try reading { (snapshot, shelf) throws(LedgerError) -> Scene in
      let row = try order.map { (code) throws(LedgerError) in
        guard let row = try snapshot.order(code) else { throw .orderNotFound(code) }
        return row
      }
      var number = row?.customer
      let token = transaction.accountToken
      let isPosters = token == AccountToken(of: customer)
      var isBuyerKnown = token?.isMadeOfID != true || isPosters
      if let token, number != nil || !isPosters, let named = try snapshot.customer(token, at: transaction.purchasedAt) {
        (number, isBuyerKnown) = (named, true)
      }
      let buyer = try number.map { (number) throws(LedgerError) in
        try snapshot.id(of: number, asNamedBy: customer)
      }
      return Scene(
        shelf: shelf, buyer: buyer ?? customer,
        isBuyerKnown: isBuyerKnown || buyer.map { token == AccountToken(of: $0) } ?? false,
        orderedAt: row?.createdAt, known: try snapshot.purchase(of: transaction))
    }
  }
}

extension StorageSnapshot {
  /// The customer's row, merges counted.
  func survivor(of number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    var row = try customer(number: number)
    if let into = row?.mergedInto, into != 0 { row = try customer(number: into) }
    guard let row else {
      throw LedgerError(.storageDamaged, "Customer number \(number) has no row; run verify.")
    }
    return row
  }

  func id(of number: CustomerNumber) throws(LedgerError) -> CustomerID { try survivor(of: number).id }

  /// The customer that a purchase's token names.
  ///
  /// An erasure frees the id that a token is made of. What was bought under the id from then on is not the erased
  /// customer's.
  func customer(_ token: AccountToken, at instant: Timestamp) throws(LedgerError) -> CustomerNumber? {
    guard let number = try customer(token: token.number) else { return nil }
    let row = try survivor(of: number)
    guard row.id.isOfErased, let erasedAt = try erasure(of: row.number), instant > erasedAt else { return number }
    return nil
  }

  private func erasure(of number: CustomerNumber) throws(LedgerError) -> Timestamp? {
    var below = TransactionNumber.max
    while true {
      let page = try transactionsWithoutEntries(of: number, below: below, limit: 100)
      for number in page {
        if let row = try transaction(number), row.kind == .erase { return row.createdAt }
      }
      guard let last = page.last, page.count == 100, last < below else { return nil }
      below = last
    }
  }

  /// An id of the customer: the asked one where it names this customer, so that callers know themselves again.
  func id(of number: CustomerNumber, asNamedBy asked: CustomerID) throws(LedgerError) -> CustomerID {
    let row = try survivor(of: number)
    return try customer(asked)?.number == row.number ? asked : row.id
  }

  /// The credit of a store transaction, where there is one.
  func purchase(of transaction: StoreTransaction) throws(LedgerError) -> PurchaseRow? {
    try purchase(store: transaction.store, environment: transaction.environment, id: transaction.creditID)
  }

  func purchase(
    store: Store, environment: StoreEnvironment, id: StoreTransactionID
  ) throws(LedgerError) -> PurchaseRow? {
    var number: Int64? = environment.kind.rawValue
    if environment.session != nil { number = try environments().first { $0.environment == environment }?.number }
    guard let number else { return nil }
    return try purchase(PurchaseIdentity(store: store, environment: number, transactionID: id))
  }
}

extension StorePurchase {
  init(_ transaction: StoreTransaction, product: ProductCode) {
    self.init(
      store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
      product: product, quantity: transaction.quantity, price: transaction.price, purchasedAt: transaction.purchasedAt,
      cycleEndsAt: transaction.expiresAt,
      originalTransactionID: transaction.originalID == transaction.id ? nil : transaction.originalID)
  }
}
