internal import GemLedger
internal import StoreBackend

/// A shop without products, for an app that has set none.
struct EmptyStorefront: Storefront {
  let store: Store

  func storefront() async -> StorefrontCode { .unitedStates }
  func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] { [] }
  func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    throw .productUnavailable
  }
  func updates() -> AsyncStream<StoreEvidence> { AsyncStream { $0.finish() } }
  func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] { [] }
  func all() async throws(StoreFailure) -> [StoreEvidence] { [] }
  func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] { [] }
  func finish(_ id: StoreTransactionID) async throws(StoreFailure) {}
  func sync() async throws(StoreFailure) {}
}
