import GemTestSupport
import XCTest

@testable import GemLedger

final class RefundRulesTests: XCTestCase {
  func testWhatIsDueRoundsUp() {
    let most = Limits.amount
    typealias Row = (
      line: UInt, extent: StoreRefund.Extent, quantity: Int64, granted: Int64, due: Int64, milliPercent: Int64
    )
    let rows: [Row] = [
      (#line, .full, 1, 1200, 1200, 100_000), (#line, .full, 3, most, most, 100_000),
      (#line, .milliPercent(100_000), 1, most, most, 100_000), (#line, .milliPercent(50_000), 1, 1201, 601, 50_000),
      (#line, .milliPercent(1), 1, 1, 1, 1), (#line, .milliPercent(1), 1, 0, 0, 1),
      (#line, .milliPercent(99_999), 1, 10, 10, 99_999), (#line, .milliPercent(33_333), 3, 3600, 1200, 33_333),
      (#line, .quantity(1), 3, 3600, 1200, 33_333), (#line, .quantity(2), 3, 3600, 2400, 66_666),
      (#line, .quantity(3), 3, 3600, 3600, 100_000), (#line, .quantity(4), 3, 3600, 3600, 100_000),
      (#line, .quantity(1), 1_000_000, most, 9_007_199_255, 1), (#line, .quantity(999_999), 1_000_000, 1, 1, 99_999),
    ]
    for row in rows {
      let share = RefundShare(row.extent, quantity: row.quantity)
      XCTAssertEqual(share.due(of: row.granted), row.due, line: row.line)
      XCTAssertEqual(share.milliPercent, row.milliPercent, line: row.line)
      XCTAssertEqual(share.isAll, row.milliPercent == 100_000, line: row.line)
      XCTAssertEqual(RefundShare.none.due(of: row.granted), 0, line: row.line)
    }
    XCTAssertEqual(RefundShare(.milliPercent(50_000), quantity: 1), RefundShare(.quantity(2), quantity: 4))
    XCTAssertLessThan(RefundShare(.milliPercent(33_333), quantity: 3), RefundShare(.quantity(1), quantity: 3))
    XCTAssertEqual(RefundShare(.milliPercent(99_999), quantity: 1).dueItems(of: 2), 1)
    XCTAssertEqual(RefundShare.all.dueItems(of: 2), 2)
  }

  /// The parts of a currency's lots add up, stay within their lots, and never shrink when more is due.
  func testPartsAddUpAndOnlyGrow() {
    var generator = SeededRandom()
    for _ in 0..<300 {
      let granted = [Int64.random(in: 1...60, using: &generator), Int64.random(in: 1...60, using: &generator)]
      var before: [Int64] = [0, 0]
      for due in 0...(granted[0] + granted[1]) {
        let parts = RefundRules.split(due, over: granted)
        XCTAssertEqual(parts.reduce(0, +), due, "seed \(generator.seed)")
        for index in parts.indices {
          XCTAssertTrue((before[index]...granted[index]).contains(parts[index]), "seed \(generator.seed): \(granted)")
        }
        before = parts
      }
      XCTAssertEqual(before, granted)
    }
    XCTAssertEqual(RefundRules.split(7, over: [10]), [7])
    XCTAssertEqual(RefundRules.split(60, over: [100, 20]), [50, 10])
    XCTAssertEqual(RefundRules.split(0, over: []), [])
  }

  func testTheNewestEvidenceHolds() throws {
    let identity = PurchaseIdentity(store: .apple, environment: 1, transactionID: try StoreTransactionID("t"))
    func notice(_ kind: EvidenceRow.Kind, _ revokedAt: Int64, _ signedAt: Int64, _ part: Int64 = 0)
      -> EvidenceRow
    {
      EvidenceRow(
        identity: identity, kind: kind, revokedAt: Timestamp(milliseconds: revokedAt),
        signedAt: Timestamp(milliseconds: signedAt), extent: part == 0 ? .full : .milliPercent(part))
    }
    let rows: [(line: UInt, notices: [EvidenceRow], milliPercent: Int64)] = [
      (#line, [], 0), (#line, [notice(.refund, 1, 1)], 100_000),
      (#line, [notice(.refund, 1, 1, 30_000), notice(.refund, 2, 2, 50_000)], 50_000),
      (#line, [notice(.refund, 1, 5, 30_000), notice(.refund, 1, 4, 50_000)], 30_000),
      // The reversal between them never came.
      (#line, [notice(.refund, 1, 1), notice(.refund, 3, 3, 25_000)], 25_000),
      (#line, [notice(.refund, 1, 2, 50_000), notice(.refund, 2, 2, 25_000)], 50_000),
      (#line, [notice(.refund, 1, 1), notice(.reversal, 1, 2)], 0),
      (#line, [notice(.refund, 1, 2), notice(.reversal, 1, 2)], 0),
      (#line, [notice(.refund, 1, 3), notice(.reversal, 1, 2)], 100_000),
      (#line, [notice(.refund, 1, 1), notice(.reversal, 2, 9)], 100_000),
      (#line, [notice(.refund, 1, 1, 20_000), notice(.refund, 2, 2), notice(.reversal, 2, 3)], 20_000),
      (#line, [notice(.refund, 1, 1), notice(.refund, 2, 3, 10_000), notice(.reversalOfAll, 0, 2)], 10_000),
      (#line, [notice(.reversalOfAll, 0, 2)], 0),
    ]
    for row in rows {
      for notices in [row.notices, row.notices.reversed()] {
        var known: [EvidenceRow] = []
        for notice in notices where RefundRules.isNew(notice, among: known) {
          known = RefundRules.adding(notice, to: known)
        }
        XCTAssertEqual(RefundRules.share(of: known, quantity: 1).milliPercent, row.milliPercent, line: row.line)
        for notice in notices { XCTAssertFalse(RefundRules.isNew(notice, among: known), line: row.line) }
      }
    }
  }

  func testWhatFreezesACustomer() {
    XCTAssertEqual(FreezeRules.frozen(0, byPerson: true), 1)
    XCTAssertEqual(FreezeRules.frozen(1, byRefunds: 1), 3)
    XCTAssertEqual(FreezeRules.frozen(3, byRefunds: -1), 1)
    XCTAssertEqual(FreezeRules.frozen(4, byRefunds: -1), 2)
    // A person lifted it before the reversal came.
    XCTAssertEqual(FreezeRules.frozen(0, byRefunds: -1), 0)
    XCTAssertEqual(FreezeRules.frozen(1, byRefunds: -1), 1)
    XCTAssertEqual(FreezeRules.frozen(5, byPerson: false), 0)
    XCTAssertEqual(FreezeRules.frozen(3, and: 2), 5)
    XCTAssertEqual(FreezeRules.frozen(1, and: 1), 1)
  }
}
