import GemLedger
import SimulatedStores
import StoreClient

/// The settings of a home's store, by the names of `store settings`.
enum StoreSetting: String, CaseIterable {
  case askToBuy = "ask-to-buy"
  case interruptedPurchases = "interrupted-purchases"
  case failTransactions = "fail-transactions"
  case gracePeriod = "grace-period"
  case billingRetry = "billing-retry"
  case failingCalls = "failing-calls"
  case timeRate = "time-rate"
  case storefront
  case locale

  static let names = allCases.map(\.rawValue)

  /// The setting's name in JSON.
  var jsonName: String { rawValue.split(separator: "-").joined(separator: "_") }

  /// The settings that this store has.
  static func all(of store: Store) -> [StoreSetting] {
    store == .apple ? allCases : [.timeRate, .storefront, .locale]
  }

  private static let flags: [StoreSetting: any ReferenceWritableKeyPath<SimulatedStore, Bool> & Sendable] = [
    .askToBuy: \.askToBuyEnabled, .interruptedPurchases: \.interruptedPurchasesEnabled,
    .failTransactions: \.failTransactionsEnabled, .gracePeriod: \.billingGracePeriodIsEnabled,
    .billingRetry: \.shouldEnterBillingRetryOnRenewal,
  ]

  /// The setting, if its values are on and off.
  private var flag: (any ReferenceWritableKeyPath<SimulatedStore, Bool> & Sendable)? { Self.flags[self] }

  /// The words for a time rate: the length of a day, of a month or of every period.
  static let timeRates: [(word: String, rate: TimeRate)] = [
    ("real", .realTime), ("day=1h", .oneRealDayIsOneHour), ("day=30m", .oneRealDayIsThirtyMinutes),
    ("day=5m", .oneRealDayIsFiveMinutes), ("day=1m", .oneRealDayIsOneMinute),
    ("day=30s", .oneRealDayIsThirtySeconds), ("day=1s", .oneRealDayIsOneSecond),
    ("month=1h", .monthlyRenewalEveryOneHour), ("month=30m", .monthlyRenewalEveryThirtyMinutes),
    ("month=15m", .monthlyRenewalEveryFifteenMinutes), ("month=5m", .monthlyRenewalEveryFiveMinutes),
    ("month=30s", .monthlyRenewalEveryThirtySeconds), ("period=15m", .anyRenewalEveryFifteenMinutes),
    ("period=5m", .anyRenewalEveryFiveMinutes), ("period=1m", .anyRenewalEveryOneMinute),
    ("period=30s", .anyRenewalEveryThirtySeconds), ("period=10s", .anyRenewalEveryTenSeconds),
    ("period=2s", .anyRenewalEveryTwoSeconds),
  ]
}

// Reading and changing.
extension StoreSetting {
  func text(_ shop: any LocalShop) -> String {
    switch self {
    case .timeRate: Self.timeRates.first { $0.rate == shop.controls.timeRate }?.word ?? "real"
    case .storefront: shop.controls.storefront.description
    case .locale: shop.controls.locale
    case .failingCalls:
      StoreAPI.allCases.filter { shop.controls.simulatedError(forAPI: $0) != nil }.map(\.rawValue)
        .joined(separator: ",").ifEmpty("none")
    default: isOn(shop) ? "on" : "off"
    }
  }

  func json(_ shop: any LocalShop) -> JSONValue { flag == nil ? .string(text(shop)) : .bool(isOn(shop)) }

  private func isOn(_ shop: any LocalShop) -> Bool {
    guard let apple = shop.apple, let flag else { return false }
    return apple[keyPath: flag]
  }

  /// Checks the value and returns the change; the home changes storefront and locale.
  ///
  /// - Returns: Nil if the setting cannot have the value.
  func change(to text: String) -> (@Sendable (any LocalShop) throws(LedgerError) -> Void)? {
    switch self {
    case .storefront:
      guard let code = StorefrontCode(exactly: text) else { return nil }
      return { $0.controls.storefront = code }
    case .locale:
      guard Localization.isLocale(text) else { return nil }
      return { $0.controls.locale = text }
    case .timeRate:
      guard let rate = Self.timeRates.first(where: { $0.word == text })?.rate else { return nil }
      return { $0.controls.timeRate = rate }
    case .failingCalls: return Self.failing(text)
    default:
      guard let flag, text == "on" || text == "off" else { return nil }
      return { $0.apple?[keyPath: flag] = text == "on" }
    }
  }

  private static func failing(_ text: String) -> (@Sendable (any LocalShop) throws(LedgerError) -> Void)? {
    let names = text == "none" ? [] : text.split(separator: ",").map(String.init)
    let calls = names.compactMap(StoreAPI.init(rawValue:)).filter { !$0.isDelivery }
    guard calls.count == names.count, !names.isEmpty || text == "none" else { return nil }
    return { (shop) throws(LedgerError) in
      for api in StoreAPI.allCases {
        let error: SimulatedError = api == .verification ? .verification(.invalidSignature) : .store(.unknown)
        try shop.controls.setSimulatedError(calls.contains(api) ? error : nil, forAPI: api)
      }
    }
  }

  /// The values that the setting can have, for a message.
  var values: String {
    switch self {
    case .timeRate: Self.timeRates.map(\.word).joined(separator: ", ")
    case .storefront: "a country in three capital letters, such as USA or JPN"
    case .locale: "a locale, such as en_US"
    case .failingCalls:
      "none, or calls with commas between them: "
        + StoreAPI.allCases.filter { !$0.isDelivery }.map(\.rawValue).joined(separator: ", ")
    default: "on or off"
    }
  }
}

extension String {
  fileprivate func ifEmpty(_ other: String) -> String { isEmpty ? other : self }
}
