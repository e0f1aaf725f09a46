/// An amount of one currency.
public struct CurrencyAmount: Hashable, Sendable {
  /// The currency.
  public let currency: CurrencyCode
  /// How much of it.
  public let amount: Int64

  /// An amount of one currency.
  public init(currency: CurrencyCode, amount: Int64) {
    self.currency = currency
    self.amount = amount
  }
}
