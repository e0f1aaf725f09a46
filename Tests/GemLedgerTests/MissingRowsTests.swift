import GemLedger
import GemTestSupport
import XCTest

/// Every rule reads rows that are loaded only once the rule has asked for them, and the group is then decided again.
final class MissingRowsTests: XCTestCase {
  private let storage = { MissingStorage(MemoryStorage(project: ProjectRow(salt: 1, createdAt: $0))) }

  private func ledger(_ clock: LedgerClock) -> Ledger { Ledger(storage: storage(clock.now()), clock: clock) }

  // MARK: The contracts

  override func invokeTest() {
    // The quick tier has all steps of the contracts in memory and on SQLite, and a third of them here.
    ContractRun.$quickDivisor.withValue(3) { super.invokeTest() }
  }

  func testStorageRefundsAndMerges() throws {
    try StorageContract { self.ledger($0) }.runAll()
    try RefundContract { self.ledger($0) }.runAll()
    try MergeContract { self.ledger($0) }.runAll()
  }

  func testHoldsReversalsAndBaskets() throws {
    try HoldContract { self.ledger($0) }.runAll()
    try ReversalContract { self.ledger($0) }.runAll()
    try BasketContract { self.ledger($0) }.runAll()
  }

  func testTimePoliciesAndLineages() throws {
    try TimeContract { self.ledger($0) }.runAll()
    try PolicyContract { self.ledger($0) }.runAll()
    try LineageContract { self.ledger($0) }.runAll()
  }

  func testOrders() throws {
    try OrderContract(make: { self.ledger($0) }).runAll()
  }

  func testRefusesBadInput() async throws {
    let storage = storage
    try await BadInputContract { Ledger(storage: storage($0.now()), clock: $0) }.runAll()
  }

  func testFollowsTheModel() throws {
    for generator in InvariantContract.generator(2) {
      var contract = try ModelContract(generator: generator) { self.ledger($0) }
      XCTAssertFalse(try contract.run(500).isEmpty)
    }
  }

  func testTheTwelveInvariantsHoldOverAStreamOfEverything() throws {
    for generator in InvariantContract.generator(2) {
      var contract = try InvariantContract(generator: generator) { self.ledger($0) }
      XCTAssertFalse(try contract.run(600).transactions.isEmpty)
    }
  }

  /// Groups of many commands that depend on each other.
  func testAListGivesWhatItsCommandsGiveOneAfterTheOther() throws {
    for generator in InvariantContract.generator(2) {
      try ListContract(generator: generator) { self.ledger($0) }.run(lists: 8, of: 60)
    }
  }

  // MARK: Controls

  private func customers(_ count: Int) throws -> [CustomerID] {
    try (0..<count).map { try Make.customer("c\($0)") }
  }

  /// Rows of all commands are loaded together, so that a group takes no more rounds than one of its commands.
  func testAGroupLoadsForAllItsCommandsAtOnce() throws {
    let storage = self.storage(Timestamp(milliseconds: 0))
    let ledger = Ledger(storage: storage)
    try ledger.apply(Make.catalog())
    let customers = try customers(64)
    let grants = try customers.map { LedgerCommand.grant([try Make.amount("GEM", 5)], customer: $0) }
    for answer in ledger.submit(grants) { _ = try answer.get() }
    _ = storage.takeRounds()
    let spends = try customers.map {
      try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0, key: Make.key("k"))
    }
    _ = try ledger.submit([spends[0]]).map { try $0.get() }
    let one = storage.takeRounds()
    XCTAssertEqual(try ledger.submit(spends).map { try $0.get() }.filter(\.isReplayed).count, 1)
    let all = storage.takeRounds()
    XCTAssertEqual(one.count, 1)
    XCTAssertGreaterThan(one[0], 1)
    // The answer under the used key is read from the journal.
    XCTAssertEqual(all.count, 1)
    XCTAssertLessThanOrEqual(all[0], one[0] + 8)
    try assertBooksAddUp(ledger)
  }

  func testARowThatNeverLoadsFailsItsCommandAlone() throws {
    let base = MemoryStorage(project: ProjectRow(salt: 1, createdAt: Timestamp(milliseconds: 0)))
    for (load, code) in [(.forgotten, .unexpected), (.damaged, .storageDamaged)]
      as [(MissingStorage.Load, LedgerError.Code)]
    {
      let storage = MissingStorage(base) { $0.hasPrefix("key(") && $0.contains("bad") ? load : .loaded }
      let ledger = Ledger(storage: KeptStorage(storage))
      try ledger.apply(Make.catalog())
      let customers = try customers(8)
      for customer in customers { try ledger.createCustomer(customer) }
      let grants = try customers.enumerated().map { number, customer in
        LedgerCommand.grant(
          [try Make.amount("GEM", 5)], customer: customer, key: try Make.key(number == 3 ? "bad" : "\(code.kind)"))
      }
      for (number, answer) in ledger.submit(grants).enumerated() {
        guard number == 3 else {
          XCTAssertEqual(try answer.get().entries.map(\.amount), [5])
          continue
        }
        XCTAssertThrowsError(try answer.get()) { XCTAssertEqual(($0 as? LedgerError)?.code, code) }
      }
      XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: customers[3]).balance, 0)
      try assertBooksAddUp(ledger)
    }
  }
}
