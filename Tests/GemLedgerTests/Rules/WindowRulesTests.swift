import GemTestSupport
import XCTest

@testable import GemLedger

final class WindowRulesTests: XCTestCase {
  private let daily = WindowLimit(amount: 100, per: .day)

  private func row(_ kind: CountKey.Kind = .spent, period: String? = nil, value: Int64 = 0) throws -> CountRow {
    let start = try period.map { try XCTUnwrap(Timestamp($0 + "T00:00:00Z")).milliseconds } ?? 0
    let subject = kind == .bought || kind == .sold ? "sword" : "GEM"
    return CountRow(customer: 7, key: CountKey(kind, subject), period: start, value: value)
  }

  private func count(_ row: CountRow, _ amount: Int64, _ limit: WindowLimit, at now: String) throws -> CountRow {
    try WindowRules.counted(row, adding: amount, limit: limit, now: try XCTUnwrap(Timestamp(now)))
  }

  func testCountsUpToTheLimit() throws {
    let today = "2026-11-21"
    let rows: [(line: UInt, period: String?, value: Int64, amount: Int64, after: Int64?)] = [
      (#line, nil, 0, 1, 1), (#line, nil, 0, 100, 100), (#line, nil, 0, 101, nil),
      (#line, today, 40, 60, 100), (#line, today, 40, 61, nil), (#line, today, 100, 1, nil),
      // The limit was lowered below the amount already used.
      (#line, today, 250, 1, nil),
      (#line, nil, 0, Limits.amount, nil), (#line, today, Limits.amount, Limits.amount, nil),
      // Yesterday's count is over, tomorrow's is not.
      (#line, "2026-11-20", 100, 100, 100), (#line, "2026-11-22", 60, 40, 100), (#line, "2026-11-22", 60, 41, nil),
    ]
    for row in rows {
      let before = try self.row(period: row.period, value: row.value)
      guard let value = row.after else {
        assertRefused(.limitReached, line: row.line) { try count(before, row.amount, daily, at: today + "T09:30:00Z") }
        continue
      }
      let after = try count(before, row.amount, daily, at: today + "T09:30:00Z")
      let period = row.period == "2026-11-22" ? row.period : today
      XCTAssertEqual(after, try self.row(period: period, value: value), line: row.line)
    }
  }

  func testBeginsAgainWithEachPeriod() throws {
    let rows: [(line: UInt, per: Period, last: String, next: String, period: String)] = [
      (#line, .day, "2026-11-21T23:59:59.999Z", "2026-11-22T00:00:00Z", "2026-11-22"),
      (#line, .week, "2026-11-22T23:59:59.999Z", "2026-11-23T00:00:00Z", "2026-11-23"),
      (#line, .month, "2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00Z", "2026-12-01"),
    ]
    for row in rows {
      let limit = WindowLimit(amount: 5, per: row.per)
      let used = try count(self.row(), 5, limit, at: "2026-11-21T12:00:00Z")
      assertRefused(.limitReached, line: row.line) { try count(used, 1, limit, at: row.last) }
      XCTAssertEqual(
        try count(used, 1, limit, at: row.next), try self.row(period: row.period, value: 1), line: row.line)
    }
  }

  func testALongerPeriodKeepsWhatTheShorterCounted() throws {
    let today = try row(period: "2026-11-21", value: 90)
    let monthly = WindowLimit(amount: 100, per: .month)
    assertRefused(.limitReached) { try count(today, 11, monthly, at: "2026-11-25T00:00:00Z") }
    XCTAssertEqual(try count(today, 10, monthly, at: "2026-11-25T00:00:00Z").value, 100)
    XCTAssertEqual(try count(today, 10, monthly, at: "2026-12-01T00:00:00Z").value, 10)
  }

  func testSaysWhatIsUsedAndWhenItEnds() throws {
    let rows: [(line: UInt, kind: CountKey.Kind, subject: String, message: String)] = [
      (#line, .spent, "currency", "may spend at most 100 GEM a day; 95 are used up and 6 more"),
      (#line, .granted, "currency", "may be granted at most 100 GEM a day; 95 are used up and 6 more"),
      (#line, .bought, "item", "may buy at most 100 of \"sword\" a day; 95 are used up and 6 more"),
    ]
    for row in rows {
      let before = try self.row(row.kind, period: "2026-11-21", value: 95)
      let error = assertRefused(.limitReached, line: row.line) {
        try count(before, 6, daily, at: "2026-11-21T09:30:00Z")
      }
      XCTAssertTrue(error?.message.contains(row.message) ?? false, error?.message ?? "", line: row.line)
      XCTAssertEqual(error?.details.map(\.name), [row.subject, "limit", "used", "needed", "resets_at"], line: row.line)
      XCTAssertEqual(error?.text(row.subject), before.key.subject, line: row.line)
      XCTAssertEqual(["limit", "used", "needed"].map { error?.integer($0) }, [100, 95, 6], line: row.line)
      XCTAssertEqual(error?.text("resets_at"), "2026-11-22T00:00:00.000Z", line: row.line)
    }
  }

  func testAStockRunsOut() throws {
    let rows: [(line: UInt, sold: Int64, quantity: Int64, left: Int64?)] = [
      (#line, 0, 10, nil), (#line, 0, 11, 10), (#line, 9, 1, nil), (#line, 9, 2, 1), (#line, 10, 1, 0),
      // The stock was lowered below the quantity already sold.
      (#line, 15, 1, 0), (#line, Limits.amount, Limits.quantity, 0),
    ]
    for row in rows {
      let before = try self.row(.sold, value: row.sold)
      guard let left = row.left else {
        let after = try WindowRules.sold(before, adding: row.quantity, stock: 10)
        XCTAssertEqual(after, try self.row(.sold, value: row.sold + row.quantity), line: row.line)
        continue
      }
      let error = assertRefused(.notAvailable, line: row.line) {
        try WindowRules.sold(before, adding: row.quantity, stock: 10)
      }
      XCTAssertEqual(error?.text("item"), "sword", line: row.line)
      XCTAssertEqual(["stock", "left"].map { error?.integer($0) }, [10, left], line: row.line)
      XCTAssertEqual(error?.message.contains("sold out"), left == 0, line: row.line)
    }
  }

  func testAnItemIsCountedByStockAndPeriod() throws {
    let now = try XCTUnwrap(Timestamp("2026-11-21T09:30:00Z"))
    func item(
      limit: Int64? = nil, per: Period? = nil, stock: Int64? = nil, _ when: Availability = .always
    ) throws -> Item {
      Item(
        id: try ItemID("sword"), name: "Sword", price: [], limit: limit, limitPeriod: per, stock: stock,
        availability: when)
    }
    let (bought, sold) = (try row(.bought, period: "2026-11-21", value: 2), try row(.sold, value: 9))
    XCTAssertEqual(try ItemRules.check(item(), quantity: 5, owned: 0, now: now), [])
    XCTAssertEqual(try ItemRules.check(item(limit: 5), quantity: 5, owned: 0, now: now), [])
    // Items owned from earlier periods do not count.
    XCTAssertEqual(
      try ItemRules.check(
        item(limit: 3, per: .day, stock: 10), quantity: 1, owned: 99, bought: bought, sold: sold, now: now),
      [try row(.sold, value: 10), try row(.bought, period: "2026-11-21", value: 3)])
    let rows: [(line: UInt, item: Item, quantity: Int64, code: LedgerError.Code)] = [
      (#line, try item(limit: 3, per: .day), 2, .limitReached), (#line, try item(stock: 10), 2, .notAvailable),
      // Waiting for another period does not help where an item is sold out or gone.
      (#line, try item(limit: 3, per: .day, stock: 10), 2, .notAvailable),
      (#line, try item(limit: 3, stock: 10), 2, .notAvailable),
      (#line, try item(limit: 3, per: .day, stock: 100), 2, .limitReached),
      (#line, try item(limit: 1, per: .day, stock: 9, .never), 2, .notAvailable),
    ]
    for row in rows {
      assertRefused(row.code, line: row.line) {
        try ItemRules.check(row.item, quantity: row.quantity, owned: 9, bought: bought, sold: sold, now: now)
      }
    }
    assertRefused(.unexpected) { try ItemRules.check(item(stock: 10), quantity: 1, owned: 0, now: now) }
    assertRefused(.unexpected) { try ItemRules.check(item(limit: 1, per: .day), quantity: 1, owned: 0, now: now) }
  }
}
