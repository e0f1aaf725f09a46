import GemTestSupport
import XCTest

@testable import GemLedger

final class ReversalRulesTests: XCTestCase {
  private let id = TransactionID(high: 1, low: 2)

  func testKindsThatCanBeUndone() {
    for kind in EntryKind.allCases {
      assertOutcome(kind == .spend || kind == .capture ? nil : .notReversible) {
        try ReversalRules.check(kind, of: id)
      }
    }
  }

  func testAmounts() throws {
    typealias Row = (
      line: UInt, undone: (gem: Int64, coin: Int64), asked: [(String, Int64)]?, amounts: [Int64],
      code: LedgerError.Code?
    )
    // 8 GEM and 4 COIN were taken.
    let rows: [Row] = [
      (#line, (0, 0), nil, [4, 8], nil), (#line, (3, 0), nil, [4, 5], nil), (#line, (8, 1), nil, [3, 0], nil),
      (#line, (8, 4), nil, [], .alreadyReversed), (#line, (8, 4), [("GEM", 1)], [], .alreadyReversed),
      (#line, (0, 0), [("GEM", 8)], [0, 8], nil), (#line, (0, 0), [("GEM", 9)], [], .exceedsOriginal),
      (#line, (3, 0), [("GEM", 5), ("COIN", 1)], [1, 5], nil), (#line, (3, 0), [("GEM", 6)], [], .exceedsOriginal),
      (#line, (0, 0), [("ORE", 1)], [], .exceedsOriginal), (#line, (8, 0), [("GEM", 1)], [], .exceedsOriginal),
    ]
    for row in rows {
      let taken = [
        ReversalRules.Taken(currency: try CurrencyCode("COIN"), lots: [(3, 4)], undone: row.undone.coin),
        ReversalRules.Taken(currency: try CurrencyCode("GEM"), lots: [(7, 5), (8, 3)], undone: row.undone.gem),
      ]
      let asked = try row.asked?.map { try Make.amount($0.0, $0.1) }
      assertOutcome(row.code, line: row.line) {
        let amounts = try ReversalRules.amounts(asked, of: taken, id: id)
        XCTAssertEqual(amounts, row.amounts, line: row.line)
      }
    }
  }

  /// The lots that were burnt last get theirs back first.
  func testLots() throws {
    let rows: [(line: UInt, undone: Int64, amount: Int64, lots: [[Int64]])] = [
      (#line, 0, 2, [[8, 2]]), (#line, 0, 3, [[8, 3]]), (#line, 0, 4, [[8, 3], [7, 1]]),
      (#line, 0, 8, [[8, 3], [7, 5]]), (#line, 2, 2, [[8, 1], [7, 1]]), (#line, 3, 5, [[7, 5]]),
      (#line, 4, 1, [[7, 1]]), (#line, 8, 0, []),
    ]
    for row in rows {
      let taken = ReversalRules.Taken(currency: try CurrencyCode("GEM"), lots: [(7, 5), (8, 3)], undone: row.undone)
      XCTAssertEqual(taken.returns(row.amount).map { [$0.lot, $0.amount] }, row.lots, line: row.line)
    }
  }
}
