public import GemLedger
internal import StoreBackend
public import StoreClient

public import protocol StoreClient.Storefront

// `Product` and `Storefront` are names of both StoreKit and this package: the imports of single declarations select the
// meaning.
#if canImport(StoreKit)
public import StoreKit
public import struct StoreKit.Product
#else
public import SimulatedStoreKit
public import struct SimulatedStoreKit.Product
#endif

/// The storefront of a real app: the App Store, through StoreKit 2.
///
/// ```swift
/// let storefront = StoreKitStorefront()
/// try Purchases.configure(withAPIKey: "appl_key", mode: .payment(backend), storefront: storefront)
/// ```
///
/// A receipt is StoreKit's `jwsRepresentation`, unchanged; the backend verifies it. On platforms without StoreKit, this
/// file is compiled against the module SimulatedStoreKit, and tests run it up to the ledger.
public struct StoreKitStorefront: Storefront {
  /// Takes the customer through a payment with the client's options.
  public typealias Purchasing =
    @MainActor @Sendable (Product, Set<Product.PurchaseOption>) async throws -> Product.PurchaseResult

  private let purchasing: Purchasing
  private let reading: TransactionReading

  #if !os(visionOS)
  /// Creates the App Store; StoreKit chooses the screen that shows the payment.
  public init() {
    self.init { product, options in try await product.purchase(options: options) }
  }
  #endif

  /// Creates the App Store with a payment that the app starts, for example by `purchase(confirmIn:options:)` or by
  /// SwiftUI's `PurchaseAction`.
  ///
  /// - Parameters:
  ///   - testSession: The name of Xcode's test session; production and sandbox transactions have none. An invalid name
  ///     counts as `xcode`.
  ///   - purchasing: Starts the payment; it must pass on all options.
  public init(testSession: String = "xcode", purchasing: @escaping Purchasing) {
    self.purchasing = purchasing
    reading = TransactionReading(testSession: testSession)
  }

  /// The App Store.
  public var store: Store { .apple }

  /// Returns the country of the store account; the United States if StoreKit does not report it.
  public func storefront() async -> StorefrontCode {
    await AppStorefront.current.flatMap { StorefrontCode(exactly: $0.countryCode) } ?? .unitedStates
  }

  /// The changes of the store account's country, from now on.
  public func storefrontUpdates() -> AsyncStream<StorefrontCode> {
    AsyncStream { continuation in
      let task = Task {
        for await storefront in AppStorefront.updates {
          // No catalog has prices of an unknown storefront.
          if let code = StorefrontCode(exactly: storefront.countryCode) { continuation.yield(code) }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Returns the available products with the ids.
  ///
  /// - Throws: `StoreFailure`, by StoreKit's error.
  public func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] {
    try await appStoreProducts(for: ids).compactMap(StorefrontProduct.init)
  }

  /// Takes the customer through a payment; the account token is sent as StoreKit's `appAccountToken`.
  ///
  /// - Throws: `StoreFailure`: `productUnavailable` if the App Store lists no such product, otherwise by StoreKit's
  ///   error.
  public func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    guard let product = try await appStoreProducts(for: [request.productID]).first else { throw .productUnavailable }
    var options: Set<Product.PurchaseOption> = []
    if request.quantity != 1 { options.insert(.quantity(Int(clamping: request.quantity))) }
    if let token = request.accountToken.flatMap({ UUID(uuidString: $0.description) }) {
      options.insert(.appAccountToken(token))
    }
    let result: Product.PurchaseResult
    do { result = try await purchasing(product, options) } catch { throw StoreFailure(error) }
    switch result {
    case .success(let verification): return .success(reading.evidence(verification))
    case .userCancelled: return .userCancelled
    case .pending: return .pending
    // For an unknown result, a payment will arrive through the updates.
    @unknown default: return .pending
    }
  }

  /// Streams StoreKit's `Transaction.updates`.
  public func updates() -> AsyncStream<StoreEvidence> {
    let reading = reading
    return AsyncStream { continuation in
      let task = Task {
        for await result in Transaction.updates { continuation.yield(reading.evidence(result)) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Returns the paid and unfinished transactions, in the order of ids: at most `limit` after the given transaction.
  public func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    let start = after.flatMap { UInt64($0.text) }
    let page = await whole { [reading] () -> [(id: UInt64, evidence: StoreEvidence)] in
      var page: [(id: UInt64, evidence: StoreEvidence)] = []
      for await result in Transaction.unfinished {
        let id = result.unsafePayloadValue.id
        if start.map({ id > $0 }) ?? true { page.append((id, reading.evidence(result))) }
      }
      return page
    }
    return page.sorted { $0.id < $1.id }.prefix(max(0, limit)).map(\.evidence)
  }

  /// Returns StoreKit's `Transaction.all`.
  public func all() async throws(StoreFailure) -> [StoreEvidence] { await list(Transaction.all) }

  /// Returns StoreKit's `Transaction.currentEntitlements`.
  public func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] {
    await list(Transaction.currentEntitlements)
  }

  /// Finishes the transaction if it is unfinished.
  ///
  /// StoreKit does not report failures: a transaction that could not be finished is delivered again at the next start.
  public func finish(_ id: StoreTransactionID) async throws(StoreFailure) {
    await whole {
      for await result in Transaction.unfinished where String(result.unsafePayloadValue.id) == id.text {
        return await result.unsafePayloadValue.finish()
      }
    }
  }

  /// Asks the App Store for transactions that this device does not know yet; StoreKit may ask for a password.
  ///
  /// - Throws: `StoreFailure`: `userCancelled` if the customer cancelled, otherwise by StoreKit's error.
  public func sync() async throws(StoreFailure) {
    do { try await AppStore.sync() } catch { throw StoreFailure(error) }
  }

  private func list(_ transactions: Transaction.Transactions) async -> [StoreEvidence] {
    await whole { [reading] in
      var evidence: [StoreEvidence] = []
      for await result in transactions { evidence.append(reading.evidence(result)) }
      return evidence
    }
  }

  /// Asks StoreKit in a separate task: a cancelled task gets no products and no error, and its lists may end early.
  private func whole<Answer: Sendable>(_ ask: @escaping @Sendable () async -> Answer) async -> Answer {
    await Task { await ask() }.value
  }

  private func appStoreProducts(for ids: [String]) async throws(StoreFailure) -> [Product] {
    let products = await whole { () -> Result<[Product], any Error> in
      do { return .success(try await Product.products(for: ids)) } catch { return .failure(error) }
    }
    do { return try products.get() } catch { throw StoreFailure(error) }
  }
}
