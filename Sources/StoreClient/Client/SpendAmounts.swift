public import GemLedger

/// The amounts of a spend, written as a literal: `["GEM": 50, "COIN": 10]`.
///
/// The literal is kept as it is written. The call checks it, with the errors of the same spend in checked values; a
/// code that stands there twice is one of them, and no trap.
public struct SpendAmounts: ExpressibleByDictionaryLiteral, Hashable, Sendable {
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

  /// - Throws: `LedgerError` with `invalid_identifier`.
  func checked() throws(LedgerError) -> [Adjustment] {
    var checked: [Adjustment] = []
    for amount in amounts { checked.append(Adjustment(try CurrencyCode(amount.code), amount.amount)) }
    return checked
  }
}

extension StoreClient {
  /// Spends, where the backend lets this client, with amounts and key as literals.
  ///
  /// ```swift
  /// try await Purchases.shared.spend(["GEM": 50], key: "tap-1")
  /// ```
  /// - Parameters:
  ///   - amounts: The amounts to take, as positive numbers by their codes.
  ///   - key: One for each tap, sent again with every retry of it; a new one where none is given.
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier` for a code or key that is none, and
  ///   those of the spend in checked values.
  @discardableResult
  public func spend(_ amounts: SpendAmounts, key: String? = nil) async throws(LedgerError) -> Booking {
    let amounts = try amounts.checked()
    let checked: IdempotencyKey? = if let key { try IdempotencyKey(key) } else { nil }
    return try await spend(amounts, key: checked)
  }
}
