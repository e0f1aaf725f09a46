import GemTestSupport
import XCTest

@testable import GemLedger

final class FreezeRulesTests: XCTestCase {
  func testFreezesByPersonsAndRefunds() {
    let rows: [(line: UInt, frozen: Int64, byPerson: Bool?, byRefunds: Int64, after: Int64)] = [
      (#line, 0, true, 0, 1), (#line, 1, true, 0, 1), (#line, 2, true, 0, 3), (#line, 0, false, 0, 0),
      // A person ends a freeze of any cause.
      (#line, 5, false, 0, 0),
      (#line, 0, nil, 1, 2), (#line, 1, nil, 1, 3), (#line, 3, nil, -1, 1), (#line, 4, nil, -1, 2),
      // A person may have ended it before the refund was reversed.
      (#line, 0, nil, -1, 0), (#line, 1, nil, -1, 1),
    ]
    for row in rows {
      let after =
        row.byPerson.map { FreezeRules.frozen(row.frozen, byPerson: $0) }
        ?? FreezeRules.frozen(row.frozen, byRefunds: row.byRefunds)
      XCTAssertEqual(after, row.after, line: row.line)
    }
  }

  func testFreezesOfTwoCustomers() {
    let rows: [(line: UInt, one: Int64, other: Int64, both: Int64)] = [
      (#line, 0, 0, 0), (#line, 1, 0, 1), (#line, 1, 1, 1), (#line, 2, 0, 2), (#line, 2, 4, 6), (#line, 3, 5, 7),
    ]
    for row in rows {
      XCTAssertEqual(FreezeRules.frozen(row.one, and: row.other), row.both, line: row.line)
      XCTAssertEqual(FreezeRules.frozen(row.other, and: row.one), row.both, line: row.line)
    }
  }

  func testTheClockBesideTheNewestTransaction() {
    let newest: Int64 = 4_000_000_000_000
    let (ahead, behind) = (Limits.clockAhead.wholeMilliseconds, Limits.clockBehind.wholeMilliseconds)
    let rows: [(line: UInt, clock: Int64, newest: Int64, code: LedgerError.Code?)] = [
      (#line, newest, newest, nil), (#line, newest + ahead, newest, nil), (#line, newest - behind, newest, nil),
      (#line, newest + ahead + 1, newest, .clockImplausible), (#line, newest - behind - 1, newest, .clockImplausible),
      // Nothing was booked before.
      (#line, newest, 0, nil),
    ]
    for row in rows {
      assertOutcome(row.code, line: row.line) {
        try ClockRules.check(Timestamp(milliseconds: row.clock), newest: Timestamp(milliseconds: row.newest))
      }
    }
  }

  func testARefusalThatIsGivenAgain() {
    let refusal = LedgerError(.insufficientBalance, "Too little.", details: [.integer("needed", 5)])
    let again = KeyRules.replayed(refusal)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.code, refusal.code)
    XCTAssertEqual(again.integer("needed"), 5)
    XCTAssertTrue(again.message.hasPrefix("Too little. "))
  }
}
