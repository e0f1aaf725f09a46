internal import GemLedger
internal import GemLedgerAudit
import XCTest

extension InsightContract {
  private func buy(
    _ id: String, _ product: String = "gems_1200", price: Int64? = 999, environment: StoreEnvironment = .production,
    by customer: CustomerID, in ledger: Ledger
  ) throws {
    let price = price.map { Money(minorUnits: $0, currency: "USD") }
    let purchase = try Make.purchase(id, product: product, price: price, environment: environment)
    try ledger.creditPurchase(purchase, customer: customer)
  }

  /// Items by their figures: environment, currency, item, amount, units, customers.
  private func figures(_ items: [TopItem]) -> [String] {
    items.map { item in
      "\(item.environment)\(item.environment.session ?? "") \(item.currency) \(item.item) \(item.amount) "
        + "\(item.units) \(item.customers)"
    }
  }

  func testRefundsWithAShortfall() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    func found(from: Timestamp = Timestamp(milliseconds: 0), limit: Int = 10) throws -> [String] {
      try ledger.sales.shortfalls(from: from, until: time.now, limit: limit).map { one in
        "\(one.purchase.storeTransactionID) \(one.purchase.customer) \(one.currency) \(one.taken) \(one.owed) "
          + "\(one.lost)"
      }
    }
    for (id, customer) in [("t1", alice), ("t2", alice), ("t3", bob)] { try buy(id, by: customer, in: ledger) }
    try ledger.spend([Make.amount("GEM", 2000)], customer: alice)
    try ledger.refund(Make.refund("t3"))
    time.advance(seconds: 10)
    XCTAssertEqual(try found(), [])
    // Other lots of the customer pay for the first refund; the second one finds nothing.
    try ledger.refund(Make.refund("t1"))
    time.advance(seconds: 10)
    let later = time.now
    try ledger.refund(Make.refund("t2", .milliPercent(50_000)))
    time.advance(seconds: 10)
    XCTAssertEqual(try found(), ["t2 alice GEM 0 0 600", "t1 alice GEM 400 0 800"])
    XCTAssertEqual(try found(limit: 1), ["t2 alice GEM 0 0 600"])
    XCTAssertEqual(try found(from: later), ["t2 alice GEM 0 0 600"])
    try ledger.merge(from: alice, into: bob)
    try ledger.reverseRefund(Make.reversal("t1"))
    time.advance(seconds: 10)
    XCTAssertEqual(
      try found(), ["t1 bob GEM -400 0 -800", "t2 bob GEM 0 0 600", "t1 bob GEM 400 0 800"])
    try check(ledger)
  }

  func testTopItems() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    XCTAssertEqual(try ledger.sales.topItems(), [])
    for customer in [alice, bob] {
      try ledger.grant([Make.amount("GEM", 500), Make.amount("COIN", 90)], customer: customer)
    }
    let start = time.now
    try ledger.buyItem(ItemID("extra_life"), quantity: 5, customer: alice)
    try ledger.buyItem(ItemID("extra_life"), customer: alice)
    let returned = try XCTUnwrap(ledger.buyItem(ItemID("sword"), customer: bob).transactionID)
    time.advance(seconds: 10)
    let later = time.now
    try ledger.buyItem(ItemID("sword"), customer: alice)
    // Two of the sword's coins come back, then all of its price and the sword.
    try ledger.reverse(returned, amounts: [Make.amount("COIN", 2)])
    let swords = ["production COIN sword 18 2 2", "production GEM extra_life 300 6 1", "production GEM sword 200 2 2"]
    XCTAssertEqual(figures(try ledger.sales.topItems()), swords)
    time.advance(seconds: 10)
    try ledger.reverse(returned)
    let kept = ["production COIN sword 10 1 1", "production GEM extra_life 300 6 1", "production GEM sword 100 1 1"]
    XCTAssertEqual(figures(try ledger.sales.topItems()), kept)
    XCTAssertEqual(figures(try ledger.sales.topItems(limit: 1)), [kept[0], kept[1]])
    XCTAssertEqual(try ledger.sales.topItems(until: start), [])
    let first = ["production COIN sword 10 1 1", "production GEM extra_life 300 6 1", "production GEM sword 100 1 1"]
    XCTAssertEqual(figures(try ledger.sales.topItems(until: later)), first)
    XCTAssertEqual(
      figures(try ledger.sales.topItems(from: later, until: time.now)),
      ["production COIN sword 8 1 1", "production GEM sword 100 1 1"])
    try check(ledger)
  }

  /// A merged customer counts once, and currency of a test pays for no sale in production.
  func testTopItemsOfTestsAndOfMergedCustomers() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    try ledger.grant([Make.amount("GEM", 130)], customer: alice)
    try ledger.grant([Make.amount("GEM", 50)], customer: bob)
    try buy("t1", environment: .sandbox, by: alice, in: ledger)
    try ledger.buyItem(ItemID("extra_life"), quantity: 2, customer: alice)
    // 30 granted gems, 70 of the sandbox.
    let mixed = try XCTUnwrap(ledger.buyItem(ItemID("extra_life"), quantity: 2, customer: alice).transactionID)
    try ledger.buyItem(ItemID("extra_life"), customer: bob)
    XCTAssertEqual(
      figures(try ledger.sales.topItems()),
      ["production GEM extra_life 180 5 2", "sandbox GEM extra_life 70 2 1"])
    let apart = time.now.after
    time.advance(seconds: 10)
    try ledger.merge(from: bob, into: alice)
    // The lots burnt last are given back first.
    try ledger.reverse(mixed, amounts: [Make.amount("GEM", 70)])
    time.advance(seconds: 10)
    try ledger.reverse(mixed)
    XCTAssertEqual(figures(try ledger.sales.topItems()), ["production GEM extra_life 150 3 1"])
    XCTAssertEqual(try ledger.sales.topItems(until: apart).map(\.customers), [2, 1])
    try check(ledger)
  }

  func testCohorts() throws {
    let (ledger, alice, bob) = (try ledger(), try Make.customer("alice"), try Make.customer("bob"))
    let (carol, dave) = (try Make.customer("carol"), try Make.customer("dave"))
    let (start, day) = (time.now, Int64(86_400))
    let boundaries = (0...3).map { start.advanced(milliseconds: $0 * day * 1000) }
    try ledger.grant([Make.amount("GEM", 5)], customer: alice)
    try ledger.spend([Make.amount("GEM", 5)], customer: alice)
    time.advance(seconds: 60)
    try buy("t1", by: alice, in: ledger)
    try buy("t2", price: nil, by: bob, in: ledger)
    try buy("free", price: 0, by: carol, in: ledger)
    time.advance(seconds: 60)
    try ledger.spend([Make.amount("GEM", 7)], customer: alice)
    time.advance(seconds: day)
    // A second purchase starts no cohort; one in the sandbox starts another.
    try buy("t3", price: 1, by: alice, in: ledger)
    try buy("t4", price: 100, environment: .sandbox, by: alice, in: ledger)
    try buy("t5", price: 500, by: dave, in: ledger)
    let spend = try XCTUnwrap(ledger.spend([Make.amount("GEM", 100)], customer: bob).transactionID)
    time.advance(seconds: day)
    try ledger.reverse(spend, amounts: [Make.amount("GEM", 40)])
    try ledger.spend([Make.amount("GEM", 1)], customer: carol)
    let gem = try CurrencyCode("GEM")
    let cohorts = try ledger.sales.cohorts(between: boundaries)
    XCTAssertEqual(cohorts.map(\.environment), [.production, .production, .sandbox])
    XCTAssertEqual(cohorts.map(\.from), [boundaries[0], boundaries[1], boundaries[1]])
    XCTAssertEqual(cohorts.map(\.size), [2, 1, 1])
    XCTAssertEqual(cohorts.map { $0.value.map(\.minorUnits) }, [[999], [500], [100]])
    XCTAssertEqual(cohorts.map(\.spenders), [2, 0, 0])
    XCTAssertEqual(cohorts.map(\.medianTimeToSpend), [.seconds(60), nil, nil])
    XCTAssertEqual(cohorts.map { $0.periods.map(\.spenders) }, [[1, 1, 0], [0, 0], [0, 0]])
    XCTAssertEqual(cohorts[0].periods.map(\.spent), [[gem: 7], [gem: 100], [gem: -40]])
    XCTAssertEqual(cohorts[0].periods.map(\.from), Array(boundaries.dropLast()))
    // An anonymous buyer's purchase and the spends after it are one customer's.
    try ledger.merge(from: dave, into: carol)
    time.advance(seconds: 1)
    try ledger.spend([Make.amount("GEM", 2)], customer: carol)
    let merged = try ledger.sales.cohorts(between: boundaries)
    XCTAssertEqual(merged[1].size, 1)
    XCTAssertEqual(merged[1].periods.map(\.spent), [[:], [gem: 3]])
    XCTAssertEqual(try ledger.sales.cohorts(between: Array(boundaries.prefix(3)))[0].periods.map(\.spenders), [1, 1])
    XCTAssertEqual(try ledger.sales.cohorts(between: Array(boundaries.suffix(2))), [])
    try check(ledger)
  }

  func testSalesEqualAPlainCount() throws {
    let ledger = try make(time.clock)
    try ledger.apply(EconomyStream.catalog())
    var stream = EconomyStream(generator: SeededRandom())
    let start = time.now
    for _ in 0..<Tier.current.length(400, thorough: 4000) {
      let command = try stream.command(now: time.now)
      if let booking = try? ledger.book(command) { stream.heard(booking) }
      if stream.generator.percent(30) { time.advance(seconds: Int64(stream.generator.below(20_000))) }
    }
    time.advance(seconds: 1)
    let (length, seed) = (time.now.milliseconds - start.milliseconds, stream.generator.seed)
    let boundaries = (1...5).map { start.advanced(milliseconds: length * $0 / 5) }
    let count = try PlainCount(ledger, boundaries: boundaries)
    let items = try ledger.sales.topItems(from: boundaries[0], until: boundaries[4])
    XCTAssertEqual(Set(figures(items)), count.items, "seed \(seed)")
    XCTAssertEqual(items.count, count.items.count, "seed \(seed)")
    let cohorts = try ledger.sales.cohorts(between: boundaries)
    XCTAssertEqual(Set(cohorts.map(PlainCount.text)), count.cohorts, "seed \(seed)")
    try check(ledger)
  }
}
