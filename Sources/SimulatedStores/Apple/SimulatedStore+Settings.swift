internal import GemLedger
public import StoreClient

extension SimulatedStore {
  /// Whether purchases wait for another person's approval.
  ///
  /// They are `pending` until ``approveAskToBuyTransaction(identifier:)`` or
  /// ``declineAskToBuyTransaction(identifier:)``.
  public var askToBuyEnabled: Bool {
    get { setting(\.askToBuyEnabled) }
    set { set(\.askToBuyEnabled, newValue) }
  }

  /// Whether purchases are interrupted: the app receives `userCancelled`.
  ///
  /// ``resolveIssueForTransaction(identifier:)`` completes such a purchase through the updates.
  public var interruptedPurchasesEnabled: Bool {
    get { setting(\.interruptedPurchasesEnabled) }
    set { set(\.interruptedPurchasesEnabled, newValue) }
  }

  /// Whether purchases show no sheet, so that the customer cannot cancel; true at first.
  public var disableDialogs: Bool {
    get { setting(\.disableDialogs) }
    set { set(\.disableDialogs, newValue) }
  }

  /// Whether the customer cancels at every sheet that is shown; see ``disableDialogs``.
  public var customerCancelsDialogs: Bool {
    get { setting(\.customerCancelsDialogs) }
    set { set(\.customerCancelsDialogs, newValue) }
  }

  /// Whether every purchase fails with ``failureError``.
  public var failTransactionsEnabled: Bool {
    get { setting(\.failTransactionsEnabled) }
    set { set(\.failTransactionsEnabled, newValue) }
  }

  /// The error of failing purchases; `unknown` at first.
  public var failureError: StoreFailure {
    get { setting(\.failureError) }
    set { set(\.failureError, newValue) }
  }

  /// Whether a subscription that cannot be paid for stays active for 16 days, a weekly one for 6, at the time rate.
  public var billingGracePeriodIsEnabled: Bool {
    get { setting(\.billingGracePeriodIsEnabled) }
    set { set(\.billingGracePeriodIsEnabled, newValue) }
  }

  /// Whether renewals cannot be paid for; ``resolveIssueForTransaction(identifier:)`` pays within 60 days, at the time
  /// rate.
  public var shouldEnterBillingRetryOnRenewal: Bool {
    get { setting(\.shouldEnterBillingRetryOnRenewal) }
    set { set(\.shouldEnterBillingRetryOnRenewal, newValue) }
  }

  /// Whether buying a consumable with an unfinished last transaction returns that transaction again; true at first.
  public var repurchaseReturnsUnfinished: Bool {
    get { setting(\.repurchaseReturnsUnfinished) }
    set { set(\.repurchaseReturnsUnfinished, newValue) }
  }

  /// Whether the history shows finished consumables; the app's `SKIncludeConsumableInAppPurchaseHistory`.
  public var includesFinishedConsumables: Bool {
    get { setting(\.includesFinishedConsumables) }
    set { set(\.includesFinishedConsumables, newValue) }
  }

  /// Whether the backend receives a notice of every purchase.
  public var sendsOneTimeChargeNotices: Bool {
    get { setting(\.sendsOneTimeChargeNotices) }
    set { set(\.sendsOneTimeChargeNotices, newValue) }
  }

  /// Whether the store sells a product.
  public func state(ofProduct id: String) -> ProductState { engine.look { $0.settings.state(of: id) } }

  private func setting<Value: Sendable>(_ path: KeyPath<AppleSettings, Value>) -> Value {
    engine.look { $0.settings[keyPath: path] }
  }

  private func set<Value: Sendable>(_ path: WritableKeyPath<AppleSettings, Value>, _ value: Value) {
    // A setting that could not be written is written before the next call takes effect; see the type.
    try? engine.act { shop, _ in shop.change { $0[keyPath: path] = value } }
  }
}
