internal import GemLedger
internal import StoreBackend

/// What happened to the client's durable state; the state is the fold of these.
enum QueueEvent: Hashable, Sendable {
  /// Who is signed in.
  case identity(Identity)
  /// This device is about to announce an order under a key of the app.
  case orderOpened(OpenedOrder)
  /// Somebody is about to pay.
  case intended(PurchaseIntent)
  /// Nobody paid, or what was paid for is in the queue.
  case intentEnded(Int64)
  /// What was paid for, with its buyer.
  case queued(QueuedReceipt)
  /// A receipt as it stood when the journal was compacted.
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
  /// The backend knows what this revision says was given back, whether it had credited the purchase or not.
  case refundPosted(ReceiptKey, revision: String)
  /// It took too long; its grants are shown as provisional from then on.
  case provisional(ReceiptKey, Timestamp)
  /// What a customer had when the backend was asked last.
  case balances(StoredBalances)
  /// What can be bought, for a start without a backend.
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

/// Who is signed in.
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

  var token: AccountToken { AccountToken(of: buyer) }
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

  /// What the revision of evidence begins with that the device could not verify.
  static let unverifiedMark = "unverified "

  /// What can change about a transaction; empty for a plain purchase.
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

/// What a customer had, as the backend said last.
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
}

/// As much of a product as buying it takes.
struct KnownProduct: Hashable, Sendable {
  var code: ProductCode
  /// Its id at the client's store.
  var storeID: String
  var type: ProductType
  /// What one unit gives, paid and bonus part together.
  var grants: [Adjustment]

  /// What that many units give; amounts that cannot be counted are left out.
  func grants(times quantity: Int64) -> [Adjustment] {
    grants.compactMap { grant in
      let (amount, overflow) = grant.amount.multipliedReportingOverflow(by: quantity)
      return overflow ? nil : Adjustment(grant.currency, amount)
    }
  }
}
