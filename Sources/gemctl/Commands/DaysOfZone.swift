import GemLedger

#if canImport(FoundationInternationalization)
import FoundationEssentials
import FoundationInternationalization
#else
import Foundation
#endif

/// The days of a time zone.
struct DaysOfZone {
  let name: String
  private let calendar: Calendar

  /// - Parameter name: As in the tz database, such as `Asia/Tokyo`; nil for UTC.
  init(_ name: String?, verb: Verb) throws(UsageError) {
    guard let zone = TimeZone(identifier: name ?? "UTC") else {
      throw UsageError(
        "--zone takes the name of a time zone, such as Europe/Berlin or UTC, not \((name ?? "").quotedForPeople)",
        verb: verb)
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
    self.name = name ?? "UTC"
  }

  /// Reads a time, or a day such as `2026-11-21`, which begins at midnight in the zone.
  func time(_ text: String) -> Timestamp? {
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

  /// Where each day begins between two instants, and the two; at most so many.
  func boundaries(from: Timestamp, until: Timestamp, limit: Int) -> [Timestamp] {
    var found = [from]
    var day = calendar.startOfDay(for: from.date)
    while found.count <= limit {
      guard let next = calendar.date(byAdding: .day, value: 1, to: day) else { break }
      // A day may begin later than at midnight, where a clock is put forward then.
      day = calendar.startOfDay(for: next)
      guard Timestamp(day) < until else { break }
      if Timestamp(day) > from { found.append(Timestamp(day)) }
    }
    return found + [until]
  }

  /// The day of an instant, such as `2026-11-21`.
  func day(of time: Timestamp) -> String {
    let parts = calendar.dateComponents([.year, .month, .day], from: time.date)
    func padded(_ number: Int?, _ width: Int) -> String {
      let text = String(number ?? 0)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
  }
}
