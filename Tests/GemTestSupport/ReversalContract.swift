package import GemLedger
import XCTest

/// Reversed spends, transfers, exchanges, and erased customers, on any storage.
package struct ReversalContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testAReversalReturnsToTheVeryLots", testAReversalReturnsToTheVeryLots)
    run.step("testPartsOfASpend", testPartsOfASpend)
    run.step("testWhatExpiredStaysGone", testWhatExpiredStaysGone)
    run.step("testWhatCannotBeUndone", testWhatCannotBeUndone)
    run.step("testItemsGoBackWithThePrice", testItemsGoBackWithThePrice)
    run.step("testAReversalAfterARefund", testAReversalAfterARefund)
    run.step("testAReversalRepaysADebt", testAReversalRepaysADebt)
    run.step("testAReversalAfterAMerge", testAReversalAfterAMerge)
    run.step("testAReversalMayPassTheMaximum", testAReversalMayPassTheMaximum)
    run.step("testAnswersGivenAgain", testAnswersGivenAgain)
  }

  private func gems(_ amount: Int64) throws -> CurrencyAmount {
    CurrencyAmount(currency: try CurrencyCode("GEM"), amount: amount)
  }

  func testAReversalReturnsToTheVeryLots() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 50)], customer: alice)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let spend = try ledger.spend([Make.amount("GEM", 80)], customer: alice)
    let reversal = try ledger.reverse(XCTUnwrap(spend.transactionID))
    XCTAssertEqual(reversal.kind, .reversal)
    XCTAssertEqual(reversal.reversed, spend.transactionID)
    XCTAssertEqual(reversal.entries.map(\.amount), [80])
    XCTAssertEqual(
      Array(reversal.entries[0].allocations.map(\.lot)), Array(spend.entries[0].allocations.map(\.lot).reversed()))
    XCTAssertEqual(reversal.entries[0].allocations.map(\.amount), [30, 50])
    // A refund finds the purchase whole again.
    XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-1200])
    XCTAssertEqual(try balance(ledger, alice), 50)
    try check(ledger)
  }

  func testPartsOfASpend() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 50), Make.amount("COIN", 5)], customer: alice)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let spend = try ledger.spend([Make.amount("GEM", 80), Make.amount("COIN", 5)], customer: alice)
    let id = try XCTUnwrap(spend.transactionID)
    let first = try ledger.reverse(id, amounts: [Make.amount("GEM", 40)])
    // The lot that was burnt last has its own back first.
    XCTAssertEqual(first.entries[0].allocations.map(\.amount), [30, 10])
    try assertRefusedWithoutTrace(.exceedsOriginal, ledger) {
      try ledger.reverse(id, amounts: [Make.amount("GEM", 41)])
    }
    try assertRefusedWithoutTrace(.exceedsOriginal, ledger) { try ledger.reverse(id, amounts: [Make.amount("ORE", 1)]) }
    let second = try ledger.reverse(id, amounts: [Make.amount("GEM", 1)])
    XCTAssertEqual(second.entries[0].allocations.map(\.amount), [1])
    let rest = try ledger.reverse(id)
    XCTAssertEqual(rest.entries.map(\.amount), [5, 39])
    try assertRefusedWithoutTrace(.alreadyReversed, ledger) { try ledger.reverse(id) }
    try assertRefusedWithoutTrace(.alreadyReversed, ledger) { try ledger.reverse(id, amounts: [Make.amount("GEM", 1)]) }
    XCTAssertEqual(try balance(ledger, alice), 1250)
    let burnt = try ledger.spend([Make.amount("GEM", 60)], customer: alice)
    XCTAssertEqual(burnt.entries[0].allocations.map(\.amount), [-50, -10])
    try check(ledger)
  }

  func testWhatExpiredStaysGone() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let soon = Timestamp(milliseconds: time.now.milliseconds + 100_000)
    try ledger.grant([Make.amount("GEM", 30)], customer: alice, source: .promotional, expiresAt: soon)
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    let spend = try ledger.spend([Make.amount("GEM", 35)], customer: alice)
    time.advance(seconds: 100)
    let reversal = try ledger.reverse(XCTUnwrap(spend.transactionID))
    XCTAssertEqual(reversal.expired, [try gems(30)])
    XCTAssertEqual(reversal.entries.map(\.amount), [35, -30])
    XCTAssertEqual(reversal.balance(try CurrencyCode("GEM")), 10)
    XCTAssertEqual(try balance(ledger, alice), 10)
    assertRefused(.alreadyReversed) { try ledger.reverse(XCTUnwrap(spend.transactionID)) }
    try check(ledger)
  }

  func testWhatCannotBeUndone() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let grant = try ledger.grant([Make.amount("GEM", 50)], customer: alice)
    let purchase = try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let spend = try ledger.spend([Make.amount("GEM", 20)], customer: alice)
    let reversal = try ledger.reverse(XCTUnwrap(spend.transactionID))
    for booking in [grant, purchase, reversal] {
      try assertRefusedWithoutTrace(.notReversible, ledger) { try ledger.reverse(XCTUnwrap(booking.transactionID)) }
    }
    assertRefused(.transactionNotFound) {
      try ledger.reverse(TransactionID("019aa3f2-6c1e-7000-8000-00000a51c7e4"))
    }
    let id = try XCTUnwrap(spend.transactionID)
    assertRefused(.invalidRequest) { try ledger.reverse(id, amounts: []) }
    assertRefused(.amountOutOfRange) { try ledger.reverse(id, amounts: [Make.amount("GEM", -5)]) }
    try check(ledger)
  }

  func testItemsGoBackWithThePrice() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 500), Make.amount("COIN", 50)], customer: alice)
    let bought = try ledger.buyItem(ItemID("sword"), quantity: 2, customer: alice)
    let id = try XCTUnwrap(bought.transactionID)
    let part = try ledger.reverse(id, amounts: [Make.amount("GEM", 150)])
    XCTAssertEqual(part.items, [])
    let rest = try ledger.reverse(id)
    XCTAssertEqual(rest.items.map(\.quantity), [-2])
    XCTAssertEqual(rest.items.map(\.owned), [0])
    XCTAssertEqual(try balance(ledger, alice), 500)
    // Items that were given away cannot go back.
    let again = try ledger.buyItem(ItemID("sword"), quantity: 2, customer: alice)
    let bob = try Make.customer("bob")
    try ledger.createCustomer(bob)
    try ledger.basket([.item(ItemID("sword"), quantity: 1, from: alice, to: bob)], payer: alice)
    try assertRefusedWithoutTrace(.notReversible, ledger) { try ledger.reverse(XCTUnwrap(again.transactionID)) }
    try ledger.reverse(XCTUnwrap(again.transactionID), amounts: [Make.amount("GEM", 100)])
    try check(ledger)
  }

  func testAReversalAfterARefund() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let spend = try ledger.spend([Make.amount("GEM", 1000)], customer: alice)
    try ledger.refund(Make.refund("t", .milliPercent(50_000)))
    XCTAssertEqual(try balance(ledger, alice), 0)
    // 400 of the 600 that were due had been let go.
    let reversal = try ledger.reverse(XCTUnwrap(spend.transactionID))
    XCTAssertEqual(reversal.reclaimed, [try gems(400)])
    XCTAssertEqual(try balance(ledger, alice), 600)
    try ledger.refund(Make.refund("t", .full, revokedAt: 200, signedAt: 200))
    XCTAssertEqual(try balance(ledger, alice), 0)
    try ledger.reverseRefund(Make.reversal("t", signedAt: 300))
    XCTAssertEqual(try balance(ledger, alice), 1200)
    try check(ledger)
  }

  func testAReversalRepaysADebt() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let ruby = try CurrencyCode("RUBY")
    try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
    let spend = try ledger.spend([Make.amount("RUBY", 90)], customer: alice)
    try ledger.refund(Make.refund("t"))
    XCTAssertEqual(try ledger.balance(of: ruby, customer: alice).debt, 90)
    let reversal = try ledger.reverse(XCTUnwrap(spend.transactionID), amounts: [Make.amount("RUBY", 60)])
    XCTAssertEqual(reversal.entries.map(\.debt), [30])
    XCTAssertEqual(try balance(ledger, "RUBY", alice), 0)
    try ledger.reverse(XCTUnwrap(spend.transactionID))
    XCTAssertEqual(try ledger.balance(of: ruby, customer: alice).debt, 0)
    XCTAssertEqual(try balance(ledger, "RUBY", alice), 0)
    try check(ledger)
  }

  func testAReversalAfterAMerge() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.grant([Make.amount("GEM", 50)], customer: alice)
    try ledger.grant([Make.amount("GEM", 5)], customer: bob)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let spend = try ledger.spend([Make.amount("GEM", 1250)], customer: alice, key: Make.key("k"))
    try ledger.merge(from: alice, into: bob)
    let id = try XCTUnwrap(spend.transactionID)
    let first = try ledger.reverse(id, amounts: [Make.amount("GEM", 1210)], key: Make.key("r"))
    XCTAssertEqual(first.customer, bob)
    XCTAssertEqual(try balance(ledger, bob), 1215)
    try ledger.reverse(id)
    assertRefused(.alreadyReversed) { try ledger.reverse(id) }
    XCTAssertTrue(try ledger.reverse(id, amounts: [Make.amount("GEM", 1210)], key: Make.key("r")).isReplayed)
    try ledger.refund(Make.refund("t"))
    XCTAssertEqual(try balance(ledger, bob), 55)
    try check(ledger)
  }

  func testAReversalMayPassTheMaximum() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("ORE", 1000)], customer: alice)
    let spend = try ledger.spend([Make.amount("ORE", 600)], customer: alice)
    try ledger.grant([Make.amount("ORE", 600)], customer: alice)
    let reversal = try ledger.reverse(XCTUnwrap(spend.transactionID))
    XCTAssertTrue(reversal.isOverMaximum)
    XCTAssertEqual(try balance(ledger, "ORE", alice), 1600)
    try check(ledger)
  }

  func testAnswersGivenAgain() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let soon = Timestamp(milliseconds: time.now.milliseconds + 100_000)
    try ledger.grant([Make.amount("GEM", 30)], customer: alice, source: .promotional, expiresAt: soon)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let spend = try ledger.spend([Make.amount("GEM", 1230)], customer: alice)
    try ledger.refund(Make.refund("t", .milliPercent(10_000)))
    time.advance(seconds: 100)
    let command = LedgerCommand.reverse(try XCTUnwrap(spend.transactionID), key: try Make.key("k"))
    let first: Booking = try ledger.book(command)
    XCTAssertEqual(first.entries.map(\.amount), [1230, -30, -120])
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    var again: Booking = try ledger.book(command)
    XCTAssertTrue(again.isReplayed)
    again.isReplayed = false
    XCTAssertEqual(again, first)
    assertRefused(.keyConflict) {
      try ledger.reverse(XCTUnwrap(spend.transactionID), amounts: [Make.amount("GEM", 1)], key: Make.key("k"))
    }
    let record = try ledger.history(of: alice).transactions.first { $0.booking.kind == .reversal }
    XCTAssertEqual(record?.booking.expired, first.expired)
    XCTAssertEqual(record?.booking.reclaimed, first.reclaimed)
    XCTAssertEqual(record?.booking.reversed, spend.transactionID)
    // Currency lost at once has transactions of its own in the lists, which add up to the balance.
    XCTAssertEqual(record?.booking.entries.map(\.amount), [1230])
    let gem = try CurrencyCode("GEM")
    let lists = [
      try ledger.history(of: alice).transactions.map(\.booking), try ledger.feed().events.map(\.record.booking),
    ]
    for bookings in lists {
      let sum = bookings.flatMap(\.entries).filter { $0.currency == gem }.reduce(0) { $0 + $1.amount }
      XCTAssertEqual(sum, try balance(ledger, alice))
    }
    try check(ledger)
  }
}
