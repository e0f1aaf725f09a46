/// Amounts of currencies by their codes, written as a literal: `["GEM": 50, "COIN": 10]`.
///
/// The literal is kept as it is written. The call checks it, with the errors of the same call in checked values; a code
/// that stands there twice is one of them, and no trap.
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

  /// The same in checked values, in the order of the literal.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier` for the first code that is none.
  public func checked() throws(LedgerError) -> [Adjustment] {
    var checked: [Adjustment] = []
    for amount in amounts { checked.append(Adjustment(try CurrencyCode(amount.code), amount.amount)) }
    return checked
  }
}
