import GemTestSupport
import XCTest

@testable import GemLedger

final class HoldRulesTests: XCTestCase {
  private let (gem, coin) = (AccountNumber(customer: 1, currency: 1), AccountNumber(customer: 1, currency: 2))

  private func part(_ account: AccountNumber, _ lot: LotNumber, _ amount: Int64) -> HeldPart {
    HeldPart(account: account, lot: lot, amount: amount)
  }

  func testDurations() {
    let longest = Limits.holdDuration.wholeMilliseconds
    let rows: [(line: UInt, milliseconds: Int64, code: LedgerError.Code?)] = [
      (#line, 1000, nil), (#line, longest, nil), (#line, 999, .amountOutOfRange), (#line, 0, .amountOutOfRange),
      (#line, -1, .amountOutOfRange), (#line, longest + 1, .amountOutOfRange), (#line, .max, .amountOutOfRange),
    ]
    for row in rows {
      assertOutcome(row.code, line: row.line) { try HoldRules.check(milliseconds: row.milliseconds) }
    }
  }

  func testAmountsOfAHold() throws {
    let (one, zero) = (try Make.amount("GEM", 1), try Make.amount("GEM", 0))
    let many = try (0..<101).map { try Make.amount("C\($0)", 1) }
    let other = Condition.version(try CurrencyCode("COIN"), 1)
    let rows: [(line: UInt, amounts: [Adjustment], conditions: [Condition], code: LedgerError.Code?)] = [
      (#line, [one], [], nil), (#line, Array(many.dropLast()), [], nil), (#line, [], [], .invalidRequest),
      (#line, [one, one], [], .invalidRequest), (#line, [one], [other], .invalidRequest),
      (#line, many, [], .limitExceeded), (#line, [zero], [], .amountOutOfRange),
      (#line, [try Make.amount("GEM", -1)], [], .amountOutOfRange),
      (#line, [try Make.amount("GEM", Limits.amount + 1)], [], .amountOutOfRange),
    ]
    for row in rows {
      assertOutcome(row.code, line: row.line) {
        try HoldRules.check(row.amounts, milliseconds: 1000, conditions: row.conditions)
      }
    }
  }

  func testDeadlines() throws {
    let (day, longest) = (86_400_000, Limits.holdDuration.wholeMilliseconds) as (Int64, Int64)
    let hold = HoldRow(number: 1, customer: 1, deadline: Timestamp(milliseconds: day))
    let rows: [(line: UInt, now: Int64, milliseconds: Int64, deadline: Int64?)] = [
      (#line, 0, day, day), (#line, 0, day + 1, day + 1), (#line, 1, day, day + 1),
      // It is never shortened.
      (#line, 0, 1000, day), (#line, day - 1, longest - day + 1, longest), (#line, day - 1, longest - day + 2, nil),
      (#line, 1, longest, nil),
    ]
    for row in rows {
      let deadline = {
        try HoldRules.deadline(
          of: hold, begunAt: Timestamp(milliseconds: 0), now: Timestamp(milliseconds: row.now),
          milliseconds: row.milliseconds)
      }
      guard let expected = row.deadline else {
        assertRefused(.limitExceeded, line: row.line) { _ = try deadline() }
        continue
      }
      XCTAssertEqual(try deadline().milliseconds, expected, line: row.line)
    }
  }

  func testOutstandingParts() {
    typealias Event = (JournalEventRow.Kind, transaction: Int64, lot: LotNumber, amount: Int64)
    let rows: [(line: UInt, events: [Event], left: [HeldPart])] = [
      (#line, [], []),
      (#line, [(.held, 1, 7, 5), (.held, 1, 8, 3)], [part(gem, 7, 5), part(gem, 8, 3)]),
      (#line, [(.held, 1, 7, 5), (.captured, 2, 7, 2)], [part(gem, 7, 3)]),
      (#line, [(.held, 1, 7, 5), (.captured, 2, 7, 2), (.released, 3, 7, 3)], []),
      (#line, [(.held, 1, 7, 5), (.deadline, 2, 0, 0), (.late, 3, 7, 5)], [part(gem, 7, 5)]),
      // A merge moves the part to another lot, where it keeps its position.
      (
        #line, [(.held, 1, 7, 5), (.held, 1, 8, 3), (.released, 2, 7, 5), (.held, 2, 9, 5)],
        [part(gem, 9, 5), part(gem, 8, 3)]
      ),
      // Another transaction's part comes last.
      (
        #line, [(.held, 1, 7, 5), (.held, 1, 8, 3), (.released, 2, 7, 5), (.held, 3, 9, 5)],
        [part(gem, 8, 3), part(gem, 9, 5)]
      ),
    ]
    for row in rows {
      let events = row.events.map { event in
        JournalEventRow(
          transaction: event.transaction, position: 0, customer: 1, kind: event.0, target: 1, currency: 1,
          lot: event.lot, amount: event.amount, createdAt: Timestamp(milliseconds: 0))
      }
      XCTAssertEqual(HoldRules.outstanding(events, of: 1), row.left, line: row.line)
    }
  }

  func testCaptures() {
    let parts = [part(gem, 7, 5), part(coin, 3, 4), part(gem, 8, 3)]
    typealias Row = (line: UInt, wanted: [Int64: Int64]?, captured: [HeldPart], left: [HeldPart])
    let rows: [Row] = [
      (#line, nil, parts, []), (#line, [:], [], parts),
      (#line, [1: 5], [part(gem, 7, 5)], [part(coin, 3, 4), part(gem, 8, 3)]),
      (#line, [1: 6], [part(gem, 7, 5), part(gem, 8, 1)], [part(coin, 3, 4), part(gem, 8, 2)]),
      (#line, [1: 8, 2: 4], parts, []),
      (#line, [2: 1], [part(coin, 3, 1)], [part(gem, 7, 5), part(coin, 3, 3), part(gem, 8, 3)]),
    ]
    for row in rows {
      let (captured, left) = HoldRules.split(parts, wanted: row.wanted)
      XCTAssertEqual(captured, row.captured, line: row.line)
      XCTAssertEqual(left, row.left, line: row.line)
    }
  }

  func testWantedAmounts() throws {
    let currencies = try [(1, "GEM"), (2, "COIN")].map { number, code in
      (number: Int64(number), currency: Currency(code: try CurrencyCode(code), name: code))
    }
    let definitions = CurrencyDefinitions(version: 1, currencies: currencies, salt: 0)
    let parts = [part(gem, 7, 5), part(gem, 8, 3)]
    let rows: [(line: UInt, amounts: [(String, Int64)]?, wanted: [Int64: Int64]?, code: LedgerError.Code?)] = [
      (#line, nil, nil, nil), (#line, [("GEM", 8)], [1: 8], nil), (#line, [("GEM", 9)], nil, .exceedsHold),
      (#line, [("COIN", 1)], nil, .exceedsHold), (#line, [("GOLD", 1)], nil, .unknownCurrency),
      (#line, [("GOLD", 1), ("GEM", 9)], nil, .unknownCurrency), (#line, [("GEM", 9), ("GOLD", 1)], nil, .exceedsHold),
    ]
    for row in rows {
      let amounts = try row.amounts?.map { try Make.amount($0.0, $0.1) }
      assertOutcome(row.code, line: row.line) {
        let wanted = try HoldRules.wanted(amounts, of: parts, definitions: definitions)
        XCTAssertEqual(wanted, row.wanted, line: row.line)
      }
    }
  }
}
