import GemLedger

/// Reads `CODE=AMOUNT` arguments, such as `GEM=50`.
enum AmountArguments {
  /// Returns the currency and amount of each argument, in order.
  ///
  /// - Throws: `LedgerError` with, in order of precedence within an argument, `invalid_request` (malformed, or a
  ///   currency given twice), `invalid_identifier` (no currency code), `amount_out_of_range` (zero or too large).
  static func amounts(_ texts: [String]) throws(LedgerError) -> [(CurrencyCode, Int64)] {
    try pairs(texts, what: "AMOUNT", in: 1...Limits.amount)
  }

  /// Reads conditions (`--minimum`, `--maximum`, `--expect-version`), which may be zero.
  static func conditions(_ texts: [String]) throws(LedgerError) -> [(CurrencyCode, Int64)] {
    try pairs(texts, what: "N", in: 0...Limits.amount)
  }

  private static func pairs(
    _ texts: [String], what: String, in range: ClosedRange<Int64>
  ) throws(LedgerError) -> [(CurrencyCode, Int64)] {
    var pairs: [(CurrencyCode, Int64)] = []
    for text in texts {
      let pair = try pair(text, what: what, in: range)
      guard !pairs.contains(where: { $0.0 == pair.0 }) else {
        throw .invalid("\(pair.0) is given twice; give one amount per currency.")
      }
      pairs.append(pair)
    }
    return pairs
  }

  private static func pair(
    _ text: String, what: String, in range: ClosedRange<Int64>
  ) throws(LedgerError) -> (CurrencyCode, Int64) {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw .invalid("\(text.quotedForPeople) is not CODE=\(what), such as GEM=50.")
    }
    let digits = String(text[text.utf8.index(after: equals)...])
    let number = PlainNumber(digits)
    guard number != .malformed else {
      throw .invalid(
        "\(digits.quotedForPeople) in \(text.quotedForPeople) is not an amount: plain digits from \(range.lowerBound) "
          + "to \(range.upperBound), without sign, point, exponent, spaces or leading zeros.")
    }
    let code = try CurrencyCode(String(text[..<equals]))
    guard case .value(let amount) = number, range.contains(amount) else {
      throw LedgerError(
        .amountOutOfRange, "\(text.quotedForPeople) is out of range: \(range.lowerBound) to \(range.upperBound).",
        details: [.text("currency", code.description)])
    }
    return (code, amount)
  }
}
