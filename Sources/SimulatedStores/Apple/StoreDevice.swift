public import GemLedger
internal import StoreBackend
public import StoreClient

/// A device of a store account: the `Storefront` of a client.
///
/// It represents the app on it too: the first stream of updates after the app's start begins with the unfinished
/// transactions.
public struct StoreDevice: Storefront {
  /// The account that is signed in.
  public let account: StoreAccount
  /// The device's name.
  public let name: String

  private var engine: StoreEngine<AppleStoreState> { account.store.engine }
  private var deviceName: DeviceName { DeviceName(account: account.name, device: name) }

  /// The store to which it belongs.
  public var store: Store { engine.look { $0.identity.store } }

  /// The country of the store account.
  public func storefront() async -> StorefrontCode { engine.look { $0.settings.storefront } }

  /// The products that can be bought, of those with the ids.
  public func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] {
    let (productIndex, settings) = try await engine.ask(.loadProducts, by: deviceName) { shop, _ in
      (shop.productIndex, shop.settings.common)
    }
    return productIndex.listings(of: ids, settings)
  }

  /// Takes the customer through a payment, as StoreKit's `Product.purchase(options:)`.
  ///
  /// - Throws: `StoreFailure`, in order of precedence: an injected failure, the simulated error,
  ///   `productUnavailable`, `notAvailableInStorefront`, `invalidQuantity`, the failure of failed transactions.
  public func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    try await purchase(request, simulatesAskToBuy: false)
  }

  /// Buys like ``purchase(_:)``, and waits for another person's approval if requested.
  package func purchase(
    _ request: StorePaymentRequest, simulatesAskToBuy: Bool
  ) async throws(StoreFailure) -> StorePaymentResult {
    let (engine, buyer) = (engine, deviceName)
    engine.step(.asked(request.productID))
    let answer = try engine.serve { shop, now in
      shop.purchase(request, simulatesAskToBuy: simulatesAskToBuy, by: buyer, now: now)
    }
    if let id = answer.paid { engine.step(.paid(id)) }
    await engine.wait(answer.slowness)
    switch answer.result {
    case .failure(let failure): throw failure
    case .pending: return .pending
    case .userCancelled: return .userCancelled
    case .success(let update):
      let evidence = engine.evidence(update, to: buyer)
      engine.step(.delivered(update.transaction.id))
      return .success(evidence)
    }
  }

  /// Streams the events outside of ``purchase(_:)``.
  ///
  /// The first stream since the app's start begins with the unfinished transactions, each once; later ones do not.
  /// Events while no stream is open show in the lists only, refunds included.
  public func updates() -> AsyncStream<StoreEvidence> {
    let name = account.name
    return engine.updates(of: deviceName) { $0.lists.launchDeliveries(of: name) }
  }

  /// Returns the paid and unfinished transactions, oldest first; the page after an id continues in the order of ids.
  ///
  /// - Complexity: O(log n + limit).
  public func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    let name = account.name
    return try await engine.list(.unfinished, for: deviceName) {
      $0.lists.unfinished(of: name, after: after, limit: limit)
    }
  }

  /// The history without finished consumables, unless these were refunded or the app asked for them.
  public func all() async throws(StoreFailure) -> [StoreEvidence] {
    let name = account.name
    return try await engine.list(.all, for: deviceName) { $0.lists.all(of: name) }
  }

  /// Returns the transactions that give entitlements now: never a consumable.
  public func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] {
    let name = account.name
    return try await engine.list(.currentEntitlements, for: deviceName) { $0.lists.entitlements(of: name) }
  }

  /// Marks the purchase as credited for good.
  public func finish(_ id: StoreTransactionID) async throws(StoreFailure) {
    let (engine, name) = (engine, deviceName)
    engine.step(.finishing(id))
    try await engine.ask(.finish, by: name) { shop, _ in
      shop.finish(id, by: name)
    } after: {
      engine.step(.finished(id))
    }
  }

  /// Queries the store for transactions that this device does not know; hidden and held-back ones are delivered now.
  public func sync() async throws(StoreFailure) {
    let name = account.name
    try await engine.ask(.appStoreSync, by: deviceName) { shop, now in shop.sync(name, now: now) }
  }
}

extension StoreDevice {
  /// Ends the app and starts it again: its streams of updates end, and the next one begins with the unfinished
  /// transactions.
  public func relaunch() { engine.relaunch(deviceName) }

  /// Deletes the app and installs it again; to the store that is a start like any other.
  ///
  /// The test must remove the app's data from the device.
  public func reinstall() { relaunch() }

  /// Shows the sheet on which a customer requests a refund; accepting the request promises nothing.
  ///
  /// The store asks the backend with a notice; then ``SimulatedStore/refundTransaction(identifier:)`` or
  /// ``SimulatedStore/declineRefundRequest(identifier:)`` decides.
  ///
  /// - Throws: ``RefundRequestFailure``: `failed` if the transaction is not the account's or an error is simulated,
  ///   `duplicateRequest` if there was a request, or the money was refunded.
  public func beginRefundRequest(for id: StoreTransactionID) async throws(RefundRequestFailure) {
    let name = deviceName
    let failure: RefundRequestFailure?
    do throws(LedgerError) {
      failure = try engine.act { shop, now -> RefundRequestFailure? in
        guard let row = shop.row(id), row.isPurchased, row.account.hasBytes(of: name.account) else { return .failed }
        return shop.requestRefund(row, by: name, now: now)
      }
    } catch {
      // A store that cannot write cannot take requests either.
      throw .failed
    }
    if let failure { throw failure }
  }

  /// Returns the status of the account's subscription to a product; nil if there never was one.
  public func subscriptionStatus(of productID: String) async throws(StoreFailure) -> SubscriptionStatus? {
    let name = account.name
    return try await engine.ask(.subscriptionStatus, by: deviceName) { shop, _ in
      shop.subscriptions(to: productID, account: name).first.map { SubscriptionStatus($0, shop) }
    }
  }

  /// Returns the app's receipt: its bundle id and its environment.
  public func appTransaction() async throws(StoreFailure) -> AppTransaction {
    try await engine.ask(.appTransaction, by: deviceName) { shop, _ in AppTransaction(shop.identity) }
  }

  /// Shows the sheet on which a customer ends subscriptions: auto-renewal of the product's subscription ends.
  public func manageSubscriptions(cancelling productID: String) async throws(StoreFailure) {
    let name = account.name
    try await engine.ask(.manageSubscriptions, by: deviceName) { shop, _ in
      for subscription in shop.subscriptions(to: productID, account: name) {
        shop.change(subscription) { $0.willAutoRenew = false }
      }
    }
  }

  /// Redeems an offer code on the store's sheet; the updates of every device deliver its transaction.
  ///
  /// - Throws: `StoreFailure`: a simulated failure, or `invalidOfferIdentifier` if the store has no such code.
  public func redeemOfferCode(_ code: String) async throws(StoreFailure) {
    let name = account.name
    let result = try await engine.ask(.offerCodeRedeem, by: deviceName) {
      shop, now -> Result<StoreTransactionID, StoreFailure> in
      guard let offer = shop.settings.offerCodes[ByteString(code)] else { return .failure(.invalidOfferIdentifier) }
      return shop.buyElsewhere(StorePaymentRequest(productID: offer.productID), by: offer, account: name, now: now)
    }
    _ = try result.get()
  }
}
