/// A customer's balance of one currency.
public struct Balance: Hashable, Sendable {
  /// The currency.
  public let currency: CurrencyCode
  /// The currency's name.
  public let name: String
  /// The currency's description, where it has one.
  public let description: String?
  /// The whole balance, held amounts included.
  public let balance: Int64
  /// The held amount.
  public let held: Int64
  /// The customer's debt.
  public let debt: Int64
  /// How many entries the account has.
  public let version: Int64

  /// The amount that can be spent.
  public var available: Int64 { balance - held }
}
