/// A day of the Gregorian calendar in UTC, computed with integers only.
package struct CivilDate: Hashable, Sendable {
  package var year: Int64
  /// From 1 to 12.
  package var month: Int64
  package var dayOfMonth: Int64

  package init(year: Int64, month: Int64, dayOfMonth: Int64) {
    self.year = year
    self.month = month
    self.dayOfMonth = dayOfMonth
  }

  /// Makes the day with this number of days since 1970-01-01.
  package init(day: Int64) {
    // Years begin in March, so that the leap day is the last day. All eras of 400 years are alike.
    let (era, dayOfEra) = (day + 719_468).floorDivided(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01.
  package var day: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = marchYear.floorDivided(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Moves to the same day of a later month, or to that month's last day.
  package mutating func add(months count: Int64) {
    let (years, index) = (month - 1 + count).floorDivided(by: 12)
    year += years
    month = index + 1
    dayOfMonth = min(dayOfMonth, Self.length(of: month, in: year))
  }

  package static let dayMilliseconds: Int64 = 86_400_000

  static func length(of month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  /// The quotient rounded down, also below zero, and the remainder, which is never negative.
  package func floorDivided(by divisor: Int64) -> (quotient: Int64, rest: Int64) {
    let rest = self % divisor
    return rest < 0 ? (self / divisor - 1, rest + divisor) : (self / divisor, rest)
  }
}
