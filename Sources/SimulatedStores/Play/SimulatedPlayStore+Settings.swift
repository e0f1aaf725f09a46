internal import GemLedger

extension SimulatedPlayStore {
  /// The payment instrument of all accounts.
  public var paymentInstrument: PaymentInstrument {
    get { setting(\.instrument) }
    set { set(\.instrument, newValue) }
  }

  /// Whether the customer cancels at every sheet.
  public var customerCancelsSheets: Bool {
    get { setting(\.customerCancelsSheets) }
    set { set(\.customerCancelsSheets, newValue) }
  }

  /// Whether purchases have no order id, as test purchases and promotions; subscriptions always have one.
  public var omitsOrderIDs: Bool {
    get { setting(\.omitsOrderIDs) }
    set { set(\.omitsOrderIDs, newValue) }
  }

  /// Whether the backend receives a notice of every purchase and of every cancelled pending purchase.
  public var sendsPurchaseNotices: Bool {
    get { setting(\.sendsPurchaseNotices) }
    set { set(\.sendsPurchaseNotices, newValue) }
  }

  private func setting<Value: Sendable>(_ path: KeyPath<PlaySettings, Value>) -> Value {
    engine.look { $0.settings[keyPath: path] }
  }

  private func set<Value: Sendable>(_ path: WritableKeyPath<PlaySettings, Value>, _ value: Value) {
    // A setting that could not be written is written before the next call takes effect, as in the App-Store-like store.
    try? engine.act { shop, _ in shop.change { $0[keyPath: path] = value } }
  }
}
