public import GemLedger

/// A receipt on its way to its credit.
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

  /// Whether the backend looks for the order that the purchase pays for.
  public enum OrderSearch: String, Hashable, Sendable {
    /// The client knows that the purchase pays for no order.
    case none
    /// The client does not know, as after a new installation: an announced order that fits is completed.
    case find
    /// As ``find``; where no order fits, one is announced late, so that the purchase is delivered all the same.
    case findOrOpen = "find_or_open"
  }

  /// The evidence.
  public var receipt: StoreReceipt
  /// The customer to credit where the receipt names no buyer that the backend knows.
  public var customer: CustomerID
  /// Why it is posted.
  public var source: Source
  /// Whether the backend looks for the order that the purchase pays for.
  public var orderSearch: OrderSearch

  /// A post.
  public init(receipt: StoreReceipt, customer: CustomerID, source: Source, orderSearch: OrderSearch = .none) {
    self.receipt = receipt
    self.customer = customer
    self.source = source
    self.orderSearch = orderSearch
  }
}
