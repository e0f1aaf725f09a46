/// Amounts of currencies by their codes, written as a literal: `["GEM": 50, "COIN": 10]`.
///
/// The literal is stored as written. The call checks it, and throws the errors that the call with checked values
/// throws; a duplicate code is such an error, not a trap.
public struct AmountsByCode: ExpressibleByDictionaryLiteral, Hashable, Sendable {
  private struct Amount: Hashable {
    let code: String
    let amount: Int64
  }

  private let amounts: [Amount]

  /// The amounts of a literal.
  public init(dictionaryLiteral elements: (String, Int64)...) {
    amounts = elements.map { Amount(code: $0.0, amount: $0.1) }
  }

  /// The amounts of a dictionary, in the order of the codes.
  public init(_ amounts: [String: Int64]) {
    self.amounts = amounts.sorted { $0.key < $1.key }.map { Amount(code: $0.key, amount: $0.value) }
  }

  /// Returns the checked amounts, in the order of the literal.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier` for the first invalid code.
  public func checked() throws(LedgerError) -> [Adjustment] {
    var checked: [Adjustment] = []
    for amount in amounts { checked.append(Adjustment(try CurrencyCode(amount.code), amount.amount)) }
    return checked
  }
}
