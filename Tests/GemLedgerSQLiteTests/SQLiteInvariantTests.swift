import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

final class SQLiteInvariantTests: XCTestCase {
  /// The twelve invariants over a stream of everything, the file closed and opened in between; and the journal is that
  /// of memory to the byte: ids, entries, allocations, effects, lots, keys.
  func testTheTwelveInvariantsHoldAndTheJournalIsThatOfMemory() throws {
    for generator in InvariantContract.generator(2) {
      let directory = try TemporaryDirectory()
      let path = directory.path("ledger.sqlite")
      let reopen: InvariantContract.Reopen = { ledger, clock in
        ledger.close()
        return try Ledger.openSQLite(at: path, clock: clock)
      }
      var file = try InvariantContract(generator: generator, reopen: reopen) { clock in
        try Ledger.createSQLite(at: path, clock: clock, salt: 1)
      }
      var memory = try InvariantContract(generator: generator) { Ledger.inMemory(clock: $0, salt: 1) }
      let count = Tier.current.length(400, thorough: 800)
      let (stored, expected) = (try file.run(count), try memory.run(count))
      if let difference = stored.difference(from: expected) {
        XCTFail("seed \(generator.seed): \(Invariant.enginesAgree.rawValue); \(difference)")
      }
    }
  }

  func testAListGivesWhatItsCommandsGiveOneAfterTheOther() throws {
    for generator in InvariantContract.generator(2) {
      let directory = try TemporaryDirectory()
      try ListContract(generator: generator) { clock in
        try Ledger.createSQLite(at: directory.path("ledger.sqlite"), clock: clock)
      }.run(lists: 12, of: 120)
    }
  }

  func testAnInstantThatIsOverHasOneAnswer() throws {
    for generator in InvariantContract.generator(2) {
      let directory = try TemporaryDirectory()
      var contract = try MomentContract(generator: generator) { clock in
        try Ledger.createSQLite(at: directory.path("ledger.sqlite"), clock: clock, salt: 1)
      }
      try contract.run(150)
    }
  }
}
