import XCTest

@testable import GemLedger

final class BurnPlannerTests: XCTestCase {
  private let number = AccountNumber(customer: 1, currency: 1)

  private func lot(_ number: LotNumber, _ remaining: Int64, _ source: LotSource = .admin, until: Int64 = .max) -> LotRow
  {
    LotRow(
      number: number, account: self.number, source: source, environment: 1, granted: 100, remaining: remaining,
      price: nil, purchase: nil, expiresAt: until)
  }

  private func book(free: [LotRow] = [], paid: [LotRow] = [], extras: [LotRow] = []) -> LoadedLots {
    var lots = LoadedLots.empty
    lots.append(free, paid: false, isComplete: true)
    lots.append(paid, paid: true, isComplete: true)
    lots.extras = extras.map { WorkingLot(row: $0) }
    return lots
  }

  private func account(pool: Int64 = 0, lot: LotNumber = 5) -> AccountRow {
    var row = AccountRow(number: number)
    (row.poolLot, row.poolRemaining, row.poolSource) = (lot, pool, LotSource.admin.rawValue)
    return row
  }

  private func texts(_ plan: BurnPlanner.Plan) -> [String] {
    switch plan {
    case .needsLots(let paid): ["needs \(paid ? "paid" : "free")"]
    case .takes(let takes): takes.map { "\($0.lot):\($0.amount)" }
    }
  }

  func testSpendsBurnInOrder() {
    typealias Row = (line: UInt, amount: Int64, pool: Int64, lots: LoadedLots, paidFirst: Bool, takes: [String])
    let (free, paid) = (
      [lot(8, 10, until: 200), lot(2, 10), lot(9, 10)], [lot(7, 10, .paid, until: 300), lot(1, 10, .paid)]
    )
    let mixed = book(free: free, paid: paid, extras: [lot(3, 10), lot(4, 10, .paid), lot(6, 10, until: 250)])
    let rows: [Row] = [
      (#line, 5, 10, book(), false, ["5:-5"]),
      (#line, 10, 10, book(), false, ["5:-10"]),
      (#line, 11, 10, book(), false, ["5:-10"]),
      (#line, 25, 10, book(free: free), false, ["8:-10", "2:-10", "5:-5"]),
      (#line, 85, 10, mixed, false, ["8:-10", "6:-10", "7:-10", "2:-10", "3:-10", "5:-10", "9:-10", "1:-10", "4:-5"]),
      (#line, 85, 10, mixed, true, ["8:-10", "6:-10", "7:-10", "1:-10", "4:-10", "2:-10", "3:-10", "5:-10", "9:-5"]),
      (#line, 5, 0, book(free: [lot(1, 5, until: 100), lot(2, 5, until: 101)]), false, ["2:-5"]),
      (#line, 5, 0, book(free: [lot(1, 0), lot(2, 5)]), false, ["2:-5"]),
      (#line, 5, 0, book(), false, []),
    ]
    for row in rows {
      let plan = BurnPlanner.spend(
        row.amount, account: account(pool: row.pool), lots: row.lots, now: 100, paidFirst: row.paidFirst)
      XCTAssertEqual(texts(plan), row.takes, line: row.line)
    }
  }

  /// Equals of expiry and rank burn oldest first: the paid and the free that expire at one instant too.
  func testOldestFirstAmongEquals() {
    let lots = book(free: [lot(2, 1, until: 200), lot(4, 1, until: 200)], paid: [lot(1, 1, .paid, until: 200)])
    let plan = BurnPlanner.spend(3, account: account(), lots: lots, now: 100, paidFirst: false)
    XCTAssertEqual(texts(plan), ["2:-1", "4:-1", "1:-1"])
    let paidFirst = BurnPlanner.spend(3, account: account(), lots: lots, now: 100, paidFirst: true)
    XCTAssertEqual(texts(paidFirst), ["1:-1", "2:-1", "4:-1"])
  }

  func testAsksForPagesBeforeItDecides() {
    var lots = LoadedLots()
    XCTAssertEqual(
      texts(BurnPlanner.spend(1, account: account(pool: 9), lots: lots, now: 0, paidFirst: false)),
      ["needs free"])
    XCTAssertEqual(texts(BurnPlanner.expired(account: account(), lots: lots, now: 0)), ["needs free"])
    lots.append([lot(1, 5)], paid: false, isComplete: false)
    XCTAssertEqual(
      texts(BurnPlanner.spend(1, account: account(pool: 9), lots: lots, now: 0, paidFirst: false)),
      ["needs paid"])
    lots.append([], paid: true, isComplete: true)
    XCTAssertEqual(
      texts(BurnPlanner.spend(5, account: account(), lots: lots, now: 0, paidFirst: false)), ["1:-5"])
    XCTAssertEqual(
      texts(BurnPlanner.spend(6, account: account(), lots: lots, now: 0, paidFirst: false)), ["needs free"])
  }

  func testExpiredTakesWhatIsDue() {
    let lots = book(
      free: [lot(1, 5, until: 99), lot(2, 6, until: 100), lot(3, 7, until: 101)], paid: [lot(4, 8, .paid, until: 50)],
      extras: [lot(5, 9, until: 100), lot(6, 9)])
    XCTAssertEqual(
      texts(BurnPlanner.expired(account: account(pool: 3), lots: lots, now: 100)),
      ["1:-5", "2:-6", "5:-9", "4:-8"], "free before paid, each by expiry, wherever a lot was loaded")
  }
}
