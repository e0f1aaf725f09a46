import GemLedger
import GemTestSupport
import XCTest

@testable import GemLedgerSQLite

/// Numbers of customers by the hashes of their ids.
final class CustomerHintsTests: XCTestCase {
  /// Most hints survive while customers are added, for few customers and for many.
  func testMostCustomersAreFoundWhileTheirCountGrows() {
    for count in [500, 3_000, 100_000, 1_000_000] {
      var random = SeededRandom()
      let hashes = (0..<count).map { _ in Int(truncatingIfNeeded: random.next()) }
      var hints = CustomerHints()
      for (index, hash) in hashes.enumerated() { hints[hash] = Int64(index) + 1 }
      let foundCount = hashes.indices.count { hints[hashes[$0]] == Int64($0) + 1 }
      XCTAssertGreaterThan(Double(foundCount), 0.8 * Double(count), "\(count) customers")
    }
  }

  func testACustomerWithALargeNumberIsFound() {
    var hints = CustomerHints()
    XCTAssertEqual(hints[7], 0)
    hints[7] = 4_294_967_295
    XCTAssertEqual(hints[7], 4_294_967_295)
    hints[7] = 4_294_967_296
    XCTAssertEqual(hints[7], 4_294_967_295, "a number that has no room is not stored")
  }

  /// Neighbours are read with each fourth row that was not in memory, once for each range.
  func testNeighboursAreReadOnce() {
    var ranges = NeighbourRanges(countMax: 4096, missesPerRange: 4)
    func afterThreeMisses(_ number: Int64) -> Range<Int64>? {
      for _ in 1...3 { XCTAssertNil(ranges.range(around: 2000)) }
      return ranges.range(around: number)
    }
    XCTAssertEqual(afterThreeMisses(300), 256..<384)
    XCTAssertNil(afterThreeMisses(256))
    XCTAssertNil(afterThreeMisses(383))
    XCTAssertEqual(afterThreeMisses(384), 384..<512)
    XCTAssertEqual(afterThreeMisses(1), 0..<128)
    XCTAssertEqual(afterThreeMisses(4095), 3968..<4096)
    XCTAssertNil(ranges.range(around: 4096), "more customers than there are places")
    XCTAssertNil(afterThreeMisses(1000))
  }

  /// After the first searches, nearly all customers of a ledger are found by number, also merged and erased ones.
  func testCustomersAreFoundWithTheirNeighbours() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let made = try Ledger.createSQLite(at: path)
    let customers = try (0..<2000).map { try Make.customer("customer \($0)") }
    try made.define(Currency(code: CurrencyCode("GEM"), name: "Gem"))
    for customer in customers { try made.grant([Make.amount("GEM", 5)], customer: customer) }
    try made.merge(from: customers[700], into: customers[701])
    try made.erase(customers[800])
    made.close()
    let ledger = try Ledger.openSQLite(at: path)
    defer { ledger.close() }
    for customer in customers.shuffled() where customer != customers[800] {
      try ledger.spend([Make.amount("GEM", 1)], customer: customer)
    }
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: customers[700]).balance, 8)
    XCTAssertThrowsError(try ledger.spend([Make.amount("GEM", 1)], customer: customers[800]))
    try assertBooksAddUp(ledger)
  }

  /// A read that fails while neighbours are read fails the group as a whole: SQLite has ended its transaction.
  func testAGroupWithAFailedReadBooksNothing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let faulty = try FaultyFiles()
    let made = try Ledger.createSQLite(at: path)
    try made.define(Currency(code: CurrencyCode("GEM"), name: "Gem"))
    let customers = try (0..<2000).map { try Make.customer("a customer with a long id, number \($0)") }
    for start in stride(from: 0, to: customers.count, by: 500) {
      let grants = try customers[start..<start + 500].map {
        LedgerCommand.grant([try Make.amount("GEM", 1000)], customer: $0)
      }
      for result in made.submit(grants) { _ = try result.get() }
    }
    made.close()
    var sizes = TableSizes()
    sizes.missesPerRange = 1
    var (number, failureCount) = (0, 0)
    repeat {
      let ledger = Ledger(storage: try SQLiteStorage(path: path, now: LedgerClock.system.now(), sizes: sizes))
      defer { ledger.close() }
      let spends = try (0..<20).map { index in
        try LedgerCommand.spend(
          [Make.amount("GEM", 1)], customer: customers[100 * index], key: Make.key("\(number) \(index)"))
      }
      faulty.set(.oneRead(after: number))
      let results = ledger.submit(spends)
      let hasStruck = faulty.struck > 0
      faulty.set(nil)
      if results.contains(where: { (try? $0.get()) == nil }) {
        failureCount += 1
        let balance = try ledger.balance(of: CurrencyCode("GEM"), customer: customers[0]).balance
        XCTAssertEqual(balance, 1000 - Int64(number), "read \(number) failed, and so did the group")
      }
      number += 1
      for result in ledger.submit(spends) {
        XCTAssertEqual(try result.get().entries[0].balance, 1000 - Int64(number), "read \(number)")
      }
      if !hasStruck { break }
    } while number < 500
    XCTAssertGreaterThan(failureCount, 10)
    XCTAssertLessThan(number, 500)
    let ledger = try Ledger.openSQLite(at: path)
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
