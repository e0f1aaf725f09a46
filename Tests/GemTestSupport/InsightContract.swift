package import GemLedger
internal import GemLedgerAudit
import XCTest

/// Reports about the books, on any storage.
package struct InsightContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testExplainsABalanceDownToTheReceipt", testExplainsABalanceDownToTheReceipt)
    run.step("testExplainsPageByPage", testExplainsPageByPage)
    run.step("testExplainsHoldsAndWhatCameFromOthers", testExplainsHoldsAndWhatCameFromOthers)
    run.step("testAStatementAddsUp", testAStatementAddsUp)
    run.step("testAStatementComesInPages", testAStatementComesInPages)
    run.step("testAStatementOfAnIDThatWasMergedLater", testAStatementOfAnIDThatWasMergedLater)
    run.step("testWhatExpiredCountsAsGoneInEveryReport", testWhatExpiredCountsAsGoneInEveryReport)
    run.step("testWhatARefusedCommandBookedOfWhatWasDue", testWhatARefusedCommandBookedOfWhatWasDue)
    run.step("testUnspentValueRoundsInFavourOfTheRest", testUnspentValueRoundsInFavourOfTheRest)
    run.step("testMoneyOfEnvironmentsIsNeverMixed", testMoneyOfEnvironmentsIsNeverMixed)
    run.step("testUnspentInSmallWindows", testUnspentInSmallWindows)
    run.step("testConsumedShares", testConsumedShares)
    run.step("testConsumptionAfterAMerge", testConsumptionAfterAMerge)
    run.step("testSpendsAndNothingElse", testSpendsAndNothingElse)
    run.step("testPaidAndFreeApart", testPaidAndFreeApart)
    run.step("testWhatCanBeWithdrawn", testWhatCanBeWithdrawn)
    run.step("testWhatItemsReallyCost", testWhatItemsReallyCost)
    run.step("testFlowsByDay", testFlowsByDay)
    run.step("testTopItems", testTopItems)
    run.step("testTopItemsOfTestsAndOfMergedCustomers", testTopItemsOfTestsAndOfMergedCustomers)
    run.step("testCohorts", testCohorts)
    run.step("testRefundsWithAShortfall", testRefundsWithAShortfall)
    run.step("testSalesEqualAPlainCount", testSalesEqualAPlainCount)
    run.step("testRefusals", testRefusals)
  }

  private func code(_ text: String) throws -> CurrencyCode { try CurrencyCode(text) }

  private func bought(
    _ id: String, _ product: String = "gems_1200", price: Int64? = 999, environment: StoreEnvironment = .production
  ) throws -> StorePurchase {
    var purchase = try Make.purchase(
      id, product: product, price: price.map { Money(minorUnits: $0, currency: "USD") }, environment: environment)
    purchase.purchasedAt = time.now
    return purchase
  }

  private func finish(_ ledger: Ledger, line: UInt = #line) throws {
    try assertBooksAddUp(ledger, line: line)
    ledger.close()
  }

  // MARK: Explain

  func testExplainsABalanceDownToTheReceipt() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.creditPurchase(bought("t1", "rubies"), customer: alice)
    try ledger.grant([Make.amount("RUBY", 7)], customer: alice, reason: Reason("sorry"))
    var spend = try LedgerCommand.spend([Make.amount("RUBY", 110)], customer: alice)
    spend.reference = try Reference("order 1")
    try ledger.book(spend)
    let page = try ledger.explain(code("RUBY"), customer: alice)
    XCTAssertEqual(page.balance.balance, 17)
    XCTAssertEqual(page.entries.map(\.kind), [.spend, .grant, .purchase])
    XCTAssertEqual(page.entries.map(\.balance), [17, 127, 120])
    XCTAssertEqual(page.entries.map(\.reference?.text), ["order 1", nil, nil])
    XCTAssertEqual(page.entries.map(\.reason?.text), [nil, "sorry", nil])
    // Rubies burn paid lots first.
    XCTAssertEqual(page.entries[0].parts.map(\.amount), [-100, -10])
    XCTAssertEqual(page.entries[0].parts.map(\.lot.source), [.paid, .bonus])
    let paid = page.entries[0].parts[0].lot
    XCTAssertEqual(paid.price, Money(minorUnits: 999, currency: "USD"))
    XCTAssertEqual(paid.purchase?.storeTransactionID.text, "t1")
    XCTAssertEqual(paid.purchase?.product.text, "rubies")
    XCTAssertEqual(paid.environment, .production)
    XCTAssertNil(paid.expiresAt)
    XCTAssertEqual(page.lots.map(\.remaining), [10, 7])
    XCTAssertEqual(page.lots.map(\.origin.source), [.bonus, .admin])
    XCTAssertEqual(page.lots.map(\.granted), [20, 7])
    XCTAssertEqual(page.lots[0].origin.purchase, paid.purchase)
    XCTAssertNil(page.next)
    XCTAssertEqual(page.entries.map(\.transactionID), try ledger.history(of: alice).transactions.map(\.id))
    try finish(ledger)
  }

  func testExplainsPageByPage() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let count = Tier.current.length(50, thorough: 200)
    for amount in 1...count { try ledger.grant([Make.amount("GEM", Int64(amount))], customer: alice) }
    for limit in [1, 7, count, 1000] {
      var versions: [Int64] = []
      var cursor: PageCursor?
      repeat {
        let page = try ledger.explain(code("GEM"), customer: alice, limit: limit, after: cursor)
        XCTAssertLessThanOrEqual(page.entries.count, limit)
        XCTAssertEqual(page.lots.isEmpty, cursor != nil)
        versions += page.entries.map(\.version)
        cursor = page.next
      } while cursor != nil
      XCTAssertEqual(versions, (1...count).reversed().map { Int64($0) }, "pages of \(limit)")
    }
    XCTAssertEqual(try ledger.explain(code("COIN"), customer: alice).entries, [])
    try finish(ledger)
  }

  func testExplainsHoldsAndWhatCameFromOthers() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    try ledger.createCustomer(bob)
    try ledger.creditPurchase(bought("t1"), customer: alice)
    try ledger.transfer([Make.amount("GEM", 200)], from: alice, to: bob)
    try ledger.hold([Make.amount("GEM", 50)], customer: bob, for: .seconds(600))
    let page = try ledger.explain(code("GEM"), customer: bob)
    XCTAssertEqual(page.holds.map(\.amount), [50])
    XCTAssertEqual(page.lots.map(\.remaining), [150])
    XCTAssertEqual(page.lots.map(\.held), [50])
    XCTAssertEqual(page.lots.map(\.origin.source), [.paid])
    XCTAssertEqual(page.lots.map(\.origin.origins.count), [1])
    XCTAssertEqual(page.lots.map(\.origin.purchase?.storeTransactionID.text), ["t1"])
    XCTAssertEqual(page.lots.map(\.origin.purchase?.customer), [alice])
    let held = time.now
    time.advance(seconds: 600)
    let ended = time.now
    func check(_ line: UInt = #line) throws {
      XCTAssertEqual(try ledger.balance(of: code("GEM"), customer: bob, at: held).held, 50, line: line)
      XCTAssertEqual(try ledger.balance(of: code("GEM"), customer: bob, at: ended).held, 0, line: line)
      XCTAssertEqual(try ledger.unspent(at: ended).parts.map(\.paid), [1200], line: line)
    }
    try check()
    XCTAssertEqual(try ledger.explain(code("GEM"), customer: bob).lots.map(\.remaining), [200])
    XCTAssertEqual(try ledger.split(of: bob).map(\.paid), [200])
    time.advance(seconds: 1)
    try ledger.spend([Make.amount("GEM", 1)], customer: bob)
    try check()
    try finish(ledger)
  }

  // MARK: Statement

  func testAStatementAddsUp() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 100), Make.amount("COIN", 9)], customer: alice)
    time.advance(seconds: 10)
    let from = time.now
    try ledger.creditPurchase(bought("t1"), customer: alice)
    try ledger.buyItem(ItemID("extra_life"), quantity: 2, customer: alice)
    time.advance(seconds: 10)
    let until = time.now
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    let statement = try ledger.statement(of: alice, from: from, until: until)
    XCTAssertEqual(statement.currencies.map(\.currency.description), ["COIN", "GEM"])
    XCTAssertEqual(statement.currencies.map(\.opening.balance), [9, 100])
    XCTAssertEqual(statement.currencies.map(\.closing.balance), [9, 1200])
    XCTAssertEqual(statement.currencies.map(\.totals), [[:], [.purchase: 1200, .spend: -100]])
    XCTAssertEqual(statement.lines.map(\.amount), [1200, -100])
    XCTAssertEqual(statement.lines.map(\.balance), [1300, 1200])
    XCTAssertEqual(statement.lines.map { $0.items.map(\.quantity) }, [[], [2]])
    XCTAssertNil(statement.next)
    let whole = try ledger.statement(of: alice)
    XCTAssertEqual(whole.lines.count, 5)
    XCTAssertEqual(whole.currencies.map(\.opening.balance), [0, 0])
    XCTAssertEqual(whole.currencies.map(\.closing.balance), [9, 1199])
    try finish(ledger)
  }

  func testAStatementComesInPages() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    var generator = SeededRandom()
    let count = Tier.current.length(40, thorough: 150)
    for _ in 0..<count {
      var amounts = [try Make.amount(generator.one(of: ["GEM", "COIN"]), 3)]
      if generator.percent(30) { amounts = [try Make.amount("GEM", 2), try Make.amount("COIN", 1)] }
      try ledger.grant(amounts, customer: alice)
      time.advance(seconds: 1)
    }
    let (from, until) = (Timestamp(milliseconds: time.now.milliseconds - Int64(count) * 800), time.now)
    let whole = try ledger.statement(of: alice, from: from, until: until, limit: 1000)
    for limit in [1, 2, 10, 64] {
      var lines: [Statement.Line] = []
      var totals: [CurrencyCode: Int64] = [:]
      var cursor: PageCursor?
      repeat {
        let page = try ledger.statement(of: alice, from: from, until: until, limit: limit, after: cursor)
        lines += page.lines
        for currency in page.currencies { totals[currency.currency, default: 0] += currency.totals[.grant] ?? 0 }
        cursor = page.next
      } while cursor != nil
      XCTAssertEqual(lines, whole.lines, "pages of \(limit)")
      for currency in whole.currencies {
        XCTAssertEqual(currency.opening.balance + (totals[currency.currency] ?? 0), currency.closing.balance)
      }
    }
    try finish(ledger)
  }

  func testAStatementOfAnIDThatWasMergedLater() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    let carol = try Make.customer("carol")
    try ledger.grant([Make.amount("GEM", 5)], customer: bob)
    try ledger.grant([Make.amount("GEM", 50)], customer: alice)
    try ledger.grant([Make.amount("GEM", 500)], customer: carol)
    let alone = time.now
    time.advance(seconds: 1)
    try ledger.merge(from: bob, into: alice)
    let together = time.now
    time.advance(seconds: 1)
    try ledger.merge(from: alice, into: carol)
    let known: [(CustomerID, [Int64])] = [(bob, [5, 55, 555]), (alice, [50, 55, 555]), (carol, [500, 500, 555])]
    for (id, figures) in known {
      for (instant, figure) in zip([alone, together, time.now], figures) {
        XCTAssertEqual(try ledger.balance(of: code("GEM"), customer: id, at: instant).balance, figure, "\(id)")
        let gem = try ledger.balances(of: id, at: instant).first { $0.currency.description == "GEM" }
        XCTAssertEqual(gem?.balance, figure, "\(id)")
        let statement = try ledger.statement(of: id, until: Timestamp(milliseconds: instant.milliseconds + 1))
        XCTAssertEqual(statement.currencies.map(\.closing.balance), [figure], "\(id)")
        XCTAssertEqual(statement.lines.reduce(0) { $0 + $1.amount }, figure, "\(id)")
      }
    }
    try finish(ledger)
  }

  func testWhatExpiredCountsAsGoneInEveryReport() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 5_000)
    try ledger.grant([Make.amount("GEM", 40)], customer: alice, expiresAt: expiry)
    try ledger.grant([Make.amount("GEM", 2)], customer: alice)
    time.advance(seconds: 10)
    let unbooked = time.now
    func check(_ line: UInt = #line) throws {
      XCTAssertEqual(try ledger.unspent(at: unbooked).parts.map(\.free), [2], line: line)
      XCTAssertEqual(try ledger.balance(of: code("GEM"), customer: alice, at: unbooked).balance, 2, line: line)
      let until = Timestamp(milliseconds: unbooked.milliseconds + 1)
      let closing = try ledger.statement(of: alice, until: until).currencies[0].closing
      XCTAssertEqual([closing.balance, closing.due], [2, 40], line: line)
    }
    try check()
    XCTAssertEqual(try ledger.explain(code("GEM"), customer: alice).lots.map(\.remaining), [2])
    XCTAssertEqual(try ledger.split(of: alice).map(\.free), [2])
    time.advance(seconds: 10)
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    try check()
    let after = try ledger.statement(of: alice, from: unbooked)
    XCTAssertEqual(after.lines.map(\.kind), [.expiry, .spend])
    let gem = after.currencies[0]
    XCTAssertEqual(
      gem.opening.balance + gem.opening.due + after.lines.reduce(0) { $0 + $1.amount } - gem.closing.due,
      gem.closing.balance)
    try finish(ledger)
  }

  /// A refused command ends a hold after its deadline, and leaves the expired currency beside it to the next command.
  func testWhatARefusedCommandBookedOfWhatWasDue() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 5_000)
    try ledger.grant([Make.amount("GEM", 40)], customer: alice, expiresAt: expiry)
    try ledger.hold([Make.amount("GEM", 15)], customer: alice, for: .seconds(2))
    time.advance(seconds: 10)
    let unbooked = time.now
    func check(_ line: UInt = #line) throws {
      XCTAssertEqual(try ledger.balance(of: code("GEM"), customer: alice, at: unbooked).balance, 0, line: line)
    }
    try check()
    time.advance(seconds: 10)
    assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("GEM", 1)], customer: alice) }
    try check()
    time.advance(seconds: 10)
    try ledger.sweep()
    try check()
    XCTAssertEqual(try ledger.wholeHistory(of: alice).map(\.booking.kind), [.expiry, .expiry, .release, .hold, .grant])
    try finish(ledger)
  }

  // MARK: Unspent

  func testUnspentValueRoundsInFavourOfTheRest() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    try ledger.creditPurchase(bought("t1", price: 1000), customer: alice)
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    // 1000 - floor(1000 * 1 / 1200)
    XCTAssertEqual(try value(ledger), [1000])
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    XCTAssertEqual(try value(ledger), [999])
    try ledger.spend([Make.amount("GEM", 1197)], customer: alice)
    XCTAssertEqual(try value(ledger), [1])
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    XCTAssertEqual(try ledger.unspent().parts, [])
    try ledger.creditPurchase(bought("t2", price: nil), customer: alice)
    let unpriced = try ledger.unspent().parts.flatMap(\.values)
    XCTAssertEqual(unpriced.map(\.units), [1200])
    XCTAssertEqual(unpriced.map(\.price), [nil])
    try finish(ledger)
  }

  private func value(_ ledger: Ledger) throws -> [Int64?] {
    try ledger.unspent().parts.flatMap(\.values).map(\.price?.minorUnits)
  }

  func testMoneyOfEnvironmentsIsNeverMixed() throws {
    let (ledger, alice) = (try ledger(), try Make.customer("alice"))
    let session = try StoreEnvironment.localTesting(session: "one")
    try ledger.creditPurchase(bought("t1", "rubies"), customer: alice)
    try ledger.creditPurchase(bought("t2", "rubies", price: 500, environment: .sandbox), customer: alice)
    try ledger.creditPurchase(bought("t3", "rubies", price: 7, environment: session), customer: alice)
    let parts = try ledger.unspent().parts
    XCTAssertEqual(parts.map(\.environment), [.production, .sandbox, session])
    XCTAssertEqual(parts.map(\.paid), [100, 100, 100])
    XCTAssertEqual(parts.map(\.free), [20, 20, 20])
    XCTAssertEqual(parts.flatMap(\.values).map(\.price?.minorUnits), [999, 500, 7])
    XCTAssertEqual(try ledger.split(of: alice).map(\.environment), [.production, .sandbox, session])
    XCTAssertEqual(try ledger.split(of: alice).flatMap(\.values).map(\.minorUnits), [999, 500, 7])
    try finish(ledger)
  }

  /// The figures do not depend on how many lots are followed at a time.
  func testUnspentInSmallWindows() throws {
    let ledger = try ledger()
    for number in 0..<40 {
      let customer = try Make.customer("customer \(number % 7)")
      try ledger.creditPurchase(bought("t\(number)", "bundle", price: 100 + Int64(number)), customer: customer)
      try ledger.grant([Make.amount("GEM", 3)], customer: customer)
      try ledger.spend([Make.amount("GEM", 40), Make.amount("COIN", 33)], customer: customer)
    }
    let whole = try ledger.unspent()
    for (followed, lots) in [(1, 5), (3, 1000), (1000, 7), (16, 16)] {
      var heard: [Int64] = []
      let found = try ledger.unspent(at: nil, followedPerWindow: followed, lotsPerWindow: lots) { done, total in
        heard.append(done)
        XCTAssertLessThanOrEqual(done, total)
      }
      XCTAssertEqual(found.parts, whole.parts, "\(followed) of \(lots)")
      XCTAssertEqual(heard, heard.sorted())
    }
    let books = try ledger.verify().currencies
    for part in whole.parts {
      XCTAssertEqual(part.paid + part.free, books.first { $0.currency == part.currency }?.outstanding)
    }
    try finish(ledger)
  }
}

extension HistoryRecord {
  fileprivate var id: TransactionID? { booking.transactionID }
}
