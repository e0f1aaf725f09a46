public import GemLedger
public import StoreBackend

/// A transaction signed by the App Store: Apple's JWSTransactionDecodedPayload.
///
/// Claims with fixed words are texts here, so that new words can be read too.
public struct AppleTransaction: Hashable, Sendable {
  /// All claims, as they were signed.
  public let claims: SignedClaims
  /// The purchase for the ledger.
  public let transaction: StoreTransaction

  /// How it is owned, such as `PURCHASED` or `FAMILY_SHARED`.
  public var ownership: String? { claims.text("inAppOwnershipType") }
  /// The App Store's number of the storefront, such as `143441`.
  public var storefrontID: String? { claims.text("storefrontId") }
  /// The kind of the offer: 1 introductory, 2 promotional, 3 code, 4 win-back.
  public var offerType: Int64? { claims.integer("offerType") }
  /// The offer's id or code.
  public var offerID: String? { claims.text("offerIdentifier") }
  /// How the offer is paid, such as `FREE_TRIAL`.
  public var offerDiscount: String? { claims.text("offerDiscountType") }
  /// How long the offer lasts, as an ISO 8601 duration.
  public var offerPeriod: String? { claims.text("offerPeriod") }
  /// The kind of the refund, such as `REFUND_PRORATED`.
  public var revocationType: String? { claims.text("revocationType") }
  /// Whether an upgrade replaced the subscription.
  public var isUpgraded: Bool { claims.flag("isUpgraded") ?? false }
  /// The App Store's id of the customer's download of the app.
  public var appTransactionID: String? { claims.text("appTransactionId") }
}

/// The renewal of a subscription: Apple's JWSRenewalInfoDecodedPayload.
public struct AppleRenewalInfo: Hashable, Sendable {
  /// All claims, as they were signed.
  public let claims: SignedClaims

  /// The first transaction of the subscription.
  public var originalTransactionID: String? { claims.text("originalTransactionId") }
  /// The product of the current period.
  public var productID: String? { claims.text("productId") }
  /// The product of the next period.
  public var renewalProductID: String? { claims.text("autoRenewProductId") }
  /// Whether it renews.
  public var willRenew: Bool? { claims.integer("autoRenewStatus").map { $0 == 1 } }
  /// Why it ended: 1 cancelled, 2 not paid, 3 higher price refused, 4 not on sale, 5 other.
  public var expirationReason: Int64? { claims.integer("expirationIntent") }
  /// Whether the store still tries to collect the money.
  public var isInBillingRetry: Bool? { claims.flag("isInBillingRetryPeriod") }
  /// The end of the access while the store tries to collect the money.
  public var gracePeriodEndsAt: Timestamp? { claims.instant("gracePeriodExpiresDate") }
  /// When the next period begins.
  public var renewsAt: Timestamp? { claims.instant("renewalDate") }
  /// The price of the next period.
  public var renewalPrice: Money? { claims.price("renewalPrice") }
  /// When it was signed.
  public var signedAt: Timestamp? { claims.instant("signedDate") }
}

/// The customer's download of the app: Apple's AppTransaction payload.
public struct AppleAppTransaction: Hashable, Sendable {
  /// All claims, as they were signed.
  public let claims: SignedClaims

  /// The App Store's id of the download.
  public var appTransactionID: String? { claims.text("appTransactionId") }
  /// The app.
  public var bundleID: String? { claims.text("bundleId") }
  /// The app's number at the App Store.
  public var appAppleID: Int64? { claims.integer("appAppleId") }
  /// The installed version.
  public var version: String? { claims.text("applicationVersion") }
  /// The first version that the customer downloaded.
  public var originalVersion: String? { claims.text("originalApplicationVersion") }
  /// When the customer first downloaded the app.
  public var originallyPurchasedAt: Timestamp? { claims.instant("originalPurchaseDate") }
  /// When the app was preordered.
  public var preorderedAt: Timestamp? { claims.instant("preorderDate") }
  /// When it was signed.
  public var signedAt: Timestamp? { claims.instant("receiptCreationDate") }
}

extension SignedClaims {
  /// Returns the price of a claim in thousandths of the unit of the claim `currency`.
  func price(_ name: String) -> Money? {
    guard let amount = integer(name), let code = text("currency") else { return nil }
    return Money(scaled: amount, digits: 3, currency: code)
  }
}
