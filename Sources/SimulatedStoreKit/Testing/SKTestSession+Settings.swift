internal import GemLedger
internal import SimulatedStores

extension SKTestSession {
  /// Whether purchases wait for another person's approval.
  public var askToBuyEnabled: Bool {
    get { store.askToBuyEnabled }
    set { store.askToBuyEnabled = newValue }
  }

  /// The setting ``askToBuyEnabled`` under a name that tutorials use; StoreKitTest has no such property.
  public var simulateAskToBuyInSandbox: Bool {
    get { store.askToBuyEnabled }
    set { store.askToBuyEnabled = newValue }
  }

  /// Whether purchases show no sheet; the simulated store's sheets are accepted unless
  /// `store.customerCancelsDialogs` is set.
  public var disableDialogs: Bool {
    get { store.disableDialogs }
    set { store.disableDialogs = newValue }
  }

  /// Whether purchases are interrupted: the app receives `userCancelled`.
  ///
  /// ``resolveIssueForTransaction(identifier:)`` completes such a purchase through the updates.
  public var interruptedPurchasesEnabled: Bool {
    get { store.interruptedPurchasesEnabled }
    set { store.interruptedPurchasesEnabled = newValue }
  }

  /// Whether every purchase fails with ``failureError``.
  public var failTransactionsEnabled: Bool {
    get { store.failTransactionsEnabled }
    set { store.failTransactionsEnabled = newValue }
  }

  /// The error of failing purchases; `unknown` at first.
  public var failureError: SKError.Code {
    get { SKError.Code(store.failureError) }
    set { store.failureError = newValue.storeFailure }
  }

  /// Whether a subscription that cannot be paid for stays active for a while.
  public var billingGracePeriodIsEnabled: Bool {
    get { store.billingGracePeriodIsEnabled }
    set { store.billingGracePeriodIsEnabled = newValue }
  }

  /// Whether renewals cannot be paid for until ``resolveIssueForTransaction(identifier:)``.
  public var shouldEnterBillingRetryOnRenewal: Bool {
    get { store.shouldEnterBillingRetryOnRenewal }
    set { store.shouldEnterBillingRetryOnRenewal = newValue }
  }

  /// The country of the store account in ISO 3166-1 alpha-3, such as `USA`.
  ///
  /// Any other text is a mistake of the test and ends the process.
  public var storefront: String {
    get { store.storefront.description }
    set {
      guard let code = StorefrontCode(exactly: newValue) else {
        preconditionFailure("There is no storefront \"\(newValue)\"; write ISO 3166-1 alpha-3, such as USA.")
      }
      attached.setStorefront(code)
    }
  }

  /// The language and region in which products are listed.
  public var locale: Locale {
    get { Locale(identifier: store.locale) }
    set { store.locale = newValue.identifier }
  }

  /// The speed of subscriptions.
  public var timeRate: TimeRate {
    get { TimeRate(store.timeRate) }
    set { store.timeRate = newValue.storeRate }
  }

  /// Restores all initial settings and removes simulated errors and faults; transactions stay.
  public func resetToDefaultState() {
    attached.forgetFailures()
    // Only a store with an event log can fail here; its next caller gets the error.
    try? store.resetToDefaultState()
  }
}

extension SKTestSession {
  /// The speed of subscriptions, with StoreKitTest's numbers.
  public enum TimeRate: Int, Hashable, Sendable, CaseIterable {
    /// As in real life.
    case realTime = 0
    /// A day takes an hour.
    case oneHourIsOneDay = 1
    /// A day takes 30 minutes.
    case thirtyMinutesIsOneDay = 2
    /// A day takes 5 minutes.
    case fiveMinutesIsOneDay = 3
    /// A day takes a minute.
    case oneMinuteIsOneDay = 4
    /// A day takes 30 seconds.
    case thirtySecondsIsOneDay = 5
    /// A day takes a second.
    case oneSecondIsOneDay = 6
    /// A month takes an hour.
    case monthlyRenewalEveryHour = 10
    /// A month takes 30 minutes.
    case monthlyRenewalEveryThirtyMinutes = 11
    /// A month takes 15 minutes.
    case monthlyRenewalEveryFifteenMinutes = 12
    /// A month takes 5 minutes.
    case monthlyRenewalEveryFiveMinutes = 13
    /// A month takes 30 seconds.
    case monthlyRenewalEveryThirtySeconds = 15
    /// Every cycle takes 15 minutes.
    case oneRenewalEveryFifteenMinutes = 1000
    /// Every cycle takes 5 minutes.
    case oneRenewalEveryFiveMinutes = 1001
    /// Every cycle takes a minute.
    case oneRenewalEveryMinute = 1002
    /// Every cycle takes 30 seconds.
    case oneRenewalEveryThirtySeconds = 1003
    /// Every cycle takes 10 seconds.
    case oneRenewalEveryTenSeconds = 1004
    /// Every cycle takes 2 seconds.
    case oneRenewalEveryTwoSeconds = 1005
  }
}

extension SKTestSession.TimeRate {
  init(_ rate: SimulatedStores.TimeRate) { self = Self(rawValue: Int(rate.rawValue)) ?? .realTime }

  /// The store's rates have the same numbers.
  var storeRate: SimulatedStores.TimeRate { SimulatedStores.TimeRate(rawValue: Int64(rawValue)) ?? .realTime }
}
