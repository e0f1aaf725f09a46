public import GemLedger

/// The result of a store's notice.
public struct NoticeAnswer: Hashable, Sendable {
  /// The outcome of a notice.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// A purchase without an earlier post was credited.
    case credited
    /// The purchase's grant was clawed back.
    case refunded
    /// The amount that a refund took was given back.
    case refundReversed = "refund_reversed"
    /// The refund arrived before its purchase; it is stored, and booked with the purchase.
    case kept
    /// The notice contains no new information.
    case unchanged
    /// No known customer bought it; it is held, and credited when its buyer registers or the app posts its receipt.
    case unattributed
    /// The purchase cannot be credited yet, such as one without a product; it is held, and credited when that changes.
    case held
  }

  /// The outcome of a notice.
  public var outcome: Outcome
  /// The booking, made now or earlier; nil if nothing was booked.
  public var booking: Booking?

  /// An answer.
  public init(outcome: Outcome, booking: Booking? = nil) {
    self.outcome = outcome
    self.booking = booking
  }
}
