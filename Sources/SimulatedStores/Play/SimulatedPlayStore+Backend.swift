public import GemLedger

// The developer API, as a backend calls it.
extension SimulatedPlayStore {
  /// Returns every purchase, oldest first.
  public func purchases() -> [PlayPurchase] {
    engine.look { shop in shop.rows.values.sorted { $0.serial < $1.serial }.map(PlayPurchase.init) }
  }

  /// Returns the purchase with this token, or nil if there is none.
  public func purchase(token: StoreTransactionID) -> PlayPurchase? {
    engine.look { $0.row(token).map(PlayPurchase.init) }
  }

  /// Acknowledges a purchase for the app.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` if no account owns such a purchase, `invalid_request` if it is
  ///   not paid for.
  public func acknowledge(_ token: StoreTransactionID) throws(LedgerError) {
    try require(try engine.act { shop, _ in shop.acknowledge(token, of: nil) }, token)
  }

  /// Consumes a purchase for the app, which acknowledges it too.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` if no account owns such a purchase, `invalid_request` if it is
  ///   not paid for, or a subscription.
  public func consume(_ token: StoreTransactionID) throws(LedgerError) {
    try require(try engine.act { shop, _ in shop.consume(token, of: nil) }, token)
  }

  /// The purchases that were voided, oldest first, as Google lists them: at most of the last 30 days.
  ///
  /// - Parameters:
  ///   - from: The first instant; nil for 30 days ago.
  ///   - until: The last instant; nil for now.
  ///   - limit: 1 to 1,000 purchases on a page.
  ///   - token: The token of the page to continue with.
  ///   - includingPartial: Whether refunds of some units are listed too.
  /// - Throws: `LedgerError` with `invalid_request` if the limit or the token is invalid.
  public func voidedPurchases(
    from: Timestamp? = nil, until: Timestamp? = nil, limit: Int = 1000, token: String? = nil,
    includingPartial: Bool = false
  ) throws(LedgerError) -> VoidedPage {
    guard (1...1000).contains(limit) else { throw .invalid("A page has 1 to 1,000 voided purchases.") }
    guard let position = token.map({ Int($0) }) ?? 0, position >= 0 else {
      throw .invalid("This is no token of a page.")
    }
    return try engine.act { shop, now in
      let first = now.advanced(by: .seconds(-30 * 86_400))
      return shop.voided(
        from: max(first, from ?? first), until: until ?? Timestamp(milliseconds: .max), position: position,
        limit: limit,
        includingPartial: includingPartial)
    }
  }

  private func require(_ code: BillingResponseCode?, _ token: StoreTransactionID) throws(LedgerError) {
    switch code {
    case nil: return
    case .itemNotOwned?: throw Self.notFound
    default: throw .invalid("The purchase is not paid for, or cannot be consumed.")
    }
  }

  /// A token is as good as money: messages do not name it.
  static var notFound: LedgerError {
    LedgerError(.purchaseNotFound, "The store knows no such purchase, or its owner has it no more.")
  }
}
