internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient
internal import Synchronization

/// A device of a simulated store that acts as the App Store of this process.
final class AttachedDevice: Sendable {
  private struct State {
    /// The StoreKit errors that the test set: they are more detailed than the store's failures.
    var failures: [StoreAPI: any SKTestFailure] = [:]
    var storefrontReaders: [AsyncStream<StorefrontCode>.Continuation] = []
  }

  let device: StoreDevice
  private let state = Mutex(State())

  init(_ device: StoreDevice) { self.device = device }

  var store: SimulatedStore { device.account.store }

  /// Ends the app: its streams end, and the next ones begin with the unfinished transactions.
  func end() {
    device.relaunch()
    let readers = state.withLock { state in
      defer { state.storefrontReaders = [] }
      return state.storefrontReaders
    }
    for reader in readers { reader.finish() }
  }

  // MARK: Storefront

  func setStorefront(_ code: StorefrontCode) {
    guard store.storefront != code else { return }
    store.storefront = code
    for reader in state.withLock(\.storefrontReaders) { reader.yield(code) }
  }

  func storefronts() -> AsyncStream<StorefrontCode> {
    let (stream, continuation) = AsyncStream.makeStream(of: StorefrontCode.self)
    state.withLock { $0.storefrontReaders.append(continuation) }
    return stream
  }

  var storefrontReaderCount: Int { state.withLock(\.storefrontReaders.count) }

  // MARK: Simulated errors

  func setFailure(_ failure: (any SKTestFailure)?, for api: StoreAPI) { state.withLock { $0.failures[api] = failure } }

  func failure(for api: StoreAPI) -> (any SKTestFailure)? { state.withLock { $0.failures[api] } }

  func forgetFailures() { state.withLock { $0.failures = [:] } }

  /// Returns the error that StoreKit throws for a store failure.
  func error(_ failure: StoreFailure, by api: StoreAPI) -> any Error {
    guard case .store(failure)? = store.simulatedError(forAPI: api),
      let simulated = self.failure(for: api) as? any SimulatedFailure
    else { return failure.storeKitError }
    return simulated.thrown
  }
}
