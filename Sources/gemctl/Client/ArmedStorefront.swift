import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient
import Synchronization

/// A device of the home's store that injects the fault of `buy` into the next payment, and only if there is one.
///
/// A fault in the store's list would outlive a command whose key is already paid, and affect the next purchase.
final class ArmedStorefront: StorefrontDecorator {
  let decorated: any Storefront
  private let shop: any LocalShop
  private let fault = Mutex<StoreFault?>(nil)

  init(_ decorated: any Storefront, of shop: any LocalShop) {
    self.decorated = decorated
    self.shop = shop
  }

  func arm(_ fault: StoreFault) { self.fault.withLock { $0 = fault } }

  func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    if let fault = fault.withLock({ $0.take() }) {
      // A store with a file that cannot be written sells nothing either.
      do throws(LedgerError) { try shop.inject(fault) } catch { throw StoreFailure.systemError }
    }
    return try await decorated.purchase(request)
  }
}
