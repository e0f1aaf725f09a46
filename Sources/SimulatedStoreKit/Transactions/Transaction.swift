internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

/// A purchase as the App Store records it; StoreKit 2's `Transaction`.
///
/// Left out, since the simulated store has none: `deviceVerification` and its nonce, `appTransactionID`,
/// `webOrderLineItemID`, and `beginRefundRequest`, which needs a screen.
public struct Transaction: Identifiable, Hashable, Sendable {
  let evidence: StoreEvidence

  private var record: StoreTransaction { evidence.transaction }

  /// The store's id of the transaction.
  public var id: UInt64 { record.id.number }
  /// The first transaction of the same subscription; the id itself for everything else.
  public var originalID: UInt64 { record.originalID.number }
  /// The product's id at the store.
  public var productID: String { record.storeProductID }
  /// How the product is sold.
  public var productType: Product.ProductType { Product.ProductType(record.productType) }
  /// The group of a subscription; a subscription without one in the `.storekit` file forms a separate group.
  public var subscriptionGroupID: String? { record.subscriptionGroupID }
  /// The app that it was bought in.
  public var appBundleID: String { record.bundleID }
  /// When it was bought, or renewed.
  public var purchaseDate: Date { record.purchasedAt.date }
  /// When the first transaction of the subscription was made.
  public var originalPurchaseDate: Date { record.originalPurchasedAt.date }
  /// When the paid period ends; nil without a period.
  public var expirationDate: Date? { record.expiresAt?.date }
  /// The number of units.
  public var purchasedQuantity: Int { Int(clamping: record.quantity) }
  /// Whether the customer upgraded to a higher level of service; the simulated store has no levels.
  public var isUpgraded: Bool { false }
  /// The ownership type: bought, or shared by a family member.
  public var ownershipType: OwnershipType { OwnershipType(rawValue: record.ownership.rawValue) }
  /// The offer that changed the price, if any.
  public var offer: Offer? { record.offer.map(Offer.init) }
  /// The time at which the store signed this copy; of two copies, the later is valid.
  public var signedDate: Date { record.signedAt.date }
  /// The buyer's token, if the app set one before the payment.
  public var appAccountToken: UUID? { record.accountToken.flatMap { UUID(uuidString: $0.description) } }
  /// The world that it belongs to; `xcode` for every test session.
  public var environment: AppStore.Environment { AppStore.Environment(record.environment) }
  /// Why the store took money.
  public var reason: Reason { record.reason == .renewal ? .renewal : .purchase }
  /// The country of the store account at the time of the purchase.
  ///
  /// A simulated store always states it; a record without one counts as the United States.
  public var storefront: Storefront { Storefront(code: record.storefront ?? .unitedStates) }
  /// The price of all units together, in units of its currency.
  public var price: Decimal? {
    record.price.flatMap { price in
      PriceCurrency(exactly: price.currency).map { Decimal(minorUnits: price.minorUnits, of: $0) }
    }
  }
  /// The currency of the price.
  public var currency: Locale.Currency? { record.price.map { Locale.Currency($0.currency) } }
  /// The transaction as JSON, as its JWS holds it.
  public var jsonRepresentation: Data { JWS(evidence.receipt.text).segment(1) }

  /// Reports to the store that the app has delivered, so that it does not deliver the transaction again.
  ///
  /// Finishing twice is harmless. A call that does not reach the store changes nothing: the transaction stays
  /// unfinished, and the next start of the app delivers it again.
  public func finish() async {
    guard let attached = ProcessStore.current, attached.store.environment == record.environment else { return }
    // As above; StoreKit's call reports no failure either.
    try? await attached.device.finish(record.id)
  }
}

extension Transaction {
  /// The type of an offer.
  public struct OfferType: RawRepresentable, Hashable, Sendable {
    /// Apple's number for it.
    public let rawValue: Int

    /// Makes a type with Apple's number for it.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// For new subscribers.
    public static let introductory = OfferType(rawValue: 1)
    /// For customers selected by the app.
    public static let promotional = OfferType(rawValue: 2)
    /// By a code that the customer entered.
    public static let code = OfferType(rawValue: 3)
    /// For former subscribers.
    public static let winBack = OfferType(rawValue: 4)
  }

  /// An offer that changed the price.
  public struct Offer: Hashable, Sendable {
    /// Its id at the store.
    public let id: String?
    /// The type of the offer; 0 for an unknown type.
    public let type: OfferType

    init(_ offer: StoreTransaction.Offer) {
      id = offer.identifier
      type =
        switch offer.kind {
        case .introductory?: .introductory
        case .promotional?: .promotional
        case .code?: .code
        case .winBack?: .winBack
        case nil: OfferType(rawValue: 0)
        }
    }
  }

  /// The ownership of a purchase.
  public struct OwnershipType: RawRepresentable, Hashable, Sendable {
    /// Apple's word for it.
    public let rawValue: String

    /// Makes a type with Apple's word for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bought by the customer.
    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    /// Shared by a family member.
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
  }

  /// Why the store took money.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// Apple's word for it.
    public let rawValue: String

    /// Makes a reason with Apple's word for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A purchase by a customer.
    public static let purchase = Reason(rawValue: "PURCHASE")
    /// A renewal of a subscription.
    public static let renewal = Reason(rawValue: "RENEWAL")
  }
}

extension StoreTransactionID {
  /// The id as StoreKit has it; 0 if it is no number.
  var number: UInt64 { UInt64(text) ?? 0 }
}
