import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Many rows are asked for together, wherever they lie.
final class NearbyRowsTests: XCTestCase {
  func testRowsThatAreAskedForTogetherAreThoseThatAreAskedForOneByOne() throws {
    let directory = try TemporaryDirectory()
    var dice = SeededDice()
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
        var places = (0..<count).map { _ in RowPlace(Int64(dice.below(400)), of: nil) }
        places += [.min, -1, .max].map { RowPlace($0, of: nil) }
        let (transactions, entries) = (try snapshot.transactions(places), try snapshot.entries(places))
        let (terms, customers) = (try snapshot.lotTerms(places), try snapshot.customers(places.map(\.number)))
        for place in places {
          let number = place.number
          XCTAssertEqual(transactions[number], try snapshot.transaction(number), "seed \(dice.seed)")
          XCTAssertEqual(entries[number], try snapshot.entry(number), "seed \(dice.seed)")
          XCTAssertEqual(terms[number], try snapshot.lotTerms(number), "seed \(dice.seed)")
          XCTAssertEqual(customers[number]?.id, try snapshot.customer(number: number)?.id, "seed \(dice.seed)")
        }
      }
    }
  }
}
