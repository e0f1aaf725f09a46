public import GemLedger

/// How a purchase ended: closed, so that a `switch` needs no default.
public enum InstantPurchaseResult: Hashable, Sendable {
  /// Paid for and credited; the receipt names who owns it and whether it was credited before.
  case success(StorePurchase, Receipt)
  /// Somebody else has to agree first; nothing is credited yet.
  case pending(StoreTransactionID)
  /// The customer turned back.
  case cancelled
}

/// Takes a purchase from the shop to the ledger: paid, credited, and only then finished at the shop.
///
/// What is paid for and not finished is delivered by the shop again, and crediting it twice is impossible; so a crash
/// at any step loses nothing and gives nothing twice.
public struct PurchaseFlow: Sendable {
  private let store: InstantStore
  private let ledger: Ledger

  /// A flow from a shop to a ledger.
  public init(store: InstantStore, ledger: Ledger) {
    self.store = store
    self.ledger = ledger
  }

  /// Buys a product.
  ///
  /// The same request under the same key is one purchase: it is paid for and credited once.
  ///
  /// - Parameters:
  ///   - request: What, how much of it, for whom, under which key.
  ///   - actor: Who is recorded as having asked.
  /// - Returns: How it ended.
  /// - Throws: `LedgerError`: those of the shop, then those of `Ledger.creditPurchase(_:customer:key:)`.
  public func buy(_ request: PurchaseRequest, actor: ActorName? = nil) async throws(LedgerError)
    -> InstantPurchaseResult
  {
    switch try store.purchase(request) {
    case .purchased(let purchase):
      var command = LedgerCommand.creditPurchase(purchase, customer: request.buyer, key: request.key)
      command.actor = actor
      let receipt = try await ledger.book(command)
      store.finish(purchase.transactionID)
      return .success(purchase, receipt)
    case .pending(let id): return .pending(id)
    case .cancelled: return .cancelled
    }
  }
}
