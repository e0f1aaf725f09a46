import GemLedger
import LedgerCharts
import XCTest

@testable import gemctl

/// The reports of the built binary.
final class InsightCommandTests: XCTestCase {
  /// A home in which alice has bought 1,200 gems and spent 150 on lives.
  private func shop() throws -> TestHome {
    let home = try TestHome()
    let answer = try home.run(
      """
      export GEMCTL_CUSTOMER=alice
      gemctl init && gemctl buy gems_1200 && gemctl spend --item extra_life --quantity 3
      """)
    XCTAssertEqual(answer.status, 0, answer.error)
    return home
  }

  private func check(_ script: String, _ parts: [String], in home: TestHome, line: UInt = #line) throws {
    let answer = try home.run("export GEMCTL_CUSTOMER=alice; \(script)")
    XCTAssertEqual(answer.status, 0, answer.error, line: line)
    for part in parts { XCTAssertTrue(answer.output.contains(part), "\(part) in\n\(answer.output)", line: line) }
  }

  func testReportsForPeople() throws {
    let home = try shop()
    try check("gemctl explain", ["1,050 GEM\n", "gems_1200 at apple", "spend", "purchase", "+3 extra_life"], in: home)
    try check("gemctl statement", ["opening", "closing", "1,050", "+1,200", "-150"], in: home)
    try check("gemctl spends", ["PAID PART", "150", "+3 extra_life"], in: home)
    try check("gemctl unspent", ["local_testing", "1,050", "8.75", "USD"], in: home)
    try check("gemctl unspent --by-customer", ["alice", "1,050", "8.75"], in: home)
    try check("gemctl withdrawable", ["gems_1200", "1,050", "8.75"], in: home)
    try check("gemctl items", ["extra_life", "Extra life", "50"], in: home)
    try check("gemctl items --prices", ["extra_life", "3", "150", "1.24", "0.41", "0.000 %"], in: home)
    let id = "$(gemctl history --json > /dev/null; gemctl explain --csv | grep -o '2[0-9]\\{15\\}' | head -1)"
    try check("gemctl consumed \(id)", ["12.500 % consumed", "1,200", "delivered"], in: home)
    try check(
      "gemctl consumed \(id) --json", [#""consumed_milli_percent":12500"#, #""delivery_status":"delivered""#],
      in: home)
  }

  func testFiguresOfAnInstantStay() throws {
    let home = try shop()
    try check(
      """
      then=$(gemctl history --limit 1 --json | grep -o '"created_at":"[^"]*"' | cut -d '"' -f 4)
      before="$(gemctl unspent --at $then --json)$(gemctl balance --at $then --json)"
      gemctl spend GEM=700 > /dev/null; gemctl grant GEM=1 --reason r --customer bob > /dev/null
      gemctl merge --from alice --into bob > /dev/null
      after="$(gemctl unspent --at $then --json)$(gemctl balance --at $then --json)"
      [ "$before" = "$after" ] && echo the same
      """, ["the same\n"], in: home)
  }

  func testFlowsAreDrawn() throws {
    let home = try shop()
    try check(
      "gemctl flows --from 2026-01-01 --until 2028-01-01 --zone Asia/Tokyo --svg f.svg; cat f.svg",
      ["days of Asia/Tokyo", "purchase", "+1,200 GEM", "<svg ", "prefers-color-scheme: dark", "</svg>"], in: home)
    try check(
      "gemctl balance --svg b.svg --zone Asia/Tokyo > /dev/null; cat b.svg",
      ["Balances of alice, Asia/Tokyo", "<polyline", "</svg>"], in: home)
    try check(
      """
      gemctl flows --from $(date -u +%F) --until $(date -u -d '+9 days' +%F) --svg f.svg > /dev/null
      grep -c ">$(date -u +%F)<" f.svg; grep -c ">$(date -u -d '+4 days' +%F)<" f.svg; true
      """, ["1\n0\n"], in: home)
  }

  func testSalesAreListedAndDrawn() throws {
    let home = try shop()
    try check("gemctl items top", ["SOLD", "extra_life", "150", "GEM", "local_testing"], in: home)
    let svg = ["<svg ", "150 GEM: 3 sold, 1 customer</text>", "prefers-color-scheme: dark", "</svg>"]
    try check("gemctl items top --svg t.svg > /dev/null; cat t.svg", svg, in: home)
    try check("gemctl items top --until 2026-01-01", ["Nothing was sold.\n"], in: home)
    try check(
      "gemctl items top --csv | tail -1 | cut -d , -f 1-5; gemctl items top --json",
      ["extra_life,150,GEM,3,1\n", #""amount":150,"units":3,"customers":1"#], in: home)
    try check(
      "gemctl cohorts --from 2026-01-01 --zone Asia/Tokyo --svg c.svg; cat c.svg",
      ["9.99 USD", "MEDIAN", "100 %", "by month", "Asia/Tokyo", ": 1 spender, 150 GEM</title>", "</svg>"], in: home)
    try check(
      "gemctl cohorts --from $(date -u +%F) --by day --csv | cut -d , -f 2-6; gemctl cohorts --from 2026-01-01 --json",
      ["1,0,1,150,GEM\n", #""spenders":1,"spent":{"GEM":150}"#, #""amount":"9.99","currency":"USD""#], in: home)
  }

  func testChartsOfManySales() throws {
    let zone = try XCTUnwrap(DaysOfZone())
    XCTAssertTrue(TopItemsChart([], from: nil, until: nil, zone: zone).svg.contains("Nothing was sold."))
    XCTAssertTrue(CohortChart([], zone: zone).svg.contains("Nothing was bought."))
    for (seconds, text) in [(0, "0s"), (59, "59s"), (3600, "1h 0m"), (93_784, "1d 2h"), (90_000_000, "1,041d 16h")] {
      XCTAssertEqual(AmountText.time(.seconds(seconds)), text)
    }
  }

  /// The margin follows the widest amount, days begin at midnight, and what came and went between two samples is drawn.
  func testChartsHideNothing() throws {
    let home = try shop()
    try check(
      """
      gemctl grant GEM=1500000000 --reason r --customer bob > /dev/null; gemctl clock advance 90h > /dev/null
      gemctl spend GEM=1400000000 --customer bob > /dev/null
      gemctl grant GEM=1400000000 --reason r --customer bob > /dev/null
      gemctl clock advance 90h > /dev/null; gemctl balance GEM --customer bob --svg b.svg > /dev/null
      grep -o 'x="[0-9.]*" y="[0-9.]*" text-anchor="end">1,500,000,000<' b.svg | cut -d '"' -f 2
      grep -o '"middle">[^<]*' b.svg | grep -vc '>20[0-9-]*$'
      grep -o 'class="course".*' b.svg | grep -o ',[0-9.]*' | sort -u | wc -l
      """, ["101.60\n0\n2\n"], in: home)
  }

  func testRefusesWhatDoesNotGoTogether() throws {
    let home = try shop()
    for script in [
      "gemctl unspent --csv --json", "gemctl flows --from 2026-01-01", "gemctl flows --from today --until 2027-01-01",
      "gemctl flows --from 2026-02-31 --until 2027-01-01", "gemctl flows --from 2027-01-01 --until 2026-01-01",
      "gemctl flows --from 2026-01-01 --until 2027-01-01 --zone Nowhere/Land",
      "gemctl items --from 2026-01-01T00:00:00Z",
      "gemctl unspent --limit 5", "gemctl explain --after 1", "gemctl balance --from 2026-01-01T00:00:00Z",
      "gemctl cohorts", "gemctl cohorts --from 2126-01-01", "gemctl cohorts --from 2026-01-01 --by year",
      "gemctl cohorts --from 2020-01-01 --by day", "gemctl items top --limit 0",
      "gemctl statement --from yesterday", "gemctl flows --from 1900-01-01 --until 2027-01-01",
    ] { XCTAssertEqual(try home.run(script).status, 64, script) }
    XCTAssertEqual(try home.run("gemctl consumed 1").status, 5)
    XCTAssertEqual(try home.run("gemctl statement --customer nobody").status, 5)
  }

  func testCommaSeparatedValues() throws {
    let home = try shop()
    let answer = try home.run(
      "gemctl grant GEM=1234 --reason r --customer 'a,\"b\"' > /dev/null; gemctl customers --csv | tail -1")
    XCTAssertEqual(answer.output, "\"a,\"\"b\"\"\",<time>,no,GEM,1234,0,0\r\n")
    let spends = try home.run("gemctl spends --customer alice --csv")
    XCTAssertEqual(
      spends.output,
      "time,spent,paid_part,reversed,currency,transaction,about\r\n<time>,150,150,0,GEM,<id>,+3 extra_life\r\n")
  }

  func testSheetQuotesWhatNeedsIt() {
    var table = Table([.left("A B"), .right("C")])
    table.add([.text("plain"), .amount(-1234)])
    table.add([.text("two\nlines, \"said\""), .share(33_005)])
    XCTAssertEqual(table.csv, "a_b,c\r\nplain,-1234\r\n\"two\nlines, \"\"said\"\"\",33.005\r\n")
    XCTAssertTrue(table.text(style: .plain).contains("-1,234"))
  }

  func testDaysAreThoseOfTheZone() throws {
    let berlin = try XCTUnwrap(DaysOfZone("Europe/Berlin"))
    let from = try XCTUnwrap(berlin.time("2026-10-24"))
    XCTAssertEqual(from.description, "2026-10-23T22:00:00.000Z")
    let until = try XCTUnwrap(berlin.time("2026-10-27"))
    let days = berlin.boundaries(from: from, until: until, limit: 100)
    // The clock is put back on the 25th.
    XCTAssertEqual(zip(days, days.dropFirst()).map { ($1.milliseconds - $0.milliseconds) / 3_600_000 }, [24, 25, 24])
    XCTAssertEqual(days.map(berlin.day), ["2026-10-24", "2026-10-25", "2026-10-26", "2026-10-27"])
    let noon = try XCTUnwrap(berlin.time("2026-10-24T12:00:00Z"))
    XCTAssertEqual(berlin.boundaries(from: noon, until: until, limit: 100).count, 4)
  }

  func testWeeksBeginOnMondayAndMonthsOnTheFirst() throws {
    let berlin = try XCTUnwrap(DaysOfZone("Europe/Berlin"))
    let (from, until) = (try XCTUnwrap(berlin.time("2026-10-14")), try XCTUnwrap(berlin.time("2026-11-02")))
    for (span, days) in [
      (DaysOfZone.Span.week, ["2026-10-14", "2026-10-19", "2026-10-26", "2026-11-02"]),
      (.month, ["2026-10-14", "2026-11-01", "2026-11-02"]),
    ] {
      let found = berlin.boundaries(from: from, until: until, by: span, limit: 100)
      XCTAssertEqual(found.map(berlin.day), days)
      XCTAssertEqual(found, days.compactMap(berlin.time))
    }
    XCTAssertEqual(berlin.boundaries(from: from, until: until, by: .day, limit: 5).count, 7)
  }

  /// Days are named where they begin in the zone, and in short periods whole times of the day.
  func testTicksBeginDays() throws {
    let tokyo = try XCTUnwrap(DaysOfZone("Asia/Tokyo"))
    let from = try XCTUnwrap(tokyo.time("2026-11-28T16:25:00Z"))
    let days = tokyo.ticks(from: from, until: from.advanced(milliseconds: 10 * 86_400_000), limit: 5)
    XCTAssertEqual(days.map(\.text), ["2026-11-30", "2026-12-02", "2026-12-04", "2026-12-06", "2026-12-08"])
    XCTAssertEqual(days.map(\.time), days.compactMap { tokyo.time($0.text) })
    let hours = tokyo.ticks(from: from, until: from.advanced(milliseconds: 30 * 3_600_000), limit: 7)
    XCTAssertEqual(hours.map(\.text), ["06:00", "12:00", "18:00", "2026-11-30", "06:00"])
  }

  func testAxesHaveRoundSteps() {
    let rows: [(Int64, Int64, Int64)] = [
      (0, 1200, 500), (-30, 150, 50), (0, 0, 1), (-7, 0, 2), (0, Limits.amount, 2_000_000_000_000_000),
    ]
    for (low, high, step) in rows {
      let axis = Axis(of: [low, high], top: 0, height: 100)
      XCTAssertEqual(axis.step, step, "\(low) to \(high)")
      XCTAssertLessThanOrEqual(axis.low, low)
      XCTAssertGreaterThanOrEqual(axis.high, high)
    }
  }
}
