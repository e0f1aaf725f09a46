/// A day, a week or a month of the calendar, in UTC; a week begins on Monday.
///
/// Limits and allowances restart with each period.
public enum Period: String, CatalogOption, CaseIterable {
  /// From midnight to midnight.
  case day
  /// From Monday to Monday.
  case week
  /// From the first day of a month to the first day of the next month.
  case month

  /// The period's name in the catalog.
  public var description: String { rawValue }

  package init(_ kind: Self) { self = kind }

  package var kind: Self { self }
}

extension Period {
  /// Returns the start of the period that contains the instant; a period contains its start.
  ///
  /// If that is before the range of timestamps, the first timestamp.
  public func start(of instant: Timestamp) -> Timestamp { start(ofNumber: number(of: instant)) }

  /// Returns the start of the next period; always later than the instant.
  ///
  /// If that is after the range of timestamps, the last timestamp.
  public func next(after instant: Timestamp) -> Timestamp { start(ofNumber: number(of: instant) + 1) }

  /// Returns the number of periods that begin after one instant and not after another; negative if the other is
  /// earlier.
  public func count(from instant: Timestamp, to other: Timestamp) -> Int64 { number(of: other) - number(of: instant) }

  /// Returns the period's number; the period that contains the beginning of 1970 has number 0.
  private func number(of instant: Timestamp) -> Int64 {
    let day = instant.milliseconds.floorDivided(by: CivilDate.dayMilliseconds).quotient
    switch self {
    case .day: return day
    case .week: return (day + Self.mondayOffset).floorDivided(by: 7).quotient
    case .month:
      let date = CivilDate(day: day)
      return (date.year - 1970) * 12 + date.month - 1
    }
  }

  private func start(ofNumber number: Int64) -> Timestamp {
    let day: Int64
    switch self {
    case .day: day = number
    case .week: day = number * 7 - Self.mondayOffset
    case .month:
      let (years, month) = number.floorDivided(by: 12)
      day = CivilDate(year: 1970 + years, month: month + 1, dayOfMonth: 1).day
    }
    let (milliseconds, overflow) = day.multipliedReportingOverflow(by: CivilDate.dayMilliseconds)
    return Timestamp(milliseconds: overflow ? (day < 0 ? .min : .max) : milliseconds)
  }

  /// 1970-01-01 was a Thursday, the fourth day of its week.
  private static let mondayOffset: Int64 = 3
}
