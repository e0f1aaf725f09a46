/// The result of a round of deliveries.
public struct DeliveryRound: Hashable, Sendable {
  /// How many orders were tried.
  public var tried = 0
  /// How many of them were confirmed.
  public var confirmed = 0
  /// How many of them were not, and have no try left.
  public var exhausted = 0
  /// How many orders without a try left were refunded.
  public var refunded = 0

  /// A round, of nothing unless said otherwise.
  public init(tried: Int = 0, confirmed: Int = 0, exhausted: Int = 0, refunded: Int = 0) {
    self.tried = tried
    self.confirmed = confirmed
    self.exhausted = exhausted
    self.refunded = refunded
  }
}
