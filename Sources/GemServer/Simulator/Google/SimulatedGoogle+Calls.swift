#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreReceipts
internal import Synchronization
internal import SystemCrypto
internal import SystemHTTP

// The calls of the Play Developer API.
extension SimulatedGoogle {
  /// The time during which an expired subscription is still known, in milliseconds.
  private static let expiredLifetime: Int64 = 60 * 86_400_000

  /// - Throws: `LedgerError`, which `SimulatedGoogleAnswer` translates.
  func work(_ operation: Operation) async throws(LedgerError) -> HTTPResponse {
    switch operation {
    case .token: throw .defect("The token endpoint takes no access token")
    case .productV2(let token):
      let bought = try purchase(token)
      guard !bought.isSubscription else { return SimulatedGoogleAnswer.refusal(404) }
      return .json(
        200, .object(SimulatedGoogleAnswer.productV2(bought, lines(of: bought), buyer: try buyer(of: bought))))
    case .product(let token, let product):
      let bought = try purchase(token, of: product)
      guard !bought.isSubscription else { return SimulatedGoogleAnswer.refusal(400) }
      let line = lines(of: bought).first { $0.productID.hasBytes(of: product) }
      return .json(200, .object(SimulatedGoogleAnswer.product(bought, line, buyer: try buyer(of: bought))))
    case .subscription(let token):
      let bought = try purchase(token)
      let end = bought.transaction.expiresAt?.advanced(milliseconds: Self.expiredLifetime)
      guard bought.isSubscription, end.map({ play.clock.now < $0 }) ?? true else {
        return SimulatedGoogleAnswer.refusal(410)
      }
      return .json(200, .object(SimulatedGoogleAnswer.subscription(bought, buyer: try buyer(of: bought))))
    case .acknowledge(let token, let product, let isSubscription):
      let bought = try purchase(token, of: product)
      guard bought.isSubscription == isSubscription else { return SimulatedGoogleAnswer.refusal(400) }
      try play.acknowledge(bought.purchaseToken)
      return HTTPResponse(status: 204)
    case .consume(let token, let product): return try consume(product, of: try purchase(token, of: product))
    case .refund(let order): return try await refund(order)
    case .voided(let query):
      let page = try play.voidedPurchases(
        from: query.from, until: query.until, limit: query.limit, token: query.page,
        includingPartial: query.listsPartial)
      return .json(
        200,
        .object(SimulatedGoogleAnswer.voided(page, of: play, listsSubscriptions: query.listsSubscriptions)))
    }
  }

  /// - Throws: `LedgerError` with `purchase_not_found`; `invalid_request` for the ids that Google reserves for tests.
  private func purchase(_ token: String, of product: String? = nil) throws(LedgerError) -> PlayPurchase {
    guard !token.hasPrefix("android.test.") else { throw .invalid("The token is reserved.") }
    let bought = play.purchase(token: StoreTransactionID(unchecked: token))
    guard let bought, product.map({ products(of: bought).contains(ByteString($0)) }) ?? true else {
      throw LedgerError(.purchaseNotFound, "The simulated store has no such purchase.")
    }
    return bought
  }

  private func products(of bought: PlayPurchase) -> Set<ByteString> {
    Set(lines(of: bought).map { ByteString($0.productID) } + [ByteString(bought.productID)])
  }

  private func consume(_ product: String, of bought: PlayPurchase) throws(LedgerError) -> HTTPResponse {
    let isMain = product.hasBytes(of: bought.productID)
    let isConsumed =
      isMain ? bought.isConsumed : lines(of: bought).contains { $0.productID.hasBytes(of: product) && $0.isConsumed }
    guard !isConsumed else {
      return SimulatedGoogleAnswer.refusal(400, "productNotOwnedByUser", "The product is not owned by the user.")
    }
    if isMain { try play.consume(bought.purchaseToken) } else { try play.acknowledge(bought.purchaseToken) }
    state.withLock { state in
      for place in (state.lines[bought.purchaseToken] ?? []).indices
      where state.lines[bought.purchaseToken]?[place].productID.hasBytes(of: product) == true {
        state.lines[bought.purchaseToken]?[place].isConsumed = true
      }
    }
    return HTTPResponse(status: 204)
  }

  private func lines(of bought: PlayPurchase) -> [Line] { state.withLock { $0.lines[bought.purchaseToken] ?? [] } }

  /// Adds a product to a purchase, as if its payment had covered both products.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found`; `not_available` for a subscription, or if the purchase already
  ///   has the product.
  func add(_ line: Line, to token: StoreTransactionID) throws(LedgerError) {
    let bought = try purchase(token.text)
    guard !bought.isSubscription, !products(of: bought).contains(ByteString(line.productID)) else {
      throw LedgerError(.notAvailable, "The purchase is a subscription, or has this product: choose another one.")
    }
    state.withLock { $0.lines[token, default: []].append(line) }
  }

  /// The obfuscated account id as RevenueCat's SDK sets it: the SHA-256 of the buyer's id, in base64.
  private func buyer(of bought: PlayPurchase) throws(LedgerError) -> String? {
    guard let token = bought.obfuscatedAccountID else { return nil }
    let customer = try simulator.project.ledger.view { (view) throws(LedgerError) in
      try view.customers.buyer(token.number, at: bought.purchasedAt)
    }
    guard let customer else { return token.description }
    return Base64.text(TextDigest.sha256(of: customer.text))
  }

  private func refund(_ order: String) async throws(LedgerError) -> HTTPResponse {
    let known = play.purchases().first { $0.orderIDs.contains { $0.hasBytes(of: order) } }
    guard let known else { return SimulatedGoogleAnswer.refusal(404, "orderNotFound", "The order was not found.") }
    try simulator.shop.refund(known.purchaseToken, .full)
    // Do not wait: the caller that waits for this response may be the receiver of the notification.
    let simulator = simulator
    Task { try? await simulator.deliverNotices() }
    return HTTPResponse(status: 204)
  }
}

extension PlayPurchase {
  var isSubscription: Bool { transaction.productType.isSubscription }
}
#endif
