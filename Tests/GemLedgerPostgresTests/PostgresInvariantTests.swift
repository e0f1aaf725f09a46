#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import XCTest

final class PostgresInvariantTests: XCTestCase {
  /// The twelve invariants over a stream of everything, opened anew in between; and the journal is that of memory,
  /// numbers apart.
  func testTheTwelveInvariantsHoldAndTheJournalIsThatOfMemory() throws {
    let (schemas, generator) = (try Schemas(), InvariantContract.generator(1)[0])
    let reopen: InvariantContract.Reopen = { try schemas.reopen($0, clock: $1) }
    var database = try InvariantContract(generator: generator, reopen: reopen) {
      try schemas.create(clock: $0, lanes: 1)
    }
    var memory = try InvariantContract(generator: generator) { Ledger.inMemory(clock: $0, salt: 1) }
    let count = Tier.current.length(200, thorough: 400)
    let (stored, expected) = (try database.run(count), try memory.run(count))
    let lines = zip(stored.journalWithoutNumbers, expected.journalWithoutNumbers)
    for (number, (one, other)) in lines.enumerated() where one != other {
      return XCTFail("seed \(generator.seed): \(Invariant.enginesAgree.rawValue); \(number)\n  \(one)\n  \(other)")
    }
    XCTAssertEqual(stored.transactions.count, expected.transactions.count, "seed \(generator.seed)")
  }

  func testAnInstantThatIsOverHasOneAnswer() throws {
    let schemas = try Schemas()
    var contract = try MomentContract(generator: InvariantContract.generator(1)[0]) {
      try schemas.create(clock: $0, lanes: 1)
    }
    try contract.run(80)
  }
}
#endif
