import GemLedger
import GemLedgerAudit
import GemTestSupport
import Synchronization
import XCTest

@testable import GemLedgerSQLite

/// A writer's cached accounts and customers are those of the last commit, whoever made it.
final class RowCacheTests: XCTestCase {
  /// Two storages of one file; at random, either of them books the next group.
  private final class TwoWriters: LedgerStorage {
    private let storages: [SQLiteStorage]
    private let generator: Mutex<SeededRandom>

    init(_ path: String, _ clock: LedgerClock, _ generator: SeededRandom) throws {
      try Ledger.createSQLite(at: path, clock: clock, salt: 1).close()
      storages = try (0..<2).map { _ in try SQLiteStorage(path: path, now: clock.now()) }
      self.generator = Mutex(generator)
    }

    private var next: SQLiteStorage { storages[generator.withLock { $0.below(2) }] }

    func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
      try next.read(body)
    }

    func commit<R>(lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R) throws(LedgerError) -> R {
      try next.commit(lanes: lanes, body)
    }

    func close() { for storage in storages { storage.close() } }
  }

  private let time = ManualClock()

  private func twoWriters(_ directory: TemporaryDirectory, _ clock: LedgerClock) throws -> Ledger {
    let generator = SeededRandom()
    return Ledger(
      storage: try TwoWriters(directory.path("\(generator.seed).sqlite"), clock, generator), clock: clock)
  }

  func testTwoWritersMeetTheContracts() throws {
    let directory = try TemporaryDirectory()
    func make(_ clock: LedgerClock) throws -> Ledger { try twoWriters(directory, clock) }
    try StorageContract(make: make).runAll()
    try RefundContract(make: make).runAll()
    try MergeContract(make: make).runAll()
  }

  func testTwoWritersFollowTheModels() throws {
    let directory = try TemporaryDirectory()
    let generator = SeededRandom()
    var memory = try ModelContract(generator: generator) { clock in Ledger.inMemory(clock: clock, salt: 1) }
    var file = try ModelContract(generator: generator) { clock in try self.twoWriters(directory, clock) }
    let count = Tier.current.length(800, thorough: 2500)
    XCTAssertEqual(try file.run(count), try memory.run(count))
    var merges = try MergeModelContract(generator: generator) { try self.twoWriters(directory, $0) }
    try merges.run(Tier.current.length(200, thorough: 1000))
  }

  /// A group that failed leaves nothing behind, and the rows of the last commit are read again.
  func testRowsOfAFailedGroupAreNotKept() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    let gems = try Make.amount("GEM", 10)
    for _ in 0..<2 { try ledger.grant([gems], customer: alice) }
    let raw = try RawSQLite(path)
    // The last statement of a group fails.
    let trigger = "BEFORE UPDATE ON record_sums BEGIN SELECT raise(ABORT, 'no'); END"
    for _ in 0..<3 {
      XCTAssertNil(raw.run("CREATE TRIGGER refuse \(trigger)"))
      XCTAssertThrowsError(try ledger.grant([gems], customer: alice))
      XCTAssertNil(raw.run("DROP TRIGGER refuse"))
      XCTAssertEqual(try ledger.grant([gems], customer: alice).entries[0].version, try version(ledger, alice))
    }
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 50)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func version(_ ledger: Ledger, _ customer: CustomerID) throws -> Int64 {
    try ledger.balance(of: CurrencyCode("GEM"), customer: customer).version
  }

  /// Without another connection's commit, known rows are not read from the file.
  func testKnownRowsAreNotReadAgain() throws {
    let cache = RowCache()
    let id = try Make.customer("alice")
    var account = AccountRow(number: AccountNumber(customer: 7, currency: 1))
    account.balance = 5
    let customer = RowCache.Customer(id: id, found: FoundCustomer(number: 7, isFrozen: false))
    cache.begin(1)
    cache.keep(account)
    cache.keep(customer)
    XCTAssertEqual(cache.account(account.number), account)
    XCTAssertEqual(cache.customer(7, id), customer.found)
    XCTAssertNil(cache.customer(7, try Make.customer("bob")), "another id")
    XCTAssertNil(cache.account(AccountNumber(customer: 7 + 131_072, currency: 1)), "another account in its place")
    cache.commit()
    XCTAssertNil(cache.account(account.number), "outside of a transaction")
    cache.begin(1)
    XCTAssertEqual(cache.account(account.number), account)
    cache.commit()
    cache.begin(2)
    XCTAssertNil(cache.account(account.number), "another connection has committed")
    XCTAssertNil(cache.customer(7, id), "another connection has committed")
  }

  func testWrittenRowsAreKeptWithTheirCommit() throws {
    let cache = RowCache()
    let id = try Make.customer("alice")
    var row = AccountRow(number: AccountNumber(customer: 7, currency: 1))
    cache.begin(1)
    cache.keep(row)
    cache.keep(RowCache.Customer(id: id, found: FoundCustomer(number: 7, isFrozen: false)))
    row.balance = 5
    var changes = ChangeSet()
    changes.changedAccounts = [row]
    cache.write(changes)
    XCTAssertNil(cache.account(row.number), "the transaction reads what it wrote from the file")
    cache.commit()
    cache.begin(1)
    XCTAssertEqual(cache.account(row.number)?.balance, 5)
    XCTAssertNotNil(cache.customer(7, id))
    changes.ownCold.changedCustomers = [
      CustomerRow(number: 7, id: id, createdAt: Timestamp(milliseconds: 0))
    ]
    cache.write(changes)
    cache.commit()
    cache.begin(1)
    XCTAssertNil(cache.customer(7, id), "its row changed")
    changes.changedAccounts[0].balance = 6
    cache.write(changes)
    cache.removeAll()
    cache.begin(1)
    XCTAssertNil(cache.account(row.number), "the transaction failed")
  }
}
