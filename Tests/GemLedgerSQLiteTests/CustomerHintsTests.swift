import Foundation
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

  /// Neighbours are read once for each range, and not too many before one transaction.
  func testNeighboursAreReadOnce() {
    var ranges = NeighbourRanges(TableSizes())
    func take(_ numbers: Int64...) -> [ClosedRange<Int64>] {
      for number in numbers { ranges.note(number) }
      return ranges.take()
    }
    XCTAssertEqual(take(), [])
    XCTAssertEqual(take(300, 256, 383), [256...383])
    XCTAssertEqual(take(383, 384, 1), [384...511, 0...127])
    for number in 8..<48 { ranges.note(Int64(number) * 128) }
    XCTAssertEqual((1...4).map { _ in ranges.take().count }, [16, 16, 8, 0])
    XCTAssertTrue(ranges.fitIntoCache)
    XCTAssertEqual(take(1 << 22), [], "more customers than there are places")
    XCTAssertFalse(ranges.fitIntoCache)
    for number in 100..<200 { ranges.note(Int64(number) * 128) }
    XCTAssertEqual((1...3).map { _ in ranges.take().count }, [64, 36, 0])
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
    var random = SeededRandom()
    for customer in customers.shuffled(using: &random) where customer != customers[800] {
      try ledger.spend([Make.amount("GEM", 1)], customer: customer)
    }
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: customers[700]).balance, 8)
    XCTAssertThrowsError(try ledger.spend([Make.amount("GEM", 1)], customer: customers[800]))
    try assertBooksAddUp(ledger)
  }

  /// A ledger of 2000 customers, on several pages.
  private func make(_ path: String) throws -> [CustomerID] {
    let made = try Ledger.createSQLite(at: path)
    defer { made.close() }
    try made.define(Currency(code: CurrencyCode("GEM"), name: "Gem"))
    let customers = try (0..<2000).map { try Make.customer("a customer with a long id, number \($0)") }
    for start in stride(from: 0, to: customers.count, by: 500) {
      let grants = try customers[start..<start + 500].map {
        try LedgerCommand.grant([Make.amount("GEM", 1000)], customer: $0)
      }
      for result in made.submit(grants) { _ = try result.get() }
    }
    return customers
  }

  private func open(_ path: String, readsAhead: Bool) throws -> Ledger {
    var sizes = TableSizes()
    if !readsAhead { sizes.rangesWithAccountsPerTransaction = 0 }
    return Ledger(storage: try SQLiteStorage(path: path, now: LedgerClock.system.now(), sizes: sizes))
  }

  /// Damage on a page of neighbours changes no answer: not of a booking, and not of a refusal.
  func testADamagedPageOfNeighboursStopsNobody() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let customers = try make(path)
    let intact = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let pages = (1..<intact.count / 4096).filter { intact[$0 * 4096] == 13 }
    XCTAssertGreaterThan(pages.count, 50)
    for page in pages {
      var damaged = intact
      damaged[page * 4096] = 0
      let answers = try [true, false].map { (readsAhead: Bool) throws -> [String] in
        let copy = directory.path("\(page) \(readsAhead).sqlite")
        try Data(damaged).write(to: URL(fileURLWithPath: copy))
        guard let ledger = try? open(copy, readsAhead: readsAhead) else { return ["it cannot be opened"] }
        defer { ledger.close() }
        return [1000, 990, 1010, 1000, 1001, 0, 1002].map { (number: Int) -> String in
          let amount: Int64 = number == 1000 ? 5000 : 1
          do {
            return "\(try ledger.spend([Make.amount("GEM", amount)], customer: customers[number]).entries[0].balance)"
          } catch {
            return (error as? LedgerError).map { "\($0.code)" } ?? "\(error)"
          }
        }
      }
      XCTAssertEqual(answers[0], answers[1], "page \(page)")
    }
  }

  /// A failed read of neighbours fails nothing; a failed read of a group fails it as a whole.
  func testAFailedReadOfNeighboursFailsNothing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let faulty = try FaultyFiles()
    let customers = try make(path)
    var (number, harmlessCount, hasStruck) = (0, 0, true)
    while hasStruck, number < 500 {
      let ledger = try open(path, readsAhead: true)
      defer { ledger.close() }
      func spends(_ offset: Int) throws -> [LedgerCommand] {
        try (0..<15).map { index in
          try LedgerCommand.spend(
            [Make.amount("GEM", 1)], customer: customers[128 * index + offset],
            key: Make.key("\(number) \(offset) \(index)"))
        }
      }
      // The next group begins by reading the neighbours of these customers.
      for result in ledger.submit(try spends(1)) { _ = try result.get() }
      faulty.set(.oneRead(after: number))
      let results = ledger.submit(try spends(100))
      hasStruck = faulty.struck > 0
      faulty.set(nil)
      if results.contains(where: { (try? $0.get()) == nil }) {
        let balance = try ledger.balance(of: CurrencyCode("GEM"), customer: customers[100]).balance
        XCTAssertEqual(balance, 1000 - Int64(number), "read \(number) failed, and so did the group")
      } else {
        harmlessCount += 1
      }
      for offset in [100, 50] {
        for result in ledger.submit(try spends(offset)) {
          XCTAssertEqual(try result.get().entries[0].balance, 999 - Int64(number), "read \(number)")
        }
      }
      number += 1
    }
    XCTAssertGreaterThan(harmlessCount, 5)
    XCTAssertLessThan(number, 500)
    let ledger = try Ledger.openSQLite(at: path)
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
