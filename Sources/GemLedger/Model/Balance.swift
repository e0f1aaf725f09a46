/// A customer's balance of one currency.
public struct Balance: Hashable, Sendable {
  /// The currency.
  public let currency: CurrencyCode
  /// The currency's name.
  public let name: String
  /// The currency's description, if it has one.
  public let description: String?
  /// The whole balance, held amounts included.
  public let balance: Int64
  /// The held amount.
  public let held: Int64
  /// The customer's debt.
  public let debt: Int64
  /// The number of the account's entries.
  public let version: Int64
  /// Whether the currency may be granted and spent now.
  public package(set) var isActive = true

  /// The amount that can be spent.
  public var available: Int64 { balance - held }
}

extension Balance {
  /// Makes a balance, for a custom backend or a preview.
  ///
  /// - Parameters:
  ///   - currency: The currency's code.
  ///   - name: The currency's name for people.
  ///   - balance: The whole balance, held amounts included.
  ///   - held: The held amount.
  ///   - debt: The customer's debt.
  ///   - description: The currency's description for people.
  ///   - version: The number of the account's entries.
  public init(
    _ currency: CurrencyCode, name: String, balance: Int64, held: Int64 = 0, debt: Int64 = 0,
    description: String? = nil, version: Int64 = 0
  ) {
    self.init(
      currency: currency, name: name, description: description, balance: balance, held: held, debt: debt,
      version: version)
  }
}
