internal import GemLedger
internal import GemLedgerAudit
import XCTest

/// The life of both customers after an unmerge.
extension UnmergeContract {
  func testOpenHolds() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.grant([Make.amount("GEM", 30)], customer: alice)
    try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
    try ledger.grant([Make.amount("GEM", 20)], customer: bob)
    let moved = try XCTUnwrap(try ledger.hold([Make.amount("GEM", 4)], customer: alice, for: .seconds(600)).hold?.id)
    try ledger.merge(from: alice, into: bob)
    let refusal = assertRefused(.conditionFailed) { try ledger.unmerge(alice) }
    XCTAssertEqual(refusal?.text("hold_id"), moved.description)
    try ledger.capture(moved)
    let own = try XCTUnwrap(try ledger.hold([Make.amount("RUBY", 50)], customer: bob, for: .seconds(600)).hold?.id)
    assertRefused(.conditionFailed) { try ledger.unmerge(alice) }
    try ledger.release(own)
    // A hold on pooled currency stays the survivor's, and what it has set aside is not there.
    let pooled = try XCTUnwrap(try ledger.hold([Make.amount("GEM", 40)], customer: bob, for: .seconds(600)).hold?.id)
    let report = try XCTUnwrap(try ledger.unmerge(alice).unmerged)
    XCTAssertEqual(report.lots.filter { $0.currency.description == "GEM" }.map(\.returned), [6])
    XCTAssertEqual(try balance(ledger, "RUBY", alice), 120)
    XCTAssertEqual(try ledger.holds(of: bob).map(\.id), [pooled])
    try ledger.release(pooled)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 40)
    // The hold that ended while both were one is the customer's own again, and has ended.
    assertRefused(.holdEnded) { try ledger.release(moved) }
    try check(ledger)
  }

  func testRefundsGoToTheOwner() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.creditPurchase(Make.purchase("u"), customer: alice)
    try ledger.grant([Make.amount("GEM", 500)], customer: bob)
    try ledger.merge(from: alice, into: bob)
    // Half of it is refunded while both are one.
    try ledger.refund(Make.refund("t", .milliPercent(50_000), revokedAt: 1, signedAt: 1))
    XCTAssertEqual(try ledger.unmerge(alice).entries.map(\.balance), [1800])
    let refund = try ledger.refund(Make.refund("t", revokedAt: 2, signedAt: 2))
    XCTAssertEqual(refund.customer, alice)
    XCTAssertEqual(refund.entries.map(\.balance), [1200])
    XCTAssertEqual(try balance(ledger, "GEM", bob), 500)
    try ledger.spend([Make.amount("GEM", 1200)], customer: alice)
    XCTAssertTrue(try ledger.refund(Make.refund("u")).entries.isEmpty)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 500)
    // A reversed refund gives back what was taken from either of them, to the owner of the purchase.
    let reversal = try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(reversal.customer, alice)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 1200)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 500)
    XCTAssertTrue(try ledger.refund(Make.refund("t", revokedAt: 2, signedAt: 2)).isReplayed)
    try check(ledger)
  }

  func testReversalsAfterwards() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 1_000_000)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.grant([Make.amount("GEM", 50)], customer: alice, source: .promotional, expiresAt: expiry)
    let before = try XCTUnwrap(try ledger.spend([Make.amount("GEM", 250)], customer: alice).transactionID)
    try ledger.createCustomer(bob)
    try ledger.merge(from: alice, into: bob)
    // Part of it is undone while both are one.
    XCTAssertEqual(try ledger.reverse(before, amounts: [Make.amount("GEM", 20)]).customer, bob)
    let during = try XCTUnwrap(try ledger.spend([Make.amount("GEM", 100)], customer: bob).transactionID)
    let unmerge = try ledger.unmerge(alice)
    XCTAssertEqual(unmerge.entries.map(\.balance), [920])
    // The survivor's spend comes back to the survivor, in a lot that keeps what it is.
    let late = try ledger.reverse(during)
    XCTAssertEqual(late.customer, bob)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 100)
    let lots = try ledger.explain(CurrencyCode("GEM"), customer: bob).lots
    XCTAssertEqual(lots.map(\.remaining).reduce(0, +), 100)
    XCTAssertTrue(lots.contains { $0.origin.source == .paid })
    // The customer's own spend comes back to the customer, and not twice.
    assertRefused(.exceedsOriginal) { try ledger.reverse(before, amounts: [Make.amount("GEM", 231)]) }
    XCTAssertEqual(try ledger.reverse(before).customer, alice)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 1150)
    assertRefused(.alreadyReversed) { try ledger.reverse(before) }
    // What the survivor got back out of the purchase is not the owner's.
    try ledger.refund(Make.refund("t"))
    XCTAssertEqual(try balance(ledger, "GEM", bob), 100)
    time.advance(seconds: 1001)
    try ledger.sweep()
    try check(ledger)
  }

  /// What the customer had spent before the merge, and got back since, is the customer's; however little was left of
  /// the lot when it moved.
  func testCurrencyThatCameBackSince() throws {
    for (line, spent) in [(#line, 19), (#line, 20), (#line, 120)] as [(UInt, Int64)] {
      let ledger = try ledger()
      let (alice, bob, _) = try people()
      try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
      let whole = try balance(ledger, "RUBY", alice)
      let spend = try ledger.spend([Make.amount("RUBY", spent)], customer: alice)
      try ledger.grant([Make.amount("RUBY", 5)], customer: bob)
      try ledger.merge(from: alice, into: bob)
      try ledger.reverse(XCTUnwrap(spend.transactionID))
      let report = try XCTUnwrap(try ledger.unmerge(alice).unmerged)
      XCTAssertTrue(report.isWhole, line: line)
      XCTAssertTrue(report.lots.allSatisfy { $0.missing == 0 && $0.returned > 0 }, line: line)
      XCTAssertEqual(try balance(ledger, "RUBY", alice), whole, line: line)
      XCTAssertEqual(try balance(ledger, "RUBY", bob), 5, line: line)
      try ledger.refund(Make.refund("t"))
      XCTAssertEqual(try balance(ledger, "RUBY", alice), 0, line: line)
      XCTAssertEqual(try ledger.balance(of: CurrencyCode("RUBY"), customer: alice).debt, 0, line: line)
      XCTAssertEqual(try balance(ledger, "RUBY", bob), 5, line: line)
      try check(ledger, line: line)
    }
  }

  /// The same for a reversed refund, and for a currency of which the merge moved nothing.
  func testARefundReversedSince() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.refund(Make.refund("t"))
    try ledger.grant([Make.amount("GEM", 5)], customer: bob)
    try ledger.merge(from: alice, into: bob)
    try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(try balance(ledger, "GEM", bob), 1205)
    try ledger.unmerge(alice)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 1200)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 5)
    try ledger.refund(Make.refund("t", revokedAt: 9_000, signedAt: 9_000))
    XCTAssertEqual(try balance(ledger, "GEM", alice), 0)
    try check(ledger)
  }

  /// Pooled currency goes back to whose it was: the customer's spend of before the merge to the customer, a spend since
  /// then to the shares that it burnt.
  func testPooledCurrencyThatCameBackSince() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.grant([Make.amount("GEM", 30)], customer: alice)
    try ledger.grant([Make.amount("GEM", 20)], customer: bob)
    let alices = try ledger.spend([Make.amount("GEM", 10)], customer: alice)
    let bobs = try ledger.spend([Make.amount("GEM", 4)], customer: bob)
    try ledger.merge(from: alice, into: bob)
    let both = try ledger.spend([Make.amount("GEM", 26)], customer: bob)
    try ledger.grant([Make.amount("GEM", 100)], customer: bob)
    for spend in [alices, bobs, both] { try ledger.reverse(XCTUnwrap(spend.transactionID)) }
    let report = try XCTUnwrap(try ledger.unmerge(alice).unmerged)
    XCTAssertEqual(report.lots.map(\.moved), [20])
    XCTAssertEqual(report.lots.map(\.returned), [30])
    XCTAssertEqual(try balance(ledger, "GEM", bob), 120)
    try check(ledger)
  }

  /// Whoever is split off first, each gets what is left of what it brought: the oldest merge's share burns first.
  func testSharesOfSeveralMerges() throws {
    for (line, order) in [(#line, ["alice", "carol"]), (#line, ["carol", "alice"])] as [(UInt, [String])] {
      let ledger = try ledger()
      let (alice, bob, carol) = try people()
      for (id, amount) in [(alice, 10), (bob, 3), (carol, 10)] as [(CustomerID, Int64)] {
        try ledger.grant([Make.amount("GEM", amount)], customer: id)
      }
      try ledger.merge(from: alice, into: bob)
      try ledger.merge(from: carol, into: bob)
      try ledger.spend([Make.amount("GEM", 11)], customer: bob)
      for id in order { try ledger.unmerge(Make.customer(id)) }
      XCTAssertEqual(try balance(ledger, "GEM", alice), 2, line: line)
      XCTAssertEqual(try balance(ledger, "GEM", carol), 10, line: line)
      XCTAssertEqual(try balance(ledger, "GEM", bob), 0, line: line)
      try check(ledger, line: line)
    }
  }

  func testExpiry() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    let soon = Timestamp(milliseconds: time.now.milliseconds + 10_000)
    let late = Timestamp(milliseconds: time.now.milliseconds + 20_000)
    try ledger.grant([Make.amount("GEM", 5)], customer: alice, source: .promotional, expiresAt: soon)
    try ledger.grant([Make.amount("GEM", 7)], customer: alice, source: .promotional, expiresAt: late)
    try ledger.grant([Make.amount("GEM", 9)], customer: bob, source: .promotional, expiresAt: late)
    try ledger.merge(from: alice, into: bob)
    time.advance(seconds: 11)
    let report = try XCTUnwrap(try ledger.unmerge(alice).unmerged)
    XCTAssertEqual(report.lots.map(\.moved).sorted(), [5, 7])
    XCTAssertEqual(report.lots.map(\.returned).sorted(), [0, 7])
    time.advance(seconds: 11)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 0)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 0)
    try ledger.sweep()
    try check(ledger)
  }

  func testHistoriesAndInstants() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    try ledger.grant([Make.amount("GEM", 20)], customer: bob)
    let apart = time.now
    time.advance(seconds: 10)
    let merge = try ledger.merge(from: alice, into: bob)
    time.advance(seconds: 10)
    let together = time.now
    try ledger.spend([Make.amount("GEM", 25)], customer: alice)
    time.advance(seconds: 10)
    let spent = time.now
    time.advance(seconds: 10)
    let unmerge = try ledger.unmerge(alice)
    let gem = try CurrencyCode("GEM")
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: apart).balance, 10)
    XCTAssertEqual(try ledger.balance(of: gem, customer: bob, at: apart).balance, 20)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: spent).balance, 5)
    XCTAssertEqual(try ledger.balance(of: gem, customer: bob, at: spent).balance, 5)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: together).balance, 5)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: time.now).balance, 5)
    XCTAssertEqual(try ledger.balance(of: gem, customer: bob, at: time.now).balance, 0)
    let alices = try ledger.history(of: alice).transactions.map(\.booking)
    XCTAssertEqual(alices.map(\.kind), [.unmerge, .merge, .grant])
    XCTAssertEqual(alices.map { $0.entries.map(\.amount) }, [[5], [-10], [10]])
    XCTAssertEqual(alices[0].unmerged, unmerge.unmerged)
    let bobs = try ledger.history(of: bob).transactions.map(\.booking)
    XCTAssertEqual(bobs.map(\.kind), [.unmerge, .spend, .merge, .grant])
    XCTAssertEqual(bobs.map { $0.entries.map(\.amount) }, [[-5], [-25], [10], [20]])
    XCTAssertEqual(try ledger.statement(of: alice).lines.map(\.amount), [10, -10, 5])
    XCTAssertEqual(try ledger.statement(of: bob).lines.map(\.amount), [20, 10, -25, -5])
    XCTAssertEqual(try ledger.explain(gem, customer: alice).entries.map(\.kind), [.unmerge, .merge, .grant])
    XCTAssertEqual(try ledger.spends(of: bob).spends.map(\.amount), [25])
    XCTAssertEqual(try ledger.spends(of: alice).spends.count, 0)
    for booking in [merge, unmerge] {
      XCTAssertEqual(try ledger.transaction(XCTUnwrap(booking.transactionID)).booking.entries, booking.entries)
    }
    let event = try XCTUnwrap(try ledger.feed(limit: 100).events.last)
    XCTAssertEqual(event.record.booking.transactionID, unmerge.transactionID)
    XCTAssertEqual(event.record.booking.customer, alice)
    XCTAssertEqual(event.merged?.customer, bob)
    XCTAssertEqual(event.merged?.entries.map(\.amount), [-5])
    try check(ledger)
  }

  func testAddedIDsAndErasure() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    try ledger.createAlias(Make.customer("alice's device"), of: alice)
    try ledger.grant([Make.amount("GEM", 20)], customer: bob)
    try ledger.merge(from: alice, into: bob)
    try ledger.createAlias(Make.customer("later"), of: alice)
    // Any id that the customer brought names it; an id that came since stays.
    try ledger.unmerge(Make.customer("alice's device"))
    let (device, later) = (try Make.customer("alice's device"), try Make.customer("later"))
    XCTAssertEqual(try ledger.customerIDs(of: alice), [alice, device])
    XCTAssertEqual(try ledger.customerIDs(of: later), [bob, later])
    try ledger.erase(bob)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 10)
    try ledger.grant([Make.amount("GEM", 1)], customer: carol)
    try ledger.merge(from: carol, into: alice)
    try ledger.erase(alice)
    assertRefused(.customerNotFound) { try ledger.unmerge(carol) }
    try check(ledger)
  }

  /// A group sees its own merges and unmerges.
  func testOneGroup() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    let results = ledger.submit([
      .grant([try Make.amount("GEM", 10)], customer: alice),
      .creditPurchase(try Make.purchase("t"), customer: alice),
      .grant([try Make.amount("GEM", 20)], customer: bob),
      .merge(from: alice, into: bob, key: try Make.key("m")),
      try .spend([Make.amount("GEM", 25)], customer: bob),
      .unmerge(alice, key: try Make.key("u")),
      .unmerge(alice, key: try Make.key("u")),
      try .spend([Make.amount("GEM", 1200)], customer: alice),
      .merge(from: alice, into: bob),
      .unmerge(alice),
      .grant([try Make.amount("GEM", 1)], customer: bob),
    ])
    for result in results { _ = try result.get() }
    let (first, again) = (try results[5].get(), try results[6].get())
    XCTAssertEqual(first.entries.map(\.balance), [1205])
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.entries, first.entries)
    XCTAssertEqual(again.unmerged, first.unmerged)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 5)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 1)
    try check(ledger)
  }

  /// The survivor's clock is stopped: the recharge of the other customer begins with the unmerge, in whatever group.
  func testRechargeClocks() throws {
    let energy = Currency(
      code: try CurrencyCode("ENERGY"), name: "Energy",
      recharge: Recharge(amount: 2, every: TimeSpan(seconds: 60), upTo: 30))
    for isOneGroup in [false, true] {
      let ledger = try make(time.clock)
      try ledger.apply(Catalog(currencies: [energy], products: []))
      let (alice, bob, _) = try people()
      try ledger.grant([Make.amount("ENERGY", 100)], customer: bob)
      try ledger.grant([Make.amount("ENERGY", 50)], customer: alice)
      try ledger.spend([Make.amount("ENERGY", 45)], customer: alice)
      time.advance(seconds: 30)
      let commands: [LedgerCommand] = [
        try .spend([Make.amount("ENERGY", 1)], customer: alice), .merge(from: alice, into: bob), .unmerge(alice),
        try .spend([Make.amount("ENERGY", 1)], customer: alice),
      ]
      for group in isOneGroup ? [commands] : commands.map({ [$0] }) {
        for result in ledger.submit(group) { _ = try result.get() }
      }
      XCTAssertEqual(try balance(ledger, "ENERGY", alice), 3)
      time.advance(seconds: 59)
      XCTAssertEqual(try balance(ledger, "ENERGY", alice), 3)
      time.advance(seconds: 1)
      XCTAssertEqual(try balance(ledger, "ENERGY", alice), 5)
      time.advance(seconds: 60)
      XCTAssertEqual(try ledger.spend([Make.amount("ENERGY", 7)], customer: alice).entries.map(\.balance), [0])
      try check(ledger)
    }
  }
}
