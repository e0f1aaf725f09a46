#if Receipts
import GemLedger
import GemTestSupport
import SystemCrypto
import XCTest

@testable import GemLedgerSeal

/// Keys come to their customers, however few fit into memory and whatever their order is.
final class KeyLeavesTests: XCTestCase {
  func testEveryBoundGivesTheSameHashes() throws {
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    try ledger.apply(Make.catalog())
    var generator = SeededRandom(seed: 3)
    for number in 0..<300 {
      // One of them has most keys.
      let customer = try Make.customer("c\(generator.below(3) == 0 ? 0 : generator.below(20))")
      try ledger.grant([Make.amount("GEM", 1)], customer: customer, key: Make.key("key-\(number)"))
    }
    let hashes = RecordHashes()
    func leaves(_ countMax: Int) throws -> [[SHA256Digest]] {
      try ledger.reading { (snapshot, _) throws(LedgerError) in
        var keys = KeyLeaves(try snapshot.scan(), countMax: countMax) { hashes.leaf($0.key.text) }
        var found: [[SHA256Digest]] = []
        for row in try snapshot.customers(after: 0, limit: 100) { found.append(try keys.take(row.number)) }
        return found
      }
    }
    let all = try leaves(1000)
    XCTAssertEqual(all.joined().count, 300)
    XCTAssertGreaterThan(all.map(\.count).max() ?? 0, 80)
    for countMax in [1, 2, 7, 50, 299] { XCTAssertEqual(try leaves(countMax), all, "\(countMax) at a time") }
  }
}
#endif
