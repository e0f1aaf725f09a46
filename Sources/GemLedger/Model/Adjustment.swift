/// A request to change a balance: a currency and a signed amount.
public struct Adjustment: Hashable, Sendable {
  /// The currency.
  public let currency: CurrencyCode
  /// How much: positive grants, negative spends; never zero; at most ``Limits/amount`` either way.
  public let amount: Int64

  /// Makes an adjustment; the ledger checks it when it books it.
  public init(_ currency: CurrencyCode, _ amount: Int64) {
    self.currency = currency
    self.amount = amount
  }
}

/// A condition for booking a command; checked inside the commit.
public enum Condition: Hashable, Sendable {
  /// The account's version before the command is this one.
  case version(CurrencyCode, Int64)
  /// The balance after the command is at least this.
  case minimum(CurrencyCode, Int64)
  /// The balance after the command is at most this.
  case maximum(CurrencyCode, Int64)

  var currency: CurrencyCode {
    switch self {
    case .version(let currency, _), .minimum(let currency, _), .maximum(let currency, _): currency
    }
  }
}
