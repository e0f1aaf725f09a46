package import GemLedger
import XCTest

/// Scheduled grants and limits of currencies and items, on any storage.
package struct PolicyContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  // A Thursday, the first of January 2026, at midnight.
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testAnAccountOpensWithItsInitialBalance", testAnAccountOpensWithItsInitialBalance)
    run.step("testCustomersWhoCameBeforeACurrencyOpenWithItToo", testCustomersWhoCameBeforeACurrencyOpenWithItToo)
    run.step("testEnergyComesBackWithItsRemainder", testEnergyComesBackWithItsRemainder)
    run.step("testEnergyAboveTheTopIsKeptAndPauses", testEnergyAboveTheTopIsKeptAndPauses)
    run.step("testEnergyIsMissedFromWhenItWasLost", testEnergyIsMissedFromWhenItWasLost)
    run.step("testAnAllowanceRollsOver", testAnAllowanceRollsOver)
    run.step("testAnAllowanceOfManyPeriods", testAnAllowanceOfManyPeriods)
    run.step("testCapsOnSpendsAndGrants", testCapsOnSpendsAndGrants)
    run.step("testHoldsAndReversalsGiveBackTheCap", testHoldsAndReversalsGiveBackTheCap)
    run.step("testALimitPerPeriod", testALimitPerPeriod)
    run.step("testAStock", testAStock)
    run.step("testAStockIsNobody", testAStockIsNobody)
    run.step("testAMergeCarriesThem", testAMergeCarriesThem)
    run.step("testTheSweeperOnlyWritesDown", testTheSweeperOnlyWritesDown)
    run.step("testWhatWasReadIsReadAgainLater", testWhatWasReadIsReadAgainLater)
    run.step("testARefusedGrantLeavesTheBooksWhole", testARefusedGrantLeavesTheBooksWhole)
    run.step("testAMergeOfWhoNeverDidAnythingBringsNothing", testAMergeOfWhoNeverDidAnythingBringsNothing)
    runMoments(run)
  }

  private static let document = """
    {
      "currencies": [
        {"code": "GEM", "name": "Gems", "initial_balance": 50,
         "limits": {"spend": {"amount": 100, "per": "day"}, "grant": {"amount": 200, "per": "week"}}},
        {"code": "NRG", "name": "Energy", "initial_balance": 30,
         "recharge": {"amount": 2, "every": "5m", "up_to": 30}},
        {"code": "TIX", "name": "Tickets", "allowance": {"amount": 10, "per": "day", "rollover": 4}},
        {"code": "COIN", "name": "Coins"}
      ],
      "items": [
        {"id": "box", "name": "Box", "price": {"COIN": 1}, "limit": 2, "limit_per": "day"},
        {"id": "crown", "name": "Crown", "price": {"COIN": 1}, "stock": 3}
      ]
    }
    """

  private func ledger() throws -> Ledger {
    time.set(Timestamp(milliseconds: 1_767_225_600_000))
    let ledger = try make(time.clock)
    try ledger.apply(Catalog.load(Array(Self.document.utf8)))
    return ledger
  }

  private func alice(_ ledger: Ledger) throws -> CustomerID {
    let alice = try Make.customer("alice")
    try ledger.createCustomer(alice)
    return alice
  }

  func testAnAccountOpensWithItsInitialBalance() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 50)
    XCTAssertEqual(try ledger.history(of: alice).transactions.count, 0, "a read books nothing")
    let spend = try ledger.spend([Make.amount("GEM", 20)], customer: alice)
    XCTAssertEqual(spend.entries.map(\.balance), [30])
    XCTAssertEqual(try ledger.history(of: alice).transactions.map(\.booking.kind), [.spend, .initial])
    let bob = try Make.customer("bob")
    let grant = try ledger.grant([Make.amount("GEM", 1)], customer: bob)
    XCTAssertEqual(grant.entries.map(\.balance), [51])
    try check(ledger)
  }

  func testCustomersWhoCameBeforeACurrencyOpenWithItToo() throws {
    let ledger = try make(time.clock)
    try ledger.apply(Make.catalog())
    let alice = try alice(ledger)
    try ledger.grant([Make.amount("COIN", 5)], customer: alice)
    var document = try XCTUnwrap(String(bytes: Array(Self.document.utf8), encoding: .utf8))
    document = document.replacing(
      "{\"code\": \"COIN\"",
      with: "{\"code\": \"ORE\", \"name\": \"Ore\"}, {\"code\": \"RUBY\", \"name\": \"Rubies\"}, {\"code\": \"COIN\"")
    try ledger.apply(Catalog.load(Array(document.utf8)))
    XCTAssertEqual(try balance(ledger, "NRG", alice), 30)
    try ledger.spend([Make.amount("NRG", 30)], customer: alice)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 0)
    try check(ledger)
  }

  func testEnergyComesBackWithItsRemainder() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 30)
    time.advance(seconds: 3600)
    try ledger.spend([Make.amount("NRG", 10)], customer: alice)
    // The clock starts when the account is no longer full.
    time.advance(seconds: 299)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 20)
    time.advance(seconds: 1)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 22)
    // Four minutes of a tick are kept over a spend.
    time.advance(seconds: 240)
    let spend = try ledger.spend([Make.amount("NRG", 2)], customer: alice)
    XCTAssertEqual(spend.entries.map(\.balance), [20])
    time.advance(seconds: 60)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 22)
    time.advance(seconds: 86_400)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 30)
    try ledger.spend([Make.amount("NRG", 30)], customer: alice)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 0)
    let kinds = try ledger.history(of: alice).transactions.map(\.booking.kind)
    XCTAssertEqual(kinds, [.spend, .recharge, .spend, .recharge, .spend, .initial])
    try check(ledger)
  }

  func testEnergyAboveTheTopIsKeptAndPauses() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.grant([Make.amount("NRG", 15)], customer: alice)
    time.advance(seconds: 3600)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 45)
    try ledger.spend([Make.amount("NRG", 14)], customer: alice)
    time.advance(seconds: 3600)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 31)
    try ledger.spend([Make.amount("NRG", 2)], customer: alice)
    time.advance(seconds: 300)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 30)
    try check(ledger)
  }

  /// The clock starts when an expiry or the end of a hold leaves less than the top, whenever either is booked.
  func testEnergyIsMissedFromWhenItWasLost() throws {
    let ledger = try ledger()
    let customers = try ["swept", "lazy", "refused"].map { try Make.customer($0) }
    let (first, second) = (time.now.milliseconds + 60_000, time.now.milliseconds + 120_000)
    for customer in customers {
      try ledger.createCustomer(customer)
      try ledger.spend([Make.amount("NRG", 10)], customer: customer)
      for expiry in [first, second] {
        try ledger.grant([Make.amount("NRG", 8)], customer: customer, expiresAt: Timestamp(milliseconds: expiry))
      }
      // Of the second lot, three are on hold for longer than it lasts.
      try ledger.hold([Make.amount("NRG", 11)], customer: customer, for: .seconds(240))
    }
    var read: [(Timestamp, Int64)] = []
    for _ in 0..<30 {
      time.advance(seconds: 30)
      _ = try ledger.book(.bookDue(customers[0])) as Booking
      assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("NRG", 999)], customer: customers[2]) }
      let balances = try customers.map { try balance(ledger, "NRG", $0) }
      XCTAssertEqual(balances[1], balances[0], "at \(time.now)")
      XCTAssertEqual(balances[2], balances[0], "at \(time.now)")
      read.append((time.now, balances[0]))
    }
    // Eleven are lost at 4:00; two come back five minutes later.
    XCTAssertEqual(read[0..<17].map(\.1), [36, 36, 36] + [31, 31, 31, 31] + [Int64](repeating: 20, count: 10))
    XCTAssertEqual(read[17..<27].map(\.1), [Int64](repeating: 22, count: 10))
    XCTAssertEqual(read[27..<30].map(\.1), [24, 24, 24])
    time.advance(seconds: 1)
    for (instant, balance) in read {
      let again = try customers.map { try ledger.balance(of: CurrencyCode("NRG"), customer: $0, at: instant).balance }
      XCTAssertEqual(again, [balance, balance, balance], "at \(instant)")
    }
    try check(ledger)
  }

  func testAnAllowanceRollsOver() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    XCTAssertEqual(try balance(ledger, "TIX", alice), 10)
    try ledger.spend([Make.amount("TIX", 3)], customer: alice)
    time.advance(seconds: 86_400)
    // Four of the seven that were left, and ten.
    XCTAssertEqual(try balance(ledger, "TIX", alice), 14)
    try ledger.spend([Make.amount("TIX", 12)], customer: alice)
    time.advance(seconds: 86_399)
    XCTAssertEqual(try balance(ledger, "TIX", alice), 2)
    time.advance(seconds: 1)
    XCTAssertEqual(try balance(ledger, "TIX", alice), 12)
    try ledger.grant([Make.amount("TIX", 5)], customer: alice)
    XCTAssertEqual(try balance(ledger, "TIX", alice), 17)
    time.advance(seconds: 86_400)
    // Separately granted currency stays.
    XCTAssertEqual(try balance(ledger, "TIX", alice), 19)
    try check(ledger)
  }

  func testAnAllowanceOfManyPeriods() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.spend([Make.amount("TIX", 10)], customer: alice)
    time.advance(seconds: 10 * 86_400)
    XCTAssertEqual(try balance(ledger, "TIX", alice), 14)
    try ledger.spend([Make.amount("TIX", 14)], customer: alice)
    assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("TIX", 1)], customer: alice) }
    try check(ledger)
  }

  func testCapsOnSpendsAndGrants() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.grant([Make.amount("GEM", 150)], customer: alice)
    assertRefused(.limitReached) { try ledger.grant([Make.amount("GEM", 51)], customer: alice) }
    try ledger.spend([Make.amount("GEM", 60)], customer: alice)
    let refusal = try assertRefusedWithoutTrace(.limitReached, ledger) {
      try ledger.spend([Make.amount("GEM", 41)], customer: alice)
    }
    XCTAssertEqual(refusal?.details.contains(.integer("used", 60)), true)
    try ledger.spend([Make.amount("GEM", 40)], customer: alice)
    time.advance(seconds: 86_400)
    try ledger.spend([Make.amount("GEM", 100)], customer: alice)
    assertRefused(.limitReached) { try ledger.grant([Make.amount("GEM", 51)], customer: alice) }
    // The next week begins on Monday.
    time.advance(seconds: 3 * 86_400)
    try ledger.grant([Make.amount("GEM", 200)], customer: alice)
    try check(ledger)
  }

  func testHoldsAndReversalsGiveBackTheCap() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.grant([Make.amount("GEM", 150)], customer: alice)
    let hold = try XCTUnwrap(try ledger.hold([Make.amount("GEM", 80)], customer: alice).hold?.id)
    assertRefused(.limitReached) { try ledger.spend([Make.amount("GEM", 21)], customer: alice) }
    try ledger.release(hold)
    let spend = try ledger.spend([Make.amount("GEM", 100)], customer: alice)
    try ledger.reverse(XCTUnwrap(spend.transactionID), amounts: [Make.amount("GEM", 70)])
    try ledger.spend([Make.amount("GEM", 70)], customer: alice)
    assertRefused(.limitReached) { try ledger.spend([Make.amount("GEM", 1)], customer: alice) }
    try check(ledger)
  }

  func testALimitPerPeriod() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.grant([Make.amount("COIN", 10)], customer: alice)
    let bought = try ledger.buyItem(ItemID("box"), quantity: 2, customer: alice)
    try assertRefusedWithoutTrace(.limitReached, ledger) { try ledger.buyItem(ItemID("box"), customer: alice) }
    try ledger.reverse(XCTUnwrap(bought.transactionID))
    try ledger.buyItem(ItemID("box"), quantity: 2, customer: alice)
    time.advance(seconds: 86_400)
    let next = try ledger.buyItem(ItemID("box"), customer: alice)
    XCTAssertEqual(next.items.map(\.owned), [3])
    try check(ledger)
  }

  func testAStock() throws {
    let ledger = try ledger()
    let (alice, bob) = (try alice(ledger), try Make.customer("bob"))
    for customer in [alice, bob] { try ledger.grant([Make.amount("COIN", 10)], customer: customer) }
    let key = try Make.key("k")
    try ledger.buyItem(ItemID("crown"), quantity: 2, customer: alice, key: key)
    let refusal = try assertRefusedWithoutTrace(.notAvailable, ledger) {
      try ledger.buyItem(ItemID("crown"), quantity: 2, customer: bob)
    }
    XCTAssertEqual(refusal?.details.contains(.integer("left", 1)), true)
    XCTAssertTrue(try ledger.buyItem(ItemID("crown"), quantity: 2, customer: alice, key: key).isReplayed)
    let answers = ledger.submit([
      .buyItem(try ItemID("crown"), customer: bob), .buyItem(try ItemID("crown"), customer: alice),
    ])
    XCTAssertEqual(answers.filter { (try? $0.get()) != nil }.count, 1)
    XCTAssertEqual(try ledger.customers().customers.map(\.id), [alice, bob])
    try check(ledger)
  }

  /// The id that stands for a stock inside the ledger names no customer of a command.
  func testAStockIsNobody() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.grant([Make.amount("COIN", 10)], customer: alice)
    try ledger.buyItem(ItemID("crown"), customer: alice)
    let amounts = [try Make.amount("COIN", 1)]
    for stock in [try Make.customer("$stock:crown"), try Make.customer("$stock:nothing")] {
      let commands: [LedgerCommand] = [
        .grant(amounts, customer: stock), try .spend(amounts, customer: stock), .hold(amounts, customer: stock),
        .merge(from: stock, into: alice), .merge(from: alice, into: stock), .createAlias(stock, of: alice),
        .createAlias(alice, of: stock), .freeze(stock), .erase(stock),
        .transfer(amounts, from: alice, to: stock), .transfer(amounts, from: stock, to: alice),
        try .creditPurchase(Make.purchase("of a stock"), customer: stock), try .buyItem(ItemID("box"), customer: stock),
      ]
      for command in commands {
        try assertRefusedWithoutTrace(.invalidIdentifier, ledger) { try ledger.book(command) }
      }
    }
    try ledger.buyItem(ItemID("crown"), quantity: 2, customer: alice)
    assertRefused(.notAvailable) { try ledger.buyItem(ItemID("crown"), customer: alice) }
    try check(ledger)
  }

  func testAMergeCarriesThem() throws {
    let ledger = try ledger()
    let (alice, bob) = (try alice(ledger), try Make.customer("bob"))
    for customer in [alice, bob] {
      try ledger.grant([Make.amount("COIN", 10)], customer: customer)
      try ledger.buyItem(ItemID("box"), customer: customer)
      try ledger.spend([Make.amount("GEM", 40)], customer: customer)
      try ledger.spend([Make.amount("TIX", 9)], customer: customer)
      try ledger.spend([Make.amount("NRG", 20)], customer: customer)
    }
    try ledger.merge(from: alice, into: bob)
    assertRefused(.limitReached) { try ledger.buyItem(ItemID("box"), customer: bob) }
    assertRefused(.limitReached) { try ledger.spend([Make.amount("GEM", 21)], customer: bob) }
    XCTAssertEqual(try balance(ledger, "TIX", bob), 2)
    XCTAssertEqual(try balance(ledger, "NRG", bob), 20)
    time.advance(seconds: 86_400)
    // One allowance, not two; only the rest of the survivor's own is carried over.
    XCTAssertEqual(try balance(ledger, "TIX", bob), 11)
    XCTAssertEqual(try balance(ledger, "NRG", bob), 30)
    try ledger.spend([Make.amount("TIX", 11)], customer: bob)
    try check(ledger)
  }

  func testTheSweeperOnlyWritesDown() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.spend([Make.amount("NRG", 20)], customer: alice)
    try ledger.spend([Make.amount("TIX", 1)], customer: alice)
    _ = try ledger.hold([Make.amount("GEM", 10)], customer: alice, for: .seconds(60))
    time.advance(seconds: 86_400)
    let before = try ledger.balances(of: alice)
    XCTAssertEqual(try ledger.sweep(), 1)
    let after = try ledger.balances(of: alice)
    XCTAssertEqual(after.map(\.balance), before.map(\.balance))
    XCTAssertEqual(after.map(\.available), before.map(\.available))
    XCTAssertEqual(try ledger.sweep(), 0)
    try check(ledger)
  }

  /// A read at an instant counts the scheduled effects until then; a later read for that instant gives the same.
  func testWhatWasReadIsReadAgainLater() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    var seen: [(Timestamp, [Int64])] = []
    func look() throws {
      time.advance(seconds: 1)
      seen.append((time.now, try ledger.balances(of: alice).map(\.balance)))
      time.advance(seconds: 1)
    }
    try look()
    try ledger.spend([Make.amount("NRG", 25), Make.amount("TIX", 3)], customer: alice)
    try look()
    for _ in 0..<6 {
      time.advance(seconds: 700)
      try look()
    }
    try ledger.spend([Make.amount("NRG", 1)], customer: alice)
    time.advance(seconds: 2 * 86_400)
    try look()
    try ledger.spend([Make.amount("TIX", 1)], customer: alice)
    time.advance(seconds: 86_400)
    try look()
    try ledger.spend([Make.amount("GEM", 1), Make.amount("NRG", 30), Make.amount("TIX", 2)], customer: alice)
    time.advance(seconds: 86_400)
    try ledger.sweep()
    for (instant, balances) in seen {
      XCTAssertEqual(try ledger.balances(of: alice, at: instant).map(\.balance), balances, "\(instant)")
    }
    try check(ledger)
  }

  func testARefusedGrantLeavesTheBooksWhole() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    assertRefused(.limitReached) { try ledger.grant([Make.amount("GEM", 201)], customer: alice) }
    assertRefused(.unknownCurrency) {
      try ledger.grant([Make.amount("GEM", 1), Make.amount("NONE", 1)], customer: Make.customer("bob"))
    }
    // No customer was created, with scheduled grants of currencies or without.
    XCTAssertEqual(try ledger.everyCustomer().map(\.id), [])
    let carol = try Make.customer("carol")
    try ledger.grant([Make.amount("GEM", 1)], customer: carol)
    XCTAssertEqual(try balance(ledger, "GEM", carol), 51)
    XCTAssertEqual(try ledger.history(of: carol).transactions.count, 2)
    try check(ledger)
  }

  func testAMergeOfWhoNeverDidAnythingBringsNothing() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    for name in ["x", "y", "z"] {
      let other = try Make.customer(name)
      try ledger.createCustomer(other)
      try ledger.merge(from: other, into: alice)
    }
    XCTAssertEqual(try balance(ledger, "GEM", alice), 49)
    XCTAssertEqual(try balance(ledger, "TIX", alice), 10)
    try check(ledger)
  }
}
