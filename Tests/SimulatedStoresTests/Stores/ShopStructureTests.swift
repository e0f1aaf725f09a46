import GemLedger
import GemTestSupport
import XCTest

@testable import SimulatedStores

/// The structures behind the lists, against naive ones.
final class ShopStructureTests: XCTestCase {
  func testOrderedSerialsKeepOrderAndPagesLikeASortedSet() {
    var generator = SeededRandom()
    var (serials, model) = (OrderedSerials(), Set<UInt64>())
    for _ in 0..<5000 {
      let serial = UInt64(generator.below(300))
      if generator.percent(50) {
        serials.insert(serial)
        model.insert(serial)
      } else {
        serials.remove(serial)
        model.remove(serial)
      }
      let (after, limit) = (UInt64(generator.below(300)), generator.below(20))
      XCTAssertEqual(serials.count, model.count)
      XCTAssertEqual(serials.first, model.min())
      let expected = model.filter { $0 > after }.sorted().prefix(limit)
      XCTAssertEqual(serials.page(after: after, limit: limit), Array(expected))
    }
    XCTAssertEqual(serials.all, model.sorted())
  }

  func testDueListGivesTheEarliestAndAmongEqualsTheFirst() {
    var generator = SeededRandom()
    var (list, model) = (ScheduledEvents<Int>(), [(at: Int64, item: Int)]())
    for item in 0..<3000 {
      let at = Int64(generator.below(40))
      list.add(item, at: Timestamp(milliseconds: at))
      model.append((at, item))
      guard generator.percent(45), let position = model.indices.min(by: { model[$0].at < model[$1].at }) else {
        continue
      }
      let expected = model.remove(at: position)
      XCTAssertNil(list.pop(notAfter: Timestamp(milliseconds: expected.at - 1)))
      let popped = list.pop(notAfter: Timestamp(milliseconds: expected.at))
      XCTAssertEqual(popped?.item, expected.item)
    }
    XCTAssertEqual(list.next?.milliseconds, model.map(\.at).min())
  }

  func testPeriodsEndOnTheSameDayOrTheMonthsLast() throws {
    for (line, start, period, end) in [
      (#line, "2026-01-31T10:00:00Z", "P1M", "2026-02-28T10:00:00.000Z"),
      (#line, "2028-01-31T10:00:00Z", "P1M", "2028-02-29T10:00:00.000Z"),
      (#line, "2026-12-15T23:59:59Z", "P1M", "2027-01-15T23:59:59.000Z"),
      (#line, "2028-02-29T00:00:00Z", "P1Y", "2029-02-28T00:00:00.000Z"),
      (#line, "2026-03-01T00:00:00Z", "P2W", "2026-03-15T00:00:00.000Z"),
      (#line, "2100-02-28T00:00:00Z", "P1D", "2100-03-01T00:00:00.000Z"),
      (#line, "1969-12-31T00:00:00Z", "P1Y2M3W4D", "1971-03-25T00:00:00.000Z"),
    ] as [(UInt, String, String, String)] {
      let period = try XCTUnwrap(SubscriptionPeriod(period), line: line)
      let start = try XCTUnwrap(Timestamp(start), line: line)
      XCTAssertEqual(period.added(to: start).description, end, line: line)
    }
    for text in ["", "P", "1M", "PM", "P1H", "P1M1Y", "P0D", "P1234D"] { XCTAssertNil(SubscriptionPeriod(text), text) }
  }
}
