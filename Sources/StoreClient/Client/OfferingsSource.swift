internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Requests the offerings from backend and store, and remembers the products for purchases.
struct OfferingsSource: ClientPart {
  let context: ClientContext

  /// Five minutes.
  private static let freshMilliseconds: Int64 = 300_000

  /// Returns the offerings with the store's products, at most five minutes old.
  func current() async throws(LedgerError) -> Offerings {
    funnel.send(.purchaseInitiated)
    let now = configuration.clock.now()
    let (known, freshUntil) = context.session.withLock { ($0.offerings, $0.offeringsFreshUntil) }
    if let known, let freshUntil, now < freshUntil {
      log(.debug, "The offerings in the cache are fresh.")
      return known
    }
    do throws(LedgerError) { return try await fetch() } catch {
      guard let known, error.code == .storeError || PostVerdict(error.code) != .deadLetter else { throw error }
      log(.warn, "The offerings could not be requested, so the last known offerings are shown: \(error)")
      return known
    }
  }

  private func fetch() async throws(LedgerError) -> Offerings {
    let storefront = await context.storefront.storefront()
    let platform = AppPlatform(store: store, storefront: storefront, locale: configuration.locale)
    let snapshot = try await backend.offerings(for: platform)
    learn(snapshot.products)
    let listings: [StorefrontProduct]
    do throws(StoreFailure) {
      listings = try await context.storefront.products(
        for: snapshot.products.compactMap { $0.storeIDs[store.description] })
    } catch { throw context.storeError(error) }
    let window = ShopWindow(store: store, storefront: storefront, locale: configuration.locale)
    let offerings = Offerings(snapshot, in: window, listings)
    let until = Timestamp(milliseconds: configuration.clock.now().milliseconds + Self.freshMilliseconds)
    context.session.withLock { session in
      session.offerings = offerings
      session.mustAskForOfferings = false
      session.offeringsFreshUntil = until
    }
    return offerings
  }

  /// Remembers the product data that a purchase needs, so that it works without a backend.
  private func learn(_ products: [Product]) {
    let known = products.compactMap { product in
      product.storeIDs[store.description].map { storeID in
        KnownProduct(
          code: product.code, storeID: storeID, type: product.type,
          grants: product.grants.map { Adjustment($0.currency, $0.amount + $0.bonus) })
      }
    }
    guard queue.read({ $0.shop }) != known else { return }
    pipeline.note([.shop(known)])
  }

  /// Returns the product with this code, or this id at the store.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, and those of ``current()`` if no products are known yet.
  func product(named name: String) async throws(LedgerError) -> KnownProduct {
    let isTrusted = context.session.withLock { !$0.mustAskForOfferings }
    if isTrusted, let known = knownProduct(name) { return known }
    _ = try await fetch()
    if let known = knownProduct(name) { return known }
    throw LedgerError(
      .productNotFound, "The shop has no product \"\(name.prefix(100))\" at \(store).",
      details: [.text("product_id", String(name.prefix(100)))])
  }

  /// Checks that the shop has the product now, not only in the last known state.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, and those of ``current()``.
  func checkOffer(of product: KnownProduct) async throws(LedgerError) {
    context.session.withLock { $0.mustAskForOfferings = true }
    _ = try await self.product(named: product.code.text)
  }

  private func knownProduct(_ name: String) -> KnownProduct? {
    queue.read { $0.products[ProductCode(unchecked: name)] ?? $0.productsByStoreID[ByteString(name)] }
  }
}
