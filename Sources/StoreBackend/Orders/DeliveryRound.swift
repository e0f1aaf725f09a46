/// The result of a round of deliveries.
public struct DeliveryRound: Hashable, Sendable {
  /// The number of orders that were tried.
  public var tried = 0
  /// The number of confirmed tries.
  public var confirmed = 0
  /// The number of unconfirmed orders without a try left.
  public var exhausted = 0
  /// The number of refunded orders without a try left.
  public var refunded = 0

  /// Creates the counts of a round.
  public init(tried: Int = 0, confirmed: Int = 0, exhausted: Int = 0, refunded: Int = 0) {
    self.tried = tried
    self.confirmed = confirmed
    self.exhausted = exhausted
    self.refunded = refunded
  }
}
