public import GemLedger

/// An app's announcement of an order before the payment.
public struct OrderRequest: Hashable, Sendable {
  /// The buyer.
  public var customer: CustomerID
  /// The product.
  public var product: ProductCode
  /// The number of units.
  public var quantity: Int64
  /// The store.
  public var store: Store
  /// The app.
  public var bundleID: String
  /// The price of all units as the app showed it, if it is to be checked; in a currency of the catalog.
  public var price: Money?
  /// The app's context, carried through to history and delivery.
  public var context: OrderContext
  /// The idempotency key: a repeated request with this key is one order.
  public var key: IdempotencyKey?
  /// The id of the client that intends to pay, at most 100 bytes; the first client to announce an order with a key
  /// keeps the claim.
  ///
  /// A client that finds another client's claim may be the second to pay, so it asks for no payment.
  public var claim: String?
  /// The store transaction that already paid, if the order is announced late, for example in a replay at launch.
  public var paidBy: PaidTransaction?

  /// A store transaction by its name.
  public struct PaidTransaction: Hashable, Sendable {
    /// Production, sandbox, or a test session.
    public var environment: StoreEnvironment
    /// The store's id of the transaction.
    public var id: StoreTransactionID

    /// Names a store transaction.
    public init(environment: StoreEnvironment, id: StoreTransactionID) {
      self.environment = environment
      self.id = id
    }
  }

  /// A request.
  public init(
    customer: CustomerID, product: ProductCode, quantity: Int64 = 1, store: Store, bundleID: String,
    price: Money? = nil, context: OrderContext = OrderContext(), key: IdempotencyKey? = nil, claim: String? = nil,
    paidBy: PaidTransaction? = nil
  ) {
    self.customer = customer
    self.product = product
    self.quantity = quantity
    self.store = store
    self.bundleID = bundleID
    self.price = price
    self.context = context
    self.key = key
    self.claim = claim
    self.paidBy = paidBy
  }
}

/// The game, character and server that a purchase is for, carried through unchanged; at most 8 KiB together.
public struct OrderContext: Hashable, Sendable {
  /// The game.
  public var gameID: String?
  /// The character.
  public var roleID: String?
  /// The character's name.
  public var roleName: String?
  /// The game's server.
  public var serverID: String?
  /// The kind of recharge, such as `IN_GAME`.
  public var rechargeType: String?
  /// Anything else.
  public var extraData: String?

  /// A context.
  public init(
    gameID: String? = nil, roleID: String? = nil, roleName: String? = nil, serverID: String? = nil,
    rechargeType: String? = nil, extraData: String? = nil
  ) {
    self.gameID = gameID
    self.roleID = roleID
    self.roleName = roleName
    self.serverID = serverID
    self.rechargeType = rechargeType
    self.extraData = extraData
  }
}

/// A purchase announced before payment.
public struct Order: Hashable, Sendable {
  /// The state of the order.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// Not paid yet.
    case pending
    /// Credited, and delivered if there is a delivery target.
    case success
    /// Not paid in time, cancelled, or refunded before the delivery.
    case failed
    /// Credited; the game server has not confirmed the delivery yet.
    case deliveryPending = "delivery_pending"
  }

  /// Its name.
  public var code: PurchaseCode
  /// The announcement.
  public var request: OrderRequest
  /// The order's cost in virtual currency in addition to its price at the store, as of its announcement; mostly empty.
  public var costs: [Adjustment]
  /// The state of the order.
  public var status: Status
  /// The product's id at the store, as the catalog has it now; nil if the catalog has none.
  public var storeProductID: String?
  /// The store transaction that paid for it.
  public var storeTransactionID: StoreTransactionID?
  /// The first store transaction of a subscription, or ``storeTransactionID`` for other products.
  public var originalTransactionID: StoreTransactionID?
  /// The price paid for all units; nil before the payment, or if the store does not state it.
  public var paidPrice: Money?
  /// When it was announced.
  public var createdAt: Timestamp
  /// When it changed last; the deadline if the order failed by it.
  public var updatedAt: Timestamp
  /// The deadline of the payment.
  public var deadline: Timestamp
  /// How often delivery was tried by its schedule; tries by hand do not count.
  public var deliveryAttempts: Int64
  /// When delivery is tried next, or the money refunded after the last try; nil if neither is scheduled.
  public var nextDeliveryAt: Timestamp?
  /// Whether this answer repeats an earlier call: the order existed, or was already paid for.
  public var isReplayed: Bool

  /// The app that announced it.
  public var bundleID: String { request.bundleID }

  /// Whether a purchase at the store paid for it, refunded later or not.
  public var isPaid: Bool { storeTransactionID != nil || status == .success || status == .deliveryPending }

  /// Whether all tries of the delivery failed, so that a person has to decide.
  public var isDeliveryExhausted: Bool { status == .deliveryPending && nextDeliveryAt == nil }

  /// An order.
  public init(
    code: PurchaseCode, request: OrderRequest, costs: [Adjustment] = [], status: Status,
    storeTransactionID: StoreTransactionID? = nil, createdAt: Timestamp, updatedAt: Timestamp, deadline: Timestamp,
    deliveryAttempts: Int64 = 0, nextDeliveryAt: Timestamp? = nil, isReplayed: Bool = false,
    storeProductID: String? = nil, originalTransactionID: StoreTransactionID? = nil
  ) {
    self.code = code
    self.request = request
    self.costs = costs
    self.status = status
    self.storeTransactionID = storeTransactionID
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.deadline = deadline
    self.deliveryAttempts = deliveryAttempts
    self.nextDeliveryAt = nextDeliveryAt
    self.isReplayed = isReplayed
    self.storeProductID = storeProductID
    self.originalTransactionID = originalTransactionID ?? storeTransactionID
  }
}
