import GemTestSupport
import XCTest

@testable import GemLedger

final class MergeRulesTests: XCTestCase {
  /// Merges and unmerges in their order; each is numbered by its position.
  private enum Step {
    case merge(Int64, into: Int64)
    case unmerge(Int64, from: Int64)
  }

  private func records(_ steps: [Step]) -> (CustomerNumber) throws(LedgerError) -> [MergeRecord] {
    let all = zip(Int64(1)..., steps).map { number, step in
      switch step {
      case .merge(let part, let into):
        MergeRecord(row: MergeRow(transaction: number, from: part, into: into), isUnmerge: false)
      case .unmerge(let part, let from):
        MergeRecord(row: MergeRow(transaction: number, from: from, into: part), isUnmerge: true)
      }
    }
    return { (customer) throws(LedgerError) in all.filter { $0.row.into == customer } }
  }

  func testTheMergeInForceAndItsFollowers() throws {
    typealias Row = (line: UInt, steps: [Step], merge: TransactionNumber?, followers: [CustomerNumber])
    // The merge of 1 straight into 2, and the customers that are part of 2.
    let rows: [Row] = [
      (#line, [], nil, []), (#line, [.merge(1, into: 2)], 1, [1]), (#line, [.merge(2, into: 1)], nil, []),
      (#line, [.merge(1, into: 2), .unmerge(1, from: 2)], nil, []),
      (#line, [.merge(1, into: 2), .unmerge(1, from: 2), .merge(1, into: 2)], 3, [1]),
      (#line, [.merge(1, into: 3), .merge(3, into: 2)], nil, [1, 3]),
      (#line, [.merge(1, into: 3), .merge(3, into: 2), .unmerge(3, from: 2)], nil, []),
      (#line, [.merge(1, into: 2), .merge(2, into: 3)], 1, [1]),
      (#line, [.merge(1, into: 2), .merge(3, into: 2), .unmerge(1, from: 2)], nil, [3]),
      // The other way round, after an unmerge.
      (#line, [.merge(2, into: 1), .unmerge(2, from: 1), .merge(1, into: 2)], 3, [1]),
    ]
    for row in rows {
      let records = records(row.steps)
      XCTAssertEqual(try MergeRules.merge(of: 1, into: 2, records: records)?.transaction, row.merge, line: row.line)
      XCTAssertEqual(try MergeRules.followers(of: 2, records: records), row.followers, line: row.line)
    }
  }

  func testFormerSurvivors() throws {
    typealias Row = (
      line: UInt, steps: [Step], members: [CustomerNumber], survivors: [CustomerNumber: TransactionNumber]
    )
    let rows: [Row] = [
      (#line, [.merge(1, into: 2)], [1], [:]),
      (#line, [.merge(1, into: 2), .unmerge(1, from: 2)], [1], [2: 2]),
      (#line, [.merge(1, into: 2), .unmerge(1, from: 2)], [2], [:]),
      // Part of another since.
      (#line, [.merge(1, into: 2), .unmerge(1, from: 2), .merge(1, into: 3)], [3, 1], [2: 2]),
      // Twice part of the same customer: the last time counts.
      (
        #line, [.merge(1, into: 2), .unmerge(1, from: 2), .merge(1, into: 2), .unmerge(1, from: 2)], [1], [2: 4]
      ),
      // Part of 3 through 2, until 2 was split off; and after that of 2 alone.
      (
        #line, [.merge(1, into: 2), .merge(2, into: 3), .unmerge(2, from: 3), .unmerge(1, from: 2)], [1], [2: 4, 3: 3]
      ),
      // 2 became part of 3 when 1 was its own again already.
      (
        #line, [.merge(1, into: 2), .unmerge(1, from: 2), .merge(2, into: 3), .unmerge(2, from: 3)], [1], [2: 2, 3: 2]
      ),
    ]
    for row in rows {
      let records = records(row.steps)
      let survivors = try MergeRules.formerSurvivors(of: row.members) { (numbers) throws(LedgerError) in
        var found: [[MergeRecord]] = []
        for number in numbers { found.append(try records(number)) }
        return found
      }
      XCTAssertEqual(
        Dictionary(uniqueKeysWithValues: survivors.map { ($0.number, $0.until) }), row.survivors, line: row.line)
    }
  }

  func testRelatedCustomers() throws {
    let merges: [CustomerNumber: [CustomerNumber]] = [1: [2, 3], 3: [4], 4: [1], 5: [6]]
    let rows: [(line: UInt, members: [CustomerNumber], related: [CustomerNumber])] = [
      (#line, [1], [1, 2, 3, 4]), (#line, [2], [2]), (#line, [4], [4, 1, 2, 3]), (#line, [2, 5], [2, 5, 6]),
      (#line, [], []),
    ]
    for row in rows {
      let related = try MergeRules.related(to: row.members) { (number) throws(LedgerError) in
        (merges[number] ?? []).map { MergeRow(transaction: 1, from: $0, into: number) }
      }
      XCTAssertEqual(related, row.related, line: row.line)
    }
  }

  func testTheHardLimit() throws {
    let gem = try CurrencyCode("GEM")
    func account(_ balance: Int64, debt: Int64 = 0) -> AccountRow {
      var row = AccountRow(number: AccountNumber(customer: 1, currency: 1))
      (row.balance, row.debt) = (balance, debt)
      return row
    }
    let limit = Limits.amount
    typealias Row = (
      line: UInt, one: AccountRow, expired: Int64, other: AccountRow, otherExpired: Int64, code: LedgerError.Code?
    )
    let rows: [Row] = [
      (#line, account(1), 0, account(limit - 1), 0, nil), (#line, account(1), 0, account(limit), 0, .overMaximum),
      (#line, account(1), 1, account(limit), 0, nil), (#line, account(2), 0, account(limit), 2, nil),
      (#line, account(0, debt: 1), 0, account(0, debt: limit - 1), 0, nil),
      (#line, account(0, debt: 1), 0, account(0, debt: limit), 0, .overMaximum),
    ]
    for row in rows {
      assertOutcome(row.code, line: row.line) {
        try MergeRules.check(gem, row.one, expired: row.expired, into: row.other, expired: row.otherExpired)
      }
    }
  }

  func testAnonymousCustomers() throws {
    let guests = try ["$RCAnonymousID:" + String(repeating: "a", count: 32)].map(Make.customer)
    let alice = try Make.customer("alice")
    let rows: [(line: UInt, ids: [CustomerID], code: LedgerError.Code?)] = [
      (#line, guests, nil), (#line, guests + guests, nil), (#line, [alice], .conditionFailed),
      (#line, guests + [alice], .conditionFailed),
    ]
    for row in rows {
      assertOutcome(row.code, line: row.line) { try MergeRules.checkAnonymous(row.ids, named: guests[0]) }
    }
  }

  func testCurrencyThatAMergeMoved() throws {
    // Customer 1 gets the rows; those of customer 9 do not count.
    typealias Entry = (customer: CustomerNumber, amount: Int64, lots: [LotNumber: Int64])
    typealias Row = (
      line: UInt, entries: [Entry], isUnmerge: Bool, lots: [LotNumber: Int64], debt: Int64
    )
    let rows: [Row] = [
      (#line, [(1, 5, [7: 5])], false, [7: 5], 0), (#line, [(9, 5, [7: 5])], false, [:], 0),
      (#line, [(1, 5, [7: 3, 8: 2])], false, [7: 3, 8: 2], 0),
      (#line, [(1, 5, [7: 5]), (1, 2, [7: 2])], false, [7: 7], 0),
      // The part of an entry that changed no balance is debt.
      (#line, [(1, -4, [:])], false, [:], 4), (#line, [(1, 5, [7: 5]), (1, -4, [8: -1])], false, [7: 5], 3),
      (#line, [(1, -5, [7: -5])], true, [7: 5], 0), (#line, [(1, 5, [7: 5])], true, [:], 0),
    ]
    for row in rows {
      var (entries, allocations): ([EntryRow], [AllocationRow]) = ([], [])
      for (number, entry) in zip(Int64(1)..., row.entries) {
        entries.append(
          EntryRow(
            number: number, transaction: 1, account: AccountNumber(customer: entry.customer, currency: 1),
            kind: .merge, amount: entry.amount, balance: 0, debt: 0, version: 1, previous: 0, lot: 0))
        for (position, lot) in zip(Int64(0)..., entry.lots.sorted { $0.key < $1.key }) {
          allocations.append(AllocationRow(entry: number, position: position, lot: lot.key, amount: lot.value))
        }
      }
      let transaction = TransactionRow(
        number: 1, kind: .merge, customer: 1, createdAt: Timestamp(milliseconds: 0), firstEntry: 1)
      let parts = TransactionParts(
        row: transaction, entries: entries, allocations: allocations, items: [], sources: [:])
      let moved = MovedByMerge(parts, survivor: 1, isUnmerge: row.isUnmerge).currencies[1]
      XCTAssertEqual(moved?.lots ?? [:], row.lots, line: row.line)
      XCTAssertEqual(moved?.debt ?? 0, row.debt, line: row.line)
    }
  }

  func testCountsOfTwoCustomers() {
    typealias Row = (
      line: UInt, kind: CountKey.Kind, one: (period: Int64, value: Int64), own: (period: Int64, value: Int64)?,
      merged: (period: Int64, value: Int64)
    )
    let rows: [Row] = [
      (#line, .bought, (3, 4), nil, (3, 4)), (#line, .bought, (3, 4), (3, 5), (3, 9)),
      (#line, .spent, (4, 4), (3, 5), (4, 4)), (#line, .granted, (2, 4), (3, 5), (3, 5)),
      (#line, .sold, (0, 4), (0, 5), (0, 9)),
      // A merge does not give one allowance twice.
      (#line, .allowed, (3, 4), (3, 5), (3, 5)), (#line, .allowed, (4, 4), (3, 5), (4, 4)),
      (#line, .recharged, (4, 4), (3, 5), (3, 5)), (#line, .recharged, (4, 4), nil, (4, 4)),
    ]
    for row in rows {
      func count(_ customer: CustomerNumber, _ count: (period: Int64, value: Int64)) -> CountRow {
        CountRow(customer: customer, key: CountKey(row.kind, "x"), period: count.period, value: count.value)
      }
      let merged = CountRules.merged(count(9, row.one), with: row.own.map { count(1, $0) }, of: 1)
      XCTAssertEqual(merged, count(1, row.merged), line: row.line)
    }
  }
}
