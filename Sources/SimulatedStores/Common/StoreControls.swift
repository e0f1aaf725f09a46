public import GemLedger

/// The controls of either simulated store: ``SimulatedStore`` and ``SimulatedPlayStore``.
///
/// Controls that change nothing durable return at once; throwing controls throw `LedgerError`. If a store's
/// persistence fails, the setting is kept and written before anything else happens.
public protocol StoreControls: Sendable {
  /// The running store that the controls act on.
  var runtime: StoreRuntime { get }
}

/// A running store, of either kind.
public struct StoreRuntime: Sendable {
  let store: any RunningStore
}

extension StoreControls {
  private var running: any RunningStore { runtime.store }

  /// Its clock.
  public var clock: VirtualClock { running.clock }

  /// The world that its purchases belong to.
  public var environment: StoreEnvironment { running.identity.environment }

  /// The country of all store accounts; purchases and renewals from now on have its prices.
  public var storefront: StorefrontCode {
    get { running.settings.storefront }
    nonmutating set { set { $0.storefront = newValue } }
  }

  /// The language and region in which products are listed.
  public var locale: String {
    get { running.settings.locale }
    nonmutating set { set { $0.locale = newValue } }
  }

  /// The speed of subscriptions; a period that has begun keeps its planned end.
  ///
  /// Google's three days for an acknowledgement are always three days.
  public var timeRate: TimeRate {
    get { running.settings.timeRate }
    nonmutating set { set { $0.timeRate = newValue } }
  }

  /// The handler of each step of a purchase, called on the thread that performs the step.
  ///
  /// So a test or a process can end itself between any two steps. Each completed step that is reported is durable.
  public var onStep: (@Sendable (StoreStep) -> Void)? {
    get { running.onStep }
    nonmutating set { running.onStep = newValue }
  }

  /// Replaces the products on sale by another catalog's; earlier purchases stay as they were.
  ///
  /// A store that is opened again sells the catalog that it is opened with.
  public func setCatalog(_ catalog: Catalog) throws(LedgerError) { try running.sell(catalog.products) }

  /// Sets whether the store sells a product; only a product that is cleared for sale is listed and can be bought.
  ///
  /// - Throws: `LedgerError` with `product_not_found` if the store has no product with this id.
  public func setState(_ state: ProductState, ofProduct id: String) throws(LedgerError) {
    try checkSold(id)
    try running.change { $0.productStates[ByteString(id)] = state == .clearedForSale ? nil : state }
  }

  /// Sets the price of one unit in a storefront, overriding the catalog; nil restores the catalog's price.
  ///
  /// So a store can raise prices before a backend's catalog knows of it. Later renewals use the new price too.
  ///
  /// - Throws: `LedgerError` with `product_not_found` if the store has no product with this id.
  public func setPrice(_ price: Price?, ofProduct id: String, in storefront: StorefrontCode) throws(LedgerError) {
    try checkSold(id)
    try running.change { settings in
      let product = ByteString(id)
      settings.prices[product, default: [:]][storefront] = price
      if settings.prices[product]?.isEmpty == true { settings.prices[product] = nil }
    }
  }

  /// Adds a code that buys a product and that every account can redeem: an offer code of the App Store, a promo code
  /// of Google Play.
  ///
  /// Its transactions name the offer, and no buyer: codes are redeemed outside of the app.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - id: The product's id at the store.
  ///   - identifier: The offer's id in receipts; nil for the code.
  ///   - price: The price of it, in place of the product's; nil for nothing.
  /// - Throws: `LedgerError` with `product_not_found` if the store has no product with this id, `invalid_request` if a
  ///   promo code of Google Play has a price.
  public func addOfferCode(
    _ code: String, forProduct id: String, identifier: String? = nil, price: Price? = nil
  ) throws(LedgerError) {
    try checkSold(id)
    guard price == nil || running.identity.store != .google else {
      throw .invalid("Google Play takes no money for a promo code; leave the price out.")
    }
    try running.change {
      $0.offerCodes[ByteString(code)] = OfferCode(productID: id, identifier: identifier ?? code, price: price)
    }
  }

  /// Makes all calls of an API fail with an error, until it is set to nil.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if the API cannot fail with this error.
  public func setSimulatedError(_ error: SimulatedError?, forAPI api: StoreAPI) throws(LedgerError) {
    if let error, !error.fits(api) { throw .invalid("The call \(api.rawValue) cannot fail with \(error).") }
    try running.change { $0.simulatedErrors[api] = error }
  }

  /// The error that all calls of an API fail with.
  public func simulatedError(forAPI api: StoreAPI) -> SimulatedError? { running.settings.simulatedErrors[api] }

  /// - Throws: `product_not_found`.
  func checkSold(_ id: String) throws(LedgerError) {
    guard running.sells(id) else {
      throw LedgerError(.productNotFound, "The store has no product \"\(id)\".", details: [.text("product_id", id)])
    }
  }

  private func set(_ body: (inout CommonSettings) -> Void) {
    // A setting that could not be written is written before the next call takes effect; see the type.
    try? running.change(body)
  }
}

// Faults, and the store's notices to the backend.
extension StoreControls {
  /// Injects a fault, in addition to the faults before.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for a fault that could never occur, such as an interrupted purchase
  ///   on Google Play; then none is taken.
  public func inject(_ plan: FaultPlan) throws(LedgerError) { try running.inject(plan) }

  /// Adds one fault.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if the fault could never occur.
  public func inject(_ fault: StoreFault) throws(LedgerError) { try running.inject(FaultPlan([fault])) }

  /// The faults that can still occur.
  public var faults: [StoreFault] { running.faults }

  /// Ends all faults, or those of one API.
  public func clearFaults(on api: StoreAPI? = nil) throws(LedgerError) { try running.clearFaults(on: api) }

  /// Streams the store's notices to the backend from now on.
  ///
  /// Each call starts a separate stream; streams do not consume notices.
  public func notices() -> AsyncStream<StoreNotice> { running.notices() }

  /// Returns the notices that wait for the backend, oldest first.
  ///
  /// They wait until they are taken, across processes, the last 10,000 at most.
  public func pendingNotices(limit: Int = 100) -> [NumberedNotice] { running.pendingNotices(limit: limit) }

  /// Acknowledges all notices up to this number on behalf of the backend.
  public func acknowledgeNotices(through id: Int64) throws(LedgerError) { try running.acknowledgeNotices(through: id) }

  /// Takes the notices that wait for the backend, oldest first.
  public func takeNotices(limit: Int = 100) throws(LedgerError) -> [StoreNotice] {
    try running.takeNotices(limit: limit)
  }
}
