internal import GemLedger
internal import StoreBackend

/// A change of the client's durable state; the state is the fold of these.
enum QueueEvent: Hashable, Sendable {
  /// The signed-in customer.
  case identity(Identity)
  /// This device is about to announce an order under a key of the app.
  case orderOpened(OpenedOrder)
  /// A payment is about to begin.
  case intended(PurchaseIntent)
  /// There was no payment, or its receipt is in the queue.
  case intentEnded(Int64)
  /// The receipt of a payment, with its buyer.
  case queued(QueuedReceipt)
  /// A receipt as it stood when the event log was compacted.
  case kept(QueueItem)
  /// It is on its way; kept nowhere, so that after a crash it waits again.
  case posting(ReceiptKey, Timestamp)
  /// It did not arrive, and is tried again.
  case failed(ReceiptKey, FailedAttempt, next: Timestamp)
  /// It is credited for good, with this revision of it.
  case credited(ReceiptKey, revision: String)
  /// The store knows; nothing is left to do.
  case finished(ReceiptKey)
  /// This revision of it was refused for good.
  case deadLettered(ReceiptKey, FailedAttempt, revision: String)
  /// It is to be tried once more.
  case requeued(ReceiptKey, Timestamp)
  /// The backend knows of the refund in this revision, with or without a credit of the purchase.
  case refundPosted(ReceiptKey, revision: String)
  /// It took too long; its grants are shown as provisional from then on.
  case provisional(ReceiptKey, Timestamp)
  /// An item was given before the backend booked its price, or the backend refused such a booking.
  case spentProvisionally(ProvisionalSpend)
  /// The backend booked it, or the app has taken the item back.
  case provisionalSpendEnded(CustomerID, IdempotencyKey)
  /// A customer's balances in the backend's last answer.
  case balances(StoredBalances)
  /// The products on sale, for a start without a backend.
  case shop([KnownProduct])
}

extension QueueEvent {
  /// Whether it says that the announced purchase is over.
  func ends(_ intent: PurchaseIntent) -> Bool {
    if case .intentEnded(intent.number) = self { true } else { false }
  }
}

/// A post that did not end in a credit.
struct FailedAttempt: Hashable, Sendable {
  var failure: ReceiptQueueItem.Failure
  /// How many posts there were, this one included.
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
  /// Counts up.
  var number: Int64
  var buyer: CustomerID
  /// The product's id at the store.
  var storeProductID: String
  var quantity: Int64
  var startedAt: Timestamp
  /// The order, in a two-step purchase.
  var order: PurchaseCode?
  /// The key that the app gave the order.
  var key: IdempotencyKey?
  /// Whether the store answered that somebody has to agree first.
  var isDeferred = false

  var token: AccountToken { AccountToken(of: buyer) }

  /// The most milliseconds by which the device's clock may be ahead of the store's.
  private static let clockErrorMax: Int64 = 300_000

  /// Whether it was announced before the transaction.
  func canHaveBegun(_ transaction: StoreTransaction) -> Bool {
    startedAt.milliseconds(since: transaction.purchasedAt) <= Self.clockErrorMax
  }
}

/// An order that this device announced under a key of the app.
struct OpenedOrder: Hashable, Sendable {
  let buyer: CustomerID
  let key: IdempotencyKey
  /// Tells this device's announcement from one that another installation made under the same key.
  let claim: String
}

extension StoreEvidence {
  var key: ReceiptKey { ReceiptKey(transaction) }

  /// The prefix of a revision of evidence that the device could not verify.
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
  /// The receipts that were in the queue at the answer, so that the rows may include their credits; not persisted.
  var queued: Set<ReceiptKey> = []
}

/// As much of a product as buying it takes.
struct KnownProduct: Hashable, Sendable {
  var code: ProductCode
  /// Its id at the client's store.
  var storeID: String
  var type: ProductType
  /// The grants of one unit, paid and bonus part together.
  var grants: [Adjustment]

  /// Returns the grants of that many units, without amounts that overflow.
  func grants(times quantity: Int64) -> [Adjustment] {
    grants.compactMap { grant in
      let (amount, overflow) = grant.amount.multipliedReportingOverflow(by: quantity)
      return overflow ? nil : Adjustment(grant.currency, amount)
    }
  }
}
