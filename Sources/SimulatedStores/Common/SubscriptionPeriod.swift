internal import GemLedger

/// A subscription's cycle: years, months, weeks and days, such as `P1M`.
struct SubscriptionPeriod: Hashable, Sendable {
  var months: Int64 = 0
  var days: Int64 = 0

  /// Parses an ISO 8601 duration as the catalog has it; nil if the text is invalid or the duration is zero.
  init?(_ text: String) {
    var bytes = Array(text.utf8)[...]
    guard bytes.popFirst() == UInt8(ascii: "P") else { return nil }
    for (unit, months, days) in [("Y", 12, 0), ("M", 1, 0), ("W", 0, 7), ("D", 0, 1)] as [(String, Int64, Int64)] {
      let digits = bytes.prefix { (0x30...0x39).contains($0) }
      guard (1...3).contains(digits.count), bytes.dropFirst(digits.count).first == unit.utf8.first else { continue }
      let count = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
      self.months += count * months
      self.days += count * days
      bytes = bytes.dropFirst(digits.count + 1)
    }
    guard bytes.isEmpty, months + days > 0 else { return nil }
  }

  /// Its length in days, a month taken as thirty.
  var nominalDays: Int64 { months * 30 + days }

  /// The instant one cycle later: the same day of the month, or the month's last one.
  func added(to start: Timestamp) -> Timestamp {
    let (day, rest) = start.milliseconds.floorDivided(by: Self.dayMilliseconds)
    var date = CivilDate(day: day)
    date.add(months: months)
    return Timestamp(milliseconds: rest).advanced(milliseconds: (date.day + days) * Self.dayMilliseconds)
  }

  static let dayMilliseconds = CivilDate.dayMilliseconds
}
