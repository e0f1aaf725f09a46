package import GemLedger

/// Real money in plain digits, such as `9.99`, for JSON; people get it in the style of their locale.
package enum MoneyText {
  package static func plain(_ money: Money) -> String {
    let digits = PriceCurrency(exactly: money.currency)?.minorUnitDigits ?? 0
    guard digits > 0 else { return String(money.minorUnits) }
    let text = String(money.minorUnits)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    return "\(padded.dropLast(digits)).\(padded.suffix(digits))"
  }

  package static func json(_ money: Money?) -> JSONValue {
    guard let money else { return nil }
    return ["amount": .string(plain(money)), "currency": .string(money.currency)]
  }
}
