internal import GemLedger
internal import StoreBackend

/// A change of the client's durable state, which is the fold of all events.
enum QueueEvent: Hashable, Sendable {
  /// The signed-in customer.
  case identity(Identity)
  /// This device is about to announce an order with a key from the app.
  case orderOpened(OpenedOrder)
  /// A payment is about to start.
  case intended(PurchaseIntent)
  /// There was no payment, or its receipt is in the queue.
  case intentEnded(Int64)
  /// The receipt of a payment, with its buyer.
  case queued(QueuedReceipt)
  /// A receipt in its state when the event log was compacted.
  case kept(QueueItem)
  /// It is being posted; this event is not stored, so that the receipt waits again after a crash.
  case posting(ReceiptKey, Timestamp)
  /// The post failed, and is repeated.
  case failed(ReceiptKey, FailedAttempt, next: Timestamp)
  /// It is credited for good, in this revision.
  case credited(ReceiptKey, revision: String)
  /// The store knows the credit; no step remains.
  case finished(ReceiptKey)
  /// This revision was refused for good.
  case deadLettered(ReceiptKey, FailedAttempt, revision: String)
  /// It is to be posted again.
  case requeued(ReceiptKey, Timestamp)
  /// The backend knows of the refund in this revision, with or without a credit of the purchase.
  case refundPosted(ReceiptKey, revision: String)
  /// It took too long; its grants are shown as provisional from now on.
  case provisional(ReceiptKey, Timestamp)
  /// An item was given before the backend booked its price, or the backend refused such a booking.
  case spentProvisionally(ProvisionalSpend)
  /// The backend booked the spend, or the app has taken the item back.
  case provisionalSpendEnded(CustomerID, IdempotencyKey)
  /// A customer's balances in the backend's last answer.
  case balances(StoredBalances)
  /// The products on sale, for a start without a backend.
  case shop([KnownProduct])
}

extension QueueEvent {
  /// Returns whether the event ends the announced purchase.
  func ends(_ intent: PurchaseIntent) -> Bool {
    if case .intentEnded(intent.number) = self { true } else { false }
  }
}

/// A post that did not end in a credit.
struct FailedAttempt: Hashable, Sendable {
  var failure: ReceiptQueueItem.Failure
  /// The number of posts, including this post.
  var count: Int
  /// When the receipt was posted first.
  var firstPostedAt: Timestamp
}

/// The signed-in customer.
struct Identity: Hashable, Sendable {
  var customer: CustomerID
  /// Whether several customers may share the store account's purchases.
  var allowsSharing: Bool

  var isAnonymous: Bool { UserID.isAnonymous(customer) }
}

/// A purchase that was announced to the store.
struct PurchaseIntent: Hashable, Sendable {
  /// The number of the intent, which increases.
  var number: Int64
  var buyer: CustomerID
  /// The product's id at the store.
  var storeProductID: String
  var quantity: Int64
  var startedAt: Timestamp
  /// The order, in a two-step purchase.
  var order: PurchaseCode?
  /// The key from the app for the order.
  var key: IdempotencyKey?
  /// Whether the store answered that the purchase needs an approval first.
  var isDeferred = false

  var token: AccountToken { AccountToken(of: buyer) }

  /// The maximum lead of the device's clock over the store's, in milliseconds.
  private static let clockErrorMax: Int64 = 300_000

  /// Returns whether it was announced before the transaction.
  func canHaveBegun(_ transaction: StoreTransaction) -> Bool {
    startedAt.milliseconds(since: transaction.purchasedAt) <= Self.clockErrorMax
  }
}

/// An order that this device announced with a key from the app.
struct OpenedOrder: Hashable, Sendable {
  let buyer: CustomerID
  let key: IdempotencyKey
  /// Distinguishes this device's announcement from another installation's with the same key.
  let claim: String
}

extension StoreEvidence {
  var key: ReceiptKey { ReceiptKey(transaction) }

  /// The prefix of a revision of unverified evidence.
  static let unverifiedMark = "unverified "

  /// The variable part of a transaction; empty for a plain purchase.
  var revision: String {
    var text = unverified.map { "\(Self.unverifiedMark)\($0.rawValue)" } ?? ""
    guard let revocation = transaction.revocation else { return text }
    text += "revoked \(revocation.revokedAt.milliseconds)"
    switch revocation.extent {
    case .full: break
    case .milliPercent(let share): text += " share \(share)"
    case .quantity(let units): text += " units \(units)"
    case .totalQuantity(let quantity): text += " quantity \(quantity)"
    }
    return text
  }
}

/// A customer's balances in the backend's last answer.
struct StoredBalances: Hashable, Sendable {
  struct Row: Hashable, Sendable {
    var code: String
    var name: String
    var description: String?
    var balance: Int64
  }

  var customer: CustomerID
  var asOf: Timestamp
  var rows: [Row]
  /// The receipts in the queue at the time of the answer, so that the rows may include their credits; not persisted.
  var queued: Set<ReceiptKey> = []
}

/// The facts of a product that a purchase needs.
struct KnownProduct: Hashable, Sendable {
  var code: ProductCode
  /// The product's id at the client's store.
  var storeID: String
  var type: ProductType
  /// The grants of one unit, paid and bonus part together.
  var grants: [Adjustment]

  /// Returns the grants of a quantity, without amounts that overflow.
  func grants(times quantity: Int64) -> [Adjustment] {
    grants.compactMap { grant in
      let (amount, overflow) = grant.amount.multipliedReportingOverflow(by: quantity)
      return overflow ? nil : Adjustment(grant.currency, amount)
    }
  }
}
