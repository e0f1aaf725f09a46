public import GemLedger

/// An item that the app gave before the backend booked its price.
///
/// It is stored until the backend books it under its key, or refuses it for good.
public struct ProvisionalSpend: Hashable, Sendable {
  /// Why the backend refused it.
  public struct Refusal: Hashable, Sendable {
    /// The code of the refusal, such as `insufficient_balance`.
    public var code: LedgerError.Code
    /// The message of the refusal.
    public var message: String
  }

  /// The idempotency key of the booking.
  public let key: IdempotencyKey
  /// The buyer.
  public let customer: CustomerID
  /// The item.
  public let item: ItemID
  /// The number of units.
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

/// The result of the purchase of an item with provisional currency.
public enum ItemPurchase: Hashable, Sendable {
  /// The backend booked it.
  case booked(Booking)
  /// It is given on this device, and the backend books it later.
  case provisional(ProvisionalSpend)
}
