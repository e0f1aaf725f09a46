import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Many rows are asked for together, wherever they lie.
final class BatchReadTests: XCTestCase {
  func testRowsThatAreAskedForTogetherAreThoseThatAreAskedForOneByOne() throws {
    let directory = try TemporaryDirectory()
    var generator = SeededRandom()
    let ledger = try Ledger.createSQLite(at: directory.path("gems.sqlite"))
    try ledger.apply(Make.catalog())
    for number in 1...300 {
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("customer-\(number)"))
    }
    ledger.close()
    let storage = try SQLiteStorage(path: directory.path("gems.sqlite"))
    defer { storage.close() }
    try storage.read { (snapshot) throws(LedgerError) in
      for count in [0, 1, 3, 40, 400] {
        var positions = (0..<count).map { _ in RowAddress(Int64(generator.below(400)), of: nil) }
        positions += [.min, -1, .max].map { RowAddress($0, of: nil) }
        let (transactions, entries) = (try snapshot.transactions(positions), try snapshot.entries(positions))
        let (attributes, customers) = (
          try snapshot.lotAttributes(positions), try snapshot.customers(positions.map(\.number))
        )
        for position in positions {
          let number = position.number
          XCTAssertEqual(transactions[number], try snapshot.transaction(number), "seed \(generator.seed)")
          XCTAssertEqual(entries[number], try snapshot.entry(number), "seed \(generator.seed)")
          XCTAssertEqual(attributes[number], try snapshot.lotAttributes(number), "seed \(generator.seed)")
          XCTAssertEqual(customers[number]?.id, try snapshot.customer(number: number)?.id, "seed \(generator.seed)")
        }
      }
    }
  }
}
