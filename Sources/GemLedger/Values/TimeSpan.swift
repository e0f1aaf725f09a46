/// A length of time in whole seconds, written like `90s`, `5m`, `1h` or `30d`.
public struct TimeSpan: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number of seconds.
  public let seconds: Int64

  /// Makes a time span of this number of seconds.
  public init(seconds: Int64) { self.seconds = seconds }

  /// Reads 1 to 9 digits, the first of them not 0, and the unit: `s`, `m`, `h` or `d`.
  ///
  /// - Returns: Nil for any other text.
  public init?(_ text: String) {
    let digits = text.utf8.dropLast()
    guard (1...9).contains(digits.count), digits.allSatisfy(ASCII.isDigit), digits.first != ASCII.zero,
      let unit = Self.units.first(where: { $0.letter == text.utf8.last })
    else { return nil }
    // At most nine digits times a day's seconds, so it cannot overflow.
    seconds = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - ASCII.zero) } * unit.seconds
  }

  /// The milliseconds; the nearest bound if they exceed 64 bits.
  public var milliseconds: Int64 {
    let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? (seconds < 0 ? .min : .max) : milliseconds
  }

  /// The text in the largest unit with a whole number: `5m` for 300 seconds, `90s` for 90.
  public var description: String {
    for unit in Self.units where seconds != 0 && seconds % unit.seconds == 0 {
      return "\(seconds / unit.seconds)\(Unicode.Scalar(unit.letter))"
    }
    return "\(seconds)s"
  }

  /// Orders time spans by length.
  public static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }

  private static let units: [(letter: UInt8, seconds: Int64)] = [
    (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3600), (UInt8(ascii: "m"), 60), (UInt8(ascii: "s"), 1),
  ]
}
