/// The result of a round of deliveries.
public struct DeliveryRound: Hashable, Sendable {
  /// How many orders were tried.
  public var tried = 0
  /// How many of them were confirmed.
  public var confirmed = 0
  /// How many of them were not, and have no try left.
  public var exhausted = 0

  /// A round of nothing.
  public init() {}
}
