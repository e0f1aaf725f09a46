public import GemLedger

extension LocalBackend {
  /// The first answer of an order that was paid for, as a replay; nil before it is paid for.
  ///
  /// - Throws: `LedgerError` with `order_not_found`.
  public func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    let requestID = newRequestID()
    var answer = try reading { (snapshot, shelf) throws(LedgerError) -> ReceiptAnswer? in
      guard let row = try snapshot.order(code) else { throw .orderNotFound(code) }
      guard let number = row.purchase else { return nil }
      guard let purchase = try snapshot.purchase(number: number),
        let parts = try snapshot.parts(of: purchase.transaction, of: purchase.customer)
      else { throw LedgerError(.storageDamaged, "The order \(code) names no purchase; run verify.") }
      let owner = try snapshot.id(of: purchase.customer, asNamedBy: customer)
      var receipt = try parts.receipt(customer: owner, terms: try ledger.catalog.terms(in: snapshot))
      receipt.isReplayed = true
      return ReceiptAnswer(
        receipt: receipt, purchase: try self.record(purchase, snapshot, shelf),
        order: try self.order(row, isReplayed: true, in: snapshot),
        entitlement: try self.ownEntitlement(of: purchase, snapshot, shelf), requestID: requestID)
    }
    if let order = answer?.order { answer?.held = try await settleHold(of: order) }
    return answer
  }
}

// MARK: Receipts without their order

extension LocalBackend {
  /// How many of a buyer's orders are looked through, newest first.
  private static let searchedCountMax = 1000

  /// The order that the transaction pays for: the named one, or one that is looked for.
  func order(
    _ named: PurchaseCode?, for transaction: StoreTransaction, as product: ProductCode, scene: Scene,
    _ search: ReceiptPost.OrderSearch
  ) async throws(LedgerError) -> PurchaseCode? {
    // A renewal was never announced, and what the store took back is not delivered.
    guard named == nil, search != .none, transaction.reason == .purchase, transaction.revocation == nil else {
      return named
    }
    let (found, isOpen) = try reading { (snapshot, _) throws(LedgerError) -> (PurchaseCode?, Bool) in
      let numbers = try snapshot.customer(scene.buyer).map { (found) throws(LedgerError) in
        try Ledger.numbers(of: found, in: snapshot)
      }
      if let known = scene.known {
        let isOrdered = try snapshot.order(purchase: known.number) != nil
        guard !isOrdered, numbers?.contains(known.customer) == true else { return (nil, false) }
      }
      var orders: [OrderRow] = []
      for number in numbers ?? [] {
        orders += try snapshot.orders(of: number, below: .max, limit: Self.searchedCountMax)
      }
      return (OrderMatch.best(of: orders, for: transaction, as: product)?.code, true)
    }
    guard found == nil, isOpen, search == .findOrOpen else { return found }
    return try await lateOrder(for: transaction, as: product, buyer: scene.buyer)
  }

  /// An order that is announced after its payment, so that the purchase is delivered as every other; nil where such an
  /// order is refused.
  private func lateOrder(
    for transaction: StoreTransaction, as product: ProductCode, buyer: CustomerID
  ) async throws(LedgerError) -> PurchaseCode? {
    let request = OrderRequest(
      customer: buyer, product: product, quantity: transaction.quantity, store: transaction.store,
      bundleID: transaction.bundleID, key: Self.lateKey(of: transaction),
      paidBy: OrderRequest.PaidTransaction(environment: transaction.environment, id: transaction.creditID))
    do throws(LedgerError) { return try await opened(request).code } catch {
      // What was paid for is credited, order or not.
      guard !error.code.meansNothingIsKnown else { throw error }
      return nil
    }
  }

  /// The same for every delivery of a store transaction, so that all of them are one order.
  private static func lateKey(of transaction: StoreTransaction) -> IdempotencyKey {
    let session = transaction.environment.session.map { "(\($0))" } ?? ""
    let name = "\(transaction.store):\(transaction.environment)\(session):\(transaction.creditID)"
    func word(seed: UInt64) -> UInt64 {
      var hash = StableHash(seed: seed)
      hash.combine(name)
      return hash.value
    }
    let high = word(seed: 0x7265_706C) & ~0xF000 | 8 << 12
    let low = 2 << 62 | word(seed: 0x6179_6564) >> 2
    return IdempotencyKey(unchecked: HexForm.uuid(high: high, low: low))
  }
}
