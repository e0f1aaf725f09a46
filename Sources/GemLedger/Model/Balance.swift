/// What a customer has of one currency.
public struct Balance: Hashable, Sendable {
  /// The currency.
  public let currency: CurrencyCode
  /// The currency's name.
  public let name: String
  /// The currency's description, where it has one.
  public let description: String?
  /// Everything the customer has, held amounts included.
  public let balance: Int64
  /// What is set aside.
  public let held: Int64
  /// What the customer owes.
  public let debt: Int64
  /// How many entries the account has.
  public let version: Int64

  /// What can be spent.
  public var available: Int64 { balance - held }
}
