package import GemLedger
internal import GemLedgerAudit
import XCTest

/// Environment, price and lineage of lots through exchanges and baskets, and the reach of a refund.
package struct LineageContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testAnExchangeKeepsWhatLotsAre", testAnExchangeKeepsWhatLotsAre)
    run.step("testARoundTripIsInReachOfALaterRefund", testARoundTripIsInReachOfALaterRefund)
    run.step("testWhatComesBackAfterTheRefundIsReclaimed", testWhatComesBackAfterTheRefundIsReclaimed)
    run.step("testABonusKeepsItsLineage", testABonusKeepsItsLineage)
    run.step("testATransferBackIsReclaimed", testATransferBackIsReclaimed)
    run.step("testWhatAMergeBringsBackIsReclaimed", testWhatAMergeBringsBackIsReclaimed)
    run.step("testWhatAReleaseBringsBackIsReclaimed", testWhatAReleaseBringsBackIsReclaimed)
    run.step("testWhatAReversalBringsBackAfterAMergeIsReclaimed", testWhatAReversalBringsBackAfterAMergeIsReclaimed)
    run.step("testSomebodyElsesGiftIsNotReclaimed", testSomebodyElsesGiftIsNotReclaimed)
    run.step("testALineageStaysShort", testALineageStaysShort)
    run.step("testWhatExpiredUnspentIsTakenFromNowhere", testWhatExpiredUnspentIsTakenFromNowhere)
    run.step("testPartialRefundsOfAnExpiredCycle", testPartialRefundsOfAnExpiredCycle)
    run.step("testWhatExpiredIsNoDebtAndFreezesNobody", testWhatExpiredIsNoDebtAndFreezesNobody)
    run.step("testWhatExpiredBeforeAMergeIsKnown", testWhatExpiredBeforeAMergeIsKnown)
  }

  private func ledger() throws -> Ledger {
    let ledger = try make(time.clock)
    try ledger.apply(Catalog.load(Array(Self.document.utf8)))
    for id in ["alice", "bob"] { try ledger.createCustomer(Make.customer(id)) }
    return ledger
  }

  private func balance(_ ledger: Ledger, _ code: String, _ customer: String = "alice") throws -> Int64 {
    try ledger.balance(of: CurrencyCode(code), customer: Make.customer(customer)).balance
  }

  @discardableResult
  private func exchange(
    _ ledger: Ledger, _ amount: Int64, _ from: String, into: String, rate: ExchangeRate = ExchangeRate(1, for: 1),
    key: String? = nil
  ) throws -> Booking {
    try ledger.exchange(
      Make.amount(from, amount), into: CurrencyCode(into), rate: rate, customer: Make.customer("alice"),
      key: key.map(Make.key))
  }

  private func lots(_ ledger: Ledger, _ code: String, _ customer: String = "alice") throws -> [Explanation.Lot] {
    try ledger.explain(CurrencyCode(code), customer: Make.customer(customer)).lots.filter { $0.remaining > 0 }
  }

  // MARK: Exchanges

  func testAnExchangeKeepsWhatLotsAre() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let soon = Timestamp(milliseconds: time.now.milliseconds + 100_000)
    try ledger.grant([Make.amount("GEM", 30)], customer: alice, source: .promotional, expiresAt: soon)
    try ledger.book(.grant([Make.amount("GEM", 10)], customer: alice, source: .earned, environment: .sandbox))
    try ledger.grant([Make.amount("GEM", 10)], customer: alice, source: .earned)
    try ledger.creditPurchase(Make.purchase("t", product: "pack", environment: .sandbox), customer: alice)
    try exchange(ledger, 450, "GEM", into: "COIN", rate: ExchangeRate(2, for: 1))
    XCTAssertEqual(try balance(ledger, "COIN"), 900)
    let coins = try lots(ledger, "COIN")
    XCTAssertEqual(
      coins.map { "\($0.origin.source.name) \($0.origin.environment) \($0.remaining)" }.sorted(),
      [
        "bonus sandbox 200", "earned production 20", "earned sandbox 20", "paid sandbox 600",
        "promotional production 60",
      ])
    let paid = try XCTUnwrap(coins.first { $0.origin.source == .paid })
    XCTAssertEqual(paid.origin.price, Money(minorUnits: 299, currency: "USD"))
    XCTAssertEqual(paid.origin.purchase?.storeTransactionID.text, "t")
    XCTAssertEqual(coins.first { $0.origin.source == .promotional }?.origin.expiresAt, soon)
    time.advance(seconds: 100)
    XCTAssertEqual(try balance(ledger, "COIN"), 840)
    // After the exchange there and back, the currency is as before.
    try exchange(ledger, 840, "COIN", into: "GEM", rate: ExchangeRate(1, for: 2))
    XCTAssertEqual(
      Set(try lots(ledger, "GEM").map { "\($0.origin.source.name) \($0.origin.environment)" }),
      ["bonus sandbox", "earned production", "earned sandbox", "paid sandbox"])
    // Every unit of the price is in one lot or another, and none is in two.
    let left = try lots(ledger, "GEM").filter { $0.origin.source == .paid && $0.origin.environment != .production }
    XCTAssertEqual(left.reduce(0) { $0 + $1.remaining }, 1000)
    try check(ledger)
  }

  // MARK: Refunds after a round trip

  func testARoundTripIsInReachOfALaterRefund() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t", product: "plain"), customer: alice)
    try exchange(ledger, 1000, "GEM", into: "COIN")
    try exchange(ledger, 1000, "COIN", into: "GEM")
    try ledger.grant([Make.amount("GEM", 500)], customer: alice)
    let refund = try ledger.refund(Make.refund("t"))
    XCTAssertEqual(refund.entries.map(\.amount), [-1000])
    // Bought currency is taken, and granted currency is not.
    XCTAssertEqual(try lots(ledger, "GEM").map(\.origin.source), [.admin])
    try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(try balance(ledger, "GEM"), 1500)
    XCTAssertEqual(try lots(ledger, "GEM").map(\.origin.source).filter { $0 == .paid }.count, 1)
    try check(ledger)
  }

  /// Under `floor` a refund writes off the part in another currency; currency that returns goes to that part.
  func testWhatComesBackAfterTheRefundIsReclaimed() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t", product: "plain"), customer: alice)
    try exchange(ledger, 800, "GEM", into: "COIN", rate: ExchangeRate(2, for: 1))
    XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-200])
    let back = try exchange(ledger, 1000, "COIN", into: "GEM", rate: ExchangeRate(1, for: 2), key: "k")
    XCTAssertEqual(back.reclaimed, [CurrencyAmount(currency: try CurrencyCode("GEM"), amount: 500)])
    XCTAssertEqual(back.entries.map(\.amount), [-1000, 500, -500])
    XCTAssertEqual(try balance(ledger, "GEM"), 0)
    var again = try exchange(ledger, 1000, "COIN", into: "GEM", rate: ExchangeRate(1, for: 2), key: "k")
    XCTAssertTrue(again.isReplayed)
    again.isReplayed = false
    XCTAssertEqual(again, back)
    // At another rate more comes back than was let go; the rest stays.
    try exchange(ledger, 600, "COIN", into: "GEM", rate: ExchangeRate(1, for: 1))
    XCTAssertEqual(try balance(ledger, "GEM"), 300)
    try assertBooksAddUp(ledger)
    try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(try balance(ledger, "GEM"), 1300)
    try check(ledger)
  }

  func testABonusKeepsItsLineage() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t", product: "pack"), customer: alice)
    try exchange(ledger, 1100, "GEM", into: "COIN")
    // Currency of the same source that no purchase gave does not mix with it.
    try ledger.grant([Make.amount("COIN", 40)], customer: alice, source: .bonus)
    XCTAssertEqual(try lots(ledger, "COIN").filter { $0.origin.source == .bonus }.map(\.remaining).sorted(), [40, 100])
    XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [])
    let back = try exchange(ledger, 1140, "COIN", into: "GEM")
    XCTAssertEqual(back.reclaimed.map(\.amount), [1100])
    XCTAssertEqual(try balance(ledger, "GEM"), 40)
    try check(ledger)
  }

  func testATransferBackIsReclaimed() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.creditPurchase(Make.purchase("t", product: "plain"), customer: alice)
    try ledger.transfer([Make.amount("GEM", 700)], from: alice, to: bob)
    XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-300])
    let amount = try [Make.amount("GEM", 600)]
    let first = try ledger.transfer(amount, from: bob, to: alice, key: Make.key("k"))
    XCTAssertEqual(first.entries.map(\.amount), [-600])
    XCTAssertEqual(try balance(ledger, "GEM"), 0)
    var again = try ledger.transfer(amount, from: bob, to: alice, key: Make.key("k"))
    again.isReplayed = false
    XCTAssertEqual(again, first)
    XCTAssertEqual(try balance(ledger, "GEM", "bob"), 100)
    // Where the buyer pays the basket, its booking names the amount taken.
    let basket: [BasketLeg] = [
      .transfer([try Make.amount("GEM", 100)], from: bob, to: alice),
      .grant([try Make.amount("COIN", 1)], customer: bob, source: .earned),
    ]
    let command = LedgerCommand.basket(basket, payer: alice, key: try Make.key("b"))
    let booking: Booking = try ledger.book(command)
    XCTAssertEqual(booking.reclaimed.map(\.amount), [100])
    var replayed: Booking = try ledger.book(command)
    replayed.isReplayed = false
    XCTAssertEqual(replayed, booking)
    XCTAssertEqual(try balance(ledger, "GEM"), 0)
    try check(ledger)
  }

  /// Whichever of the two accounts goes on: a second account is no place where a refund cannot reach.
  func testWhatAMergeBringsBackIsReclaimed() throws {
    for (from, into) in [("bob", "alice"), ("alice", "bob")] {
      let ledger = try ledger()
      let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
      try ledger.creditPurchase(Make.purchase("t", product: "plain"), customer: alice)
      try ledger.transfer([Make.amount("GEM", 700)], from: alice, to: bob)
      try ledger.grant([Make.amount("GEM", 20)], customer: bob)
      XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-300])
      let command = LedgerCommand.merge(
        from: try Make.customer(from), into: try Make.customer(into), key: try Make.key("k"))
      let booking: Booking = try ledger.book(command)
      XCTAssertEqual(booking.reclaimed.map(\.amount), [700], "\(from) into \(into)")
      XCTAssertEqual(try balance(ledger, "GEM", into), 20)
      var again: Booking = try ledger.book(command)
      again.isReplayed = false
      XCTAssertEqual(again, booking)
      try ledger.reverseRefund(Make.reversal("t"))
      XCTAssertEqual(try balance(ledger, "GEM", into), 1020)
      try check(ledger)
    }
  }

  func testWhatAReversalBringsBackAfterAMergeIsReclaimed() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.creditPurchase(Make.purchase("t", product: "plain"), customer: alice)
    try ledger.transfer([Make.amount("GEM", 1000)], from: alice, to: bob)
    let spend = try ledger.spend([Make.amount("GEM", 1000)], customer: bob)
    XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [])
    try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(try ledger.reverse(XCTUnwrap(spend.transactionID)).reclaimed.map(\.amount), [1000])
    XCTAssertEqual(try balance(ledger, "GEM", "bob"), 0)
    try check(ledger)
  }

  func testWhatAReleaseBringsBackIsReclaimed() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t", product: "plain"), customer: alice)
    try exchange(ledger, 1000, "GEM", into: "COIN")
    try exchange(ledger, 1000, "COIN", into: "GEM")
    let hold = try XCTUnwrap(ledger.hold([Make.amount("GEM", 400)], customer: alice, for: .seconds(900)).hold)
    XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-600])
    XCTAssertEqual(try ledger.release(XCTUnwrap(hold.id)).reclaimed.map(\.amount), [400])
    XCTAssertEqual(try balance(ledger, "GEM"), 0)
    try check(ledger)
  }

  func testSomebodyElsesGiftIsNotReclaimed() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.creditPurchase(Make.purchase("t", product: "plain"), customer: alice)
    try ledger.creditPurchase(Make.purchase("u", product: "plain"), customer: bob)
    try ledger.spend([Make.amount("GEM", 1000)], customer: alice)
    try ledger.refund(Make.refund("t"))
    try ledger.transfer([Make.amount("GEM", 400)], from: bob, to: alice)
    XCTAssertEqual(try balance(ledger, "GEM"), 400)
    // The currency is of bob's purchase; the refund of that purchase writes it off.
    XCTAssertEqual(try ledger.refund(Make.refund("u")).entries.map(\.amount), [-600])
    try exchange(ledger, 400, "GEM", into: "COIN")
    XCTAssertEqual(try balance(ledger, "COIN"), 400)
    try check(ledger)
  }

  func testALineageStaysShort() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.creditPurchase(Make.purchase("t", product: "plain"), customer: alice)
    for _ in 0..<20 {
      try exchange(ledger, 1000, "GEM", into: "COIN")
      try exchange(ledger, 1000, "COIN", into: "GEM")
      try ledger.transfer([Make.amount("GEM", 1000)], from: alice, to: bob)
      try ledger.transfer([Make.amount("GEM", 1000)], from: bob, to: alice)
    }
    let lot = try XCTUnwrap(try lots(ledger, "GEM").first)
    XCTAssertEqual(lot.origin.purchase?.storeTransactionID.text, "t")
    XCTAssertLessThan(lot.origin.origins.count, 20)
    XCTAssertEqual(lot.origin.price, Money(minorUnits: 999, currency: "USD"))
    XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-1000])
    try check(ledger)
  }

  // MARK: Expired currency

  private func cycle(_ id: String, product: String = "monthly", seconds: Int64 = 100) throws -> StorePurchase {
    var purchase = try Make.purchase(id, product: product)
    purchase.cycleEndsAt = Timestamp(milliseconds: time.now.milliseconds + seconds * 1000)
    return purchase
  }

  /// Of a cycle of 100 with a bonus of 10, 30 were spent; the expired 80 are not taken from other currency.
  func testWhatExpiredUnspentIsTakenFromNowhere() throws {
    for (line, isBooked) in [(#line, true), (#line, false)] as [(UInt, Bool)] {
      let ledger = try ledger()
      let alice = try Make.customer("alice")
      try ledger.creditPurchase(cycle("t"), customer: alice)
      try ledger.creditPurchase(Make.purchase("other", product: "plain"), customer: alice)
      try ledger.spend([Make.amount("GEM", 30)], customer: alice)
      time.advance(seconds: 100)
      if isBooked { for _ in 0..<70 { try ledger.grant([Make.amount("GEM", 1)], customer: alice) } }
      let before = try balance(ledger, "GEM")
      XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-30], line: line)
      XCTAssertEqual(try balance(ledger, "GEM"), before - 30, line: line)
      try assertBooksAddUp(ledger, line: line)
      try ledger.reverseRefund(Make.reversal("t"))
      XCTAssertEqual(try balance(ledger, "GEM"), before, line: line)
      try check(ledger, line: line)
    }
  }

  func testPartialRefundsOfAnExpiredCycle() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(cycle("t"), customer: alice)
    try ledger.spend([Make.amount("GEM", 90)], customer: alice)
    // Half of it is spent anyway, and 20 were left.
    let hold = try ledger.hold([Make.amount("GEM", 5)], customer: alice, for: .seconds(200))
    time.advance(seconds: 100)
    try ledger.release(XCTUnwrap(hold.hold?.id))
    try ledger.grant([Make.amount("GEM", 500)], customer: alice)
    XCTAssertEqual(try ledger.refund(Make.refund("t", .milliPercent(50_000))).entries.map(\.amount), [-35])
    XCTAssertEqual(try ledger.refund(Make.refund("t", revokedAt: 200, signedAt: 200)).entries.map(\.amount), [-55])
    XCTAssertEqual(try balance(ledger, "GEM"), 410)
    try ledger.reverseRefund(Make.reversal("t", signedAt: 300))
    XCTAssertEqual(try balance(ledger, "GEM"), 500)
    try check(ledger)
  }

  func testWhatExpiredIsNoDebtAndFreezesNobody() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(cycle("owed", product: "monthly_rubies"), customer: alice)
    try ledger.creditPurchase(cycle("frozen", product: "monthly_ore"), customer: alice)
    try ledger.spend([Make.amount("RUBY", 40)], customer: alice)
    time.advance(seconds: 100)
    XCTAssertEqual(try ledger.refund(Make.refund("owed")).entries.map(\.debt), [40])
    XCTAssertEqual(try ledger.refund(Make.refund("frozen")).entries.map(\.amount), [])
    XCTAssertFalse(try ledger.customer(alice).isFrozen)
    try check(ledger)
  }

  func testWhatExpiredBeforeAMergeIsKnown() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.creditPurchase(cycle("t"), customer: alice)
    try ledger.spend([Make.amount("GEM", 60)], customer: alice)
    try ledger.grant([Make.amount("GEM", 1000)], customer: bob)
    time.advance(seconds: 100)
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-60])
    XCTAssertEqual(try balance(ledger, "GEM", "bob"), 941)
    try check(ledger)
  }

  private static let document = """
    {
      "currencies": [
        {"code": "GEM", "name": "Gems"}, {"code": "COIN", "name": "Coins"},
        {"code": "RUBY", "name": "Rubies", "refund_policy": "debt"},
        {"code": "ORE", "name": "Ore", "refund_policy": "freeze"}
      ],
      "products": [
        {"code": "plain", "type": "consumable", "grants": [{"currency": "GEM", "amount": 1000}]},
        {"code": "pack", "type": "consumable", "grants": [{"currency": "GEM", "amount": 1000, "bonus": 100}]},
        {"code": "monthly", "type": "auto_renewable_subscription", "period": "P1M",
         "grants": [{"currency": "GEM", "amount": 100, "bonus": 10, "expires_at_cycle_end": true}]},
        {"code": "monthly_rubies", "type": "auto_renewable_subscription", "period": "P1M",
         "grants": [{"currency": "RUBY", "amount": 100, "expires_at_cycle_end": true}]},
        {"code": "monthly_ore", "type": "auto_renewable_subscription", "period": "P1M",
         "grants": [{"currency": "ORE", "amount": 100, "expires_at_cycle_end": true}]}
      ]
    }
    """
}
