internal import GemLedger

/// Finds the order that a receipt pays for if the client does not name it, or opens one late.
struct OrderSearch: Sendable {
  let context: BackendContext
  let openings: OrderOpenings

  /// The maximum number of a buyer's orders to search, newest first.
  private static let searchedCountMax = 1000

  /// Returns the order that the transaction pays for: the named order, or, if none is named or the transaction does not
  /// pay for it, an order found by the search.
  func order(
    _ named: PurchaseCode?, for transaction: StoreTransaction, as product: ProductCode, lookup: TransactionLookup,
    _ search: ReceiptPost.OrderSearch
  ) async throws(LedgerError) -> PurchaseCode? {
    // A renewal was never announced, and a refunded purchase is not delivered.
    guard search != .none, transaction.reason == .purchase, transaction.revocation == nil else { return named }
    let candidates = try context.reading { (view, _) throws(LedgerError) in
      try view.orders.candidates(of: lookup.buyer, for: lookup.known, limit: Self.searchedCountMax)
    }
    guard let candidates else { return nil }
    if let named, candidates.contains(where: { $0.code == named && OrderMatch.fits($0, transaction, as: product) }) {
      return named
    }
    if let found = OrderMatch.best(of: candidates, for: transaction, as: product) { return found.code }
    guard search == .findOrOpen else { return nil }
    return try await lateOrder(for: transaction, as: product, buyer: lookup.buyer)
  }

  /// Returns an order that is announced after its payment, so that the purchase is delivered like every other; nil if
  /// such an order is refused.
  private func lateOrder(
    for transaction: StoreTransaction, as product: ProductCode, buyer: CustomerID
  ) async throws(LedgerError) -> PurchaseCode? {
    let request = OrderRequest(
      customer: buyer, product: product, quantity: transaction.quantity, store: transaction.store,
      bundleID: transaction.bundleID, key: Self.lateKey(of: transaction),
      paidBy: OrderRequest.PaidTransaction(environment: transaction.environment, id: transaction.creditID))
    do throws(LedgerError) { return try await openings.open(request).code } catch {
      // A paid purchase is credited with or without its order.
      guard !error.code.meansNothingIsKnown else { throw error }
      return nil
    }
  }

  /// Equal for every delivery of a store transaction, so that all of them share one order.
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
