internal import GemLedger
internal import StoreClient

/// Everything about the shop that a test can switch.
@dynamicMemberLookup
struct AppleSettings: ShopSettings {
  var askToBuyEnabled = false
  var interruptedPurchasesEnabled = false
  var disableDialogs = true
  var customerCancelsDialogs = false
  var failTransactionsEnabled = false
  var failureError = StoreFailure.unknown
  var billingGracePeriodIsEnabled = false
  var shouldEnterBillingRetryOnRenewal = false
  var repurchaseReturnsUnfinished = true
  var includesFinishedConsumables = false
  var sendsOneTimeChargeNotices = false
  var common = CommonSettings()

  /// Nothing is switched on.
  init() {}

  /// As a `.storekit` file has them.
  init(_ storeKit: StoreKitConfiguration) {
    self.init(storeKit.switches, locale: storeKit.locale)
    common.storefront = storeKit.storefront.flatMap(StorefrontCode.init(exactly:)) ?? .unitedStates
  }

  /// With the switches of a `.storekit` file.
  init(_ switches: StoreKitConfiguration.Switches, locale: String?) {
    common.locale = locale ?? "en_US"
    askToBuyEnabled = switches.askToBuyEnabled
    interruptedPurchasesEnabled = switches.interruptedPurchasesEnabled
    disableDialogs = switches.disableDialogs ?? true
    failTransactionsEnabled = switches.failTransactionsEnabled
    billingGracePeriodIsEnabled = switches.billingGracePeriodIsEnabled
    shouldEnterBillingRetryOnRenewal = switches.shouldEnterBillingRetryOnRenewal
    // A rate that is newer than this shop runs in real time.
    common.timeRate = switches.timeRate.flatMap(TimeRate.init(rawValue:)) ?? .realTime
    for name in switches.failingCalls {
      guard let api = StoreAPI(storeKitName: name) else { continue }
      common.simulatedErrors[api] = api == .verification ? .verification(.invalidSignature) : .store(.unknown)
    }
  }
}

extension AppleSettings {
  private static let flags: [(String, any WritableKeyPath<AppleSettings, Bool> & Sendable)] = [
    ("ask_to_buy", \.askToBuyEnabled), ("interrupted_purchases", \.interruptedPurchasesEnabled),
    ("disable_dialogs", \.disableDialogs), ("customer_cancels_dialogs", \.customerCancelsDialogs),
    ("fail_transactions", \.failTransactionsEnabled), ("billing_grace_period", \.billingGracePeriodIsEnabled),
    ("billing_retry_on_renewal", \.shouldEnterBillingRetryOnRenewal),
    ("repurchase_returns_unfinished", \.repurchaseReturnsUnfinished),
    ("includes_finished_consumables", \.includesFinishedConsumables),
    ("one_time_charge_notices", \.sendsOneTimeChargeNotices),
  ]

  func record() -> JSONValue {
    var writer = ShopRecordWriter("settings")
    for (name, path) in Self.flags { writer.put(name, flag: self[keyPath: path]) }
    writer.put("failure_error", failureError.rawValue)
    common.write(to: &writer)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init()
    for (name, path) in Self.flags { self[keyPath: path] = try record[name].flag() }
    failureError = try record["failure_error"].word()
    common = try CommonSettings(reading: record)
  }
}
