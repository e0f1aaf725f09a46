import GemTestSupport
import XCTest

@testable import GemLedger

final class MemoryArchiveTests: XCTestCase {
  func testEveryJournalComesBackFromMemory() throws {
    for dice in InvariantContract.dice(40) {
      let kept = KeptStorages()
      var contract = try ArchiveContract(
        dice: dice, make: { kept.ledger("source", $0) }, chain: [.memory("copy", kept)],
        whole: { .memory("whole", KeptStorages()) })
      try contract.run(cuts: 4, of: 60)
    }
  }
}
