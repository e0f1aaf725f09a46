public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: The shop window

extension StoreClient {
  /// Returns the offerings with the store's listings, at most five minutes old.
  ///
  /// While the backend or the store is unreachable, the last known offerings are returned.
  ///
  /// - Throws: `LedgerError` with `store_error`, and those of the backend, where nothing is known.
  public func offerings() async throws(LedgerError) -> Offerings { try await offeringsSource.current() }

  /// The last known offerings; nil before the first request.
  public var cachedOfferings: Offerings? { context.session.withLock { $0.offerings } }

  /// The products in the shop window, in the order of the catalog.
  ///
  /// - Throws: `LedgerError` as ``offerings()``.
  public func getProductCatalog() async throws(LedgerError) -> [StoreProduct] {
    var seen: Set<ProductCode> = []
    return try await offerings().ordered.flatMap(\.availablePackages).map(\.storeProduct)
      .filter { seen.insert($0.code).inserted }
  }
}
