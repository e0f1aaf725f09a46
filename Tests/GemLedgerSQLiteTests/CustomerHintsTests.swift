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

  /// Neighbours are read after each fourth search, once for each range.
  func testNeighboursAreReadOnce() {
    var ranges = NeighbourRanges(searchesPerRange: 4)
    func afterThreeSearches(_ number: Int64) -> [Range<Int64>] {
      for _ in 1...3 { ranges.note(2000) }
      XCTAssertEqual(ranges.take(), [])
      ranges.note(number)
      return ranges.take()
    }
    XCTAssertEqual(afterThreeSearches(300), [256..<384])
    XCTAssertEqual(afterThreeSearches(256), [])
    XCTAssertEqual(afterThreeSearches(383), [])
    XCTAssertEqual(afterThreeSearches(384), [384..<512])
    XCTAssertEqual(afterThreeSearches(1), [0..<128])
    XCTAssertEqual(afterThreeSearches(1 << 22), [], "more customers than there are places")
    XCTAssertFalse(ranges.fitIntoCache)
    for number in 8..<48 { for _ in 1...4 { ranges.note(Int64(number) * 128) } }
    let counts = (1...4).map { _ in ranges.take().count }
    XCTAssertEqual(counts, [16, 16, 8, 0])
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

  private func open(_ path: String, searchesPerRange: Int) throws -> Ledger {
    var sizes = TableSizes()
    sizes.searchesPerRange = searchesPerRange
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
      let answers = try [1, Int.max].map { (searchesPerRange: Int) throws -> [String] in
        let copy = directory.path("\(page) \(searchesPerRange).sqlite")
        try Data(damaged).write(to: URL(fileURLWithPath: copy))
        guard let ledger = try? open(copy, searchesPerRange: searchesPerRange) else { return ["it cannot be opened"] }
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

  /// A failed read of neighbours fails nothing, and later groups are whole.
  func testAFailedReadOfNeighboursFailsNothing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let faulty = try FaultyFiles()
    let customers = try make(path)
    var (number, hasStruck) = (0, true)
    while hasStruck, number < 500 {
      let ledger = try open(path, searchesPerRange: 1)
      defer { ledger.close() }
      func spends(_ offset: Int) throws -> [LedgerCommand] {
        try (0..<15).map { index in
          try LedgerCommand.spend([Make.amount("GEM", 1)], customer: customers[128 * index + offset])
        }
      }
      // The next group begins by reading the neighbours of these customers.
      for result in ledger.submit(try spends(1)) { _ = try result.get() }
      faulty.set(.oneRead(after: number))
      for offset in [100, 50] {
        for result in ledger.submit(try spends(offset)) {
          XCTAssertEqual(try result.get().entries[0].balance, 999 - Int64(number), "read \(number)")
        }
        if offset == 100 { hasStruck = faulty.struck > 0 }
        faulty.set(nil)
      }
      number += 1
    }
    XCTAssertGreaterThan(number, 5)
    XCTAssertLessThan(number, 500)
    let ledger = try Ledger.openSQLite(at: path)
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
