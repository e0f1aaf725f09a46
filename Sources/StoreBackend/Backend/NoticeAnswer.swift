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
    /// A refund came before its purchase; it is kept, and booked with it.
    case kept
    /// The notice says nothing that was not known.
    case unchanged
    /// The purchase's buyer is unknown here; it is held, and credited when the app posts its receipt.
    case unattributed
    /// The purchase cannot be credited yet; it is held, and credited once the reason is gone.
    case held
  }

  /// The outcome of a notice.
  public var outcome: Outcome
  /// The booking, made now or earlier; nil where nothing was booked.
  public var booking: Booking?

  /// An answer.
  public init(outcome: Outcome, booking: Booking? = nil) {
    self.outcome = outcome
    self.booking = booking
  }
}
