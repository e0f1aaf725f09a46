package import GemLedger
internal import GemLedgerAudit
import XCTest

/// The requirements of the ledger on every storage; each storage's tests call ``runAll()`` from a test of their own.
package struct StorageContract: LedgerContract {
  /// Makes an empty ledger over the storage with the tests' catalog.
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testBalancesFollowAdjustments", testBalancesFollowAdjustments)
    run.step("testAKeyGivesTheFirstAnswer", testAKeyGivesTheFirstAnswer)
    run.step("testARefusalIsKept", testARefusalIsKept)
    run.step("testAPurchaseIsCreditedOnce", testAPurchaseIsCreditedOnce)
    run.step("testLotsBurnInOrder", testLotsBurnInOrder)
    run.step("testPaidFirst", testPaidFirst)
    run.step("testExpiry", testExpiry)
    run.step("testHistoryPages", testHistoryPages)
    run.step("testBalanceAtTimeAndVersion", testBalanceAtTimeAndVersion)
    run.step("testItems", testItems)
    run.step("testConditions", testConditions)
    run.step("testSeveralCurrenciesAreAllOrNothing", testSeveralCurrenciesAreAllOrNothing)
    run.step("testPreviewsChangeNothing", testPreviewsChangeNothing)
    run.step("testOneGroupSeesItself", testOneGroupSeesItself)
    run.step("testManyLots", testManyLots)
    run.step("testTransactionsWithoutEntries", testTransactionsWithoutEntries)
    run.step("testPurchasesMayPassTheMaximum", testPurchasesMayPassTheMaximum)
    run.step("testWhatACatalogMayNotHoldIsNotDefined", testWhatACatalogMayNotHoldIsNotDefined)
    run.step("testPurchasesAreCheckedBeforeTheyAreCredited", testPurchasesAreCheckedBeforeTheyAreCredited)
    run.step("testAPurchaseGivenAgainIsTheFirstAnswer", testAPurchaseGivenAgainIsTheFirstAnswer)
    run.step("JournalEventContract", JournalEventContract(make: make).runAll)
    run.step("CommandContract", CommandContract(make: make).runAll)
    run.step("ErasureContract", ErasureContract(make: make).runAll)
  }

  private func gems(_ ledger: Ledger, _ customer: CustomerID, _ code: String = "GEM") throws -> Int64 {
    try ledger.balance(of: CurrencyCode(code), customer: customer).balance
  }

  func testBalancesFollowAdjustments() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    assertRefused(.customerNotFound) { try ledger.spend([Make.amount("GEM", 1)], customer: alice) }
    let grant = try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    XCTAssertEqual(grant.kind, .grant)
    XCTAssertEqual(grant.entries.map(\.version), [1])
    let spend = try ledger.spend([Make.amount("GEM", 30)], customer: alice)
    XCTAssertEqual(spend.entries.map(\.balance), [70])
    XCTAssertEqual(spend.entries[0].allocations.map(\.amount), [-30])
    XCTAssertEqual(spend.entries[0].allocations[0].lot, grant.entries[0].allocations[0].lot)
    let refusal = assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("GEM", 71)], customer: alice) }
    XCTAssertEqual(refusal?.integer("needed"), 71)
    XCTAssertEqual(refusal?.integer("available"), 70)
    XCTAssertEqual(try gems(ledger, alice), 70)
    assertRefused(.unknownCurrency) { try ledger.spend([Make.amount("GOLD", 1)], customer: alice) }
    XCTAssertEqual(try ledger.balances(of: alice).map(\.balance), [0, 70, 0, 0])
    try check(ledger)
  }

  func testAKeyGivesTheFirstAnswer() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    let uuid = IdempotencyKey.timeOrdered()
    for key in [try Make.key("order-1"), uuid, try Make.key(uuid.text.uppercased())] {
      try ledger.grant([Make.amount("GEM", 100)], customer: alice)
      try ledger.grant([Make.amount("GEM", 100)], customer: bob)
      let first = try ledger.spend([Make.amount("GEM", 60)], customer: alice, key: key)
      let again = try ledger.spend([Make.amount("GEM", 60)], customer: alice, key: key)
      XCTAssertTrue(again.isReplayed)
      XCTAssertEqual(again.transactionID, first.transactionID)
      XCTAssertEqual(again.entries, first.entries)
      let conflict = assertRefused(.keyConflict) {
        try ledger.spend([Make.amount("GEM", 61)], customer: alice, key: key)
      }
      XCTAssertEqual(conflict?.text("field"), "adjustments")
      XCTAssertEqual(conflict?.isInverseConflict, false)
      let inverse = assertRefused(.keyConflict) {
        try ledger.book(.adjust([Make.amount("GEM", 60)], customer: alice, key: key))
      }
      XCTAssertEqual(inverse?.text("inverse_of"), first.transactionID?.description)
      // A grant has no reversal that the message could name.
      let gift = try Make.key("gift-\(key)")
      try ledger.book(.adjust([Make.amount("GEM", 5)], customer: alice, key: gift))
      let taken = assertRefused(.keyConflict) {
        try ledger.spend([Make.amount("GEM", 5)], customer: alice, key: gift)
      }
      XCTAssertEqual(taken?.isInverseConflict, false)
      // The key belongs to its customer.
      XCTAssertFalse(try ledger.spend([Make.amount("GEM", 60)], customer: bob, key: key).isReplayed)
    }
    try check(ledger)
  }

  func testARefusalIsKept() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let key = try Make.key("k")
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("GEM", 20)], customer: alice, key: key) }
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    let again = assertRefused(.insufficientBalance) {
      try ledger.spend([Make.amount("GEM", 20)], customer: alice, key: key)
    }
    XCTAssertEqual(again?.isReplayed, true)
    XCTAssertEqual(again?.integer("available"), 10)
    XCTAssertEqual(try gems(ledger, alice), 110)
    try check(ledger)
  }

  func testAPurchaseIsCreditedOnce() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    let first = try ledger.creditPurchase(Make.purchase("t1", quantity: 2), customer: alice)
    XCTAssertEqual(first.entries.map(\.amount), [2400])
    let again = try ledger.creditPurchase(Make.purchase("t1", quantity: 2), customer: bob)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.customer, alice)
    XCTAssertEqual(again.transactionID, first.transactionID)
    // The same id in another environment or at another store is another purchase.
    try ledger.creditPurchase(Make.purchase("t1", environment: .sandbox), customer: alice)
    try ledger.creditPurchase(Make.purchase("t1", environment: .xcode(session: "s1")), customer: alice)
    try ledger.creditPurchase(Make.purchase("t1", environment: .xcode(session: "s2")), customer: alice)
    XCTAssertTrue(
      try ledger.creditPurchase(Make.purchase("t1", environment: .xcode(session: "s1")), customer: alice).isReplayed)
    try ledger.creditPurchase(Make.purchase("t1", store: .google), customer: alice)
    XCTAssertEqual(try gems(ledger, alice), 2400 + 4 * 1200)
    assertRefused(.customerNotFound) { try ledger.balances(of: bob) }
    assertRefused(.productNotFound) {
      try ledger.creditPurchase(Make.purchase("t2", product: "nothing"), customer: alice)
    }
    // A changed catalog never touches earlier credits.
    try ledger.apply(
      Catalog.load(
        Array(
          #"{"currencies": [{"code": "GEM", "name": "G"}, {"code": "COIN", "name": "C"}, {"code": "ORE", "name": "O"}, {"code": "RUBY", "name": "R"}]}"#
            .utf8)))
    XCTAssertEqual(
      try ledger.creditPurchase(Make.purchase("t1", quantity: 2), customer: alice).entries.map(\.amount), [2400])
    try check(ledger)
  }

  func testLotsBurnInOrder() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let paid = try ledger.creditPurchase(Make.purchase("t1"), customer: alice).entries[0].allocations[0].lot
    let earned = try ledger.grant([Make.amount("GEM", 10)], customer: alice, source: .earned).entries[0].allocations[0]
      .lot
    let late = try ledger.grant(
      [Make.amount("GEM", 10)], customer: alice, source: .promotional, expiresAt: after(seconds: 200)
    ).entries[0].allocations[0].lot
    let soon = try ledger.grant(
      [Make.amount("GEM", 10)], customer: alice, source: .promotional, expiresAt: after(seconds: 100)
    ).entries[0].allocations[0].lot
    let bonus = try ledger.grant([Make.amount("GEM", 10)], customer: alice, source: .bonus).entries[0].allocations[0]
      .lot
    let spend = try ledger.spend([Make.amount("GEM", 45)], customer: alice)
    XCTAssertEqual(spend.entries[0].allocations.map(\.lot), [soon, late, earned, bonus, paid])
    XCTAssertEqual(spend.entries[0].allocations.map(\.amount), [-10, -10, -10, -10, -5])
    // Lots of a source without price and expiry are one lot, even after they were empty.
    let again = try ledger.grant([Make.amount("GEM", 7)], customer: alice, source: .bonus)
    XCTAssertEqual(again.entries[0].allocations[0].lot, bonus)
    XCTAssertEqual(
      try ledger.spend([Make.amount("GEM", 8)], customer: alice).entries[0].allocations.map(\.lot), [bonus, paid])
    try check(ledger)
  }

  func testPaidFirst() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("RUBY", 10)], customer: alice)
    try ledger.creditPurchase(Make.purchase("t1", product: "rubies"), customer: alice)
    let spend = try ledger.spend([Make.amount("RUBY", 125)], customer: alice)
    XCTAssertEqual(spend.entries[0].allocations.map(\.source), [.paid, .admin, .bonus])
    XCTAssertEqual(spend.entries[0].allocations.map(\.amount), [-100, -10, -15])
    try check(ledger)
  }

  func testExpiry() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    let begin = time.now
    try ledger.grant([Make.amount("GEM", 50)], customer: alice, source: .promotional, expiresAt: after(seconds: 60))
    time.advance(seconds: 59)
    XCTAssertEqual(try gems(ledger, alice), 150)
    time.advance(seconds: 1)
    XCTAssertEqual(try gems(ledger, alice), 100)
    XCTAssertEqual(try ledger.verify().currencies.first { $0.currency.description == "GEM" }?.kinds[.expiry], -50)
    let refusal = assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("GEM", 101)], customer: alice) }
    XCTAssertEqual(refusal?.integer("available"), 100)
    let spend = try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    XCTAssertEqual(spend.entries.map(\.balance), [99])
    XCTAssertEqual(try ledger.history(of: alice).transactions.map(\.booking.kind), [.spend, .expiry, .grant, .grant])
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice, at: begin).balance, 150)
    time.advance(seconds: 10)
    let late = Timestamp(milliseconds: begin.milliseconds + 60_000 - 1)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice, at: late).balance, 150)
    try check(ledger)
  }

  func testHistoryPages() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 1000), Make.amount("COIN", 1000)], customer: alice, reason: Reason("welcome"))
    for number in 0..<200 {
      try ledger.spend([Make.amount(number % 3 == 0 ? "COIN" : "GEM", 1)], customer: alice)
    }
    var cursor: PageCursor?
    var all: [HistoryRecord] = []
    repeat {
      let page = try ledger.history(of: alice, limit: 17, after: cursor)
      all += page.transactions
      cursor = page.next
    } while cursor != nil
    XCTAssertEqual(all.count, 201)
    XCTAssertEqual(Set(all.map(\.booking.transactionID)).count, 201)
    XCTAssertEqual(all.last?.booking.entries.map(\.amount), [1000, 1000])
    XCTAssertEqual(all.last?.reason?.text, "welcome")
    assertRefused(.invalidRequest) { try ledger.history(of: alice, after: PageCursor("0000000000000500aaaaaaaa")) }
    assertRefused(.limitExceeded) { try ledger.history(of: alice, limit: 1001) }
    let page = try ledger.customers(limit: 1)
    XCTAssertEqual(page.customers.map(\.id.text), ["alice"])
    XCTAssertNil(page.next)
    try check(ledger)
  }

  func testBalanceAtTimeAndVersion() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let gem = try CurrencyCode("GEM")
    var expected: [(Timestamp, Int64)] = []
    let count = Tier.current.length(40, thorough: 150)
    for number in 1...count {
      try ledger.grant([Make.amount("GEM", Int64(number))], customer: alice)
      expected.append((time.now, Int64(number * (number + 1) / 2)))
      time.advance(seconds: 1)
    }
    for (index, (instant, balance)) in expected.enumerated() {
      XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: instant).balance, balance)
      let between = Timestamp(milliseconds: instant.milliseconds + 500)
      XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: between).balance, balance)
      XCTAssertEqual(try ledger.balance(of: gem, customer: alice, version: Int64(index + 1)).balance, balance)
    }
    let before = Timestamp(milliseconds: expected[0].0.milliseconds - 1)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: before).balance, 0)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, version: 0).balance, 0)
    assertRefused(.invalidRequest) { try ledger.balance(of: gem, customer: alice, version: Int64(count) + 1) }
    try check(ledger)
  }

  func testItems() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 1000), Make.amount("COIN", 25)], customer: alice)
    let life = try ledger.buyItem(ItemID("extra_life"), quantity: 2, customer: alice, key: Make.key("a"))
    XCTAssertEqual(life.entries.map(\.amount), [-100])
    XCTAssertEqual(life.items.map(\.owned), [2])
    let again = try ledger.buyItem(ItemID("extra_life"), quantity: 2, customer: alice, key: Make.key("a"))
    XCTAssertEqual(again.items, life.items)
    let conflict = assertRefused(.keyConflict) {
      try ledger.buyItem(ItemID("extra_life"), quantity: 3, customer: alice, key: Make.key("a"))
    }
    XCTAssertEqual(conflict?.text("field"), "quantity")
    try ledger.buyItem(ItemID("sword"), quantity: 2, customer: alice)
    assertRefused(.limitReached) { try ledger.buyItem(ItemID("sword"), quantity: 2, customer: alice) }
    assertRefused(.insufficientBalance) { try ledger.buyItem(ItemID("sword"), customer: alice) }
    assertRefused(.notAvailable) { try ledger.buyItem(ItemID("medal"), customer: alice) }
    assertRefused(.itemNotFound) { try ledger.buyItem(ItemID("nothing"), customer: alice) }
    try check(ledger)
  }

  func testConditions() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let gem = try CurrencyCode("GEM")
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    let spend = [try Make.amount("GEM", 10)]
    assertRefused(.conditionFailed) { try ledger.spend(spend, customer: alice, conditions: [.version(gem, 2)]) }
    assertRefused(.conditionFailed) { try ledger.spend(spend, customer: alice, conditions: [.minimum(gem, 91)]) }
    assertRefused(.conditionFailed) { try ledger.spend(spend, customer: alice, conditions: [.maximum(gem, 89)]) }
    try ledger.spend(
      spend, customer: alice, conditions: [.version(gem, 1), .minimum(gem, 90), .maximum(gem, 90)])
    XCTAssertEqual(try gems(ledger, alice), 90)
    try check(ledger)
  }

  func testSeveralCurrenciesAreAllOrNothing() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    assertRefused(.insufficientBalance) {
      try ledger.adjust([Make.amount("GEM", -50), Make.amount("COIN", -1)], customer: alice)
    }
    let exchange = try ledger.adjust([Make.amount("GEM", -50), Make.amount("COIN", 500)], customer: alice)
    XCTAssertEqual(exchange.kind, .mixed)
    XCTAssertEqual(exchange.entries.map(\.kind), [.grant, .spend])
    XCTAssertEqual(try ledger.balances(of: alice).map(\.balance), [500, 50, 0, 0])
    assertRefused(.overMaximum) { try ledger.grant([Make.amount("ORE", 1001)], customer: alice) }
    assertRefused(.invalidRequest) {
      try ledger.adjust([Make.amount("GEM", -1), Make.amount("GEM", -1)], customer: alice)
    }
    assertRefused(.invalidRequest) { try ledger.adjust([], customer: alice) }
    assertRefused(.amountOutOfRange) { try ledger.adjust([Make.amount("GEM", 0)], customer: alice) }
    try check(ledger)
  }

  func testPreviewsChangeNothing() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let preview = try ledger.preview(.grant([Make.amount("GEM", 10)], customer: alice))
    XCTAssertEqual(preview.entries.map(\.balance), [10])
    XCTAssertNil(preview.transactionID)
    assertRefused(.customerNotFound) { try ledger.balances(of: alice) }
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    let key = try Make.key("k")
    assertRefused(.insufficientBalance) {
      try ledger.preview(LedgerCommand.spend([Make.amount("GEM", 11)], customer: alice, key: key))
    }
    try ledger.spend([Make.amount("GEM", 10)], customer: alice, key: key)
    try check(ledger)
  }

  func testOneGroupSeesItself() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let key = try Make.key("k")
    let spend = try LedgerCommand.spend([Make.amount("GEM", 60)], customer: alice, key: key)
    let results = ledger.submit([
      .grant([try Make.amount("GEM", 100)], customer: alice),
      .grant([try Make.amount("GEM", 5)], customer: alice, source: .promotional, expiresAt: after(seconds: 5)),
      spend, spend, try .spend([Make.amount("GEM", 60)], customer: alice),
      .creditPurchase(try Make.purchase("t"), customer: alice),
      .creditPurchase(try Make.purchase("t"), customer: alice),
      try .spend([Make.amount("GEM", 1245)], customer: alice),
    ])
    XCTAssertEqual(try results[2].get().entries, try results[3].get().entries)
    XCTAssertTrue(try results[3].get().isReplayed)
    XCTAssertEqual(try results[2].get().entries[0].allocations.map(\.amount), [-5, -55])
    assertRefused(.insufficientBalance) { try results[4].get() }
    XCTAssertTrue(try results[6].get().isReplayed)
    XCTAssertEqual(try results[7].get().entries.map(\.balance), [0])
    try check(ledger)
  }

  func testManyLots() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let grants = try (1...300).map { number in
      LedgerCommand.grant(
        [try Make.amount("GEM", 2)], customer: alice, source: .promotional,
        expiresAt: after(seconds: 1000 + Int64(number % 50)))
    }
    for result in ledger.submit(grants) { _ = try result.get() }
    XCTAssertEqual(try ledger.spend([Make.amount("GEM", 401)], customer: alice).entries[0].allocations.count, 201)
    XCTAssertEqual(try gems(ledger, alice), 199)
    time.advance(seconds: 1049)
    XCTAssertEqual(try gems(ledger, alice), 0)
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    XCTAssertEqual(try gems(ledger, alice), 1)
    try check(ledger)
  }

  func testTransactionsWithoutEntries() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    let starter = try ledger.creditPurchase(Make.purchase("t", product: "starter"), customer: alice)
    XCTAssertEqual(starter.items.map(\.owned), [1])
    let bundle = try ledger.creditPurchase(Make.purchase("u", product: "bundle"), customer: alice)
    XCTAssertEqual(bundle.items.map(\.owned), [3])
    XCTAssertEqual(bundle.entries.map(\.amount), [330, 500])
    let history = try ledger.history(of: alice).transactions.map(\.booking.transactionID)
    XCTAssertEqual(history.prefix(2), [bundle.transactionID, starter.transactionID])
    XCTAssertEqual(history.count, 3)
    try check(ledger)
  }

  func testPurchasesMayPassTheMaximum() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    XCTAssertFalse(try ledger.creditPurchase(Make.purchase("t", product: "ore_pack"), customer: alice).isOverMaximum)
    XCTAssertTrue(try ledger.creditPurchase(Make.purchase("u", product: "ore_pack"), customer: alice).isOverMaximum)
    XCTAssertEqual(try gems(ledger, alice, "ORE"), 1800)
    try ledger.grant([Make.amount("GEM", Limits.amount)], customer: alice)
    assertRefused(.amountOutOfRange) { try ledger.creditPurchase(Make.purchase("v"), customer: alice) }
    assertRefused(.overMaximum) { try ledger.grant([Make.amount("GEM", 1)], customer: alice) }
    XCTAssertEqual(try gems(ledger, alice), Limits.amount)
    try check(ledger)
  }

  func testAPurchaseGivenAgainIsTheFirstAnswer() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    for product in ["chest", "ore_pack", "ore_pack", "rubies", "bundle"] {
      let purchase = try Make.purchase("t \(product) \(ledger.verify().transactions)", product: product)
      var first = try ledger.creditPurchase(purchase, customer: alice)
      first.isReplayed = true
      XCTAssertEqual(try ledger.creditPurchase(purchase, customer: alice), first)
    }
    try check(ledger)
  }

  private func after(seconds: Int64) -> Timestamp { Timestamp(milliseconds: time.now.milliseconds + seconds * 1000) }
}

extension StorageContract {
  func testWhatACatalogMayNotHoldIsNotDefined() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    assertRefused(.invalidCatalog) { try ledger.define(Currency(code: CurrencyCode("GOLD"), name: "")) }
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    try check(ledger)
  }

  func testPurchasesAreCheckedBeforeTheyAreCredited() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let (debt, nothing) = (Money(minorUnits: -1, currency: "USD"), Money(minorUnits: 1, currency: "dollars"))
    assertRefused(.amountOutOfRange) { try ledger.creditPurchase(Make.purchase("t", price: debt), customer: alice) }
    assertRefused(.invalidRequest) { try ledger.creditPurchase(Make.purchase("t", price: nothing), customer: alice) }
    assertRefused(.amountOutOfRange) { try ledger.creditPurchase(Make.purchase("t", quantity: 0), customer: alice) }
    assertRefused(.invalidRequest) {
      try ledger.grant(
        [Make.amount("GEM", 1)], customer: alice, expiresAt: Timestamp(milliseconds: Limits.expiryMilliseconds))
    }
    assertRefused(.customerNotFound) { try ledger.balances(of: alice) }
    try check(ledger)
  }
}
