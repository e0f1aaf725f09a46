internal import GemLedger
internal import StoreBackend
internal import StoreClient

/// A shop that does something around the calls of another one.
protocol StorefrontRelay: Storefront {
  var inner: any Storefront { get }

  /// Called for every call that can fail and that the conforming type does not answer itself.
  func relay<Answer: Sendable>(
    _ body: () async throws(StoreFailure) -> Answer
  ) async throws(StoreFailure) -> Answer
}

extension StorefrontRelay {
  var store: Store { inner.store }

  func relay<Answer: Sendable>(
    _ body: () async throws(StoreFailure) -> Answer
  ) async throws(StoreFailure) -> Answer { try await body() }

  func storefront() async -> StorefrontCode { await inner.storefront() }

  func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] {
    try await relay { () async throws(StoreFailure) in try await inner.products(for: ids) }
  }

  func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    try await relay { () async throws(StoreFailure) in try await inner.purchase(request) }
  }

  func updates() -> AsyncStream<StoreEvidence> { inner.updates() }

  func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    try await relay { () async throws(StoreFailure) in try await inner.unfinished(after: after, limit: limit) }
  }

  func all() async throws(StoreFailure) -> [StoreEvidence] {
    try await relay { () async throws(StoreFailure) in try await inner.all() }
  }

  func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] {
    try await relay { () async throws(StoreFailure) in try await inner.currentEntitlements() }
  }

  func finish(_ id: StoreTransactionID) async throws(StoreFailure) {
    try await relay { () async throws(StoreFailure) in try await inner.finish(id) }
  }

  func sync() async throws(StoreFailure) {
    try await relay { () async throws(StoreFailure) in try await inner.sync() }
  }
}
