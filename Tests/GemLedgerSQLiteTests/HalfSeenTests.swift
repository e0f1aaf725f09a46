import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import Synchronization
import XCTest

/// Where a reader may see half of a commit, books that look wrong are looked at again before they are called wrong.
final class HalfSeenTests: XCTestCase {
  func testVerifyLooksAgain() throws {
    let directory = try TemporaryDirectory()
    let (wrong, right) = (directory.path("wrong.sqlite"), directory.path("right.sqlite"))
    for path in [wrong, right] {
      let ledger = try Ledger.createSQLite(at: path, salt: 1)
      try ledger.apply(Make.catalog())
      try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer("alice"))
      ledger.close()
    }
    XCTAssertNil(try RawSQLite(wrong).run("UPDATE account_rows SET balance = 4"))
    func verification(showsHalves: Bool, wrongReads: Int) throws -> Verification {
      let storage = HalfSeenStorage(
        first: try SQLiteStorage(path: wrong), then: try SQLiteStorage(path: right), wrongReads: wrongReads,
        showsHalves: showsHalves)
      let ledger = Ledger(storage: storage)
      defer { ledger.close() }
      return try ledger.verify()
    }
    XCTAssertTrue(try verification(showsHalves: true, wrongReads: 1).isOK)
    XCTAssertFalse(try verification(showsHalves: true, wrongReads: .max).isOK)
    XCTAssertFalse(try verification(showsHalves: false, wrongReads: 1).isOK)
  }
}

/// Reads from one storage so many times, and from another one after that.
private final class HalfSeenStorage: LedgerStorage {
  let traits: StorageTraits
  private let first: SQLiteStorage
  private let then: SQLiteStorage
  private let wrongReads: Int
  private let reads = Atomic(0)

  init(first: SQLiteStorage, then: SQLiteStorage, wrongReads: Int, showsHalves: Bool) {
    self.first = first
    self.then = then
    self.wrongReads = wrongReads
    var traits = StorageTraits()
    traits.showsHalves = showsHalves
    self.traits = traits
  }

  func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    let isWrong = reads.add(1, ordering: .relaxed).oldValue < wrongReads
    return try (isWrong ? first : then).read(body)
  }

  func commit<R>(lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try then.commit(lanes: lanes, body)
  }

  func close() {
    first.close()
    then.close()
  }
}
