public import GemLedger

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
