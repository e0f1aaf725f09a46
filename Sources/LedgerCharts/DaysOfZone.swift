package import GemLedger

#if canImport(FoundationInternationalization)
import FoundationEssentials
import FoundationInternationalization
#else
import Foundation
#endif

/// The days of a time zone.
package struct DaysOfZone {
  package let name: String
  private let calendar: Calendar

  /// - Parameter name: As in the tz database, such as `Asia/Tokyo`. The result is nil for an unknown name.
  package init?(_ name: String = "UTC") {
    guard let zone = TimeZone(identifier: name) else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
    self.name = name
  }

  /// Reads a time, or a day such as `2026-11-21`, which begins at midnight in the zone.
  package func time(_ text: String) -> Timestamp? {
    if let time = Timestamp(text) { return time }
    let words = text.split(separator: "-", omittingEmptySubsequences: false)
    // Plain digits: a number may have a sign.
    guard words.map(\.utf8.count) == [4, 2, 2], words.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let year = Int(words[0]), let month = Int(words[1]), let day = Int(words[2])
    else { return nil }
    var components = DateComponents(year: year, month: month, day: day)
    components.timeZone = calendar.timeZone
    // The calendar would take the 31st of February for a day of March.
    guard let date = calendar.date(from: components), calendar.component(.day, from: date) == day,
      calendar.component(.month, from: date) == month
    else { return nil }
    return Timestamp(calendar.startOfDay(for: date))
  }

  /// A span of the calendar; weeks begin on Monday.
  package enum Span: String, CaseIterable, Sendable {
    case day
    case week
    case month
  }

  /// Returns the two instants and the beginnings of the spans between them, up to the limit.
  package func boundaries(from: Timestamp, until: Timestamp, by span: Span = .day, limit: Int) -> [Timestamp] {
    let (component, step): (Calendar.Component, Int) =
      switch span {
      case .day: (.day, 1)
      case .week: (.day, 7)
      case .month: (.month, 1)
      }
    var found = [from]
    var day = start(of: span, at: from.date)
    while found.count <= limit {
      guard let next = calendar.date(byAdding: component, value: step, to: day) else { break }
      // A day begins after midnight if the clock is put forward at midnight.
      day = calendar.startOfDay(for: next)
      guard Timestamp(day) < until else { break }
      if Timestamp(day) > from { found.append(Timestamp(day)) }
    }
    return found + [until]
  }

  private func start(of span: Span, at date: Date) -> Date {
    let day = calendar.startOfDay(for: date)
    let parts = calendar.dateComponents([.day, .weekday], from: day)
    let passed =
      switch span {
      case .day: 0
      // Sunday is the first weekday of the calendar.
      case .week: ((parts.weekday ?? 2) + 5) % 7
      case .month: (parts.day ?? 1) - 1
      }
    return calendar.startOfDay(for: calendar.date(byAdding: .day, value: -passed, to: day) ?? day)
  }

  /// The day of an instant, such as `2026-11-21`.
  package func day(of time: Timestamp) -> String {
    let parts = calendar.dateComponents([.year, .month, .day], from: time.date)
    return "\(Self.padded(parts.year, 4))-\(Self.padded(parts.month, 2))-\(Self.padded(parts.day, 2))"
  }

  private static func padded(_ number: Int?, _ width: Int) -> String {
    let text = String(number ?? 0)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  /// Returns names for a time axis: beginnings of days if the period has at least two, else times of the day.
  package func ticks(from: Timestamp, until: Timestamp, limit: Int) -> [(time: Timestamp, text: String)] {
    let days = boundaries(from: from, until: until, limit: Self.tickDaysMax).dropFirst().dropLast()
    guard days.count < 2 else {
      let every = (days.count + limit - 1) / limit
      return days.enumerated().filter { $0.offset.isMultiple(of: every) }.map { ($0.element, day(of: $0.element)) }
    }
    let length = until.milliseconds - from.milliseconds
    let step = Self.tickSteps.first { length / ($0 * 1000) < Int64(limit) } ?? 86_400
    let start = Timestamp(calendar.startOfDay(for: from.date)).milliseconds
    let first = (from.milliseconds - start + step * 1000 - 1) / (step * 1000)
    return (first...(first + Int64(limit))).map { Timestamp(milliseconds: start + $0 * step * 1000) }
      .filter { $0 <= until }.map { ($0, clock(of: $0, withSeconds: step < 60)) }
  }

  /// Returns the time of the day, such as `09:30`, or the day at its beginning.
  private func clock(of time: Timestamp, withSeconds: Bool) -> String {
    let parts = calendar.dateComponents([.hour, .minute, .second], from: time.date)
    if parts.hour == 0, parts.minute == 0, parts.second == 0 { return day(of: time) }
    let minutes = "\(Self.padded(parts.hour, 2)):\(Self.padded(parts.minute, 2))"
    return withSeconds ? "\(minutes):\(Self.padded(parts.second, 2))" : minutes
  }

  /// Distances between times of the day, in seconds.
  private static let tickSteps: [Int64] = [
    1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
  ]

  /// Of longer periods the last days are not named.
  private static let tickDaysMax = 40_000
}
