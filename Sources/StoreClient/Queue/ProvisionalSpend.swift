public import GemLedger

/// An item that the app gave before the backend booked its price.
///
/// It waits for the backend, durably. Then it is booked under its key, or refused for good.
public struct ProvisionalSpend: Hashable, Sendable {
  /// Why the backend refused it.
  public struct Refusal: Hashable, Sendable {
    /// The code of the refusal, such as `insufficient_balance`.
    public var code: LedgerError.Code
    /// The message of the refusal.
    public var message: String
  }

  /// The key under which it is booked.
  public let key: IdempotencyKey
  /// The buyer.
  public let customer: CustomerID
  /// The item.
  public let item: ItemID
  /// How many.
  public let quantity: Int64
  /// The price of all units as the app knew it; the booking is at the backend's price.
  public let price: [CurrencyAmount]
  /// When it was given.
  public let spentAt: Timestamp
  /// Why the backend refused it; nil while it waits for the backend.
  public internal(set) var refusal: Refusal?

  /// Whether it waits for the backend.
  public var isWaiting: Bool { refusal == nil }
}

/// How the purchase of an item with provisional currency ended.
public enum ItemPurchase: Hashable, Sendable {
  /// The backend booked it.
  case booked(Booking)
  /// It is given on this device, and the backend books it later.
  case provisional(ProvisionalSpend)
}
