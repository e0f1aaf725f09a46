public import GemLedger

/// The store's own record of a purchase, as its signed evidence states it: StoreKit's `Transaction`, or a Google Play
/// purchase.
public struct StoreTransaction: Hashable, Sendable {
  /// The cause of the payment.
  public enum Reason: String, Hashable, Sendable {
    /// A purchase by a customer.
    case purchase = "PURCHASE"
    /// A renewal of a subscription.
    case renewal = "RENEWAL"
  }

  /// A refund by the store.
  public struct Revocation: Hashable, Sendable {
    /// The refunded share, as `StoreRefund.Extent` counts it.
    public enum Extent: Hashable, Sendable {
      /// All of it.
      case full
      /// Thousandths of a percent of the whole purchase, 1 to 100,000; the total of all refunds.
      case milliPercent(Int64)
      /// The units of this refund alone, as Google's list of voided purchases states them.
      case quantity(Int64)
      /// The total of refunded units, as Google's purchase resource states it.
      case totalQuantity(Int64)
    }

    /// The store's date of the refund; together with the transaction it identifies the refund.
    public var revokedAt: Timestamp
    /// The refunded part.
    public var extent: Extent
    /// Whether the app was at fault, if the store states it.
    public var isAppIssue: Bool

    /// A refund as the store states it.
    public init(revokedAt: Timestamp, extent: Extent = .full, isAppIssue: Bool = false) {
      self.revokedAt = revokedAt
      self.extent = extent
      self.isAppIssue = isAppIssue
    }
  }

  /// An offer that changed the price.
  public struct Offer: Hashable, Sendable {
    /// The kind of offer.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// For new subscribers.
      case introductory
      /// For customers whom the app chose.
      case promotional
      /// A code that the customer entered.
      case code
      /// For former subscribers.
      case winBack = "win_back"
    }

    /// The kind of offer; nil for an unknown kind.
    public var kind: Kind?
    /// Its id at the store.
    public var identifier: String?
    /// Whether it is a trial for nothing.
    public var isFreeTrial: Bool

    /// An offer.
    public init(kind: Kind?, identifier: String? = nil, isFreeTrial: Bool = false) {
      self.kind = kind
      self.identifier = identifier
      self.isFreeTrial = isFreeTrial
    }
  }

  /// The payer.
  public enum Ownership: String, Hashable, Sendable {
    /// The customer.
    case purchased = "PURCHASED"
    /// A member of the customer's family.
    case familyShared = "FAMILY_SHARED"
  }

  /// The store.
  public var store: Store
  /// Production, sandbox, or a test session.
  public var environment: StoreEnvironment
  /// The store's id of the transaction; on Google Play the purchase token.
  public var id: StoreTransactionID
  /// The first transaction of the same subscription; the id itself for everything else.
  public var originalID: StoreTransactionID
  /// Google Play's order id, which may be missing.
  public var orderID: String?
  /// The app that it was bought in.
  public var bundleID: String
  /// The product's id at the store; on Google Play with a subscription's base plan, `subscription:plan`, where stated.
  public var storeProductID: String
  /// How the product is sold.
  public var productType: ProductType
  /// The group within which only one subscription runs at a time.
  public var subscriptionGroupID: String?
  /// The number of units.
  public var quantity: Int64
  /// The price of all units together, if the store states it.
  public var price: Money?
  /// The country of the store account.
  public var storefront: StorefrontCode?
  /// The buyer's token, if the app passed one before the payment.
  public var accountToken: AccountToken?
  /// When it was bought, or renewed.
  public var purchasedAt: Timestamp
  /// When the first transaction of the subscription was made.
  public var originalPurchasedAt: Timestamp
  /// When the paid period ends, for a subscription.
  public var expiresAt: Timestamp?
  /// The refund by the store, if any.
  public var revocation: Revocation?
  /// Why money was taken.
  public var reason: Reason
  /// The offer by which it was bought, if any.
  public var offer: Offer?
  /// The payer.
  public var ownership: Ownership
  /// Whether its Google Play purchase token paid for several products; then the product is part of ``creditID``.
  public var isLineItem: Bool
  /// When the store signed this evidence; newer evidence replaces older evidence.
  public var signedAt: Timestamp

  /// A record of a purchase.
  public init(
    store: Store, environment: StoreEnvironment, id: StoreTransactionID, originalID: StoreTransactionID? = nil,
    orderID: String? = nil, bundleID: String, storeProductID: String, productType: ProductType,
    subscriptionGroupID: String? = nil, quantity: Int64 = 1, price: Money? = nil, storefront: StorefrontCode? = nil,
    accountToken: AccountToken? = nil, purchasedAt: Timestamp, originalPurchasedAt: Timestamp? = nil,
    expiresAt: Timestamp? = nil, revocation: Revocation? = nil, reason: Reason = .purchase, offer: Offer? = nil,
    ownership: Ownership = .purchased, isLineItem: Bool = false, signedAt: Timestamp
  ) {
    self.store = store
    self.environment = environment
    self.id = id
    self.originalID = originalID ?? id
    self.orderID = orderID
    self.bundleID = bundleID
    self.storeProductID = storeProductID
    self.productType = productType
    self.subscriptionGroupID = subscriptionGroupID
    self.quantity = quantity
    self.price = price
    self.storefront = storefront
    self.accountToken = accountToken
    self.purchasedAt = purchasedAt
    self.originalPurchasedAt = originalPurchasedAt ?? purchasedAt
    self.expiresAt = expiresAt
    self.revocation = revocation
    self.reason = reason
    self.offer = offer
    self.ownership = ownership
    self.isLineItem = isLineItem
    self.signedAt = signedAt
  }
}

extension StoreTransaction {
  /// Whether the customer paid nothing for it: its price is 0, a family member paid, it is a free trial, or it was
  /// bought with a promotion code of Google Play.
  ///
  /// Such a purchase gives bonus currency without a price (`StorePurchase.Terms`).
  public var isFree: Bool {
    price?.minorUnits == 0 || ownership == .familyShared || offer?.isFreeTrial == true
      || store == .google && offer?.kind == .code
  }

  /// The identity of its credit: the store's id of the transaction.
  ///
  /// A purchase token of Google Play names several credits if it is a subscription's, which keeps it through renewals,
  /// or if it paid for several products. Then the order id, the product's id at the store, or both follow the token,
  /// separated by slashes.
  public var creditID: StoreTransactionID {
    guard store == .google else { return id }
    let order = productType.isSubscription ? orderID : nil
    let parts = [order, isLineItem ? Self.productID(atGoogle: storeProductID) : nil].compactMap(\.self)
    guard !parts.isEmpty else { return id }
    return StoreTransactionID(unchecked: ([id.text] + parts).joined(separator: "/"))
  }

  /// Returns the product in a Google Play id, without the base plan of a subscription after the colon.
  package static func productID(atGoogle id: String) -> String { String(id.prefix { $0 != ":" }) }
}

extension StoreTransactionID {
  /// The purchase token in a ``StoreTransaction/creditID`` of Google Play; the id itself at other stores.
  package func purchaseToken(at store: Store, isSubscription: Bool, storeProductID: String?) -> StoreTransactionID {
    guard store == .google else { return self }
    var bytes = Array(text.utf8)[...]
    let product = storeProductID.map { Array("/\(StoreTransaction.productID(atGoogle: $0))".utf8) } ?? []
    if !product.isEmpty, bytes.count > product.count, bytes.suffix(product.count) == product[...] {
      bytes = bytes.dropLast(product.count)
    }
    if isSubscription, let slash = bytes.lastIndex(of: UInt8(ascii: "/")) { bytes = bytes[..<slash] }
    return StoreTransactionID(unchecked: String(decoding: bytes, as: UTF8.self))
  }
}
