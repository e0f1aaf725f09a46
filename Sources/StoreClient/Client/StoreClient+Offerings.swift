public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: The shop window

extension StoreClient {
  /// Returns the offerings with the store's listings, at most five minutes old.
  ///
  /// While the backend or the store is unreachable, the last known offerings are returned.
  ///
  /// - Throws: `LedgerError` with `store_error`, and those of the backend, if no offerings are known.
  public func offerings() async throws(LedgerError) -> Offerings {
    try await context.logged("offerings", \.description) { () async throws(LedgerError) in
      try await offeringsSource.current()
    }
  }

  /// The last known offerings; nil before the first request.
  public var cachedOfferings: Offerings? { context.session.withLock { $0.offerings } }

  /// Returns the products with these ids on sale at the store: in the order of the ids, in an offering or not.
  ///
  /// Unknown ids are omitted. If the products cannot be requested, the list is empty, and the reason is logged;
  /// ``offerings()`` throws it.
  ///
  /// - Parameter productIdentifiers: Ids at the store, or the products' codes.
  public func products(_ productIdentifiers: [String]) async -> [StoreProduct] {
    do throws(LedgerError) {
      let offerings = try await offerings()
      return productIdentifiers.compactMap(offerings.product(named:))
    } catch {
      context.log(.error, "The products cannot be requested: \(error)")
      return []
    }
  }

  /// Returns the products in the shop window, in the order of the catalog.
  ///
  /// - Throws: `LedgerError` as ``offerings()``.
  public func getProductCatalog() async throws(LedgerError) -> [StoreProduct] {
    var seen: Set<ProductCode> = []
    return try await offerings().ordered.flatMap(\.availablePackages).map(\.storeProduct)
      .filter { seen.insert($0.code).inserted }
  }
}
