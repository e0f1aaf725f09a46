package import GemLedger
internal import GemLedgerAudit
import XCTest

/// The answers of a ledger to wrong requests, on any storage: the documented code, and no trace.
package struct BadInputContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() async throws {
    let run = ContractRun(Self.self)
    run.step("testAmounts", testAmounts)
    run.step("testSumsThatWouldOverflow", testSumsThatWouldOverflow)
    run.step("testCountsOfCurrencies", testCountsOfCurrencies)
    run.step("testPurchases", testPurchases)
    run.step("testItems", testItems)
    run.step("testCursors", testCursors)
    run.step("testForeignTransactionIDs", testForeignTransactionIDs)
    run.step("testExpiries", testExpiries)
    run.step("testARetryAfterTheExpiryGetsTheFirstAnswer", testARetryAfterTheExpiryGetsTheFirstAnswer)
    run.step("testLongKeys", testLongKeys)
    run.step("testHostileIdentifiers", testHostileIdentifiers)
    run.step("testReservedIdentifiersNameNobody", testReservedIdentifiersNameNobody)
    run.step("testUnsetIdentifiersNameNobody", testUnsetIdentifiersNameNobody)
    run.step("testReservedIdentifiersOfCustomers", testReservedIdentifiersOfCustomers)
    run.step("testAKeyCoversAllThatWasAsked", testAKeyCoversAllThatWasAsked)
    run.step("testTheClockStepsBack", testTheClockStepsBack)
    run.step("testPrecedenceOfAdjustments", testPrecedenceOfAdjustments)
    run.step("testPrecedenceOfItems", testPrecedenceOfItems)
    run.step("testRefusedCommandsOfAGroupLeaveNoGaps", testRefusedCommandsOfAGroupLeaveNoGaps)
    run.step("testARefusalOfNobodyIsNotKept", testARefusalOfNobodyIsNotKept)
    run.step("testNewSessionsOfOneGroupAreApart", testNewSessionsOfOneGroupAreApart)
    run.step("testPagesOfHistory", testPagesOfHistory)
    run.step("testAClosedLedgerIsUnavailable", testAClosedLedgerIsUnavailable)
    await run.step("testACancelledCallerDoesNotWithdrawItsCommand", testACancelledCallerDoesNotWithdrawItsCommand)
  }

  /// A ledger in which alice has 100 GEM.
  func ledgerOfAlice() throws -> (Ledger, CustomerID) {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    return (ledger, alice)
  }

  func after(seconds: Int64) -> Timestamp { Timestamp(milliseconds: time.now.milliseconds + seconds * 1000) }

  // MARK: Amounts

  func testAmounts() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let maximum = Limits.amount
    let adjustments: [(line: UInt, amount: Int64, code: LedgerError.Code)] = [
      (#line, 0, .amountOutOfRange), (#line, -101, .insufficientBalance), (#line, -maximum, .insufficientBalance),
      (#line, -maximum - 1, .amountOutOfRange), (#line, .min, .amountOutOfRange), (#line, .min + 1, .amountOutOfRange),
      (#line, maximum - 99, .overMaximum), (#line, maximum, .overMaximum), (#line, maximum + 1, .amountOutOfRange),
      (#line, .max, .amountOutOfRange),
    ]
    for row in adjustments {
      try assertRefusedWithoutTrace(row.code, ledger, line: row.line) {
        try ledger.adjust([Make.amount("GEM", row.amount)], customer: alice)
      }
      try assertRefusedWithoutTrace(row.code, ledger, line: row.line) {
        try ledger.adjust([Make.amount("GEM", row.amount), Make.amount("COIN", 1)], customer: alice)
      }
    }
    for amount in [0, -1, .min, maximum + 1, .max] as [Int64] {
      try assertRefusedWithoutTrace(.amountOutOfRange, ledger) {
        try ledger.spend([Make.amount("GEM", amount)], customer: alice)
      }
      try assertRefusedWithoutTrace(.amountOutOfRange, ledger) {
        try ledger.grant([Make.amount("GEM", amount)], customer: Make.customer("nobody"))
      }
    }
    try ledger.adjust([Make.amount("GEM", 1)], customer: alice)
    try ledger.adjust([Make.amount("GEM", -1)], customer: alice)
    XCTAssertEqual(
      try ledger.adjust([Make.amount("GEM", maximum - 100)], customer: alice).entries.map(\.balance), [maximum])
    XCTAssertEqual(try ledger.spend([Make.amount("GEM", maximum)], customer: alice).entries.map(\.balance), [0])
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// The sum ever granted to a pooled lot, and the sum of an account's entries of one kind, pass 64 bits; balances do
  /// not.
  func testSumsThatWouldOverflow() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let grant = LedgerCommand.grant([try Make.amount("GEM", Limits.amount)], customer: alice)
    let earned = LedgerCommand.grant([try Make.amount("COIN", Limits.amount)], customer: alice, source: .bonus)
    let spend = LedgerCommand.adjust(
      [try Make.amount("GEM", -Limits.amount), try Make.amount("COIN", -Limits.amount)], customer: alice)
    try ledger.grant([Make.amount("COIN", 1)], customer: alice)
    try ledger.spend([Make.amount("COIN", 1)], customer: alice)
    for _ in 0..<5 {
      let commands = (0..<220).flatMap { _ in [grant, earned, spend] }
      for result in ledger.submit(commands) { _ = try result.get() }
    }
    XCTAssertEqual(try ledger.balances(of: alice).map(\.balance), [0, 0, 0, 0])
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testCountsOfCurrencies() throws {
    let (ledger, alice) = try ledgerOfAlice()
    for count in [101, 1000] {
      let amounts = try (0..<count).map { try Make.amount("C\($0)", 1) }
      try assertRefusedWithoutTrace(.limitExceeded, ledger) { try ledger.grant(amounts, customer: alice) }
      try assertRefusedWithoutTrace(.limitExceeded, ledger) { try ledger.spend(amounts, customer: alice) }
    }
    let hundred = try (0..<100).map { try Make.amount("C\($0)", 1) }
    try assertRefusedWithoutTrace(.unknownCurrency, ledger) { try ledger.grant(hundred, customer: alice) }
    try assertRefusedWithoutTrace(.invalidRequest, ledger) { try ledger.adjust([], customer: alice) }
    try assertRefusedWithoutTrace(.invalidRequest, ledger) { try ledger.grant([], customer: Make.customer("new")) }
    try assertRefusedWithoutTrace(.invalidRequest, ledger) {
      try ledger.adjust([Make.amount("GEM", 1), Make.amount("COIN", 1), Make.amount("GEM", -1)], customer: alice)
    }
    let conditions = try (0...300).map { Condition.minimum(try CurrencyCode("GEM"), $0) }
    try assertRefusedWithoutTrace(.limitExceeded, ledger) {
      try ledger.spend([Make.amount("GEM", 1)], customer: alice, conditions: conditions)
    }
    for bound in [Int64.min, .max] {
      try assertRefusedWithoutTrace(.conditionFailed, ledger) {
        let gem = try CurrencyCode("GEM")
        return try ledger.spend(
          [Make.amount("GEM", 1)], customer: alice,
          conditions: [.version(gem, bound), .minimum(gem, bound), .maximum(gem, bound)])
      }
    }
    ledger.close()
  }

  // MARK: Purchases and items

  func testPurchases() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let nobody = try Make.customer("nobody")
    for quantity in [0, -1, Limits.quantity + 1, .min, .max] as [Int64] {
      try assertRefusedWithoutTrace(.amountOutOfRange, ledger) {
        try ledger.creditPurchase(Make.purchase("t", quantity: quantity), customer: nobody)
      }
    }
    try assertRefusedWithoutTrace(.productNotFound, ledger) {
      try ledger.creditPurchase(Make.purchase("t", product: "nothing"), customer: nobody)
    }
    try ledger.adjust([Make.amount("GEM", Limits.amount - 100)], customer: alice)
    try assertRefusedWithoutTrace(.amountOutOfRange, ledger) {
      try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    }
    for price in [Int64.min, -1, Limits.amount + 1, .max] {
      let money = Money(minorUnits: price, currency: "USD")
      try assertRefusedWithoutTrace(.amountOutOfRange, ledger) {
        try ledger.creditPurchase(Make.purchase("p", product: "bundle", price: money), customer: nobody)
      }
    }
    let free = Money(minorUnits: 0, currency: "USD")
    XCTAssertFalse(
      try ledger.creditPurchase(Make.purchase("p", product: "bundle", price: free), customer: nobody).isReplayed)
    var purchase = try Make.purchase("late")
    for instant in [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)] {
      purchase.purchasedAt = instant
      purchase.cycleEndsAt = instant
      purchase.transactionID = try StoreTransactionID("late \(instant.milliseconds)")
      try ledger.creditPurchase(purchase, customer: nobody)
    }
    try ledger.creditPurchase(Make.purchase("most", quantity: Limits.quantity), customer: nobody)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testItems() throws {
    let (ledger, alice) = try ledgerOfAlice()
    for quantity in [0, -1, Limits.quantity + 1, .min, .max] as [Int64] {
      try assertRefusedWithoutTrace(.amountOutOfRange, ledger) {
        try ledger.buyItem(ItemID("extra_life"), quantity: quantity, customer: alice)
      }
    }
    try assertRefusedWithoutTrace(.insufficientBalance, ledger) {
      try ledger.buyItem(ItemID("extra_life"), quantity: Limits.quantity, customer: alice)
    }
    try assertRefusedWithoutTrace(.limitReached, ledger) {
      try ledger.buyItem(ItemID("sword"), quantity: Limits.quantity, customer: alice)
    }
    ledger.close()
  }

  // MARK: Time

  func testExpiries() throws {
    let (ledger, alice) = try ledgerOfAlice()
    let year10000 = Limits.expiryMilliseconds
    let instants = [
      time.now.milliseconds, time.now.milliseconds - 1, .min, .min + 1, year10000, year10000 + 1, .max, .max - 1,
    ]
    for instant in instants {
      let expiry = Timestamp(milliseconds: instant)
      try assertRefusedWithoutTrace(.invalidRequest, ledger) {
        try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("new"), expiresAt: expiry)
      }
    }
    try ledger.grant(
      [Make.amount("GEM", 7)], customer: alice, expiresAt: Timestamp(milliseconds: time.now.milliseconds + 1))
    try ledger.grant([Make.amount("GEM", 8)], customer: alice, expiresAt: Timestamp(milliseconds: year10000 - 1))
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 115)
    time.advance(seconds: 1)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 108)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A key is looked up before anything that changes with time.
  func testARetryAfterTheExpiryGetsTheFirstAnswer() throws {
    let ledger = try ledger()
    let (alice, key) = (try Make.customer("alice"), try Make.key("promotion"))
    let expiry = after(seconds: 10)
    let first = try ledger.grant([Make.amount("GEM", 5)], customer: alice, key: key, expiresAt: expiry)
    time.advance(seconds: 11)
    let again = try ledger.grant([Make.amount("GEM", 5)], customer: alice, key: key, expiresAt: expiry)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.transactionID, first.transactionID)
    let conflict = assertRefused(.keyConflict) {
      try ledger.grant([Make.amount("GEM", 6)], customer: alice, key: key, expiresAt: expiry)
    }
    XCTAssertEqual(conflict?.text("field"), "adjustments")
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testTheClockStepsBack() throws {
    let (ledger, alice) = try ledgerOfAlice()
    try ledger.grant([Make.amount("GEM", 5)], customer: alice, source: .promotional, expiresAt: after(seconds: 60))
    time.advance(seconds: 100)
    let late = try ledger.grant([Make.amount("COIN", 1)], customer: alice).createdAt
    // Further back it books nothing at all: the contract of time has that.
    time.set(late.advanced(by: .seconds(-86_000)))
    // Nothing that the journal has seen expire comes back to life.
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 100)
    let refusal = assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("GEM", 101)], customer: alice) }
    XCTAssertEqual(refusal?.integer("available"), 100)
    for _ in 0..<3 {
      XCTAssertEqual(try ledger.spend([Make.amount("GEM", 1)], customer: alice).createdAt, late)
    }
    let instants = try ledger.wholeHistory(of: alice).map(\.booking.createdAt)
    XCTAssertEqual(instants, instants.sorted(by: >))
    XCTAssertEqual(try ledger.verify().asOf, late)
    try assertBooksAddUp(ledger)
    time.set(Timestamp(milliseconds: late.milliseconds + 1))
    XCTAssertGreaterThan(try ledger.spend([Make.amount("GEM", 1)], customer: alice).createdAt, late)
    ledger.close()
  }

  // MARK: Groups

  /// A refused command of a group may have drawn numbers for rows that then were not made.
  func testRefusedCommandsOfAGroupLeaveNoGaps() throws {
    let ledger = try ledger()
    let names = try ["a", "b", "c", "d"].map { try Make.customer($0) }
    try ledger.grant([Make.amount("GEM", Limits.amount)], customer: names[0])
    let results = ledger.submit([
      .grant([try Make.amount("GOLD", 1)], customer: try Make.customer("refused")),
      .createCustomer(names[1]),
      .creditPurchase(try Make.purchase("t1"), customer: names[0]),
      .creditPurchase(try Make.purchase("t2"), customer: names[1]),
      .grant([try Make.amount("ORE", 1001)], customer: try Make.customer("refused")),
      .createCustomer(names[2]),
    ])
    assertRefused(.unknownCurrency) { try results[0].get() }
    assertRefused(.amountOutOfRange) { try results[2].get() }
    assertRefused(.overMaximum) { try results[4].get() }
    for index in [1, 3, 5] { _ = try results[index].get() }
    try ledger.creditPurchase(Make.purchase("t3"), customer: names[2])
    try ledger.creditPurchase(Make.purchase("t4"), customer: names[3])
    XCTAssertEqual(try ledger.everyCustomer().map(\.id), names)
    assertRefused(.customerNotFound) { try ledger.balances(of: Make.customer("refused")) }
    for (index, name) in names.enumerated() {
      XCTAssertEqual(try ledger.wholeHistory(of: name).map(\.booking.customer), [name])
      let again = try ledger.creditPurchase(Make.purchase("t\(max(2, index + 1))"), customer: names[0])
      XCTAssertTrue(again.isReplayed)
      XCTAssertEqual(again.customer, names[max(1, index)])
    }
    XCTAssertEqual(try ledger.verify().customers, 4)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A refused command creates no customer; the next customer does not inherit the key.
  func testARefusalOfNobodyIsNotKept() throws {
    let ledger = try ledger()
    let (nobody, key) = (try Make.customer("nobody"), try Make.key("k"))
    let grant = LedgerCommand.grant([try Make.amount("ORE", 1001)], customer: nobody, key: key)
    try assertRefusedWithoutTrace(.overMaximum, ledger) { try ledger.book(grant) }
    XCTAssertEqual(assertRefused(.overMaximum) { try ledger.book(grant) }?.isReplayed, false)
    let results = ledger.submit([grant, grant, .createCustomer(try Make.customer("bob"))])
    for result in results.prefix(2) {
      XCTAssertEqual(assertRefused(.overMaximum) { try result.get() }?.isReplayed, false)
    }
    let bob = try ledger.grant([Make.amount("ORE", 7)], customer: Make.customer("bob"), key: key)
    XCTAssertEqual(bob.entries.map(\.balance), [7])
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testNewSessionsOfOneGroupAreApart() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let sessions = try ["s1", "s2", "s3"].map { try StoreEnvironment.xcode(session: $0) }
    let commands = try sessions.map {
      LedgerCommand.creditPurchase(try Make.purchase("1", environment: $0), customer: alice)
    }
    for result in ledger.submit(commands) { XCTAssertFalse(try result.get().isReplayed) }
    for result in ledger.submit(commands) { XCTAssertTrue(try result.get().isReplayed) }
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 3600)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  // MARK: Callers that go

  func testAClosedLedgerIsUnavailable() throws {
    let (ledger, alice) = try ledgerOfAlice()
    ledger.close()
    assertRefused(.storageUnavailable) { try ledger.balances(of: alice) }
    assertRefused(.storageUnavailable) { try ledger.spend([Make.amount("GEM", 1)], customer: alice) }
    assertRefused(.storageUnavailable) { try ledger.verify() }
    ledger.close()
  }

  func testACancelledCallerDoesNotWithdrawItsCommand() async throws {
    let inner = try ledger()
    let storage = GatedStorage(inner.storage)
    let ledger = Ledger(storage: storage, clock: time.clock)
    let (alice, key) = (try Make.customer("alice"), try Make.key("k"))
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    let command = try LedgerCommand.spend([Make.amount("GEM", 40)], customer: alice, key: key)
    storage.arm()
    let task = Task.detached { try await ledger.book(command) }
    await Self.detached { storage.waitUntilEntered() }
    task.cancel()
    storage.open()
    let first = try await task.value
    XCTAssertEqual(first.entries.map(\.balance), [60])
    let again = try await ledger.book(command)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.transactionID, first.transactionID)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Waits on a thread of its own, so that no task's thread is blocked.
  private static func detached(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        body()
        continuation.resume()
      }
    }
  }
}
