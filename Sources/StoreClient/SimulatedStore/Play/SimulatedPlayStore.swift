public import GemLedger
internal import StoreBackend

/// A shop in this process that behaves as Google Play does, and misbehaves on command.
///
/// A purchase is known by its token, and may have no order id. The app has three days from payment to acknowledge or
/// consume it, or the money goes back by itself. What an account owns it cannot buy again; a consumable has to be
/// consumed first. Payments can be pending. Money is given back by units. Devices learn of none of that by themselves:
/// they ask, and the backend is told by notices.
///
/// ```swift
/// let store = try SimulatedPlayStore(catalog: catalog, clock: clock, signer: signer)
/// let phone = store.account("alice").device("pixel")
/// let purchase = try await phone.launchBillingFlow(productID: "gems_1200")
/// try await phone.consume(purchase.purchaseToken)
/// ```
public final class SimulatedPlayStore: Sendable {
  let keeper: ShopKeeper<PlayShop>

  /// A store that sells the catalog's products under their ids at `google`, kept in memory.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` when the session's name is none.
  public convenience init(
    catalog: Catalog, session: String = "simulated", seed: UInt64 = 1, clock: VirtualClock = VirtualClock(),
    signer: any ReceiptSigner
  ) throws(LedgerError) {
    try self.init(catalog: catalog, session: session, seed: seed, clock: clock, signer: signer, journal: nil)
  }

  /// A store that outlives the process in the journal: opened again, it goes on where it stopped.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`, `storage_foreign` when the journal is of another store,
  ///   `storage_newer`, `storage_damaged`, and the journal's own.
  package init(
    catalog: Catalog, session: String = "simulated", seed: UInt64 = 1, clock: VirtualClock,
    signer: any ReceiptSigner, journal: (any RecordJournal)?
  ) throws(LedgerError) {
    let identity = ShopIdentity(
      store: .google, environment: try .localTesting(session: session),
      bundleID: catalog.settings.bundleID ?? "com.example.app", seed: seed)
    keeper = try ShopKeeper(identity, clock: clock, signer: signer, journal: journal)
    try keeper.start { $0.shelf = ProductShelf(catalog.products, at: .google) }
  }

  /// Its clock.
  public var clock: VirtualClock { keeper.clock }

  /// The world that its purchases belong to.
  public var environment: StoreEnvironment { keeper.look { $0.identity.environment } }

  /// A store account: who pays; made when it is first named.
  public func account(_ name: String) -> PlayAccount { PlayAccount(store: self, name: name) }

  /// Puts another catalog's products on the shelf; what was bought stays as it was.
  public func setCatalog(_ catalog: Catalog) throws(LedgerError) {
    try keeper.act { shop, _ in shop.shelf = ProductShelf(catalog.products, at: .google) }
  }

  /// Called as a purchase goes from step to step; see ``SimulatedStore/onStep``.
  public var onStep: (@Sendable (StoreStep) -> Void)? {
    get { keeper.onStep }
    set { keeper.onStep = newValue }
  }
}

/// A Google account: who pays, on however many devices.
public struct PlayAccount: Sendable {
  /// The store.
  public let store: SimulatedPlayStore
  /// Its name.
  public let name: String

  /// A device that is signed in to the account; made when it is first named.
  public func device(_ name: String) -> PlayDevice { PlayDevice(account: self, name: name) }
}

// The developer API, as a backend calls it.
extension SimulatedPlayStore {
  /// Every purchase there ever was, oldest first.
  public func purchases() -> [PlayPurchase] {
    keeper.look { shop in shop.rows.values.sorted { $0.serial < $1.serial }.map(PlayPurchase.init) }
  }

  /// The purchase with this token, or nil where there is none.
  public func purchase(token: StoreTransactionID) -> PlayPurchase? {
    keeper.look { $0.row(token).map(PlayPurchase.init) }
  }

  /// Acknowledges a purchase for the app.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` where nobody owns such a purchase, `invalid_request` where it
  ///   is not paid for.
  public func acknowledge(_ token: StoreTransactionID) throws(LedgerError) {
    try require(try keeper.act { shop, _ in shop.acknowledge(token, of: nil) }, token)
  }

  /// Consumes a purchase for the app, which acknowledges it too.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` where nobody owns such a purchase, `invalid_request` where it
  ///   is not paid for, or a subscription.
  public func consume(_ token: StoreTransactionID) throws(LedgerError) {
    try require(try keeper.act { shop, _ in shop.consume(token, of: nil) }, token)
  }

  /// The purchases that were voided, oldest first, as Google lists them: at most of the last 30 days.
  ///
  /// - Parameters:
  ///   - from: The first instant; nil for 30 days ago.
  ///   - until: The last instant; nil for now.
  ///   - limit: 1 to 1,000 purchases on a page.
  ///   - token: The page to go on with.
  ///   - includingPartial: Whether refunds of some units are listed too.
  /// - Throws: `LedgerError` with `invalid_request` where the limit or the token is none.
  public func voidedPurchases(
    from: Timestamp? = nil, until: Timestamp? = nil, limit: Int = 1000, token: String? = nil,
    includingPartial: Bool = false
  ) throws(LedgerError) -> VoidedPage {
    guard (1...1000).contains(limit) else { throw .invalid("A page has 1 to 1,000 voided purchases.") }
    guard let place = token.map({ Int($0) }) ?? 0, place >= 0 else { throw .invalid("This is no token of a page.") }
    return try keeper.act { shop, now in
      let first = now.advanced(by: .seconds(-30 * 86_400))
      return shop.voided(
        from: max(first, from ?? first), until: until ?? Timestamp(milliseconds: .max), place: place, limit: limit,
        includingPartial: includingPartial)
    }
  }

  private func require(_ code: BillingResponseCode?, _ token: StoreTransactionID) throws(LedgerError) {
    switch code {
    case nil: return
    case .itemNotOwned?: throw Self.notFound
    default: throw .invalid("The purchase is not paid for, or cannot be consumed.")
    }
  }

  /// A token is as good as money: messages do not name it.
  fileprivate static var notFound: LedgerError {
    LedgerError(.purchaseNotFound, "The store knows no such purchase, or its owner has it no more.")
  }
}

extension SimulatedPlayStore {
  /// How accounts pay.
  public var paymentInstrument: PaymentInstrument {
    get { setting(\.instrument) }
    set { set(\.instrument, newValue) }
  }

  /// Whether the customer turns back at every sheet.
  public var customerCancelsSheets: Bool {
    get { setting(\.customerCancelsSheets) }
    set { set(\.customerCancelsSheets, newValue) }
  }

  /// Whether purchases have no order id, as test purchases and promotions; subscriptions always have one.
  public var omitsOrderIDs: Bool {
    get { setting(\.omitsOrderIDs) }
    set { set(\.omitsOrderIDs, newValue) }
  }

  /// Whether the backend is told of every purchase and every one that came to nothing.
  public var sendsPurchaseNotices: Bool {
    get { setting(\.sendsPurchaseNotices) }
    set { set(\.sendsPurchaseNotices, newValue) }
  }

  /// The country of all accounts.
  public var storefront: StorefrontCode {
    get { setting(\.storefront) }
    set { set(\.storefront, newValue) }
  }

  /// The language and region in which products are listed.
  public var locale: String {
    get { setting(\.locale) }
    set { set(\.locale, newValue) }
  }

  /// How fast subscriptions run; the three days for an acknowledgement are always three days.
  public var timeRate: TimeRate {
    get { setting(\.timeRate) }
    set { set(\.timeRate, newValue) }
  }

  /// Says whether the store sells a product.
  ///
  /// - Throws: `LedgerError` with `product_not_found` where the store has no product with this id.
  public func setState(_ state: ProductState, ofProduct id: String) throws(LedgerError) {
    guard keeper.look({ $0.shelf[id] }) != nil else {
      throw LedgerError(.productNotFound, "The store has no product \"\(id)\".", details: [.text("product_id", id)])
    }
    try keeper.act { shop, _ in
      shop.change { $0.productStates[ByteString(id)] = state == .clearedForSale ? nil : state }
    }
  }

  /// Makes all calls of an API fail with an error, until it is set to nil.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where the API cannot fail like that.
  public func setSimulatedError(_ error: SimulatedError?, forAPI api: StoreAPI) throws(LedgerError) {
    if let error, !error.fits(api) { throw .invalid("The call \(api.rawValue) cannot fail with \(error).") }
    try keeper.act { shop, _ in shop.change { $0.simulatedErrors[api] = error } }
  }

  /// The error that all calls of an API fail with.
  public func simulatedError(forAPI api: StoreAPI) -> SimulatedError? { setting(\.simulatedErrors)[api] }

  private func setting<Value: Sendable>(_ path: KeyPath<PlaySettings, Value>) -> Value {
    keeper.look { $0.settings[keyPath: path] }
  }

  private func set<Value: Sendable>(_ path: WritableKeyPath<PlaySettings, Value>, _ value: Value) {
    // What could not be written is written before anything else happens, as in the App-Store-like store.
    try? keeper.act { shop, _ in shop.change { $0[keyPath: path] = value } }
  }
}

// Every method that takes a token throws `purchase_not_found` where the store knows no such purchase.
extension SimulatedPlayStore {
  /// A pending payment arrives: the purchase comes through the updates, and the three days begin.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where the purchase is not pending.
  public func approvePendingPurchase(token: StoreTransactionID) throws(LedgerError) {
    try control(token) { shop, row, now in
      guard row.state == .pending else { return "It is not pending." }
      shop.approve(row, now: now)
      return nil
    }
  }

  /// A pending payment does not come; the app is told nothing, and the purchase is gone.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where the purchase is not pending.
  public func declinePendingPurchase(token: StoreTransactionID) throws(LedgerError) {
    try control(token) { shop, row, now in
      guard row.state == .pending else { return "It is not pending." }
      shop.decline(row, now: now)
      return nil
    }
  }

  /// Gives units back, and where none is left, takes the purchase away; the backend is told.
  ///
  /// - Parameters:
  ///   - token: The purchase.
  ///   - quantity: How many units; nil for all that are left.
  ///   - source: Who does it.
  ///   - reason: Why.
  /// - Throws: `LedgerError` with `invalid_request` where it is not paid for or has fewer units, `already_refunded`.
  public func refund(
    token: StoreTransactionID, quantity: Int64? = nil, source: VoidedPurchase.Source = .developer,
    reason: VoidedPurchase.Reason = .other
  ) throws(LedgerError) {
    if let found = purchase(token: token), found.state == .canceled, found.transaction.revocation != nil {
      throw LedgerError(.alreadyRefunded, "The store gave all money for the purchase back already.")
    }
    try control(token) { shop, row, now in
      guard row.isPaid else { return "It is not paid for." }
      let units = quantity ?? row.refundableQuantity
      guard units > 0, units <= row.refundableQuantity else {
        return "\(row.refundableQuantity) units can be refunded."
      }
      shop.void(row, units: units, source: source, reason: reason, now: now)
      return nil
    }
  }

  /// Lets a subscription end with its period.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where it is no running subscription.
  public func cancelSubscription(token: StoreTransactionID) throws(LedgerError) {
    try control(token) { shop, row, _ in
      guard row.isPaid, row.period != nil else { return "It is no running subscription." }
      var row = row
      row.willAutoRenew = false
      shop.record(.row(row))
      return nil
    }
  }

  /// Removes all purchases, as if they had never been; their tokens are not used again.
  public func clearPurchases() throws(LedgerError) { try keeper.act { shop, _ in shop.clear() } }

  private func control(
    _ token: StoreTransactionID, _ body: (inout PlayShop, PlayRow, Timestamp) -> String?
  ) throws(LedgerError) {
    let problem = try keeper.act { shop, now -> LedgerError? in
      guard let row = shop.row(token) else { return Self.notFound }
      return body(&shop, row, now).map { .invalid("The purchase: \($0)") }
    }
    if let problem { throw problem }
  }
}

extension SimulatedPlayStore {
  /// Makes the store misbehave, on top of what it does already.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where a fault could never strike, such as an interrupted purchase,
  ///   which Google Play does not have.
  public func inject(_ plan: FaultPlan) throws(LedgerError) {
    guard !plan.faults.contains(where: { $0.effect == .interrupt }) else {
      throw .invalid("Google Play knows no interrupted purchases.")
    }
    try keeper.inject(plan)
  }

  /// Makes the store misbehave in one way more.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where the fault could never strike.
  public func inject(_ fault: StoreFault) throws(LedgerError) { try inject(FaultPlan([fault])) }

  /// The faults that can still strike.
  public var faults: [StoreFault] { keeper.look { $0.desk.faults.armed.map(\.fault) } }

  /// Ends all faults.
  public func clearFaults() throws(LedgerError) { try keeper.act { shop, _ in shop.record(.faults([])) } }

  /// What the store tells the backend from now on; each call starts a stream of its own, and takes nothing away.
  public func notices() -> AsyncStream<StoreNotice> { keeper.notices() }

  /// What waits for the backend, oldest first; it waits until it is taken, across processes, the last 10,000 at most.
  public func pendingNotices(limit: Int = 100) -> [NumberedNotice] { keeper.pendingNotices(limit: limit) }

  /// The backend has taken everything up to the notice with this number.
  public func settleNotices(through id: Int64) throws(LedgerError) { try keeper.settleNotices(through: id) }

  /// Takes what waits for the backend, oldest first.
  public func takeNotices(limit: Int = 100) throws(LedgerError) -> [StoreNotice] {
    try keeper.takeNotices(limit: limit)
  }
}
