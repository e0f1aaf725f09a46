#if Server
internal import GemLedger
internal import StoreBackend
internal import StoreReceipts

// The refunds of one voided order.
extension PlayNotices {
  /// Refunds the purchases of a voided order.
  ///
  /// - Returns: The number of purchases with a new refund.
  func apply(
    _ void: PlayVoid, of packageName: String, to project: ServerProject
  ) async throws(LedgerError) -> Int {
    // The state of a subscription never shows a refund, and Google forgets an ended subscription first.
    let ofOrder = void.units == nil ? try PlayVoidedCredit.all(ofOrder: void, in: project) : []
    if !ofOrder.isEmpty { return try await refund(ofOrder.map { $0.transaction(packageName) }, in: project) }
    let alone = try PlayVoidedCredit.all(ofToken: void, amongProducts: [], in: project).first
    if let alone, alone.purchase.isRefunded { return 0 }
    let found: PlayProductPurchase
    do throws(LedgerError) {
      found = try await lookUp(
        PlayLookUp(
          packageName: packageName, token: void.token,
          productIDs: alone?.purchase.storeProductID.map { [$0] } ?? [], askedAt: project.clock.now()), in: project)
    } catch {
      guard error.code == .purchaseNotFound else { throw error }
      return try await refund(forgotten: void, packageName, in: project)
    }
    return try await refund(found.transactions(voidedBy: void), in: project)
  }

  /// Refunds what was credited or is held for a token that Google no longer shows.
  private func refund(
    forgotten void: PlayVoid, _ packageName: String, in project: ServerProject
  ) async throws(LedgerError) -> Int {
    let products = try PlayVoidedCredit.productIDs(in: project) { !$0.type.isSubscription }
    let credits = try PlayVoidedCredit.all(ofToken: void, amongProducts: products, in: project)
    // The units are of one product of several, and the list does not state which.
    if !credits.isEmpty, void.units == nil || credits.count == 1 {
      return try await refund(credits.map { $0.transaction(packageName) }, in: project)
    }
    let held = try project.backend.heldPurchases(with: void.token).compactMap(\.transaction)
    return try await refund(
      held.filter { $0.store == .google && void.units == nil }.map { $0.voided(by: void) }, in: project)
  }

  private func refund(_ transactions: [StoreTransaction], in project: ServerProject) async throws(LedgerError) -> Int {
    var count = 0
    for stated in transactions {
      let isKnown = try Self.known(stated, in: project.ledger) != nil
      if let named = try Self.asReceiptsNameIt(stated, in: project),
        try await project.backend.apply(state: named).outcome == .refunded
      {
        count += 1
      }
      // A tester's purchase may still be posted by its token alone, under the sandbox.
      if !isKnown, stated.environment != .production { try await project.backend.apply(state: stated) }
    }
    return count
  }
}

/// A credited purchase of a voided order.
private struct PlayVoidedCredit {
  let purchase: Purchase
  let void: PlayVoid
  /// The product in the identity of the purchase; nil if the identity has none.
  let productID: String?

  /// Returns the credits whose identity has the token and the order: those of a subscription.
  static func all(ofOrder void: PlayVoid, in project: ServerProject) throws(LedgerError) -> [Self] {
    guard let order = void.orderID else { return [] }
    let products = try productIDs(in: project) { $0.type.isSubscription }
    return try all("\(void.token)/\(order)", products, void, project)
  }

  /// Returns the credits whose identity has the token, or the token and one of the products.
  static func all(
    ofToken void: PlayVoid, amongProducts products: [String], in project: ServerProject
  ) throws(LedgerError) -> [Self] {
    try all(void.token.text, products, void, project)
  }

  private static func all(
    _ id: String, _ products: [String], _ void: PlayVoid, _ project: ServerProject
  ) throws(LedgerError) -> [Self] {
    var credits: [Self] = []
    for product in [nil] + products.map(Optional.some) {
      let id = StoreTransactionID(unchecked: product.map { "\(id)/\($0)" } ?? id)
      for environment in [StoreEnvironment.production, .sandbox] {
        guard
          let purchase = try project.ledger.purchase(store: .google, environment: environment, transactionID: id)
        else { continue }
        credits.append(Self(purchase: purchase, void: void, productID: product))
      }
    }
    return credits
  }

  /// Returns the ids at Google Play of the catalog's products, each once.
  static func productIDs(
    in project: ServerProject, if isWanted: (Product) -> Bool
  ) throws(LedgerError) -> [String] {
    let products = try project.catalogs.current().catalog.products.filter(isWanted)
    let ids = products.compactMap { $0.storeIDs[Store.google.description] }
    return Set(ids.map { StoreTransaction.productID(atGoogle: $0) }).sorted()
  }

  /// Returns the purchase as the list states it, with the identity of its credit.
  ///
  /// The catalog may call a product of Google Play a subscription that Google sells once: the identity decides.
  func transaction(_ packageName: String) -> StoreTransaction {
    let isOfOrder = void.orderID.map { purchase.storeTransactionID.text.hasPrefix("\(void.token)/\($0)") } ?? false
    return StoreTransaction(
      store: .google, environment: purchase.environment, id: void.token, orderID: isOfOrder ? void.orderID : nil,
      bundleID: packageName, storeProductID: productID ?? purchase.storeProductID ?? "",
      productType: isOfOrder ? .autoRenewableSubscription : .consumable, quantity: purchase.quantity,
      purchasedAt: purchase.purchasedAt, isLineItem: productID != nil, signedAt: void.voidedAt
    ).voided(by: void)
  }
}

extension PlayProductPurchase {
  /// Returns the refunded transactions of a voided order.
  ///
  /// A single product is refunded in any state, since its state may lag behind the list. For an order of several
  /// products only their state shows which were refunded, and for units only the state shows how many in all.
  fileprivate func transactions(voidedBy void: PlayVoid) -> [StoreTransaction] {
    transactions.compactMap { stated in
      if void.units != nil || !isSubscription && lines.count > 1 { return stated.revocation == nil ? nil : stated }
      var stated = stated
      // The state shows a subscription's last order, but an earlier order may have been voided.
      if isSubscription { stated.orderID = void.orderID ?? stated.orderID }
      return stated.voided(by: void)
    }
  }
}

extension StoreTransaction {
  /// Returns the transaction with the refund that the list states.
  fileprivate func voided(by void: PlayVoid) -> Self {
    var transaction = self
    transaction.revocation = Revocation(
      revokedAt: void.voidedAt, extent: void.units.map(Revocation.Extent.quantity) ?? .full)
    transaction.signedAt = void.voidedAt
    return transaction
  }
}
#endif
