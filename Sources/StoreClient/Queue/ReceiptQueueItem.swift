public import GemLedger
internal import StoreBackend

/// A receipt in the queue, as the app may see it.
public struct ReceiptQueueItem: Hashable, Sendable, Identifiable {
  /// How far a receipt came: closed, so that a `switch` needs no default.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// It waits for its next try.
    case waiting
    /// It is on its way to the backend.
    case posting
    /// It is credited; the store has still to be told.
    case finishOnly = "finish_only"
    /// It was refused for good; the store keeps it unfinished, and it can be requeued.
    case deadLettered = "dead_lettered"
  }

  /// Why the last try failed.
  public struct Failure: Hashable, Sendable {
    /// The code, such as `backend_unreachable`.
    public let code: LedgerError.Code
    /// A sentence for people.
    public let message: String
    /// Names the request in the backend's logs, where the backend said so.
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
  /// The store's own id of it.
  public let storeTransactionID: StoreTransactionID
  /// How far it came.
  public let status: Status
  /// How often it was posted.
  public let attemptCount: Int
  /// The buyer.
  public let customer: CustomerID
  /// The product's id at the store.
  public let storeProductID: String
  /// Our code of the product, where the client knew it.
  public let product: ProductCode?
  /// The number of units.
  public let quantity: Int64
  /// When the client saw it first.
  public let firstSeenAt: Timestamp
  /// When it is tried next, for a waiting one.
  public let nextAttemptAt: Timestamp?
  /// Why the last try failed.
  public let lastError: Failure?
}

/// The identity of a queue item, the same for every poster.
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

  /// Over the id, which nearly always tells.
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
