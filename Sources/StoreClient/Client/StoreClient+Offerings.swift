public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: The shop window

extension StoreClient {
  /// Five minutes.
  private static let offeringsFreshMilliseconds: Int64 = 300_000

  /// The offerings with what the store lists, at most five minutes old.
  ///
  /// Where the backend or the store is out of reach, the last known offerings are given.
  ///
  /// - Throws: `LedgerError` with `store_error`, and those of the backend, where nothing is known.
  public func offerings() async throws(LedgerError) -> Offerings {
    funnel.send(.purchaseInitiated)
    let now = configuration.clock.now()
    let (known, freshUntil) = session.withLock { ($0.offerings, $0.offeringsFreshUntil) }
    if let known, let freshUntil, now < freshUntil { return known }
    do throws(LedgerError) { return try await fetchOfferings() } catch {
      guard let known, error.code == .storeError || PostVerdict(error.code) != .deadLetter else { throw error }
      log(.warn, "The offerings could not be asked for, so the last known ones are shown: \(error)")
      return known
    }
  }

  /// The offerings that were known last; nil before anybody asked.
  public var cachedOfferings: Offerings? { session.withLock { $0.offerings } }

  /// The products in the shop window, in the order of the catalog.
  ///
  /// - Throws: `LedgerError` as ``offerings()``.
  public func getProductCatalog() async throws(LedgerError) -> [StoreProduct] {
    var seen: Set<ProductCode> = []
    return try await offerings().ordered.flatMap(\.availablePackages).map(\.storeProduct)
      .filter { seen.insert($0.code).inserted }
  }

  private func fetchOfferings() async throws(LedgerError) -> Offerings {
    let storefront = await configuration.storefront.storefront()
    let platform = AppPlatform(store: store, storefront: storefront, locale: configuration.locale)
    let snapshot = try await backend.offerings(for: platform)
    learn(snapshot.products)
    let listings: [StorefrontProduct]
    do throws(StoreFailure) {
      listings = try await configuration.storefront.products(
        for: snapshot.products.compactMap { $0.storeIDs[store.description] })
    } catch { throw storeError(error) }
    let window = ShopWindow(store: store, storefront: storefront, locale: configuration.locale)
    let offerings = Offerings(snapshot, in: window, listings)
    let until = Timestamp(milliseconds: configuration.clock.now().milliseconds + Self.offeringsFreshMilliseconds)
    session.withLock { session in
      session.offerings = offerings
      session.mustAskForOfferings = false
      session.offeringsFreshUntil = until
    }
    return offerings
  }

  /// Remembers what buying takes, so that it works without a backend too.
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

  /// The product with this code of ours, or this id at the store.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, and those of ``offerings()`` where no products are known yet.
  func product(named name: String) async throws(LedgerError) -> KnownProduct {
    let isTrusted = session.withLock { !$0.mustAskForOfferings }
    if isTrusted, let known = knownProduct(name) { return known }
    _ = try await fetchOfferings()
    if let known = knownProduct(name) { return known }
    throw LedgerError(
      .productNotFound, "The shop has no product \"\(name.prefix(100))\" at \(store).",
      details: [.text("product_id", String(name.prefix(100)))])
  }

  /// Makes sure that the shop has the product now, and not only as far as is known.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, and those of ``offerings()``.
  func checkOffer(of product: KnownProduct) async throws(LedgerError) {
    session.withLock { $0.mustAskForOfferings = true }
    _ = try await self.product(named: product.code.text)
  }

  private func knownProduct(_ name: String) -> KnownProduct? {
    queue.read { $0.products[ProductCode(unchecked: name)] ?? $0.productsByStoreID[ByteString(name)] }
  }

  func storeError(_ failure: StoreFailure) -> LedgerError {
    LedgerError(failure, isSimulated: store == .test || configuration.apiKey.hasPrefix("test_"))
  }
}
