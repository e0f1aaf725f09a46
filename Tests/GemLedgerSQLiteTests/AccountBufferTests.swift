import GemLedger
import GemLedgerArchive
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Accounts are read right from the buffer, from the large table, or half from each.
final class AccountBufferTests: XCTestCase {
  private let time = ManualClock()

  /// Buffers that are full after a few commands, and a run of plain transactions with each that can be one.
  private static let small: TableSizes = {
    var sizes = TableSizes()
    (sizes.limit, sizes.step, sizes.customers, sizes.runUp) = (8, 3, 0, 0)
    return sizes
  }()

  private func open(_ path: String, _ clock: LedgerClock, _ sizes: TableSizes = small) throws -> Ledger {
    Ledger(storage: try SQLiteStorage(path: path, now: clock.now(), sizes: sizes), clock: clock)
  }

  private func create(_ path: String, _ clock: LedgerClock, _ sizes: TableSizes = small) throws -> Ledger {
    try Ledger.createSQLite(at: path, clock: clock, salt: 1).close()
    return try open(path, clock, sizes)
  }

  private func count(_ table: String, _ path: String) throws -> Int {
    Int(try RawSQLite(path).rows("SELECT count(*) FROM \(table)")[0]) ?? -1
  }

  private func gems(_ ledger: Ledger, _ customer: CustomerID) throws -> Int64? {
    let gem = try CurrencyCode("GEM")
    return try ledger.balances(of: customer).first { $0.currency == gem }?.balance
  }

  func testContractsAreMet() async throws {
    let directory = try TemporaryDirectory()
    var number = 0
    func make(_ clock: LedgerClock) throws -> Ledger {
      number += 1
      return try create(directory.path("\(number).sqlite"), clock)
    }
    try StorageContract(make: make).runAll()
    try RefundContract(make: make).runAll()
    try MergeContract(make: make).runAll()
    try await ConcurrencyContract { try make(.system) }.runAll()
    try await FeedContract { try make(.system) }.runAll()
    try InsightContract(make: make).runAll()
    try SummaryContract(make: make).runAll()
  }

  func testFollowsTheModelAndGivesTheJournalOfMemory() throws {
    let directory = try TemporaryDirectory()
    let generator = SeededRandom()
    var memory = try ModelContract(generator: generator) { clock in Ledger.inMemory(clock: clock, salt: 1) }
    let path = directory.path("ledger.sqlite")
    let reopen: ModelContract.Reopen = { ledger, clock in
      ledger.close()
      return try self.open(path, clock)
    }
    var file = try ModelContract(generator: generator, reopen: reopen) { clock in try self.create(path, clock) }
    let count = Tier.current.length(800, thorough: 2500)
    XCTAssertEqual(try file.run(count), try memory.run(count))
  }

  func testTheBufferStaysSmallAndNothingIsLost() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try create(path, time.clock)
    try ledger.apply(Make.catalog())
    let customers = try (0..<100).map { try Make.customer("c\($0)") }
    for customer in customers { try ledger.grant([Make.amount("GEM", 1000)], customer: customer) }
    var random = SeededRandom()
    var spent: [CustomerID: Int64] = [:]
    for _ in 0..<60 {
      let group = (0..<12).map { _ in customers.randomElement(using: &random) ?? customers[0] }
      for customer in group { spent[customer, default: 0] += 1 }
      let gem = try Make.amount("GEM", 1)
      let spends = try group.map { try LedgerCommand.spend([gem], customer: $0) }
      for result in ledger.submit(spends) { _ = try result.get() }
      XCTAssertLessThanOrEqual(try count("accounts_buffer", path), Self.small.limit)
    }
    XCTAssertGreaterThan(try count("accounts_buffer", path), 0)
    for customer in customers {
      XCTAssertEqual(try gems(ledger, customer), 1000 - spent[customer, default: 0], customer.text)
    }
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    ledger.close()
  }

  /// An import writes changed accounts to the large table at once, unless rows in the buffer would hide them.
  func testAnImportBuffersAccountsOnlyWithOthersInTheBuffer() throws {
    for (rows, expected) in [("WHERE false", 0), ("ORDER BY account LIMIT 1", 3)] {
      let directory = try TemporaryDirectory()
      let path = directory.path("copy.sqlite")
      let ledger = Ledger.inMemory(clock: time.clock, salt: 7)
      try ledger.apply(Make.catalog())
      let customers = try (0..<3).map { try Make.customer("c\($0)") }
      for customer in customers { try ledger.grant([Make.amount("GEM", 10)], customer: customer) }
      let whole = try Exported(ledger)
      let first = JournalImport(ImportBytes(whole.bytes), clock: time.clock)
      let copy = try SQLiteStorage.openCopy(path: path, project: try first.head().project, source: 0)
      try first.run(into: copy)
      copy.close()
      XCTAssertNil(try RawSQLite(path).run("INSERT INTO accounts_buffer SELECT * FROM account_rows \(rows)"))
      for customer in customers.reversed() { try ledger.spend([Make.amount("GEM", 1)], customer: customer) }
      let more = JournalImport(ImportBytes(try Exported(ledger, after: whole.summary.cursor).bytes), clock: time.clock)
      let target = try SQLiteStorage.openImport(path: path, now: time.now, sizes: Self.small)
      try more.run(into: target)
      target.close()
      XCTAssertEqual(try count("accounts_buffer", path), expected)
      let imported = try open(path, time.clock)
      XCTAssertEqual(try LedgerState(imported), try LedgerState(ledger))
      imported.close()
    }
  }

  /// A storage for few customers writes no row that a row in the buffer would hide.
  func testWritersOfDifferentSizesSeeEachOther() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let buffering = try create(path, time.clock)
    let direct = try open(path, time.clock, TableSizes())
    try direct.apply(Make.catalog())
    let alice = try Make.customer("alice")
    try direct.grant([Make.amount("GEM", 1000)], customer: alice)
    for round in 1...10 {
      try direct.spend([Make.amount("GEM", 1)], customer: alice)
      try buffering.spend([Make.amount("GEM", 1)], customer: alice)
      for ledger in [direct, buffering] {
        XCTAssertEqual(try gems(ledger, alice), Int64(1000 - 2 * round))
      }
    }
    XCTAssertEqual(try count("accounts_buffer", path), 1)
    XCTAssertEqual(try direct.verify().problems.map(\.description), [])
    direct.close()
    buffering.close()
  }

  func testDamageInTheBufferIsFound() throws {
    let directory = try TemporaryDirectory()
    for (index, damage) in [
      "UPDATE accounts_buffer SET balance = balance + 1, pool_remaining = pool_remaining + 1",
      "UPDATE accounts_buffer SET version = version - 1", "DELETE FROM accounts_buffer",
      "INSERT INTO accounts_buffer SELECT 7777, balance, debt, held, version, last_entry, pool_lot, pool_source, "
        + "pool_environment, pool_granted, pool_remaining, open_lots, next_expiry, next_scheduled_at FROM accounts",
    ].enumerated() {
      let path = directory.path("\(index).sqlite")
      let ledger = try create(path, time.clock)
      try ledger.apply(Make.catalog())
      let alice = try Make.customer("alice")
      try ledger.grant([Make.amount("GEM", 1000)], customer: alice)
      try ledger.spend([Make.amount("GEM", 1)], customer: alice)
      XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
      XCTAssertNil(try RawSQLite(path).run(damage))
      XCTAssertNotEqual(try ledger.verify().problems.map(\.description), [], damage)
      ledger.close()
    }
  }

  /// A program that does not know the buffer and has the file open must not book on rows that the buffer replaced.
  func testAnEarlierProgramReadsRightAndCannotWrite() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try create(path, time.clock)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 1000)], customer: alice)
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    XCTAssertEqual(try count("accounts_buffer", path), 1)
    let raw = try RawSQLite(path)
    XCTAssertEqual(raw.rows("SELECT balance FROM accounts"), ["999"])
    XCTAssertNotNil(raw.run("UPDATE accounts SET balance = 998"))
    XCTAssertNotNil(raw.run("INSERT INTO accounts SELECT * FROM account_rows"))
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    ledger.close()
  }

  /// A damaged row stays in the buffer, and the other customers go on.
  func testADamagedRowStopsNoOtherCustomer() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try create(path, time.clock)
    try ledger.apply(Make.catalog())
    let customers = try (0..<40).map { try Make.customer("c\($0)") }
    for customer in customers { try ledger.grant([Make.amount("GEM", 1000)], customer: customer) }
    try ledger.spend([Make.amount("GEM", 1)], customer: customers[20])
    XCTAssertNil(
      try RawSQLite(path).run("PRAGMA ignore_check_constraints = ON; UPDATE accounts_buffer SET balance = -1"))
    for round in 1...5 {
      for (index, customer) in customers.enumerated() where index != 20 {
        try ledger.spend([Make.amount("GEM", 1)], customer: customer)
        XCTAssertEqual(try gems(ledger, customer), Int64(1000 - round))
      }
    }
    XCTAssertThrowsError(try ledger.spend([Make.amount("GEM", 1)], customer: customers[20]))
    XCTAssertLessThanOrEqual(try count("accounts_buffer", path), 2 * Self.small.limit)
    XCTAssertNotEqual(try ledger.verify().problems.map(\.description), [])
    ledger.close()
  }

  /// A hint that belongs to an erased customer does not find the new one with the same id, nor the other way round.
  func testAnIDThatWasErasedAndTakenAgainIsFound() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let (ledger, other) = (try create(path, time.clock), try open(path, time.clock))
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    for round in 1...3 {
      for one in [ledger, other] {
        try one.grant([Make.amount("GEM", Int64(round))], customer: alice)
        XCTAssertEqual(try gems(one, alice), one === ledger ? Int64(round) : Int64(2 * round))
      }
      try (round % 2 == 0 ? ledger : other).erase(alice)
    }
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    for one in [ledger, other] { one.close() }
  }

  /// A damaged row may name the last number that a customer can have.
  func testTheLastPossibleCustomerHasNoAccounts() throws {
    let directory = try TemporaryDirectory()
    let ledger = try create(directory.path("it.sqlite"), time.clock)
    let rows = try ledger.storage.read { (snapshot) throws(LedgerError) in
      try snapshot.accounts(of: [RowBounds.number, 1])
    }
    XCTAssertEqual(rows, [])
    ledger.close()
  }

  /// Keys in any order, of two processes and of both forms, are found again.
  func testKeysInAnyOrderAreFoundAgain() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledgers = [try create(path, time.clock), try open(path, time.clock)]
    try ledgers[0].apply(Make.catalog())
    let alice = try Make.customer("alice")
    try ledgers[0].grant([Make.amount("GEM", 1000)], customer: alice)
    var random = SeededRandom()
    var keys: [IdempotencyKey] = try ["", "z", "~"].map { try IdempotencyKey("order\($0)") }
    keys += (0..<40).map { index in
      .timeOrdered(at: Timestamp(milliseconds: 1_790_000_000_000 + Int64(index / 3)), using: &random)
    }
    keys += try ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"].map {
      try IdempotencyKey($0)
    }
    keys.shuffle(using: &random)
    for key in keys {
      let ledger = try XCTUnwrap(ledgers.randomElement(using: &random))
      try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: key)
    }
    keys.shuffle(using: &random)
    for key in keys {
      for ledger in ledgers {
        XCTAssertTrue(try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: key).isReplayed, key.text)
      }
    }
    XCTAssertEqual(try gems(ledgers[0], alice), Int64(1000 - keys.count))
    for ledger in ledgers { ledger.close() }
  }
}
