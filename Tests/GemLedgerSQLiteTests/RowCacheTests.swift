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

  /// After a failed commit, no other connection has committed, and the rows are those of the last commit.
  func testRowsOfAFailedCommitAreNotKept() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    try Ledger.createSQLite(at: path, clock: time.clock).close()
    let faulty = try FaultyFiles()
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    let gems = try Make.amount("GEM", 10)
    for _ in 0..<2 { try ledger.grant([gems], customer: alice) }
    for (number, fault) in [FaultyFiles.Fault.failedSync, .fullDisk, .failedSync].enumerated() {
      let key = try Make.key("\(number)")
      faulty.set(fault)
      XCTAssertThrowsError(try ledger.grant([gems], customer: alice, key: key))
      XCTAssertGreaterThan(faulty.struck, 0, "\(fault)")
      faulty.set(nil)
      try ledger.grant([gems], customer: alice, key: key)
      let other = try Ledger.openSQLite(at: path, clock: time.clock)
      let (own, read) = (try account(ledger, alice), try account(other, alice))
      other.close()
      XCTAssertEqual(own.balance, Int64(30 + 10 * number), "\(fault)")
      XCTAssertEqual(own, read)
      let spent = try ledger.spend([Make.amount("GEM", 1)], customer: alice)
      XCTAssertEqual(spent.entries[0].balance, own.balance - 1)
      try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func account(_ ledger: Ledger, _ customer: CustomerID) throws -> Balance {
    try ledger.balance(of: CurrencyCode("GEM"), customer: customer)
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
    let composed = RowCache.Customer(
      id: try Make.customer("caf\u{E9}"), found: FoundCustomer(number: 8, isFrozen: false))
    cache.keep(composed)
    XCTAssertNotNil(cache.customer(8, composed.id))
    XCTAssertNil(cache.customer(8, try Make.customer("cafe\u{301}")), "other bytes")
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
    for balance: Int64 in [6, 7] {
      changes.changedAccounts[0].balance = balance
      cache.write(changes)
    }
    cache.keep(row)
    cache.commit()
    cache.begin(1)
    XCTAssertEqual(cache.account(row.number)?.balance, 7, "the last of two writes")
    changes.changedAccounts[0].balance = 8
    cache.write(changes)
    cache.removeAll()
    cache.begin(1)
    XCTAssertNil(cache.account(row.number), "the transaction failed")
  }

  /// A repair gives a customer another id, without a change of the rest of its row.
  func testRenamedCustomersAreNotKept() throws {
    let cache = RowCache()
    let customer = RowCache.Customer(
      id: try Make.customer("alice"), found: FoundCustomer(number: 7, isFrozen: false))
    let row = CustomerRow(number: 7, id: customer.id, createdAt: Timestamp(milliseconds: 0))
    let bob = try Make.customer("bob")
    let renames: [(inout ColdChanges) -> Void] = [
      { $0.idChanges.renamed = [RenamedCustomer(row: row, id: bob)] },
      { $0.addedIDs = [AddedIDRow(customer: 8, id: customer.id)] },
    ]
    for rename in renames {
      cache.begin(1)
      cache.keep(customer)
      XCTAssertNotNil(cache.customer(7, customer.id))
      var changes = ChangeSet()
      rename(&changes.ownCold)
      cache.write(changes)
      cache.commit()
      cache.begin(1)
      XCTAssertNil(cache.customer(7, customer.id))
    }
  }

  /// Its memory would have no bound.
  func testLongIDsAreNotKept() throws {
    let cache = RowCache()
    cache.begin(1)
    for (count, isKept) in [(64, true), (65, false)] {
      let id = try Make.customer(String(repeating: "x", count: count))
      cache.keep(RowCache.Customer(id: id, found: FoundCustomer(number: 7, isFrozen: false)))
      XCTAssertEqual(cache.customer(7, id) != nil, isKept)
    }
  }
}
