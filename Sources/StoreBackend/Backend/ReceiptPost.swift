public import GemLedger

/// A receipt that a client posts for its credit.
public struct ReceiptPost: Hashable, Sendable {
  /// The client's reason for the post.
  public enum Source: String, Hashable, Sendable {
    /// A purchase that the customer just made.
    case purchase
    /// The store's stream of updates.
    case updates
    /// A restore.
    case restore
    /// A sweep of unfinished transactions.
    case sweep
    /// A sweep of refunds.
    case refunds
  }

  /// Whether the backend searches for the order that the purchase pays for.
  public enum OrderSearch: String, Hashable, Sendable {
    /// The client knows that the purchase pays for no order.
    case none
    /// The client does not know, as after a new installation: an announced order that fits is completed.
    case find
    /// As ``find``; if no order matches, one is announced late, so that the purchase is delivered.
    case findOrOpen = "find_or_open"
  }

  /// The evidence.
  public var receipt: StoreReceipt
  /// The customer to credit if the receipt names no known buyer.
  public var customer: CustomerID
  /// The reason for the post.
  public var source: Source
  /// Whether the backend searches for the order that the purchase pays for.
  public var orderSearch: OrderSearch

  /// A post.
  public init(receipt: StoreReceipt, customer: CustomerID, source: Source, orderSearch: OrderSearch = .none) {
    self.receipt = receipt
    self.customer = customer
    self.source = source
    self.orderSearch = orderSearch
  }
}
