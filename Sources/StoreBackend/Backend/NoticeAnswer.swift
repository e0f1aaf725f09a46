public import GemLedger

/// What became of a store's notice.
public struct NoticeAnswer: Hashable, Sendable {
  /// What it came to.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// A purchase that nobody had posted was credited.
    case credited
    /// What the purchase gave was clawed back.
    case refunded
    /// What a refund took was given back.
    case refundReversed = "refund_reversed"
    /// A refund came before its purchase; it is kept, and booked with it.
    case kept
    /// The notice says nothing that was not known.
    case unchanged
    /// A purchase whose buyer nobody here knows; it is credited when the app posts its receipt.
    case unattributed
  }

  /// What it came to.
  public var outcome: Outcome
  /// What was booked, now or before, where anything was.
  public var receipt: Receipt?

  /// An answer.
  public init(outcome: Outcome, receipt: Receipt? = nil) {
    self.outcome = outcome
    self.receipt = receipt
  }
}
