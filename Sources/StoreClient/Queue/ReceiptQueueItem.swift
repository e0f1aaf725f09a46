public import GemLedger
internal import StoreBackend

/// A receipt in the queue, as the app may see it.
public struct ReceiptQueueItem: Hashable, Sendable, Identifiable {
  /// The state of a receipt: closed, so that a `switch` needs no default.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// It waits for its next try.
    case waiting
    /// It is being posted to the backend.
    case posting
    /// It is credited; the store does not know it yet.
    case finishOnly = "finish_only"
    /// It was refused for good; the store keeps it unfinished, and it can be requeued.
    case deadLettered = "dead_lettered"
  }

  /// The failure of the last try.
  public struct Failure: Hashable, Sendable {
    /// The code, such as `backend_unreachable`.
    public let code: LedgerError.Code
    /// A sentence for people.
    public let message: String
    /// The request's name in the backend's logs, if the backend returned one.
    public let requestID: String?

    init(code: LedgerError.Code, message: String, requestID: String?) {
      self.code = code
      self.message = message
      self.requestID = requestID
    }

    init(_ error: LedgerError) {
      self.init(code: error.code, message: error.message, requestID: error.text("request_id"))
    }
  }

  /// Store, environment and store transaction id, such as `apple:sandbox:2000000123456789`.
  public let id: String
  /// The store's id of the transaction.
  public let storeTransactionID: StoreTransactionID
  /// The state of the receipt.
  public let status: Status
  /// The number of posts.
  public let attemptCount: Int
  /// The buyer.
  public let customer: CustomerID
  /// The product's id at the store.
  public let storeProductID: String
  /// The product's code, if the client knew it.
  public let product: ProductCode?
  /// The number of units.
  public let quantity: Int64
  /// When the client first received it.
  public let firstSeenAt: Timestamp
  /// The time of the next try, for a waiting receipt.
  public let nextAttemptAt: Timestamp?
  /// The failure of the last try.
  public let lastError: Failure?
}

/// The identity of a queue item, equal for every poster.
struct ReceiptKey: Hashable, Sendable, CustomStringConvertible {
  let store: Store
  let environment: StoreEnvironment
  let id: StoreTransactionID
  /// Google Play's order id, for a subscription: all its renewals have one purchase token.
  let renewal: String?

  init(store: Store, environment: StoreEnvironment, id: StoreTransactionID, renewal: String? = nil) {
    self.store = store
    self.environment = environment
    self.id = id
    self.renewal = renewal
  }

  init(_ transaction: StoreTransaction) {
    let hasRenewals = transaction.store == .google && transaction.productType.isSubscription
    self.init(
      store: transaction.store, environment: transaction.environment, id: transaction.id,
      renewal: hasRenewals ? transaction.orderID : nil)
  }

  var description: String {
    let session = environment.session.map { "(\($0))" } ?? ""
    return "\(store):\(environment)\(session):\(id)" + (renewal.map { ":\($0)" } ?? "")
  }

  static func == (left: Self, right: Self) -> Bool {
    left.id == right.id && left.store == right.store && left.environment == right.environment
      && (left.renewal ?? "").hasBytes(of: right.renewal ?? "")
  }

  /// Hashes only the id, which is nearly always unique.
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
