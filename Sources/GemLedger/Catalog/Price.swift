/// A currency of the world: an ISO 4217 code such as `USD`.
public struct PriceCurrency: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The code.
  public let code: String

  /// The currency with this code, or nil if the text is not three capital letters.
  public init?(exactly text: String) {
    guard text.utf8.count == 3, text.utf8.allSatisfy(ASCII.isUpper) else { return nil }
    code = text
  }

  init(unchecked code: String) { self.code = code }

  /// The code.
  public var description: String { code }

  /// The number of digits after the dot: 2 for US dollars, none for yen, 3 for Kuwaiti dinars.
  ///
  /// A fixed table, because formatters disagree about yen and dinars from one platform to the next.
  public var minorUnitDigits: Int { Self.unusualDigits[code] ?? 2 }

  /// Orders currencies by code.
  public static func < (left: Self, right: Self) -> Bool { left.code < right.code }

  // The currencies of ISO 4217 without 2 digits.
  private static let unusualDigits: [String: Int] = {
    let none = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
    let three = "BHD IQD JOD KWD LYD OMR TND"
    let four = "CLF UYW"
    var digits: [String: Int] = [:]
    for (text, count) in [(none, 0), (three, 3), (four, 4)] {
      for code in text.split(separator: " ") { digits[String(code)] = count }
    }
    return digits
  }()
}

/// A price in real money, exact: its text, and the same in minor units.
public struct Price: Hashable, Sendable, CustomStringConvertible {
  /// The price as it was given, such as `9.99`.
  public let text: String
  /// The price in the currency's smallest unit, such as 999 cents.
  public let minorUnits: Int64
  /// The currency.
  public let currency: PriceCurrency

  /// Reads digits with at most one dot; no sign, no separators, no exponent.
  ///
  /// - Throws: ``LedgerError`` with `invalid_request` when the text is no price, or has more digits after the dot than
  ///   the currency.
  public init(_ text: String, in currency: PriceCurrency) throws(LedgerError) {
    guard let (whole, fraction) = Self.parts(text) else {
      throw .invalid("\"\(text.abridged)\" is not a price: 1 to 12 digits, and at most 3 after a dot.")
    }
    let digits = currency.minorUnitDigits
    guard fraction.dropFirst(digits).allSatisfy({ $0 == "0" }) else {
      throw .invalid("\(currency) has \(digits) digits after the dot; \"\(text)\" has more.")
    }
    let padding = repeatElement("0", count: max(0, digits - fraction.count)).joined()
    guard let minorUnits = Int64("\(whole)\(fraction.prefix(digits))\(padding)"), minorUnits <= Limits.amount else {
      throw .invalid("The price \"\(text)\" is out of bounds.")
    }
    self.text = text
    self.minorUnits = minorUnits
    self.currency = currency
  }

  /// The text.
  public var description: String { text }

  private static func parts(_ text: String) -> (whole: Substring, fraction: Substring)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, isRun(whole, 1...12) else { return nil }
    guard parts.count > 1 else { return (whole, "") }
    return parts.count == 2 && isRun(parts[1], 1...3) ? (whole, parts[1]) : nil
  }

  private static func isRun(_ text: Substring, _ counts: ClosedRange<Int>) -> Bool {
    counts.contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isDigit)
  }
}
