public import GemLedger
internal import StoreBackend

/// A shop that wraps another shop: it answers calls itself, acts around them, or forwards them unchanged.
///
/// A conforming type names the wrapped shop and implements only its changes: ``intercept(_:)`` for all calls that can
/// fail, or single methods of ``Storefront``. Methods that it implements itself are not intercepted.
public protocol StorefrontDecorator: Storefront {
  /// The wrapped shop.
  var decorated: any Storefront { get }

  /// Runs a forwarded call that can fail; the default does nothing else.
  func intercept<Answer: Sendable>(
    _ body: () async throws(StoreFailure) -> Answer
  ) async throws(StoreFailure) -> Answer
}

extension StorefrontDecorator {
  /// The store of ``decorated``.
  public var store: Store { decorated.store }

  /// Runs the call unchanged.
  public func intercept<Answer: Sendable>(
    _ body: () async throws(StoreFailure) -> Answer
  ) async throws(StoreFailure) -> Answer { try await body() }

  /// The answer of ``decorated``.
  public func storefront() async -> StorefrontCode { await decorated.storefront() }

  /// The answer of ``decorated``.
  public func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] {
    try await intercept { () async throws(StoreFailure) in try await decorated.products(for: ids) }
  }

  /// The answer of ``decorated``.
  public func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    try await intercept { () async throws(StoreFailure) in try await decorated.purchase(request) }
  }

  /// The answer of ``decorated``.
  public func updates() -> AsyncStream<StoreEvidence> { decorated.updates() }

  /// The answer of ``decorated``.
  public func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    try await intercept { () async throws(StoreFailure) in try await decorated.unfinished(after: after, limit: limit) }
  }

  /// The answer of ``decorated``.
  public func all() async throws(StoreFailure) -> [StoreEvidence] {
    try await intercept { () async throws(StoreFailure) in try await decorated.all() }
  }

  /// The answer of ``decorated``.
  public func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] {
    try await intercept { () async throws(StoreFailure) in try await decorated.currentEntitlements() }
  }

  /// The answer of ``decorated``.
  public func finish(_ id: StoreTransactionID) async throws(StoreFailure) {
    try await intercept { () async throws(StoreFailure) in try await decorated.finish(id) }
  }

  /// The answer of ``decorated``.
  public func sync() async throws(StoreFailure) {
    try await intercept { () async throws(StoreFailure) in try await decorated.sync() }
  }
}
