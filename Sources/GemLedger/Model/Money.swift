/// Real money: an amount in the price currency's minor units.
public struct Money: Hashable, Sendable {
  /// In minor units: cents for USD, whole yen for JPY.
  public let minorUnits: Int64
  /// ISO 4217, such as `USD`.
  public let currency: String

  /// An amount of real money.
  public init(minorUnits: Int64, currency: String) {
    self.minorUnits = minorUnits
    self.currency = currency
  }
}
