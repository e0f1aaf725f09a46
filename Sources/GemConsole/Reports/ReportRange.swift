#if Server
internal import GemLedger
internal import LedgerCharts

/// The period of a report, in days of a time zone.
struct ReportRange: Hashable, Sendable {
  let from: Timestamp
  let until: Timestamp
  let zone: String

  /// Reads the form; the last 30 days without it.
  ///
  /// - Throws: `LedgerError` with `invalid_request`.
  init(_ visit: Visit) throws(LedgerError) {
    zone = visit.query["zone"] ?? visit.reader.zoneName
    guard let days = DaysOfZone(zone) else {
      throw .invalid("A time zone has a name such as Europe/Berlin or UTC, not \"\(zone.prefix(60))\".")
    }
    func time(_ name: String) throws(LedgerError) -> Timestamp? {
      try visit.query[name].map { (text) throws(LedgerError) in
        guard let time = days.time(text) else {
          throw .invalid("Write a day such as 2026-11-21, or a time with its zone, not \"\(text.prefix(40))\".")
        }
        return time
      }
    }
    let now = visit.reader.now
    let today = days.time(days.day(of: now)) ?? now
    from = try time("from") ?? days.time(days.day(of: today.advanced(milliseconds: -30 * 86_400_000))) ?? today
    until = try time("until") ?? now
    guard from < until else { throw .invalid("The period ends before it begins.") }
  }

  /// The day on which it begins, as the form takes it.
  var firstDay: String? { days?.day(of: from) }

  var days: DaysOfZone? { DaysOfZone(zone) }

  /// The beginnings of the days, and the end.
  func boundaries(limit: Int) -> [Timestamp] {
    days?.boundaries(from: from, until: until, limit: limit) ?? [from, until]
  }

  /// The values of the form.
  var query: [(name: String, value: String?)] {
    [("from", from.description), ("until", until.description), ("zone", zone)]
  }
}
#endif
