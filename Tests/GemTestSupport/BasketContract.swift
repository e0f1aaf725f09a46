package import GemLedger
import XCTest

/// Baskets over several customers, exchanges, and erased customers, on any storage.
package struct BasketContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testATransferKeepsWhatLotsAre", testATransferKeepsWhatLotsAre)
    run.step("testATradeWithAFee", testATradeWithAFee)
    run.step("testABasketIsAllOrNothing", testABasketIsAllOrNothing)
    run.step("testPriceSharesAddUp", testPriceSharesAddUp)
    run.step("testBadBaskets", testBadBaskets)
    run.step("testAnswersGivenAgain", testAnswersGivenAgain)
    run.step("testARefundAfterATransfer", testARefundAfterATransfer)
    run.step("testATransferRepaysADebt", testATransferRepaysADebt)
    run.step("testAnExchange", testAnExchange)
    run.step("testBadExchanges", testBadExchanges)
    run.step("testErasure", testErasure)
    run.step("testNobodyGivesAnItemTwice", testNobodyGivesAnItemTwice)
  }

  private func people(_ ledger: Ledger) throws -> (CustomerID, CustomerID, CustomerID) {
    let all = (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("house"))
    try ledger.createCustomer(all.0)
    try ledger.createCustomer(all.1)
    try ledger.createCustomer(all.2)
    return all
  }

  func testATransferKeepsWhatLotsAre() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people(ledger)
    let soon = Timestamp(milliseconds: time.now.milliseconds + 100_000)
    try ledger.grant([Make.amount("GEM", 30)], customer: alice, source: .promotional, expiresAt: soon)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let transfer = try ledger.transfer([Make.amount("GEM", 100)], from: alice, to: bob)
    XCTAssertEqual(transfer.kind, .transfer)
    XCTAssertEqual(transfer.entries.map(\.amount), [-100])
    XCTAssertEqual(transfer.parties.map(\.customer), [bob])
    XCTAssertEqual(transfer.parties[0].entries.map(\.amount), [100])
    XCTAssertEqual(transfer.parties[0].entries[0].allocations.map(\.source), [.promotional, .paid])
    XCTAssertEqual(try balance(ledger, bob), 100)
    time.advance(seconds: 100)
    XCTAssertEqual(try balance(ledger, bob), 70)
    let received = try XCTUnwrap(try ledger.history(of: bob).transactions.first)
    XCTAssertEqual(received.booking.parties.map(\.customer), [alice])
    XCTAssertEqual(received.booking.transactionID, transfer.parties[0].transactionID)
    try check(ledger)
  }

  func testATradeWithAFee() throws {
    let ledger = try ledger()
    let (alice, bob, house) = try people(ledger)
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    try ledger.grant([Make.amount("GEM", 500), Make.amount("COIN", 100)], customer: bob)
    try ledger.buyItem(ItemID("sword"), customer: bob)
    let trade = try ledger.basket(
      [
        .transfer([Make.amount("GEM", 90)], from: alice, to: bob),
        .transfer([Make.amount("GEM", 10)], from: alice, to: house),
        .item(ItemID("sword"), quantity: 1, from: bob, to: alice),
        .transfer([Make.amount("COIN", 7)], from: bob, to: alice),
        .grant([Make.amount("COIN", 1)], customer: house, source: .earned),
      ], payer: alice)
    XCTAssertEqual(trade.entries.map(\.amount), [7, -100])
    XCTAssertEqual(trade.items.map(\.quantity), [1])
    XCTAssertEqual(trade.parties.map(\.customer), [bob, house])
    XCTAssertEqual(trade.parties[0].items.map(\.quantity), [-1])
    XCTAssertEqual(try balance(ledger, alice), 0)
    XCTAssertEqual(try balance(ledger, bob), 490)
    XCTAssertEqual(try balance(ledger, house), 10)
    XCTAssertEqual(try balance(ledger, "COIN", house), 1)
    try check(ledger)
  }

  func testABasketIsAllOrNothing() throws {
    let ledger = try ledger()
    let (alice, bob, house) = try people(ledger)
    try ledger.grant([Make.amount("GEM", 100), Make.amount("ORE", 500)], customer: alice)
    try ledger.grant([Make.amount("ORE", 800)], customer: bob)
    try assertRefusedWithoutTrace(.insufficientBalance, ledger) {
      try ledger.basket(
        [
          .transfer([Make.amount("GEM", 60)], from: alice, to: bob),
          .transfer([Make.amount("GEM", 60)], from: alice, to: house),
        ], payer: alice)
    }
    try assertRefusedWithoutTrace(.overMaximum, ledger) {
      try ledger.transfer([Make.amount("GEM", 1), Make.amount("ORE", 300)], from: alice, to: bob)
    }
    try assertRefusedWithoutTrace(.insufficientBalance, ledger) {
      try ledger.basket(
        [
          .transfer([Make.amount("GEM", 60)], from: alice, to: bob),
          .item(ItemID("sword"), quantity: 1, from: bob, to: alice),
        ], payer: alice)
    }
    try ledger.freeze(bob)
    try ledger.transfer([Make.amount("GEM", 10)], from: alice, to: bob)
    try assertRefusedWithoutTrace(.customerFrozen, ledger) {
      try ledger.transfer([Make.amount("GEM", 10)], from: bob, to: alice)
    }
    try check(ledger)
  }

  /// However a purchase is handed on in pieces, its price stays whole.
  func testPriceSharesAddUp() throws {
    let ledger = try ledger()
    let (alice, bob, house) = try people(ledger)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    var generator = SeededRandom()
    var left: Int64 = 1200
    while left > 0 {
      let part = min(left, Int64(1 + generator.below(200)))
      try ledger.transfer([Make.amount("GEM", part)], from: alice, to: bob)
      if generator.below(3) == 0 { try ledger.transfer([Make.amount("GEM", part)], from: bob, to: house) }
      left -= part
    }
    let value = try ledger.storage.read { (snapshot) throws(LedgerError) -> Int64 in
      var sum: Int64 = 0
      for row in try snapshot.scan().lots(after: 0, limit: 1000) where row.remaining > 0 {
        let (price, granted) = (row.price?.minorUnits ?? 0, row.granted)
        sum += price - Int64(Int128(price) * Int128(granted - row.remaining) / Int128(granted))
      }
      return sum
    }
    XCTAssertEqual(value, 999, "seed \(generator.seed)")
    try check(ledger)
  }

  func testBadBaskets() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people(ledger)
    let nobody = try Make.customer("nobody")
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    try ledger.createAlias(Make.customer("alice2"), of: alice)
    let gem = try [Make.amount("GEM", 1)]
    assertRefused(.sameCustomer) { try ledger.transfer(gem, from: alice, to: alice) }
    assertRefused(.sameCustomer) { try ledger.transfer(gem, from: alice, to: Make.customer("alice2")) }
    assertRefused(.customerNotFound) { try ledger.transfer(gem, from: alice, to: nobody) }
    assertRefused(.customerNotFound) { try ledger.transfer(gem, from: nobody, to: alice) }
    assertRefused(.invalidRequest) { try ledger.basket([], payer: alice) }
    assertRefused(.invalidRequest) { try ledger.basket([.spend(gem, customer: alice)], payer: bob) }
    assertRefused(.invalidRequest) {
      try ledger.basket([.grant(gem, customer: alice, source: .paid)], payer: alice)
    }
    assertRefused(.invalidRequest) {
      try ledger.basket(
        [.transfer(gem, from: alice, to: bob), .transfer(gem, from: bob, to: alice)], payer: alice)
    }
    assertRefused(.amountOutOfRange) { try ledger.transfer([Make.amount("GEM", 0)], from: alice, to: bob) }
    assertRefused(.amountOutOfRange) { try ledger.transfer([Make.amount("GEM", -1)], from: alice, to: bob) }
    assertRefused(.unknownCurrency) { try ledger.transfer([Make.amount("NONE", 1)], from: alice, to: bob) }
    assertRefused(.itemNotFound) {
      try ledger.basket([.item(ItemID("none"), quantity: 1, from: alice, to: bob)], payer: alice)
    }
    assertRefused(.limitExceeded) {
      try ledger.basket([BasketLeg](repeating: .spend(gem, customer: alice), count: 201), payer: alice)
    }
    try check(ledger)
  }

  func testAnswersGivenAgain() throws {
    let ledger = try ledger()
    let (alice, bob, house) = try people(ledger)
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    let command = LedgerCommand.basket(
      [
        .transfer([try Make.amount("GEM", 20)], from: alice, to: bob),
        .transfer([try Make.amount("GEM", 5)], from: alice, to: house),
      ], payer: alice, key: try Make.key("k"))
    let first: Booking = try ledger.book(command)
    try ledger.spend([Make.amount("GEM", 1)], customer: bob)
    var again: Booking = try ledger.book(command)
    XCTAssertTrue(again.isReplayed)
    again.isReplayed = false
    XCTAssertEqual(again, first)
    assertRefused(.keyConflict) {
      try ledger.transfer([Make.amount("GEM", 20)], from: alice, to: bob, key: Make.key("k"))
    }
    // In one group as well.
    let exchange = LedgerCommand.transfer([try Make.amount("GEM", 2)], from: alice, to: bob, key: try Make.key("l"))
    let both = try ledger.submit([exchange, exchange]).map { try $0.get() }
    XCTAssertEqual(both.map(\.isReplayed), [false, true])
    XCTAssertEqual(both[1].parties, both[0].parties)
    XCTAssertEqual(try balance(ledger, bob), 21)
    try check(ledger)
  }

  func testARefundAfterATransfer() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people(ledger)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.transfer([Make.amount("GEM", 1000)], from: alice, to: bob)
    // The refund concerns the buyer; the part that is now with another customer is written off.
    let refund = try ledger.refund(Make.refund("t"))
    XCTAssertEqual(refund.customer, alice)
    XCTAssertEqual(refund.entries.map(\.amount), [-200])
    XCTAssertEqual(try balance(ledger, alice), 0)
    XCTAssertEqual(try balance(ledger, bob), 1000)
    try ledger.merge(from: bob, into: alice)
    try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(try balance(ledger, alice), 1200)
    try check(ledger)
  }

  func testATransferRepaysADebt() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people(ledger)
    let ruby = try CurrencyCode("RUBY")
    try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: bob)
    try ledger.spend([Make.amount("RUBY", 100)], customer: bob)
    try ledger.refund(Make.refund("t"))
    XCTAssertEqual(try ledger.balance(of: ruby, customer: bob).debt, 100)
    try ledger.grant([Make.amount("RUBY", 150)], customer: alice)
    let transfer = try ledger.transfer([Make.amount("RUBY", 150)], from: alice, to: bob)
    XCTAssertEqual(transfer.parties[0].entries.map(\.balance), [50])
    XCTAssertEqual(try ledger.balance(of: ruby, customer: bob).debt, 0)
    try check(ledger)
  }

  func testAnExchange() throws {
    let ledger = try ledger()
    let (alice, _, _) = try people(ledger)
    let coin = try CurrencyCode("COIN")
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let key = try Make.key("k")
    let exchange = try ledger.exchange(
      Make.amount("GEM", 100), into: coin, rate: ExchangeRate(7, for: 3), customer: alice, key: key)
    XCTAssertEqual(exchange.kind, .exchange)
    XCTAssertEqual(exchange.entries.map(\.amount), [233, -100])
    for (rounding, expected) in [(ExchangeRate.Rounding.down, 2), (.nearest, 2), (.up, 3)] {
      let booking = try ledger.exchange(
        Make.amount("GEM", 1), into: coin, rate: ExchangeRate(7, for: 3, rounding: rounding), customer: alice)
      XCTAssertEqual(booking.entries.map(\.amount), [Int64(expected), -1])
    }
    let again = try ledger.exchange(
      Make.amount("GEM", 100), into: coin, rate: ExchangeRate(7, for: 3), customer: alice, key: key)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.entries, exchange.entries)
    try check(ledger)
  }

  func testBadExchanges() throws {
    let ledger = try ledger()
    let (alice, _, _) = try people(ledger)
    let (coin, gem) = (try CurrencyCode("COIN"), try CurrencyCode("GEM"))
    try ledger.grant([Make.amount("GEM", 10), Make.amount("ORE", 900)], customer: alice)
    try assertRefusedWithoutTrace(.roundsToZero, ledger) {
      try ledger.exchange(Make.amount("GEM", 1), into: coin, rate: ExchangeRate(1, for: 2), customer: alice)
    }
    try assertRefusedWithoutTrace(.insufficientBalance, ledger) {
      try ledger.exchange(Make.amount("GEM", 11), into: coin, rate: ExchangeRate(1, for: 1), customer: alice)
    }
    try assertRefusedWithoutTrace(.overMaximum, ledger) {
      try ledger.exchange(
        Make.amount("GEM", 10), into: CurrencyCode("ORE"), rate: ExchangeRate(11, for: 1), customer: alice)
    }
    assertRefused(.invalidRequest) {
      try ledger.exchange(Make.amount("GEM", 1), into: gem, rate: ExchangeRate(1, for: 1), customer: alice)
    }
    assertRefused(.amountOutOfRange) {
      try ledger.exchange(Make.amount("GEM", 1), into: coin, rate: ExchangeRate(1, for: 0), customer: alice)
    }
    assertRefused(.amountOutOfRange) {
      try ledger.exchange(
        Make.amount("GEM", 10), into: coin, rate: ExchangeRate(Limits.amount, for: 1), customer: alice)
    }
    assertRefused(.unknownCurrency) {
      try ledger.exchange(
        Make.amount("GEM", 1), into: CurrencyCode("NONE"), rate: ExchangeRate(1, for: 1), customer: alice)
    }
    try check(ledger)
  }

  func testErasure() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people(ledger)
    try ledger.createAlias(Make.customer("alice@home"), of: alice)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    var command = LedgerCommand.grant([try Make.amount("GEM", 3)], customer: alice, key: try Make.key("k"))
    command.reference = try Reference("a birthday")
    let _: Booking = try ledger.book(command)
    try ledger.transfer([Make.amount("GEM", 100)], from: alice, to: bob)
    let erasure = try ledger.erase(alice)
    XCTAssertEqual(erasure.kind, .erase)
    assertRefused(.customerNotFound) { try ledger.balances(of: alice) }
    assertRefused(.customerNotFound) { try ledger.balances(of: Make.customer("alice@home")) }
    assertRefused(.customerNotFound) { try ledger.erase(alice) }
    XCTAssertTrue(try ledger.history(of: erasure.customer).transactions.allSatisfy { $0.reference == nil })
    XCTAssertFalse(try ledger.customers().customers.contains { $0.ids.contains(alice) })
    // The store redelivers the purchase: it is credited already, to the erased customer.
    let again = try ledger.creditPurchase(Make.purchase("t"), customer: bob)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.customer, erasure.customer)
    try ledger.refund(Make.refund("t"))
    // A later customer under the id is a new one.
    try ledger.grant([Make.amount("GEM", 1)], customer: alice, key: Make.key("k"))
    XCTAssertEqual(try balance(ledger, alice), 1)
    try check(ledger)
  }

  func testNobodyGivesAnItemTwice() throws {
    let ledger = try ledger()
    let (alice, bob, house) = try people(ledger)
    try ledger.grant([Make.amount("GEM", 100), Make.amount("COIN", 10)], customer: alice)
    try ledger.buyItem(ItemID("sword"), customer: alice)
    let sword = try ItemID("sword")
    try assertRefusedWithoutTrace(.insufficientBalance, ledger) {
      try ledger.basket(
        [.item(sword, quantity: 1, from: alice, to: bob), .item(sword, quantity: 1, from: alice, to: house)],
        payer: alice)
    }
    try ledger.freeze(alice)
    try assertRefusedWithoutTrace(.customerFrozen, ledger) {
      try ledger.basket([.item(sword, quantity: 1, from: alice, to: bob)], payer: alice)
    }
    try check(ledger)
  }
}
