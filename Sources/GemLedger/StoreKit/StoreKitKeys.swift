/// The keys of `.storekit` files of versions 1 to 5, by object, including keys without a meaning for a ledger.
enum StoreKitKeys {
  static let configuration: Set<String> = [
    "appPolicies", "identifier", "nonRenewingSubscriptions", "products", "settings", "subscriptionGroups",
    "subscriptionOffersKeyPair", "version",
  ]

  static let settings: Set<String> = [
    "_applicationInternalID", "_askToBuyEnabled", "_billingGracePeriodEnabled", "_billingIssuesEnabled",
    "_compatibilityTimeRate", "_developerTeamID", "_disableDialogs", "_failTransactionsEnabled",
    "_lastSynchronizedDate", "_locale", "_renewalBillingIssuesEnabled", "_storeKitError", "_storeKitErrors",
    "_storefront", "_timeRate",
  ]

  static let product: Set<String> = [
    "displayPrice", "familyShareable", "internalID", "localizations", "productID", "referenceName", "type",
  ]

  static let subscriptionGroup: Set<String> = ["id", "localizations", "name", "subscriptions"]

  static let subscription = product.union([
    "adHocOffers", "billingPlans", "codeOffers", "groupNumber", "introductoryOffer", "introductoryOffers",
    "recurringSubscriptionPeriod", "subscriptionGroupID", "winbackOffers",
  ])

  static let localization: Set<String> = ["description", "displayName", "locale"]

  /// The lists of offers of a subscription.
  static let offers = ["adHocOffers", "codeOffers", "introductoryOffer", "introductoryOffers", "winbackOffers"]

  /// The names of the calls that a file can make fail.
  static let calls: Set<String> = [
    "App Store Sync", "App Transaction", "Load Products", "Manage Subscriptions Sheet", "Offer Code Redeem Sheet",
    "Purchase", "Refund Request Sheet", "Subscription Status", "Verification",
  ]

  /// The raw values of `SKTestSession.TimeRate`.
  static let timeRates: Set<Int64> = [
    0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15, 1000, 1001, 1002, 1003, 1004, 1005,
  ]
}
