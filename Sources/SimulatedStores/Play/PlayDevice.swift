public import GemLedger
public import StoreBackend
public import StoreClient

/// An Android device: Google Play's billing client, also usable as a `Storefront` for a client of either store.
///
/// As a storefront, finishing consumes a consumable and acknowledges everything else; the id is the purchase token.
public struct PlayDevice: Storefront {
  /// The account that is signed in.
  public let account: PlayAccount
  /// The device's name.
  public let name: String

  private var engine: StoreEngine<PlayStoreState> { account.store.engine }
  private var deviceName: DeviceName { DeviceName(account: account.name, device: name) }

  /// Google Play.
  public var store: Store { .google }

  /// The country of the account.
  public func storefront() async -> StorefrontCode { engine.look { $0.settings.storefront } }

  /// The products that can be bought, of those with the ids.
  public func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] {
    let (productIndex, settings) = try await engine.ask(.loadProducts, by: deviceName) { shop, _ in
      (shop.productIndex, shop.settings.common)
    }
    return productIndex.listings(of: ids, settings)
  }

  /// Takes the customer through a payment; returns a purchase that the account already owns again, without a payment.
  ///
  /// An owned purchase that is still pending is `pending` again.
  public func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    switch try await pay(request) {
    case .failure(let failure): throw failure
    case .userCanceled: return .userCancelled
    case .pending: return .pending
    case .purchased(let row), .alreadyOwned(let row):
      guard row.isPaid else { return .pending }
      let evidence = engine.evidence(row.update, to: deviceName)
      engine.step(.delivered(row.transaction.id))
      return .success(evidence)
    }
  }

  /// Streams the events outside of ``purchase(_:)``: late payments and renewals; never a refund.
  ///
  /// The first stream since the app's start begins with the unfinished purchases of a query for purchases.
  public func updates() -> AsyncStream<StoreEvidence> {
    let name = account.name
    return engine.updates(of: deviceName) { $0.unfinished(of: name, after: nil, limit: .max) }
  }

  /// Returns the paid purchases that are not consumed and, other than consumables, not acknowledged; oldest first.
  ///
  /// - Complexity: O(log n + limit).
  public func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    let name = account.name
    return try await engine.list(.unfinished, for: deviceName) { $0.unfinished(of: name, after: after, limit: limit) }
  }

  /// Returns the purchases that the account owns: Google shows nothing else.
  public func all() async throws(StoreFailure) -> [StoreEvidence] {
    let name = account.name
    return try await engine.list(.all, for: deviceName) { $0.owned(by: name) }
  }

  /// Returns the purchases that the account owns, without consumables.
  public func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] {
    let name = account.name
    return try await engine.list(.currentEntitlements, for: deviceName) { $0.entitlements(of: name) }
  }

  /// Consumes a consumable, acknowledges every other purchase; ignores one that is no longer owned.
  public func finish(_ id: StoreTransactionID) async throws(StoreFailure) {
    let (engine, name) = (engine, account.name)
    engine.step(.finishing(id))
    try await engine.ask(.finish, by: deviceName) { shop, _ in
      // Unknown, consumed before, or taken back by the store: finishing is harmless.
      _ = shop.row(id)?.isConsumable == true ? shop.consume(id, of: name) : shop.acknowledge(id, of: name)
    } after: {
      engine.step(.finished(id))
    }
  }

  /// Queries Play for the account's purchases again: hidden and held-back purchases are delivered now.
  public func sync() async throws(StoreFailure) {
    let name = account.name
    try await engine.ask(.appStoreSync, by: deviceName) { shop, now in shop.sync(name, now: now) }
  }
}

// The billing client's API.
extension PlayDevice {
  /// Takes the customer through a payment.
  ///
  /// - Parameters:
  ///   - productID: The product.
  ///   - quantity: How many units: 1 to 99 of a consumable.
  ///   - obfuscatedAccountID: The buyer's token.
  /// - Returns: The purchase, paid for or pending.
  /// - Throws: ``BillingResponseCode``, such as `itemAlreadyOwned`.
  public func launchBillingFlow(
    productID: String, quantity: Int64 = 1, obfuscatedAccountID: AccountToken? = nil
  ) async throws(BillingResponseCode) -> PlayPurchase {
    let request = StorePaymentRequest(productID: productID, quantity: quantity, accountToken: obfuscatedAccountID)
    let result: PlayAnswer.Result
    do throws(StoreFailure) { result = try await pay(request) } catch { throw BillingResponseCode(error) }
    switch result {
    case .purchased(let row), .pending(let row): return PlayPurchase(row)
    case .alreadyOwned: throw .itemAlreadyOwned
    case .userCanceled: throw .userCanceled
    case .failure(let failure): throw BillingResponseCode(failure)
    }
  }

  /// Returns the account's owned and pending purchases, oldest first.
  ///
  /// - Throws: ``BillingResponseCode`` if the call fails.
  public func queryPurchases() async throws(BillingResponseCode) -> [PlayPurchase] {
    let name = account.name
    return try await call(.unfinished) { shop in shop.listed(of: name).map(PlayPurchase.init) }
  }

  /// Acknowledges a purchase: its goods are granted, and it is kept.
  ///
  /// - Throws: ``BillingResponseCode``: a failure of the call; `itemNotOwned` if the account does not own it;
  ///   `developerError` if it is not paid for.
  public func acknowledge(_ token: StoreTransactionID) async throws(BillingResponseCode) {
    let name = account.name
    if let code = try await call(.finish, { shop in shop.acknowledge(token, of: name) }) { throw code }
  }

  /// Consumes a purchase: its goods are granted and used up, and it can be bought again.
  ///
  /// - Throws: ``BillingResponseCode``: a failure of the call; `itemNotOwned` if the account does not own it;
  ///   `developerError` if it is not paid for, or a subscription.
  public func consume(_ token: StoreTransactionID) async throws(BillingResponseCode) {
    let name = account.name
    if let code = try await call(.finish, { shop in shop.consume(token, of: name) }) { throw code }
  }

  /// Ends the app and starts it again: its streams of updates end, and the next one begins with the unfinished
  /// transactions.
  public func relaunch() { engine.relaunch(deviceName) }

  /// The app is deleted and installed again; to the store that is a start like any other.
  public func reinstall() { relaunch() }

  /// Redeems a promo code in the Google Play app: the purchase is free and is delivered through the updates.
  ///
  /// - Throws: ``BillingResponseCode``: a failure of the call; `developerError` if the store has no such code,
  ///   `itemAlreadyOwned`, `itemUnavailable`.
  public func redeemPromoCode(_ code: String) async throws(BillingResponseCode) {
    let buyer = deviceName
    let result: Result<Void, BillingResponseCode>
    do throws(StoreFailure) {
      result = try await engine.ask(.offerCodeRedeem, by: buyer) { shop, now in shop.redeem(code, by: buyer, now: now) }
    } catch {
      throw BillingResponseCode(error)
    }
    try result.get()
  }

  private func call<Answer: Sendable>(
    _ api: StoreAPI, _ body: (inout PlayStoreState) -> Answer
  ) async throws(BillingResponseCode) -> Answer {
    do throws(StoreFailure) {
      return try await engine.ask(api, by: deviceName) { shop, _ in body(&shop) }
    } catch {
      throw BillingResponseCode(error)
    }
  }

  private func pay(_ request: StorePaymentRequest) async throws(StoreFailure) -> PlayAnswer.Result {
    let (engine, buyer) = (engine, deviceName)
    engine.step(.asked(request.productID))
    let answer = try engine.serve { shop, now in shop.purchase(request, by: buyer, now: now) }
    if let id = answer.paid { engine.step(.paid(id)) }
    await engine.wait(answer.slowness)
    return answer.result
  }
}
