#if PostgreSQL && Receipts
import GemLedger
import GemLedgerPostgres
import GemLedgerSeal
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A seal holds where lanes number transactions side by side, and later ones come between sealed numbers.
final class PostgresSealTests: XCTestCase {
  func testASealHoldsWhileSeveralLanesBook() async throws {
    let url = try PostgresServer.shared().createDatabase()
    let ledger = try Ledger.createPostgres(at: "\(url)?lanes=8")
    try ledger.apply(Make.catalog())
    var seals: [JournalSeal] = []
    for round in 0..<4 {
      try await withThrowingTaskGroup { group in
        for number in 0..<40 {
          group.addTask {
            let customer = try Make.customer("c\(number)")
            try ledger.grant([Make.amount("GEM", 5)], customer: customer, key: Make.key("\(round)-\(number)"))
          }
        }
        try await group.waitForAll()
      }
      seals.append(try ledger.seal())
      for (index, seal) in seals.enumerated() {
        XCTAssertEqual(seal.transactionCount, Int64(40 * (index + 1)))
        let check = try ledger.check(seal)
        XCTAssertEqual(check.problems, [], "seal \(index) after round \(round)")
      }
    }
    ledger.close()
  }
}
#endif
