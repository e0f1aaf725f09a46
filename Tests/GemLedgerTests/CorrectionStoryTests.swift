import Dispatch
import GemLedger
import GemTestSupport
import Synchronization
import XCTest

/// The stories of refunds, expiry, amounts and identities.
final class CorrectionStoryTests: XCTestCase {
  private let time = ManualClock()

  private func ledger() throws -> Ledger {
    let ledger = Ledger.inMemory(clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    return ledger
  }

  private func balance(_ ledger: Ledger, _ customer: CustomerID, _ code: String = "GEM") throws -> Int64 {
    try ledger.balance(of: CurrencyCode(code), customer: customer).balance
  }

  // MARK: Refunds

  /// A refund and a dispute of one payment were both clawed back.
  func testRefundedAndDisputed() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.grant([Make.amount("GEM", 5000)], customer: alice)
    for (date, extent) in [(1, StoreRefund.Extent.milliPercent(60_000)), (2, .milliPercent(60_000)), (3, .full)] {
      for signedAt in [date * 10, date * 10 + 1] {
        try ledger.refund(Make.refund("t", extent, revokedAt: Int64(date), signedAt: Int64(signedAt)))
      }
      XCTAssertGreaterThanOrEqual(try balance(ledger, alice), 5000)
    }
    XCTAssertEqual(try balance(ledger, alice), 5000)
    try assertBooksAddUp(ledger)
  }

  /// One sum of reversals, however many ask at once.
  func testReversedTwiceAtOnce() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    let spend = try XCTUnwrap(try ledger.spend([Make.amount("GEM", 60)], customer: alice).transactionID)
    let codes = Mutex<[String: Int]>([:])
    DispatchQueue.concurrentPerform(iterations: 20) { _ in
      do {
        try ledger.reverse(spend, amounts: [Make.amount("GEM", 20)])
        codes.withLock { $0["booked", default: 0] += 1 }
      } catch {
        codes.withLock { $0[(error as? LedgerError)?.code.description ?? "\(error)", default: 0] += 1 }
      }
    }
    XCTAssertEqual(codes.withLock { $0 }, ["booked": 3, "already_reversed": 17])
    XCTAssertEqual(try balance(ledger, alice), 100)
    try assertBooksAddUp(ledger)
  }

  /// A full refund of an unspent purchase failed only where it left exactly nothing.
  func testARefundThatDrainsToExactlyZero() throws {
    for extra in [Int64(0), 1, Limits.amount - 1200] {
      let (ledger, alice) = (try ledger(), try Make.customer("alice"))
      try ledger.creditPurchase(Make.purchase("t"), customer: alice)
      if extra > 0 { try ledger.grant([Make.amount("GEM", extra)], customer: alice) }
      XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-1200])
      XCTAssertEqual(try balance(ledger, alice), extra)
      try assertBooksAddUp(ledger)
    }
  }

  func testARefundOfWhatIsRefundedAlready() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let first = try ledger.refund(Make.refund("t"))
    try ledger.grant([Make.amount("GEM", 50)], customer: alice)
    let before = try LedgerState(ledger)
    let again = try ledger.refund(Make.refund("t"))
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.transactionID, first.transactionID)
    // Another date, and nothing is left to take.
    try ledger.refund(Make.refund("t", revokedAt: 300, signedAt: 300))
    XCTAssertEqual(try LedgerState(ledger), before)
    try assertBooksAddUp(ledger)
  }

  func testARefundOfWhatWasMergedAway() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.grant([Make.amount("GEM", 10)], customer: bob)
    try ledger.merge(from: alice, into: bob)
    let refund = try ledger.refund(Make.refund("t"))
    XCTAssertEqual(refund.customer, bob)
    XCTAssertEqual(try balance(ledger, bob), 10)
    XCTAssertEqual(try balance(ledger, alice), 10)
    try assertBooksAddUp(ledger)
  }

  func testARefundOfAnUnknownPurchaseIsKeptUntilItComes() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    XCTAssertTrue(try ledger.refund(Make.refund("t", .milliPercent(50_000))).isAwaitingPurchase)
    XCTAssertTrue(try ledger.refund(Make.refund("t", .milliPercent(50_000))).isAwaitingPurchase)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    XCTAssertEqual(try balance(ledger, alice), 600)
    XCTAssertTrue(try ledger.creditPurchase(Make.purchase("t"), customer: alice).isReplayed)
    XCTAssertEqual(try balance(ledger, alice), 600)
    try assertBooksAddUp(ledger)
  }

  func testADebtLargerThanTheNextCredit() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let ruby = try CurrencyCode("RUBY")
    try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
    try ledger.spend([Make.amount("RUBY", 120)], customer: alice)
    try ledger.refund(Make.refund("t"))
    XCTAssertEqual(try ledger.balance(of: ruby, customer: alice).debt, 120)
    for (credit, debt, balance) in [(Int64(50), Int64(70), Int64(0)), (70, 0, 0), (1, 0, 1)] {
      try ledger.grant([Make.amount("RUBY", credit)], customer: alice)
      let found = try ledger.balance(of: ruby, customer: alice)
      XCTAssertEqual([found.debt, found.balance], [debt, balance])
    }
    try assertBooksAddUp(ledger)
  }

  /// A hold ended by its deadline without a booking, and the refund is reversed: everything is there again.
  func testARefundTakenBackAfterAHoldEndedByItself() throws {
    for product in ["gems_1200", "ore_pack", "rubies"] {
      let (ledger, alice) = (try ledger(), try Make.customer("alice"))
      let credit = try ledger.creditPurchase(Make.purchase("t", product: product), customer: alice)
      let (currency, bought) = (credit.entries[0].currency, credit.entries[0].amount)
      try ledger.hold([Adjustment(currency, 40)], customer: alice, for: .seconds(60))
      try ledger.refund(Make.refund("t"))
      time.advance(seconds: 60)
      try ledger.reverseRefund(Make.reversal("t"))
      let found = try ledger.balance(of: currency, customer: alice)
      XCTAssertEqual([found.available, found.debt], [bought, 0], product)
      XCTAssertFalse(try ledger.customer(alice).isFrozen)
      try assertBooksAddUp(ledger)
    }
  }

  /// A debt that was repaid with other currency, then the spend undone, then the refund taken back: everything is there
  /// again, and no lot has more than was bought.
  func testADebtRepaidAndTheSpendUndone() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
    let spend = try ledger.spend([Make.amount("RUBY", 120)], customer: alice)
    try ledger.refund(Make.refund("t"))
    try ledger.grant([Make.amount("RUBY", 120)], customer: alice)
    try ledger.reverse(XCTUnwrap(spend.transactionID))
    XCTAssertEqual(try balance(ledger, alice, "RUBY"), 120)
    try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(try balance(ledger, alice, "RUBY"), 240)
    XCTAssertEqual(try EconomyRows(ledger).breaches().map(\.description), [])
    try assertBooksAddUp(ledger)
  }

  /// A notice with an old date leaves the balances recorded after earlier transactions as they were.
  func testBackdatedNoticesLeaveTheRunningBalanceAlone() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    time.advance(seconds: 100)
    try ledger.spend([Make.amount("GEM", 100)], customer: alice)
    let before = try ledger.wholeHistory(of: alice)
    let at = time.now
    time.advance(seconds: 100)
    try ledger.refund(Make.refund("t", .milliPercent(10_000), revokedAt: 1, signedAt: 1))
    XCTAssertEqual(Array(try ledger.wholeHistory(of: alice).dropFirst()), before)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice, at: at).balance, 1100)
    XCTAssertEqual(try balance(ledger, alice), 980)
    try assertBooksAddUp(ledger)
  }

  // MARK: Expiry

  /// The failure: expiries took from paid lots, and expired currency could be spent until a sweep.
  func testExpiryTouchesItsLotOnlyAndNeedsNoSweeper() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let soon = Timestamp(milliseconds: time.now.milliseconds + 60_000)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.grant([Make.amount("GEM", 50)], customer: alice, source: .promotional, expiresAt: soon)
    try ledger.spend([Make.amount("GEM", 50)], customer: alice)
    try ledger.grant([Make.amount("GEM", 30)], customer: alice, source: .bonus, expiresAt: soon)
    time.advance(seconds: 60)
    // No sweep ran, and the expired lots are worth nothing.
    XCTAssertEqual(try balance(ledger, alice), 1200)
    assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("GEM", 1201)], customer: alice) }
    let spend = try ledger.spend([Make.amount("GEM", 1200)], customer: alice)
    XCTAssertEqual(spend.entries[0].allocations.map(\.source), [.paid])
    try assertBooksAddUp(ledger)
  }

  func testALotThatExpiresInMidHold() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let soon = Timestamp(milliseconds: time.now.milliseconds + 60_000)
    try ledger.grant([Make.amount("GEM", 50)], customer: alice, source: .promotional, expiresAt: soon)
    let held = try XCTUnwrap(try ledger.hold([Make.amount("GEM", 20)], customer: alice, for: .seconds(600)).hold?.id)
    let lapsing = try XCTUnwrap(try ledger.hold([Make.amount("GEM", 10)], customer: alice, for: .seconds(90)).hold?.id)
    time.advance(seconds: 60)
    XCTAssertEqual(try balance(ledger, alice), 30)
    XCTAssertEqual(try ledger.capture(held).entries.map(\.amount), [-20])
    time.advance(seconds: 30)
    // The deadline gave back currency that has expired by now.
    XCTAssertEqual(try balance(ledger, alice), 0)
    assertRefused(.holdEnded) { try ledger.capture(lapsing) }
    try assertBooksAddUp(ledger)
  }

  /// A timer ran on while the account was full, and lost the part of a tick at each read.
  func testEnergyDoesNotDrift() throws {
    let (ledger, alice) = (Ledger.inMemory(clock: time.clock), try Make.customer("alice"))
    try ledger.apply(EconomyStream.catalog())
    try ledger.createCustomer(alice)
    time.advance(seconds: 10_000)
    XCTAssertEqual(try balance(ledger, alice, "NRG"), 30, "full, however long the clock ran")
    try ledger.spend([Make.amount("NRG", 20)], customer: alice)
    for second in Int64(1)...600 {
      time.advance(seconds: 1)
      XCTAssertEqual(try balance(ledger, alice, "NRG"), min(30, 10 + second / 60 * 2))
      // Neither a read, nor a command, nor a sweep restarts the tick.
      if second % 7 == 0 { try ledger.sweep() }
    }
    try assertBooksAddUp(ledger)
  }

  // MARK: Amounts

  /// A negative count became a grant; a larger one than 32 bits was lost without a word.
  func testNegativeAndLargeAmounts() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    try ledger.createCustomer(bob)
    let before = try LedgerState(ledger)
    for bad in [Int64(0), -1, .min, .max, Limits.amount + 1] {
      let amount = try [Make.amount("GEM", bad)]
      assertRefused(.amountOutOfRange) { try ledger.spend(amount, customer: alice) }
      assertRefused(.amountOutOfRange) { try ledger.grant(amount, customer: alice) }
      assertRefused(.amountOutOfRange) { try ledger.hold(amount, customer: alice) }
      assertRefused(.amountOutOfRange) { try ledger.transfer(amount, from: alice, to: bob) }
      assertRefused(.amountOutOfRange) {
        try ledger.exchange(amount[0], into: CurrencyCode("COIN"), rate: ExchangeRate(1, for: 1), customer: alice)
      }
      assertRefused(.amountOutOfRange) { try ledger.buyItem(ItemID("extra_life"), quantity: bad, customer: alice) }
    }
    XCTAssertEqual(try LedgerState(ledger), before)
    try ledger.grant([Make.amount("COIN", Limits.amount)], customer: alice)
    XCTAssertEqual(try balance(ledger, alice, "COIN"), 9_007_199_254_740_991)
    try ledger.transfer([Make.amount("COIN", Limits.amount)], from: alice, to: bob)
    XCTAssertEqual(try balance(ledger, bob, "COIN"), 9_007_199_254_740_991)
    try assertBooksAddUp(ledger)
  }

  // MARK: Identities

  func testMergesInACycle() throws {
    let ledger = try ledger()
    let people = try ["alice", "bob", "carol"].map(Make.customer)
    for person in people { try ledger.grant([Make.amount("GEM", 10)], customer: person) }
    try ledger.merge(from: people[0], into: people[1])
    try ledger.merge(from: people[1], into: people[2])
    // All three are one by now, whichever way one asks.
    for from in people {
      for into in people {
        try assertRefusedWithoutTrace(.sameCustomer, ledger) { try ledger.merge(from: from, into: into) }
      }
    }
    for person in people { XCTAssertEqual(try balance(ledger, person), 30) }
    try assertBooksAddUp(ledger)
  }
}
