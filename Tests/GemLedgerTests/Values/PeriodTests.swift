import GemLedger
import GemTestSupport
import XCTest

final class PeriodTests: XCTestCase {
  private typealias Row = (line: UInt, period: Period, instant: String, start: String, next: String)

  func testKnownDates() throws {
    for row in Self.ordinaryRows + Self.leapRows + Self.farRows {
      let instant = try XCTUnwrap(Timestamp(row.instant), line: row.line)
      XCTAssertEqual(row.period.start(of: instant).description, row.start, line: row.line)
      XCTAssertEqual(row.period.next(after: instant).description, row.next, line: row.line)
    }
  }

  private static let ordinaryRows: [Row] = [
    (#line, .day, "2026-11-21T09:30:00Z", "2026-11-21T00:00:00.000Z", "2026-11-22T00:00:00.000Z"),
    (#line, .day, "2026-11-21T00:00:00Z", "2026-11-21T00:00:00.000Z", "2026-11-22T00:00:00.000Z"),
    (#line, .day, "2026-11-20T23:59:59.999Z", "2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"),
    // In UTC, wherever the caller is.
    (#line, .day, "2026-11-21T00:30:00+09:00", "2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"),
    (#line, .week, "2026-11-21T09:30:00Z", "2026-11-16T00:00:00.000Z", "2026-11-23T00:00:00.000Z"),
    (#line, .week, "2026-11-16T00:00:00Z", "2026-11-16T00:00:00.000Z", "2026-11-23T00:00:00.000Z"),
    (#line, .week, "2026-11-22T23:59:59.999Z", "2026-11-16T00:00:00.000Z", "2026-11-23T00:00:00.000Z"),
    (#line, .week, "2026-12-31T12:00:00Z", "2026-12-28T00:00:00.000Z", "2027-01-04T00:00:00.000Z"),
    (#line, .month, "2026-11-21T09:30:00Z", "2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"),
    (#line, .month, "2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
    (#line, .month, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"),
  ]

  private static let leapRows: [Row] = [
    (#line, .day, "2024-02-28T12:00:00Z", "2024-02-28T00:00:00.000Z", "2024-02-29T00:00:00.000Z"),
    (#line, .day, "2024-02-29T12:00:00Z", "2024-02-29T00:00:00.000Z", "2024-03-01T00:00:00.000Z"),
    (#line, .day, "2023-02-28T12:00:00Z", "2023-02-28T00:00:00.000Z", "2023-03-01T00:00:00.000Z"),
    (#line, .day, "2000-02-29T12:00:00Z", "2000-02-29T00:00:00.000Z", "2000-03-01T00:00:00.000Z"),
    (#line, .day, "2100-02-28T12:00:00Z", "2100-02-28T00:00:00.000Z", "2100-03-01T00:00:00.000Z"),
    (#line, .week, "2024-02-29T12:00:00Z", "2024-02-26T00:00:00.000Z", "2024-03-04T00:00:00.000Z"),
    (#line, .month, "2024-02-29T12:00:00Z", "2024-02-01T00:00:00.000Z", "2024-03-01T00:00:00.000Z"),
    (#line, .month, "2000-02-29T12:00:00Z", "2000-02-01T00:00:00.000Z", "2000-03-01T00:00:00.000Z"),
    (#line, .month, "2100-02-28T23:00:00Z", "2100-02-01T00:00:00.000Z", "2100-03-01T00:00:00.000Z"),
  ]

  private static let farRows: [Row] = [
    (#line, .day, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z", "1970-01-02T00:00:00.000Z"),
    (#line, .day, "1969-12-31T23:59:59.999Z", "1969-12-31T00:00:00.000Z", "1970-01-01T00:00:00.000Z"),
    (#line, .week, "1970-01-01T00:00:00Z", "1969-12-29T00:00:00.000Z", "1970-01-05T00:00:00.000Z"),
    (#line, .week, "1969-12-28T23:59:59.999Z", "1969-12-22T00:00:00.000Z", "1969-12-29T00:00:00.000Z"),
    (#line, .month, "1969-12-31T23:59:59.999Z", "1969-12-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"),
    (#line, .month, "1968-02-29T12:00:00Z", "1968-02-01T00:00:00.000Z", "1968-03-01T00:00:00.000Z"),
    (#line, .month, "1900-02-28T12:00:00Z", "1900-02-01T00:00:00.000Z", "1900-03-01T00:00:00.000Z"),
    (#line, .day, "9999-12-30T23:59:59.999Z", "9999-12-30T00:00:00.000Z", "9999-12-31T00:00:00.000Z"),
    (#line, .week, "9999-12-26T00:00:00Z", "9999-12-20T00:00:00.000Z", "9999-12-27T00:00:00.000Z"),
    (#line, .month, "9999-11-30T23:59:59.999Z", "9999-11-01T00:00:00.000Z", "9999-12-01T00:00:00.000Z"),
  ]

  func testTheLastPeriodOfTheYear9999EndsWithIt() {
    let last = Timestamp(milliseconds: Limits.expiryMilliseconds)
    for (period, start) in [(Period.day, "9999-12-31"), (.week, "9999-12-27"), (.month, "9999-12-01")] {
      XCTAssertEqual(period.start(of: last).description, "\(start)T00:00:00.000Z")
    }
    XCTAssertEqual(Period.day.next(after: last).milliseconds, Limits.expiryMilliseconds + 1)
    XCTAssertEqual(Period.month.next(after: last).milliseconds, Limits.expiryMilliseconds + 1)
    // The last day is a Friday.
    XCTAssertEqual(Period.week.next(after: last).milliseconds, Limits.expiryMilliseconds + 1 + 2 * 86_400_000)
  }

  func testCountsTheBeginningsBetween() throws {
    let rows: [(line: UInt, period: Period, from: String, to: String, count: Int64)] = [
      (#line, .day, "2026-11-21T00:00:00Z", "2026-11-21T23:59:59.999Z", 0),
      (#line, .day, "2026-11-21T23:59:59.999Z", "2026-11-22T00:00:00Z", 1),
      (#line, .day, "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", 366),
      (#line, .day, "1969-12-31T00:00:00Z", "1970-01-01T00:00:00Z", 1),
      (#line, .week, "2026-11-21T12:00:00Z", "2026-11-22T23:59:59Z", 0),
      (#line, .week, "2026-11-22T23:59:59Z", "2026-11-23T00:00:00Z", 1),
      (#line, .week, "1969-12-28T00:00:00Z", "1970-01-05T00:00:00Z", 2),
      (#line, .month, "2026-11-01T00:00:00Z", "2026-11-30T23:59:59Z", 0),
      (#line, .month, "2023-12-31T00:00:00Z", "2024-03-01T00:00:00Z", 3),
      (#line, .month, "1969-11-30T00:00:00Z", "1970-02-01T00:00:00Z", 3),
      (#line, .month, "2026-11-21T00:00:00Z", "2026-09-21T00:00:00Z", -2),
      (#line, .month, "1600-02-29T00:00:00Z", "9999-12-31T00:00:00Z", 8399 * 12 + 10),
    ]
    for row in rows {
      let (from, to) = (try XCTUnwrap(Timestamp(row.from)), try XCTUnwrap(Timestamp(row.to)))
      XCTAssertEqual(row.period.count(from: from, to: to), row.count, line: row.line)
      XCTAssertEqual(row.period.count(from: to, to: from), -row.count, line: row.line)
    }
  }

  /// Under any change of the calendar, periods follow each other without a gap, and each has an allowed length.
  func testPeriodsFollowEachOther() {
    var generator = SeededRandom()
    let lengths: [(Period, Set<Int64>)] = [(.day, [1]), (.week, [7]), (.month, [28, 29, 30, 31])]
    for round in 0..<20_000 {
      let instant = Timestamp(milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &generator))
      for (period, days) in lengths {
        let (start, next) = (period.start(of: instant), period.next(after: instant))
        let about = "seed \(generator.seed), round \(round), \(period)"
        XCTAssertTrue(start <= instant && instant < next, about)
        let (count, rest) = (next.milliseconds - start.milliseconds).quotientAndRemainder(dividingBy: 86_400_000)
        XCTAssertTrue(rest == 0 && days.contains(count), about)
        XCTAssertEqual(period.start(of: next), next, about)
        XCTAssertEqual(period.next(after: Timestamp(milliseconds: next.milliseconds - 1)), next, about)
        XCTAssertEqual(period.count(from: start, to: next), 1, about)
      }
    }
  }

  func testTheFurthestInstantsDoNotTrap() {
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    for period in Period.allCases {
      XCTAssertEqual(period.start(of: first), first)
      XCTAssertGreaterThan(period.next(after: first), first)
      XCTAssertLessThan(period.start(of: last), last)
      XCTAssertEqual(period.next(after: last), last)
      XCTAssertGreaterThan(period.count(from: first, to: last), 0)
    }
  }
}
