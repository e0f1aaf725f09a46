public import GemLedger
public import StoreBackend

/// The shop as one device sees it, with StoreKit 2's semantics: listings, sales, and redelivery until a purchase is
/// finished.
///
/// Real and simulated stores conform to it. It sells for real money and does not know the ledger.
public protocol Storefront: Sendable {
  /// The store of the shop.
  var store: Store { get }

  /// The country of the store account, which determines prices.
  func storefront() async -> StorefrontCode

  /// Returns the products with these ids at the store, in any order; omits unknown ids silently.
  func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct]

  /// Takes the customer through a payment.
  ///
  /// Buying a consumable with an unfinished last transaction returns that transaction again, without a payment.
  func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult

  /// Streams the events outside of ``purchase(_:)``: approvals, renewals, redeliveries at launch, refunds, purchases on
  /// other devices.
  ///
  /// Each call starts a separate stream.
  func updates() -> AsyncStream<StoreEvidence>

  /// Returns the paid and unfinished transactions, oldest first: at most `limit` after the one with the given id.
  func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence]

  /// Returns all purchases of the store account that the store still lists: not the finished consumables.
  func all() async throws(StoreFailure) -> [StoreEvidence]

  /// Returns the transactions that give entitlements now: non-consumables and running subscriptions.
  func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence]

  /// Finishes a purchase that is credited for good, so that the store does not deliver it again.
  ///
  /// Finishing twice is harmless, and so is an unknown id; finishing before the credit is durable loses the purchase.
  func finish(_ id: StoreTransactionID) async throws(StoreFailure)

  /// Asks the store for transactions that this device does not know yet, as a restore does.
  func sync() async throws(StoreFailure)
}

/// A product as the store lists it.
public struct StorefrontProduct: Hashable, Sendable {
  /// Its id at the store.
  public var id: String
  /// How it is sold.
  public var type: ProductType
  /// The store's name for it, in the language of the store account.
  public var displayName: String
  /// A sentence about it.
  public var description: String
  /// The exact price of one unit.
  public var price: Price
  /// The price for people, such as `$9.99` or `249.000 ₫`.
  public var displayPrice: String
  /// A subscription's cycle in ISO 8601, such as `P1M`.
  public var subscriptionPeriod: String?
  /// The group within which only one subscription runs at a time.
  public var subscriptionGroupID: String?

  /// A listing.
  public init(
    id: String, type: ProductType, displayName: String, description: String, price: Price, displayPrice: String,
    subscriptionPeriod: String? = nil, subscriptionGroupID: String? = nil
  ) {
    self.id = id
    self.type = type
    self.displayName = displayName
    self.description = description
    self.price = price
    self.displayPrice = displayPrice
    self.subscriptionPeriod = subscriptionPeriod
    self.subscriptionGroupID = subscriptionGroupID
  }
}

/// The customer's payment request: product, units and buyer.
public struct StorePaymentRequest: Hashable, Sendable {
  /// The product's id at the store.
  public var productID: String
  /// The number of units; StoreKit sells 1 to 10.
  public var quantity: Int64
  /// The buyer's token, which the transaction will contain.
  public var accountToken: AccountToken?

  /// A request for one or more units of a product.
  public init(productID: String, quantity: Int64 = 1, accountToken: AccountToken? = nil) {
    self.productID = productID
    self.quantity = quantity
    self.accountToken = accountToken
  }
}

/// The store's answer to a payment: closed, so that a `switch` needs no default.
public enum StorePaymentResult: Hashable, Sendable {
  /// It is paid for.
  case success(StoreEvidence)
  /// The payment needs another person's approval or more time; it may arrive later, through the updates.
  case pending
  /// The customer cancelled; no payment.
  case userCancelled
}

/// A transaction from the store, with the signed receipt, and whether the device could verify it.
public struct StoreEvidence: Hashable, Sendable {
  /// The store's record, as far as it could be read.
  public var transaction: StoreTransaction
  /// The evidence that a backend verifies by itself.
  public var receipt: StoreReceipt
  /// Why the device does not trust it; nil for verified evidence.
  public var unverified: VerificationFailure?

  /// Evidence of a transaction.
  public init(transaction: StoreTransaction, receipt: StoreReceipt, unverified: VerificationFailure? = nil) {
    self.transaction = transaction
    self.receipt = receipt
    self.unverified = unverified
  }
}

/// Why the device does not trust a transaction; StoreKit's `VerificationError`.
public enum VerificationFailure: String, Error, Hashable, Sendable, CaseIterable {
  /// The chain of certificates is invalid.
  case invalidCertificateChain
  /// It is for another device.
  case invalidDeviceVerification
  /// It cannot be read.
  case invalidEncoding
  /// The signature does not match.
  case invalidSignature
  /// A required property is missing.
  case missingRequiredProperties
  /// A certificate was revoked.
  case revokedCertificate
}

/// The store's reason for a failed call; StoreKit's `StoreKitError` and `Product.PurchaseError` in one.
public enum StoreFailure: String, Error, Hashable, Sendable, CaseIterable {
  /// The store could not be reached, or its answer was lost.
  case networkError
  /// The system failed.
  case systemError
  /// The customer cancelled; StoreKit also reports this as a result.
  case userCancelled
  /// The product is not sold in this country.
  case notAvailableInStorefront
  /// The app may not use the store.
  case notEntitled
  /// The store reports no reason.
  case unknown
  /// The store cannot do that.
  case unsupported
  /// The store does not sell this quantity at once.
  case invalidQuantity
  /// The product is not on sale.
  case productUnavailable
  /// This device or account may not buy.
  case purchaseNotAllowed
  /// The account may not have the offer.
  case ineligibleForOffer
  /// There is no such offer.
  case invalidOfferIdentifier
  /// The offer has another price.
  case invalidOfferPrice
  /// The offer's signature is invalid.
  case invalidOfferSignature
  /// The offer is incomplete.
  case missingOfferParameters
}

extension StoreFailure {
  /// A sentence for the customer, in English.
  public var message: String {
    switch self {
    case .networkError: "The store cannot be reached. Check the connection and try again."
    case .systemError: "The device could not complete the request to the store. Try again later."
    case .userCancelled: "The purchase was cancelled."
    case .notAvailableInStorefront: "The product is not sold in this country."
    case .notEntitled: "This app may not use the store."
    case .unknown: "The store could not complete the request. Try again later."
    case .unsupported: "The store does not support this."
    case .invalidQuantity: "The store does not sell this quantity at once."
    case .productUnavailable: "The product is not on sale."
    case .purchaseNotAllowed: "This device or account may not make purchases."
    case .ineligibleForOffer: "This account cannot have the offer."
    case .invalidOfferIdentifier: "The store has no such offer."
    case .invalidOfferPrice: "The offer has another price now."
    case .invalidOfferSignature: "The store could not verify the offer."
    case .missingOfferParameters: "The offer is incomplete."
    }
  }
}
