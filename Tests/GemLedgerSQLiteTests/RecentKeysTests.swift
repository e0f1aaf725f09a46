import GemLedger
import GemLedgerAudit
import GemTestSupport
import XCTest

@testable import GemLedgerSQLite

/// A key that is not searched is in no row.
final class RecentKeysTests: XCTestCase {
  private let time = ManualClock()

  /// Keys in nearly any order, compared with all keys ever inserted.
  func testNoKeyOfTheTableIsTakenForNew() {
    var random = SeededRandom()
    for spread in [1, 8, 64, 1_000_000] {
      let bound = RecentKeys.UUID(high: UInt64(random.below(20)), low: 3)
      var recent = RecentKeys(after: bound, halfCount: 16)
      var all: Set<[UInt64]> = [[bound.high, bound.low], [0, 0]]
      var newCount = 0
      for step in 0..<2000 {
        let key = RecentKeys.UUID(high: UInt64(step + random.below(spread)), low: UInt64(random.below(3)))
        if recent.lacks(key) {
          XCTAssertFalse(all.contains([key.high, key.low]), "\(key)")
          newCount += 1
        }
        recent.insert(key)
        all.insert([key.high, key.low])
        XCTAssertFalse(recent.lacks(key), "just inserted")
      }
      // Keys that are after nearly all others need no search; keys in random order do.
      if spread <= 8 { XCTAssertGreaterThan(newCount, 600, "spread \(spread)") }
      if spread > 64 { XCTAssertLessThan(newCount, 200, "spread \(spread)") }
    }
  }

  /// Two writers of one file, keys a little out of order, each asked up to three times; some groups fail.
  func testKeysOfTwoWritersAreBookedOnce() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try Ledger.createSQLite(at: path, clock: time.clock).close()
    let faulty = try FaultyFiles()
    let writers = try (0..<2).map { _ in try Ledger.openSQLite(at: path, clock: time.clock) }
    try writers[0].apply(Make.catalog())
    let customers = try (0..<5).map { try Make.customer("c\($0)") }
    var random = SeededRandom()
    var open: [(key: IdempotencyKey, customer: CustomerID, asked: Int)] = []
    var booked: [IdempotencyKey: TransactionID] = [:]
    var high: UInt64 = 1 << 40
    let gem = try Make.amount("GEM", 1)
    for _ in 0..<150 {
      while open.count < 20 {
        high += UInt64(random.below(3))
        let key = try Make.key(HexForm.uuid(high: high &- UInt64(random.below(8)), low: random.next()))
        open.append((key, customers[random.below(5)], 0))
      }
      let asked = (0..<1 + random.below(12)).map { _ in random.below(open.count) }
      let commands = asked.map { LedgerCommand.grant([gem], customer: open[$0].customer, key: open[$0].key) }
      let isFaulty = random.percent(10)
      if isFaulty { faulty.set(.failedSync) }
      let answers = writers[random.below(2)].submit(commands)
      faulty.set(nil)
      if isFaulty { continue }
      for (position, answer) in zip(asked, answers) {
        let id = try XCTUnwrap(try answer.get().transactionID)
        XCTAssertEqual(booked.updateValue(id, forKey: open[position].key) ?? id, id)
        open[position].asked += 1
        let other = try LedgerCommand.grant(
          [Make.amount("GEM", 2)], customer: open[position].customer, key: open[position].key)
        XCTAssertThrowsError(try writers[random.below(2)].submit([other])[0].get())
      }
      open.removeAll { $0.asked >= 3 || $0.asked > 0 && random.percent(20) }
    }
    XCTAssertGreaterThan(booked.count, 300)
    let balances = try customers.map { try writers[0].balance(of: CurrencyCode("GEM"), customer: $0).balance }
    XCTAssertEqual(balances.reduce(0, +), Int64(booked.count))
    try assertBooksAddUp(writers[0])
    for writer in writers { writer.close() }
  }
}
