#if Server
internal import GemLedger

/// Shares in percent, which the ledger counts in thousandths.
enum Decimals {
  /// Such as `12.5 %`.
  static func percent(_ milliPercent: Int64) -> String {
    let rest = milliPercent % 1000
    guard rest != 0 else { return "\(milliPercent / 1000) %" }
    let digits = String(String(1000 + rest).dropFirst())
    let end = digits.lastIndex { $0 != "0" } ?? digits.startIndex
    return "\(milliPercent / 1000).\(digits[...end]) %"
  }

  /// Returns the thousandths of a percentage with at most three decimal places.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for any other text.
  static func milliPercent(_ text: String) throws(LedgerError) -> Int64 {
    guard let match = text.wholeMatch(of: /([0-9]{1,3})(?:\.([0-9]{1,3}))?/), let whole = Int64(match.1),
      let part = Int64((match.2.map(String.init) ?? "").padded(to: 3))
    else {
      throw .invalid(
        "A share is a percentage with at most three decimal places, such as 12.5, not \"\(text.prefix(40))\".")
    }
    return whole * 1000 + part
  }
}

extension String {
  /// The digits of a decimal part, with zeros at their end.
  fileprivate func padded(to count: Int) -> String { self + String(repeating: "0", count: max(0, count - self.count)) }
}
#endif
