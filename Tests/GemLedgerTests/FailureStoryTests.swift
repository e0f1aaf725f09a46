import Dispatch
import GemLedger
import GemLedgerAudit
import GemTestSupport
import Synchronization
import XCTest

/// How other ledgers and shops lost money, currency or trust, one story a test: none of it happens here.
final class FailureStoryTests: XCTestCase {
  private let time = ManualClock()

  private func ledger(_ storage: any LedgerStorage) throws -> Ledger {
    let ledger = Ledger(storage: storage, clock: time.clock)
    try ledger.apply(Make.catalog())
    return ledger
  }

  private func ledger() throws -> Ledger { try ledger(memory()) }
  private func memory() -> MemoryStorage { MemoryStorage(project: ProjectRow(salt: 1, createdAt: time.now)) }

  private func gems(_ ledger: Ledger, _ customer: CustomerID) throws -> Balance {
    try ledger.balance(of: CurrencyCode("GEM"), customer: customer)
  }

  // MARK: Payments

  /// A discount was paid in coins, and the coins were gone when the real money did not come.
  func testCoinsTakenAndPaymentFailed() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    for ending in ["says that it failed", "says nothing", "dies before the hold"] {
      if ending != "dies before the hold" {
        let hold = try XCTUnwrap(try ledger.hold([Make.amount("GEM", 60)], customer: alice, for: .seconds(60)).hold?.id)
        XCTAssertEqual(try gems(ledger, alice).available, 40)
        if ending == "says that it failed" { try ledger.release(hold) } else { time.advance(seconds: 60) }
        // The payment's late success finds the hold ended, and nothing is taken.
        assertRefused(.holdEnded) { try ledger.capture(hold) }
      }
      XCTAssertEqual(try gems(ledger, alice).available, 100, ending)
    }
    let hold = try XCTUnwrap(try ledger.hold([Make.amount("GEM", 60)], customer: alice).hold?.id)
    let capture = try ledger.capture(hold, key: Make.key("paid"))
    XCTAssertEqual(try ledger.capture(hold, key: Make.key("paid")).transactionID, capture.transactionID)
    XCTAssertEqual(try gems(ledger, alice).balance, 40)
    try assertBooksAddUp(ledger)
  }

  /// One buyer, ten success callbacks at once, ten accounts made.
  func testTheSameSuccessTenTimesAtOnce() throws {
    let ledger = try ledger()
    let purchase = try Make.purchase("t")
    let answers = Mutex<[Bool]>([])
    DispatchQueue.concurrentPerform(iterations: 50) { number in
      guard let customer = try? Make.customer("account \(number % 10)"), let key = try? Make.key("call \(number)"),
        let booking = try? ledger.creditPurchase(purchase, customer: customer, key: key)
      else { return }
      answers.withLock { $0.append(booking.isReplayed) }
    }
    XCTAssertEqual(answers.withLock { $0.count { !$0 } }, 1)
    XCTAssertEqual(answers.withLock { $0.count { $0 } }, 49)
    XCTAssertEqual(try ledger.everyCustomer().count, 1)
    XCTAssertEqual(try ledger.verify().currencies.first { $0.currency.description == "GEM" }?.outstanding, 1200)
    try assertBooksAddUp(ledger)
  }

  /// The answer was lost, the buyer was told that it failed, and paid again.
  func testChargedTwiceAfterAnError() throws {
    let storage = ForgetfulStorage(memory())
    let (ledger, alice) = (try ledger(storage), try Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    storage.losesNextAnswer = true
    let error = assertRefused(.outcomeUnknown) {
      try ledger.spend([Make.amount("GEM", 30)], customer: alice, key: Make.key("tap"))
    }
    XCTAssertEqual(error?.code.isKept, false, "an unknown outcome is never the key's answer")
    let again = try ledger.spend([Make.amount("GEM", 30)], customer: alice, key: Make.key("tap"))
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(try gems(ledger, alice).balance, 70)
    storage.losesNextAnswer = true
    assertRefused(.outcomeUnknown) { try ledger.creditPurchase(Make.purchase("t"), customer: alice) }
    XCTAssertTrue(try ledger.creditPurchase(Make.purchase("t"), customer: alice).isReplayed)
    XCTAssertEqual(try gems(ledger, alice).balance, 1270)
    try assertBooksAddUp(ledger)
  }

  /// A purchase that is refused for good is no purchase that is tried for ever, nor one that is lost.
  func testAPurchaseIsGrantedOrRefusedOrTriedAgain() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let refusal = assertRefused(.productNotFound) {
      try ledger.creditPurchase(Make.purchase("t", product: "gone"), customer: alice, key: Make.key("k"))
    }
    XCTAssertEqual(refusal?.code.isKept, false, "whoever mends the catalog may ask again")
    XCTAssertFalse(try ledger.creditPurchase(Make.purchase("t"), customer: alice, key: Make.key("k")).isReplayed)
    XCTAssertTrue(try ledger.creditPurchase(Make.purchase("t"), customer: alice).isReplayed)
    try assertBooksAddUp(ledger)
  }

  /// A credit past the largest balance is refused whole; a duplicate of an earlier credit still succeeds there.
  func testOverTheHardLimit() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.creditPurchase(Make.purchase("before"), customer: alice)
    try ledger.grant([Make.amount("GEM", Limits.amount - 1200)], customer: alice)
    try assertRefusedWithoutTrace(.amountOutOfRange, ledger) {
      try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    }
    try assertRefusedWithoutTrace(.overMaximum, ledger) { try ledger.grant([Make.amount("GEM", 1)], customer: alice) }
    XCTAssertTrue(try ledger.creditPurchase(Make.purchase("before"), customer: alice).isReplayed)
    let bob = try Make.customer("bob")
    try ledger.grant([Make.amount("GEM", 1)], customer: bob)
    try assertRefusedWithoutTrace(.overMaximum, ledger) { try ledger.merge(from: bob, into: alice) }
    let spend = try ledger.spend([Make.amount("GEM", 5)], customer: alice)
    try ledger.grant([Make.amount("GEM", 5)], customer: alice)
    try assertRefusedWithoutTrace(.amountOutOfRange, ledger) { try ledger.reverse(XCTUnwrap(spend.transactionID)) }
    try assertBooksAddUp(ledger)
  }

  // MARK: Balances

  /// A client that had not refreshed drove a balance to -73; two clients subtracted the same price.
  func testNegativeBalancesAndDoubleSubtractions() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 50)], customer: alice)
    // Both had read 50.
    let spends = try (0..<2).map { _ in try LedgerCommand.spend([Make.amount("GEM", 50)], customer: alice) }
    let answers = ledger.submit(spends)
    XCTAssertNoThrow(try answers[0].get())
    assertRefused(.insufficientBalance) { try answers[1].get() }
    XCTAssertEqual(try gems(ledger, alice).balance, 0)
    // Staff do not write a balance: they book a correction with its reason and its actor.
    var repair = try LedgerCommand.grant([Make.amount("GEM", 50)], customer: alice)
    (repair.reason, repair.actor) = (try Reason("charged twice"), try ActorName("support"))
    let _: Booking = try ledger.book(repair)
    let record = try XCTUnwrap(try ledger.history(of: alice).transactions.first)
    XCTAssertEqual([record.reason?.text, record.actor?.text], ["charged twice", "support"])
    try assertBooksAddUp(ledger)
  }

  /// Balances that were read without a lock, or before it.
  func testLostUpdates() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let count = 200
    try ledger.grant([Make.amount("GEM", Int64(count / 2))], customer: alice)
    let succeeded = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: count) { _ in
      guard let amount = try? Make.amount("GEM", 1) else { return }
      if (try? ledger.spend([amount], customer: alice)) != nil { succeeded.withLock { $0 += 1 } }
    }
    XCTAssertEqual(succeeded.withLock { $0 }, count / 2)
    XCTAssertEqual(try gems(ledger, alice).balance, 0)
    XCTAssertEqual(try ledger.verify().transactions, Int64(count / 2) + 1)
    try assertBooksAddUp(ledger)
  }

  /// An overdraft was sized from a stale read, and a cancelled hold gave back other amounts than it took.
  func testACancelGivesBackWhatWasTaken() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let later = Timestamp(milliseconds: time.now.milliseconds + 3_600_000)
    try ledger.grant([Make.amount("GEM", 30)], customer: alice, source: .promotional, expiresAt: later)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let hold = try XCTUnwrap(try ledger.hold([Make.amount("GEM", 100)], customer: alice).hold?.id)
    // Meanwhile everything else moves.
    try ledger.spend([Make.amount("GEM", 1000)], customer: alice)
    try ledger.grant([Make.amount("GEM", 7)], customer: alice)
    try ledger.release(hold)
    XCTAssertEqual(try gems(ledger, alice).available, 237)
    let spend = try ledger.spend([Make.amount("GEM", 237)], customer: alice)
    XCTAssertEqual(spend.entries[0].allocations.map(\.amount), [-30, -7, -200])
    try assertBooksAddUp(ledger)
  }

  /// Balances that moved although nothing was written down.
  func testNoBalanceMovesWithoutARecord() throws {
    let inner = memory()
    let (whole, alice) = (try ledger(inner), try Make.customer("alice"))
    try whole.grant([Make.amount("GEM", 100)], customer: alice)
    let before = try LedgerState(whole)
    let broken = Ledger(storage: InterruptedStorage(inner, afterCommits: 0), clock: time.clock)
    assertRefused(.storageUnavailable) {
      try broken.spend([Make.amount("GEM", 1)], customer: alice, key: Make.key("k"))
    }
    assertRefused(.storageUnavailable) { try broken.hold([Make.amount("GEM", 1)], customer: alice) }
    XCTAssertEqual(try LedgerState(whole), before)
    XCTAssertFalse(try whole.spend([Make.amount("GEM", 1)], customer: alice, key: Make.key("k")).isReplayed)
    try assertBooksAddUp(whole)
  }

  /// A failed query was read as "no usage", and every customer had a free month.
  func testMissingDataIsNoZero() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    assertRefused(.customerNotFound) { try gems(ledger, alice) }
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    assertRefused(.unknownCurrency) { try ledger.balance(of: CurrencyCode("NONE"), customer: alice) }
    ledger.close()
    assertRefused(.storageUnavailable) { try gems(ledger, alice) }
    assertRefused(.storageUnavailable) { try ledger.holds(of: alice) }
  }

  /// Reads that lag behind writes.
  func testAReadSeesTheWriteBeforeIt() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    for number in Int64(1)...50 {
      let booking = try ledger.grant([Make.amount("GEM", 1)], customer: alice)
      let balance = try gems(ledger, alice)
      XCTAssertEqual([balance.balance, balance.version], [number, number])
      XCTAssertEqual(booking.entries.map(\.version), [number])
    }
  }

  /// A hot account among ten thousand others stays exact.
  func testAHotAccount() throws {
    let ledger = try ledger()
    let hot = try Make.customer("hot")
    try ledger.grant([Make.amount("GEM", 1)], customer: hot)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for batch in 0..<5 {
        let commands = (0..<100).compactMap { number in
          try? LedgerCommand.grant(
            [Make.amount("GEM", 1)],
            customer: number % 2 == 0 ? hot : Make.customer("cold \(thread) \(batch) \(number)"))
        }
        _ = ledger.submit(commands)
      }
    }
    XCTAssertEqual(try gems(ledger, hot).balance, 1001)
    try assertBooksAddUp(ledger)
  }
}

/// A storage that commits and then loses the answer.
private final class ForgetfulStorage: LedgerStorage {
  private let storage: MemoryStorage
  private let isArmed = Atomic(false)

  init(_ storage: MemoryStorage) { self.storage = storage }

  var losesNextAnswer: Bool {
    get { isArmed.load(ordering: .sequentiallyConsistent) }
    set { isArmed.store(newValue, ordering: .sequentiallyConsistent) }
  }

  func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read(body)
  }

  func commit<R>(lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R) throws(LedgerError) -> R {
    let answer = try storage.commit(lanes: lanes, body)
    if isArmed.exchange(false, ordering: .sequentiallyConsistent) {
      throw LedgerError(.outcomeUnknown, "The answer was lost; ask again with the same key.")
    }
    return answer
  }

  func close() { storage.close() }
}
