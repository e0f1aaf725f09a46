/// A day, a week or a month of the calendar, in UTC; a week begins on Monday.
///
/// Limits and allowances begin again with each.
public enum Period: String, CatalogOption, CaseIterable {
  /// From midnight to midnight.
  case day
  /// From Monday to Monday.
  case week
  /// From the first of a month to the first of the next.
  case month

  /// The period's name in the catalog.
  public var description: String { rawValue }

  package init(_ kind: Self) { self = kind }

  package var kind: Self { self }
}

extension Period {
  /// When the period began that holds the instant; an instant that begins one is in that one.
  ///
  /// If that is further back than a timestamp can say, the first timestamp.
  public func start(of instant: Timestamp) -> Timestamp { start(ofNumber: number(of: instant)) }

  /// When the period begins that follows the one that holds the instant; always later than the instant.
  ///
  /// If that is further ahead than a timestamp can say, the last timestamp.
  public func next(after instant: Timestamp) -> Timestamp { start(ofNumber: number(of: instant) + 1) }

  /// How many periods begin after one instant and not after another; negative if the other is in an earlier period.
  public func count(from instant: Timestamp, to other: Timestamp) -> Int64 { number(of: other) - number(of: instant) }

  /// Numbers the periods one by one; the one that holds the beginning of 1970 is 0.
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
