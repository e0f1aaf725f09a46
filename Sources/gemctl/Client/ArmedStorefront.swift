import GemLedger
import StoreBackend
import StoreClient
import Synchronization

/// A device of the home's store that does what `buy` asks for to the next payment, and only if there is one.
///
/// A fault in the store's own list would outlive a command that finds its key paid for, and strike the next purchase.
final class ArmedStorefront: Storefront {
  private let device: any Storefront
  private let shop: any HomeStore
  private let fault = Mutex<StoreFault?>(nil)

  init(_ device: any Storefront, of shop: any HomeStore) {
    self.device = device
    self.shop = shop
  }

  func arm(_ fault: StoreFault) { self.fault.withLock { $0 = fault } }

  var store: Store { device.store }

  func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    if let fault = fault.withLock({ $0.take() }) {
      // A store whose file cannot be written sells nothing either.
      do throws(LedgerError) { try shop.inject(fault) } catch { throw StoreFailure.systemError }
    }
    return try await device.purchase(request)
  }

  func storefront() async -> StorefrontCode { await device.storefront() }
  func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] {
    try await device.products(for: ids)
  }

  func updates() -> AsyncStream<StoreEvidence> { device.updates() }
  func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    try await device.unfinished(after: after, limit: limit)
  }

  func all() async throws(StoreFailure) -> [StoreEvidence] { try await device.all() }
  func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] { try await device.currentEntitlements() }
  func finish(_ id: StoreTransactionID) async throws(StoreFailure) { try await device.finish(id) }
  func sync() async throws(StoreFailure) { try await device.sync() }
}
