internal import GemLedger
internal import GemLedgerAudit
import XCTest

extension InsightContract {
  private func bought(_ id: String, _ product: String = "gems_1200", price: Int64 = 999) throws -> StorePurchase {
    var purchase = try Make.purchase(id, product: product, price: Money(minorUnits: price, currency: "USD"))
    purchase.purchasedAt = time.now
    return purchase
  }

  private func gem() throws -> CurrencyCode { try CurrencyCode("GEM") }

  private func only(_ ledger: Ledger, _ id: String) throws -> Consumption {
    let found = try ledger.consumption(of: StoreTransactionID(id))
    XCTAssertEqual(found.count, 1)
    return found[0]
  }

  func testConsumedShares() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.creditPurchase(bought("t1"), customer: alice)
    XCTAssertEqual(try only(ledger, "t1").consumedMilliPercent, 0)
    try ledger.spend([Make.amount("GEM", 400)], customer: alice)
    let third = try only(ledger, "t1")
    XCTAssertEqual(third.consumedMilliPercent, 33_333)
    XCTAssertEqual(third.currencies.map(\.remaining), [800])
    XCTAssertEqual(third.delivery, .delivered)
    XCTAssertEqual(third.purchase.customer, alice)
    // Half of it, 600, of which the lot has them all.
    try ledger.refund(Make.refund("t1", .milliPercent(50_000)))
    let refunded = try only(ledger, "t1")
    XCTAssertEqual(refunded.currencies.map(\.refunded), [600])
    XCTAssertEqual(refunded.currencies.map(\.remaining), [200])
    XCTAssertEqual(refunded.consumedMilliPercent, 33_333)
    XCTAssertEqual(refunded.refundedMilliPercent, 50_000)
    try ledger.reverseRefund(Make.reversal("t1"))
    XCTAssertEqual(try only(ledger, "t1").currencies, third.currencies)
    // Two currencies and a bonus: all of one and nothing of the other.
    try ledger.creditPurchase(bought("t2", "bundle"), customer: alice)
    try ledger.spend([Make.amount("COIN", 330)], customer: alice)
    let bundle = try only(ledger, "t2")
    XCTAssertEqual(bundle.currencies.map(\.consumedMilliPercent), [100_000, 0])
    XCTAssertEqual(bundle.consumedMilliPercent, 50_000)
    try ledger.creditPurchase(bought("t3", "chest"), customer: alice)
    XCTAssertNil(try only(ledger, "t3").consumedMilliPercent)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testConsumptionAfterAMerge() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    try ledger.createCustomer(alice)
    try ledger.creditPurchase(bought("t1"), customer: bob)
    try ledger.spend([Make.amount("GEM", 120)], customer: bob)
    try ledger.merge(from: bob, into: alice)
    try ledger.spend([Make.amount("GEM", 120)], customer: alice)
    let found = try only(ledger, "t1")
    XCTAssertEqual(found.consumedMilliPercent, 20_000)
    XCTAssertEqual(found.purchase.customer, alice)
    XCTAssertEqual(try ledger.withdrawable(of: bob).map(\.purchase), [found.purchase])
    XCTAssertEqual(try ledger.spends(of: alice).spends.map(\.amount), [120, 120])
    ledger.close()
  }

  func testSpendsAndNothingElse() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    try ledger.creditPurchase(bought("t1"), customer: alice)
    try ledger.spend([Make.amount("GEM", 130)], customer: alice)
    time.advance(seconds: 5)
    let since = time.now
    try ledger.buyItem(ItemID("extra_life"), quantity: 2, customer: alice)
    for _ in 0..<4 {
      try ledger.grant([Make.amount("COIN", 3)], customer: alice)
      try ledger.spend([Make.amount("COIN", 1), Make.amount("GEM", 2)], customer: alice)
    }
    let all = try ledger.spends(of: alice)
    XCTAssertEqual(all.spends.map(\.amount), [1, 2, 1, 2, 1, 2, 1, 2, 100, 130])
    XCTAssertEqual(all.spends.map(\.paid), [0, 2, 0, 2, 0, 2, 0, 2, 100, 30])
    XCTAssertEqual(all.spends.map(\.items.count), [0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    XCTAssertNil(all.next)
    XCTAssertEqual(try ledger.spends(of: alice, since: since).spends, Array(all.spends.dropLast()))
    for limit in [1, 2, 3, 5] {
      var found: [Spend] = []
      var cursor: PageCursor?
      repeat {
        let page = try ledger.spends(of: alice, limit: limit, after: cursor)
        found += page.spends
        cursor = page.next
      } while cursor != nil
      XCTAssertEqual(found, all.spends, "pages of \(limit)")
    }
    ledger.close()
  }

  func testPaidAndFreeApart() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    try ledger.creditPurchase(bought("t1"), customer: alice)
    try ledger.spend([Make.amount("GEM", 700)], customer: alice)
    let split = try ledger.split(of: alice)
    XCTAssertEqual(split.map(\.paid), [600])
    XCTAssertEqual(split.map(\.free), [0])
    // 999 - floor(999 / 2)
    XCTAssertEqual(split.map(\.values), [[Money(minorUnits: 500, currency: "USD")]])
    try ledger.adjust([Make.amount("GEM", 4)], customer: alice)
    XCTAssertEqual(try ledger.split(of: alice).map(\.free), [4])
    ledger.close()
  }

  func testWhatCanBeWithdrawn() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    try ledger.creditPurchase(bought("old", "rubies"), customer: alice)
    time.advance(seconds: 10 * 86_400)
    try ledger.creditPurchase(bought("new", "rubies"), customer: alice)
    try ledger.creditPurchase(bought("used", "gems_1200"), customer: bob)
    try ledger.spend([Make.amount("GEM", 1200)], customer: bob)
    try ledger.spend([Make.amount("RUBY", 150)], customer: alice)
    let then = time.now
    func check(_ line: UInt = #line) throws {
      let open = try ledger.withdrawable(at: then)
      XCTAssertEqual(open.map(\.purchase.storeTransactionID.text), ["new"], line: line)
      XCTAssertEqual(open.flatMap(\.currencies).map(\.unused), [50], line: line)
      XCTAssertEqual(open.flatMap(\.currencies).map(\.value?.minorUnits), [500], line: line)
      XCTAssertEqual(open.map(\.until.milliseconds), [then.milliseconds + 14 * 86_400_000], line: line)
    }
    try check()
    XCTAssertEqual(try ledger.withdrawable(of: alice), try ledger.withdrawable())
    XCTAssertEqual(try ledger.withdrawable(of: bob), [])
    time.advance(seconds: 14 * 86_400 - 1)
    XCTAssertEqual(try ledger.withdrawable(of: alice).count, 1)
    time.advance(seconds: 1)
    XCTAssertEqual(try ledger.withdrawable(of: alice), [])
    XCTAssertEqual(try ledger.withdrawable(), [])
    try ledger.spend([Make.amount("RUBY", 50)], customer: alice)
    try ledger.merge(from: alice, into: bob)
    time.advance(seconds: 60)
    let open = try ledger.withdrawable(at: then)
    XCTAssertEqual(open.flatMap(\.currencies).map(\.unused), [50])
    XCTAssertEqual(open.map(\.purchase.customer), [bob])
    ledger.close()
  }

  func testWhatItemsReallyCost() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.creditPurchase(bought("t1", price: 1200), customer: alice)
    try ledger.grant([Make.amount("GEM", 30)], customer: alice)
    // 50 gems a life: 30 are free, 70 cost a cent each.
    try ledger.buyItem(ItemID("extra_life"), quantity: 2, customer: alice)
    time.advance(seconds: 10)
    let from = time.now
    try ledger.buyItem(ItemID("extra_life"), customer: alice)
    try ledger.spend([Make.amount("GEM", 500)], customer: alice)
    let life = try XCTUnwrap(ledger.effectivePrices().first)
    XCTAssertEqual(life.item.text, "extra_life")
    XCTAssertEqual(life.units, 3)
    XCTAssertEqual(life.charges.map(\.amount), [150])
    XCTAssertEqual(life.charges.map(\.paid), [120])
    XCTAssertEqual(life.charges.map(\.freeMilliPercent), [20_000])
    XCTAssertEqual(life.costs.map(\.total.minorUnits), [120])
    XCTAssertEqual(life.costs.map(\.perUnit.minorUnits), [40])
    let later = try ledger.effectivePrices(of: ItemID("extra_life"), from: from)
    XCTAssertEqual(later.map(\.units), [1])
    XCTAssertEqual(later.flatMap(\.costs).map(\.total.minorUnits), [50])
    XCTAssertEqual(try ledger.effectivePrices(until: from).map(\.units), [2])
    XCTAssertEqual(try ledger.effectivePrices(of: ItemID("sword")), [])
    let sale = try ledger.spends(of: alice).spends.first { $0.items.count == 1 }
    try ledger.reverse(XCTUnwrap(sale).transactionID, amounts: [Make.amount("GEM", 20)])
    let reduced = try XCTUnwrap(ledger.effectivePrices().first)
    XCTAssertEqual([reduced.units, reduced.charges[0].amount, reduced.charges[0].paid], [3, 130, 100])
    ledger.close()
  }

  func testFlowsByDay() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    let day: Int64 = 86_400_000
    let start = time.now.milliseconds
    let boundaries = (0...3).map { Timestamp(milliseconds: start + day * $0) }
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    try ledger.grant([Make.amount("GEM", 50)], customer: bob)
    time.advance(seconds: 86_400)
    try ledger.spend([Make.amount("GEM", 30)], customer: alice)
    try ledger.merge(from: bob, into: alice)
    time.advance(seconds: 2 * 86_400)
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    let flows = try ledger.flows(between: boundaries)
    XCTAssertEqual(flows.days.map { $0.flows.map(\.kind) }, [[.grant], [.spend], []])
    XCTAssertEqual(flows.days.map { $0.flows.map(\.net) }, [[150], [-30], []])
    let gem = try gem()
    XCTAssertEqual(flows.days.map { $0.outstanding[gem] }, [150, 120, 120])
    // With boundaries a millisecond later, each day takes the transactions at its end.
    let shifted = try ledger.flows(between: boundaries.map { Timestamp(milliseconds: $0.milliseconds + 1) })
    XCTAssertEqual(shifted.days.map { $0.flows.map(\.net) }, [[-30], [], [1]])
    XCTAssertEqual(shifted.days.map { $0.outstanding[gem] }, [120, 120, 121])
    ledger.close()
  }

  func testRefusals() throws {
    let (ledger, alice, nobody) = (try ledger(), try Make.customer("alice"), try Make.customer("nobody"))
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    let now = time.now
    let later = Timestamp(milliseconds: now.milliseconds + 1)
    assertRefused(.customerNotFound) { try ledger.explain(gem(), customer: nobody) }
    assertRefused(.unknownCurrency) { try ledger.explain(CurrencyCode("GOLD"), customer: alice) }
    assertRefused(.limitExceeded) { try ledger.explain(gem(), customer: alice, limit: 0) }
    assertRefused(.invalidRequest) { try ledger.explain(gem(), customer: alice, after: PageCursor("x")) }
    assertRefused(.customerNotFound) { try ledger.statement(of: nobody) }
    assertRefused(.limitExceeded) { try ledger.statement(of: alice, limit: 1001) }
    assertRefused(.invalidRequest) { try ledger.statement(of: alice, from: later, until: now) }
    assertRefused(.customerNotFound) { try ledger.split(of: nobody) }
    assertRefused(.customerNotFound) { try ledger.spends(of: nobody) }
    assertRefused(.customerNotFound) { try ledger.withdrawable(of: nobody) }
    assertRefused(.purchaseNotFound) { try ledger.consumption(of: StoreTransactionID("t")) }
    assertRefused(.invalidRequest) { try ledger.effectivePrices(from: later, until: now) }
    assertRefused(.invalidRequest) { try ledger.flows(between: [now]) }
    assertRefused(.invalidRequest) { try ledger.flows(between: [later, now]) }
    assertRefused(.limitExceeded) {
      try ledger.flows(between: (0...4000).map { Timestamp(milliseconds: Int64($0)) })
    }
    assertRefused(.limitExceeded) { try ledger.sales.topItems(from: later, until: now, limit: 0) }
    assertRefused(.invalidRequest) { try ledger.sales.topItems(from: later, until: now) }
    assertRefused(.invalidRequest) { try ledger.sales.cohorts(between: [later, now]) }
    assertRefused(.limitExceeded) {
      try ledger.sales.cohorts(between: (0...129).map { Timestamp(milliseconds: Int64($0)) })
    }
    ledger.close()
  }
}
