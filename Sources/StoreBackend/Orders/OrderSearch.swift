internal import GemLedger

/// Finds the order that a receipt without an order pays for, or opens one late.
struct OrderSearch: Sendable {
  let context: BackendContext
  let openings: OrderOpenings

  /// How many of a buyer's orders are looked through, newest first.
  private static let searchedCountMax = 1000

  /// The order that the transaction pays for: the named one, or one that is looked for where none is named or the
  /// transaction does not pay for that.
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

  /// An order that is announced after its payment, so that the purchase is delivered as every other; nil where such an
  /// order is refused.
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
