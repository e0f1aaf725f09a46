public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: The shop window

extension StoreClient {
  /// The offerings with what the store lists, at most five minutes old.
  ///
  /// Where the backend or the store is out of reach, the last known offerings are given.
  ///
  /// - Throws: `LedgerError` with `store_error`, and those of the backend, where nothing is known.
  public func offerings() async throws(LedgerError) -> Offerings { try await offeringsSource.current() }

  /// The offerings that were known last; nil before anybody asked.
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
