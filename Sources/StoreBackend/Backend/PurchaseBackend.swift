public import GemLedger

/// The crediting side as the client sees it: in this process, or over a network.
///
/// Every method may fail with `backend_unreachable`, `timed_out`, `rate_limited` (detail `retry_after`, in seconds),
/// `unauthenticated`, `forbidden` or a storage's code. Then the outcome is unknown, and a call with the same arguments
/// is safe. Other codes are answers.
public protocol PurchaseBackend: Sendable {
  /// Registers the customer with the token by which purchases name the customer.
  func register(_ customer: CustomerID) async throws(LedgerError) -> Registration

  /// Signs in: merges a customer with only anonymous ids into the id's customer; from any other customer nothing moves.
  func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration

  /// Adds `alias` to the customer's ids; merges the two customers if both have balances.
  func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration

  /// Previews a sign-in; changes nothing.
  ///
  /// The default refuses with `forbidden`, for backends without previews.
  func previewLogIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> IdentityPreview

  /// Previews a restore; changes nothing.
  ///
  /// The default refuses with `forbidden`, for backends without previews.
  func previewRestore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> IdentityPreview

  /// Returns the shop window's content for a store and a storefront.
  func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot

  /// Credits the purchase that a receipt proves, once; applies the refund that it shows.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `receipt_malformed`, `receipt_unverified`,
  ///   `receipt_future_dated`, `bundle_mismatch`, `environment_not_allowed`, `product_not_found`, `amount_mismatch`,
  ///   `receipt_revoked`; `validation_pending` during the wait for an unknown buyer (detail `retry_after`, in seconds:
  ///   post again then); and those of `Ledger.creditPurchase(_:customer:key:)`. Its detail `request_id` names the
  ///   request in the logs.
  func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer

  /// Restores the store account's purchases and moves entitlements by the sharing rule; never credits a consumable
  /// again.
  func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord

  /// Returns the customer's record.
  func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord

  /// Returns all balances of the customer, zeros included.
  func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance]

  /// Spends amounts that the client names, if this client may do so.
  ///
  /// - Throws: `LedgerError` with `forbidden` if the client may only buy items, and those of `Ledger.spend`.
  func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking

  /// Buys an item at the price in the backend's catalog.
  ///
  /// The default refuses, for backends that sell no items to clients.
  ///
  /// - Throws: `LedgerError` with `forbidden`, and those of `Ledger.buyItem(_:quantity:customer:key:)`.
  func buyItem(
    _ item: ItemID, quantity: Int64, customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking

  /// Returns the customer's credited purchases, newest first; pages count from 1.
  func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord]

  /// Opens an order with its purchase code before the payment: the first step of a two-step purchase.
  func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order

  /// Completes the second step: verifies, credits and delivers the receipt for the order.
  ///
  /// A repeated call returns the first answer.
  func completePayment(_ code: PurchaseCode, post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer

  /// Returns the first answer of a paid order, as a replay; nil before the payment.
  ///
  /// - Throws: `LedgerError` with `order_not_found`.
  func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer?

  /// Cancels the order because it will not be paid; a later receipt is still credited.
  func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order

  /// Returns the customer's announced orders in every state, newest first; pages count from 1.
  ///
  /// The default refuses, for backends without two-step purchases.
  ///
  /// - Throws: `LedgerError` with `forbidden`, `limit_exceeded` for a page below 1 or a size that is not 1 to
  ///   `Limits.historyPage`, `customer_not_found`.
  func announcedOrders(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [Order]
}

/// The app and the shop that it is sold through.
public struct AppPlatform: Hashable, Sendable {
  /// The store that sells the app.
  public var store: Store
  /// The country of the store account.
  public var storefront: StorefrontCode
  /// The language and region of the texts, such as `en_US`.
  public var locale: String

  /// A platform.
  public init(store: Store, storefront: StorefrontCode = .unitedStates, locale: String = "en_US") {
    self.store = store
    self.storefront = storefront
    self.locale = locale
  }
}

/// The answer to a registration.
public struct Registration: Hashable, Sendable {
  /// The requested id.
  public var customer: CustomerID
  /// Whether the id is new.
  public var isCreated: Bool

  /// An answer.
  public init(customer: CustomerID, isCreated: Bool) {
    self.customer = customer
    self.isCreated = isCreated
  }
}

/// Whether purchases of one store account may serve several customers.
public enum EntitlementSharing: Hashable, Sendable {
  /// The customers are merged, unless only the owner has signed in: then the entitlement moves.
  case alias
  /// The entitlement moves to the restoring customer; currency stays with the customer that was credited.
  case transfer
  /// The entitlement stays with its owner.
  case keepWithOwner
}

/// The result of posting a receipt: its transaction may always be finished at the store.
public struct ReceiptAnswer: Hashable, Sendable {
  /// The booking, made now or by the first credit; its customer owns the purchase.
  public var booking: Booking
  /// The current state of the purchase.
  public var purchase: PurchaseRecord
  /// The order that it belongs to, in a two-step purchase.
  public var order: Order?
  /// The state of the virtual currency that the order costs in addition to its price; nil if it costs none.
  public var held: OrderHold?
  /// The entitlement that the purchase gives to its owner; nil if it gives none, or if another customer has it.
  public var entitlement: CustomerRecord.Entitlement?
  /// The other products of the same payment, each credited too: Google Play sells several under one purchase token.
  public var otherPurchases: [PurchaseRecord]
  /// Names the request in the backend's logs.
  public var requestID: String

  /// An answer.
  public init(
    booking: Booking, purchase: PurchaseRecord, order: Order? = nil, held: OrderHold? = nil,
    entitlement: CustomerRecord.Entitlement? = nil, otherPurchases: [PurchaseRecord] = [], requestID: String
  ) {
    self.booking = booking
    self.purchase = purchase
    self.order = order
    self.held = held
    self.entitlement = entitlement
    self.otherPurchases = otherPurchases
    self.requestID = requestID
  }
}

/// A customer's ids, entitlements and purchases, without the balances.
public struct CustomerRecord: Hashable, Sendable {
  /// A right that a purchase gives.
  public struct Entitlement: Hashable, Sendable {
    /// Its name, such as `premium`.
    public var id: String
    /// The product that gives it.
    public var product: ProductCode
    /// The store.
    public var store: Store
    /// When the running period was bought.
    public var purchasedAt: Timestamp
    /// When it ends; nil for never.
    public var expiresAt: Timestamp?
    /// Whether it holds at the record's ``CustomerRecord/asOf``.
    public var isActive: Bool

    /// An entitlement.
    public init(
      id: String, product: ProductCode, store: Store, purchasedAt: Timestamp, expiresAt: Timestamp?, isActive: Bool
    ) {
      self.id = id
      self.product = product
      self.store = store
      self.purchasedAt = purchasedAt
      self.expiresAt = expiresAt
      self.isActive = isActive
    }
  }

  /// The requested id.
  public var customer: CustomerID
  /// The first id of the customer.
  public var originalID: CustomerID
  /// All ids of the customer, the first one included.
  public var ids: [CustomerID]
  /// When the customer was created.
  public var firstSeenAt: Timestamp
  /// The instant of the record.
  public var asOf: Timestamp
  /// The entitlements, ended ones included, in the order of their names.
  public var entitlements: [Entitlement]
  /// The purchases other than subscriptions, newest first; at most 100.
  public var nonSubscriptions: [PurchaseRecord]

  /// A record.
  public init(
    customer: CustomerID, originalID: CustomerID, ids: [CustomerID], firstSeenAt: Timestamp, asOf: Timestamp,
    entitlements: [Entitlement], nonSubscriptions: [PurchaseRecord]
  ) {
    self.customer = customer
    self.originalID = originalID
    self.ids = ids
    self.firstSeenAt = firstSeenAt
    self.asOf = asOf
    self.entitlements = entitlements
    self.nonSubscriptions = nonSubscriptions
  }
}

/// The catalog's offerings and the products in them, as a backend hands them out.
public struct OfferingsSnapshot: Hashable, Sendable {
  /// The offerings in the order of the catalog.
  public var offerings: [CatalogOffering]
  /// The offering to show if none is requested.
  public var current: OfferingID?
  /// The products on sale at the platform's store, in the order of the catalog.
  public var products: [Product]
  /// All currencies, in the order of the catalog.
  public var currencies: [Currency]
  /// The items for sale at the moment, in the order of the catalog.
  public var items: [Item]

  /// A snapshot.
  public init(
    offerings: [CatalogOffering], current: OfferingID?, products: [Product], currencies: [Currency], items: [Item] = []
  ) {
    self.offerings = offerings
    self.current = current
    self.products = products
    self.currencies = currencies
    self.items = items
  }
}
