/// Amounts for people; `--json` prints plain digits.
package enum AmountText {
  /// The digits in groups of three, such as `1,200` and `-50`.
  package static func grouped(_ amount: Int64) -> String {
    // By magnitude, because the least number has no positive counterpart.
    let digits = Array(String(amount.magnitude))
    var text = amount < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// How many there are of something, such as `1 customer` and `1,200 customers`.
  package static func counted(_ count: Int64, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// Returns a length of time in its two largest units, such as `2d 3h`.
  package static func time(_ duration: Duration) -> String {
    var rest = max(0, duration.components.seconds)
    var parts: [String] = []
    for (unit, seconds) in [("d", Int64(86_400)), ("h", 3600), ("m", 60), ("s", 1)] {
      if rest >= seconds || !parts.isEmpty { parts.append("\(grouped(rest / seconds))\(unit)") }
      rest %= seconds
    }
    return parts.isEmpty ? "0s" : parts.prefix(2).joined(separator: " ")
  }

  /// Returns the amount of a change, with a sign also if it is positive: `+1,200`.
  package static func signed(_ amount: Int64) -> String { amount > 0 ? "+\(grouped(amount))" : grouped(amount) }
}
