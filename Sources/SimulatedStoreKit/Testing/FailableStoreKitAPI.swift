internal import GemLedger
internal import SimulatedStores

/// A StoreKit call that tests can make fail.
public protocol FailableStoreKitAPI: Hashable, Sendable {
  /// The errors that it can fail with.
  associatedtype Failure: SKTestFailure
}

/// ``Product/products(for:)``.
public struct StoreKitLoadProductsAPI: FailableStoreKitAPI {
  /// The errors that it can fail with.
  public typealias Failure = SKTestFailures.LoadProducts
}

/// ``Product/purchase(options:)``.
public struct StoreKitPurchaseAPI: FailableStoreKitAPI {
  /// The errors that it can fail with.
  public typealias Failure = SKTestFailures.Purchase
}

/// The check of the App Store's signature.
public struct StoreKitVerificationAPI: FailableStoreKitAPI {
  /// The errors that it can fail with.
  public typealias Failure = SKTestFailures.Verification
}

/// ``AppStore/sync()``.
public struct StoreKitAppStoreSyncAPI: FailableStoreKitAPI {
  /// The errors that it can fail with.
  public typealias Failure = SKTestFailures.AppStoreSync
}

/// ``Product/SubscriptionInfo/status``.
public struct StoreKitSubscriptionStatusAPI: FailableStoreKitAPI {
  /// The errors that it can fail with.
  public typealias Failure = SKTestFailures.SubscriptionStatus
}

extension FailableStoreKitAPI where Self == StoreKitLoadProductsAPI {
  /// The listing of products.
  public static var loadProducts: StoreKitLoadProductsAPI { StoreKitLoadProductsAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitPurchaseAPI {
  /// A payment.
  public static var purchase: StoreKitPurchaseAPI { StoreKitPurchaseAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitVerificationAPI {
  /// The check of the App Store's signature.
  public static var verification: StoreKitVerificationAPI { StoreKitVerificationAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitAppStoreSyncAPI {
  /// A restore.
  public static var appStoreSync: StoreKitAppStoreSyncAPI { StoreKitAppStoreSyncAPI() }
}

extension FailableStoreKitAPI where Self == StoreKitSubscriptionStatusAPI {
  /// The status of a subscription.
  public static var subscriptionStatus: StoreKitSubscriptionStatusAPI { StoreKitSubscriptionStatusAPI() }
}

/// A call of the simulated store.
protocol SimulatedAPI: FailableStoreKitAPI {
  static var storeAPI: StoreAPI { get }
}

extension StoreKitLoadProductsAPI: SimulatedAPI { static var storeAPI: StoreAPI { .loadProducts } }
extension StoreKitPurchaseAPI: SimulatedAPI { static var storeAPI: StoreAPI { .purchase } }
extension StoreKitVerificationAPI: SimulatedAPI { static var storeAPI: StoreAPI { .verification } }
extension StoreKitAppStoreSyncAPI: SimulatedAPI { static var storeAPI: StoreAPI { .appStoreSync } }
extension StoreKitSubscriptionStatusAPI: SimulatedAPI { static var storeAPI: StoreAPI { .subscriptionStatus } }

extension SKTestSession {
  /// Makes all calls of an API fail with an error, until it is set to nil.
  ///
  /// - Throws: ``SKTestError`` with `invalidAction` if the API is not one of this module's.
  public func setSimulatedError<API: FailableStoreKitAPI>(_ error: API.Failure?, forAPI api: API) async throws {
    guard let kind = API.self as? any SimulatedAPI.Type else {
      throw SKTestError(.invalidAction, "The simulated store has no call \(API.self).")
    }
    let failure = error as? any SimulatedFailure
    do throws(LedgerError) {
      try store.setSimulatedError(failure?.simulated, forAPI: kind.storeAPI)
    } catch {
      throw error.testError
    }
    attached.setFailure(failure, for: kind.storeAPI)
  }

  /// The error that all calls of an API fail with.
  public func simulatedError<API: FailableStoreKitAPI>(forAPI api: API) async -> API.Failure? {
    (API.self as? any SimulatedAPI.Type).flatMap { attached.failure(for: $0.storeAPI) as? API.Failure }
  }
}
