internal import GemLedger

/// A subscription's cycle: years, months, weeks and days, such as `P1M`.
struct SubscriptionPeriod: Hashable, Sendable {
  var months: Int64 = 0
  var days: Int64 = 0

  /// Reads ISO 8601 as the catalog has it; nil where the text is none, or nothing long.
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
    let (day, rest) = Self.floorDivide(start.milliseconds, Self.dayMilliseconds)
    var date = CivilDate(day: day)
    date.add(months: months)
    return Timestamp(milliseconds: rest).advanced(milliseconds: (date.day + days) * Self.dayMilliseconds)
  }

  static let dayMilliseconds: Int64 = 86_400_000

  fileprivate static func floorDivide(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64) {
    let rest = number % divisor
    return rest < 0 ? (number / divisor - 1, rest + divisor) : (number / divisor, rest)
  }
}

/// A day of the Gregorian calendar, by the usual count from 1970-01-01 and back.
private struct CivilDate {
  var year: Int64
  var month: Int64
  var dayOfMonth: Int64

  init(day: Int64) {
    // Years that begin in March, so that the leap day is the last one; eras of 400 years are all alike.
    let (era, dayOfEra) = SubscriptionPeriod.floorDivide(day + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01.
  var day: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = SubscriptionPeriod.floorDivide(marchYear, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  mutating func add(months count: Int64) {
    let (years, index) = SubscriptionPeriod.floorDivide(month - 1 + count, 12)
    year += years
    month = index + 1
    dayOfMonth = min(dayOfMonth, Self.length(of: month, in: year))
  }

  private static func length(of month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
