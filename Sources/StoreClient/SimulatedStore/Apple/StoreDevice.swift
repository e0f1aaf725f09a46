public import GemLedger
internal import StoreBackend

/// A device of a store account: what a client gets as its ``Storefront``.
///
/// It stands for the app on it too: the first stream of updates after the app's start begins with what is unfinished.
public struct StoreDevice: Storefront {
  /// The account that is signed in.
  public let account: StoreAccount
  /// The device's name.
  public let name: String

  private var keeper: ShopKeeper<AppleShop> { account.store.keeper }
  private var deviceName: DeviceName { DeviceName(account: account.name, device: name) }

  /// Which shop it is.
  public var store: Store { keeper.look { $0.identity.store } }

  /// The country of the store account.
  public func storefront() async -> StorefrontCode { keeper.look { $0.settings.storefront } }

  /// The products that can be bought, of those with the ids.
  public func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] {
    let (shelf, settings) = try await ask(.loadProducts) { ($0.shelf, $0.settings) }
    return shelf.listings(of: ids, in: settings.storefront, locale: settings.locale, settings.productStates)
  }

  /// Takes the customer through a payment, as StoreKit's `Product.purchase(options:)`.
  ///
  /// - Throws: ``StoreFailure``, in order of precedence: an injected failure, the simulated error,
  ///   `productUnavailable`, `notAvailableInStorefront`, `invalidQuantity`, the failure of failed transactions.
  public func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    let (keeper, buyer) = (keeper, deviceName)
    keeper.step(.asked(request.productID))
    let answer = try keeper.serve { shop, now in shop.purchase(request, by: buyer, now: now) }
    if let id = answer.paid { keeper.step(.paid(id)) }
    await keeper.wait(answer.slowness)
    switch answer.result {
    case .failure(let failure): throw failure
    case .pending: return .pending
    case .userCancelled: return .userCancelled
    case .success(let delivery):
      let evidence = account.store.evidence(delivery, to: buyer)
      keeper.step(.delivered(delivery.transaction.id))
      return .success(evidence)
    }
  }

  /// What happens outside of ``purchase(_:)``.
  ///
  /// The first stream since the app's start begins with what is unfinished, each once; later ones do not. What happens
  /// while no stream is open shows in the lists only, refunds included.
  public func updates() -> AsyncStream<StoreEvidence> {
    let (store, keeper, name) = (account.store, keeper, deviceName)
    let feed = keeper.subscribe(name) { $0.launchDeliveries(of: name.account) }
    return AsyncStream {
      guard let delivery = await feed.next() else { return nil }
      let evidence = store.evidence(delivery, to: name)
      keeper.step(.delivered(delivery.transaction.id))
      return evidence
    } onCancel: {
      feed.end()
    }
  }

  /// What was paid for and not finished, oldest first; the page after an id goes on in the order of ids.
  ///
  /// - Complexity: O(log n + limit).
  public func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    let name = account.name
    return try await list(.unfinished) { $0.unfinished(of: name, after: after, limit: limit) }
  }

  /// The history without finished consumables, unless these were refunded or the app asked for them.
  public func all() async throws(StoreFailure) -> [StoreEvidence] {
    let name = account.name
    return try await list(.all) { $0.all(of: name) }
  }

  /// What gives entitlements now: never a consumable.
  public func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] {
    let name = account.name
    return try await list(.currentEntitlements) { $0.entitlements(of: name) }
  }

  /// Tells the store that the purchase is credited for good.
  public func finish(_ id: StoreTransactionID) async throws(StoreFailure) {
    let (keeper, name) = (keeper, deviceName)
    keeper.step(.finishing(id))
    let answer = try keeper.serve { shop, _ in
      let answer = shop.ask(.finish, by: name)
      if answer.failure == nil { shop.finish(id, by: name) }
      return answer
    }
    if answer.failure == nil { keeper.step(.finished(id)) }
    try await settle(answer)
  }

  /// Asks the store for what this device does not know yet: hidden and held back transactions come now.
  public func sync() async throws(StoreFailure) {
    let (keeper, name) = (keeper, deviceName)
    let answer = try keeper.serve { shop, now in
      let answer = shop.ask(.appStoreSync, by: name)
      if answer.failure == nil { shop.sync(name.account, now: now) }
      return answer
    }
    try await settle(answer)
  }
}

extension StoreDevice {
  /// The app ends and starts again: its streams of updates end, and the next one begins with what is unfinished.
  public func relaunch() { keeper.relaunch(deviceName) }

  /// The app is deleted and installed again; to the store that is a start like any other.
  ///
  /// What the app itself kept on the device is gone, which is for the test to see to.
  public func reinstall() { relaunch() }

  /// The sheet on which a customer asks for money back; taking the request promises nothing.
  ///
  /// The store asks the backend with a notice; then ``SimulatedStore/refundTransaction(identifier:)`` or
  /// ``SimulatedStore/declineRefundRequest(identifier:)`` decides.
  ///
  /// - Throws: ``RefundRequestFailure``: `failed` where the transaction is not the account's or an error is simulated,
  ///   `duplicateRequest` where there was one, or the money was given back.
  public func beginRefundRequest(for id: StoreTransactionID) async throws(RefundRequestFailure) {
    let name = deviceName
    let failure: RefundRequestFailure?
    do throws(LedgerError) {
      failure = try keeper.act { shop, _ -> RefundRequestFailure? in
        guard let row = shop.row(id), row.isPurchased, row.account == name.account else { return .failed }
        return shop.requestRefund(row, by: name)
      }
    } catch {
      // A store that cannot write cannot take requests either.
      throw .failed
    }
    if let failure { throw failure }
  }

  /// How the account's subscriptions to a product stand; nil where there never was one.
  public func subscriptionStatus(of productID: String) async throws(StoreFailure) -> SubscriptionStatus? {
    let name = account.name
    return try await ask(.subscriptionStatus) { shop in
      shop.subscriptions(to: productID, account: name).first.map { SubscriptionStatus($0, shop) }
    }
  }

  /// The app's own receipt: which app it is, in which environment.
  public func appTransaction() async throws(StoreFailure) -> AppTransaction {
    try await ask(.appTransaction) { AppTransaction($0.identity) }
  }

  /// The sheet on which a customer ends subscriptions: auto-renewal of the product's subscription ends.
  public func manageSubscriptions(cancelling productID: String) async throws(StoreFailure) {
    let name = account.name
    try await ask(.manageSubscriptions) { shop in
      for subscription in shop.subscriptions(to: productID, account: name) {
        shop.change(subscription) { $0.willAutoRenew = false }
      }
    }
  }

  /// The sheet on which a customer enters an offer code; what it gives comes through the updates of every device.
  ///
  /// - Throws: ``StoreFailure``: a simulated one, or `invalidOfferIdentifier` where the store gave out no such code.
  public func redeemOfferCode(_ code: String) async throws(StoreFailure) {
    let (name, clock) = (account.name, keeper.clock)
    let result = try await ask(.offerCodeRedeem) { shop -> Result<StoreTransactionID, StoreFailure> in
      guard let product = shop.settings.offerCodes[ByteString(code)] else { return .failure(.invalidOfferIdentifier) }
      return shop.buyElsewhere(StorePaymentRequest(productID: product), account: name, now: clock.now)
    }
    _ = try result.get()
  }
}

extension StoreDevice {
  private func list(
    _ api: StoreAPI, _ body: (borrowing AppleShop) -> [Delivery]
  ) async throws(StoreFailure) -> [StoreEvidence] {
    let deliveries = try await ask(api) { body($0) }
    return deliveries.map { account.store.evidence($0, to: deviceName) }
  }

  /// One call that may fail before or after its effect, or take its time.
  @discardableResult
  private func ask<Answer: Sendable>(
    _ api: StoreAPI, _ body: (inout AppleShop) -> Answer
  ) async throws(StoreFailure) -> Answer {
    let name = deviceName
    let (call, answer) = try keeper.serve { shop, _ -> (CallAnswer, Answer?) in
      let call = shop.ask(api, by: name)
      return (call, call.failure == nil ? body(&shop) : nil)
    }
    try await settle(call)
    guard let answer else { throw .unknown }
    return answer
  }

  private func settle(_ call: CallAnswer) async throws(StoreFailure) {
    await keeper.wait(call.slowness)
    if let failure = call.failure { throw failure }
    if call.isLost { throw .networkError }
  }
}
