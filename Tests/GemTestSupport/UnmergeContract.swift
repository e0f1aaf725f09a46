package import GemLedger
internal import GemLedgerAudit
import XCTest

/// Unmerges on any storage: what comes back, what stays, and what later commands do with either.
package struct UnmergeContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testEverythingComesBack", testEverythingComesBack)
    run.step("testTheSurvivorsOwnIsSpentFirst", testTheSurvivorsOwnIsSpentFirst)
    run.step("testSpentLotsStayAway", testSpentLotsStayAway)
    run.step("testDebtsComeBack", testDebtsComeBack)
    run.step("testItemsComeBack", testItemsComeBack)
    run.step("testRefusals", testRefusals)
    run.step("testKeys", testKeys)
    run.step("testKeptRefusals", testKeptRefusals)
    run.step("testKeysThroughLaterMerges", testKeysThroughLaterMerges)
    run.step("testKeysUsedThroughOtherIDs", testKeysUsedThroughOtherIDs)
    run.step("testNestedMerges", testNestedMerges)
    run.step("testOnceMore", testOnceMore)
    run.step("testOpenHolds", testOpenHolds)
    run.step("testRefundsGoToTheOwner", testRefundsGoToTheOwner)
    run.step("testReversalsAfterwards", testReversalsAfterwards)
    run.step("testCurrencyThatCameBackSince", testCurrencyThatCameBackSince)
    run.step("testARefundReversedSince", testARefundReversedSince)
    run.step("testPooledCurrencyThatCameBackSince", testPooledCurrencyThatCameBackSince)
    run.step("testSharesOfSeveralMerges", testSharesOfSeveralMerges)
    run.step("testExpiry", testExpiry)
    run.step("testHistoriesAndInstants", testHistoriesAndInstants)
    run.step("testAddedIDsAndErasure", testAddedIDsAndErasure)
    run.step("testOneGroup", testOneGroup)
    run.step("testRechargeClocks", testRechargeClocks)
  }

  func people() throws -> (CustomerID, CustomerID, CustomerID) {
    (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("carol"))
  }

  // MARK: Amounts

  func testEverythingComesBack() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.grant([Make.amount("GEM", 10), Make.amount("COIN", 5)], customer: alice)
    let bundle = try ledger.creditPurchase(Make.purchase("t", product: "bundle"), customer: alice)
    try ledger.grant([Make.amount("GEM", 7), Make.amount("RUBY", 3)], customer: bob)
    let merge = try ledger.merge(from: alice, into: bob)
    try ledger.creditPurchase(Make.purchase("u", product: "starter"), customer: bob)
    let preview = try ledger.preview(.unmerge(alice))
    XCTAssertNil(preview.transactionID)
    XCTAssertEqual(try ledger.customerIDs(of: alice), [bob, alice])
    let unmerge = try ledger.unmerge(alice)
    XCTAssertEqual(preview.entries, unmerge.entries)
    XCTAssertEqual(preview.unmerged, unmerge.unmerged)
    XCTAssertEqual(unmerge.kind, .unmerge)
    XCTAssertEqual(unmerge.customer, alice)
    XCTAssertEqual(unmerge.entries.map(\.amount), [335, 510])
    XCTAssertEqual(unmerge.entries.map(\.balance), [335, 510])
    XCTAssertEqual(unmerge.items.map(\.owned), [2])
    XCTAssertEqual(unmerge.parties.map(\.customer), [bob])
    XCTAssertEqual(unmerge.parties[0].entries.map(\.balance), [0, 7])
    XCTAssertEqual(unmerge.parties[0].items.map(\.quantity), [-2])
    let report = try XCTUnwrap(unmerge.unmerged)
    XCTAssertTrue(report.isWhole)
    XCTAssertEqual(report.merge, merge.transactionID)
    XCTAssertEqual(report.survivor, bob)
    XCTAssertEqual(report.lots.map(\.moved).reduce(0, +), 845)
    // The purchase's own lot came back, with its price.
    let paid = try XCTUnwrap(bundle.entries.first { $0.currency.description == "GEM" }).allocations[0].lot
    XCTAssertTrue(unmerge.entries[1].allocations.contains { $0.lot == paid && $0.amount == 500 })
    XCTAssertEqual(try ledger.purchases(of: alice).purchases.map(\.storeTransactionID.text), ["t"])
    XCTAssertEqual(try ledger.purchases(of: bob).purchases.map(\.storeTransactionID.text), ["u"])
    XCTAssertEqual(try ledger.customerIDs(of: alice), [alice])
    XCTAssertEqual(try ledger.customerIDs(of: bob), [bob])
    XCTAssertEqual(Set(try ledger.customers().customers.map(\.id)), [alice, bob])
    XCTAssertEqual(try ledger.verify().customers, 2)
    try ledger.spend([Make.amount("GEM", 510)], customer: alice)
    try ledger.spend([Make.amount("GEM", 7)], customer: bob)
    try check(ledger)
  }

  /// A pool mixes both customers' currency: the survivor's own counts as spent first, and later currency stays.
  func testTheSurvivorsOwnIsSpentFirst() throws {
    for (line, spent, later, alices, bobs) in [
      (#line, 0, 0, 30, 20), (#line, 20, 0, 30, 0), (#line, 35, 0, 15, 0), (#line, 50, 40, 0, 40),
      (#line, 35, 40, 15, 40), (#line, 10, 5, 30, 15),
    ] as [(UInt, Int64, Int64, Int64, Int64)] {
      let ledger = try ledger()
      let (alice, bob, _) = try people()
      try ledger.grant([Make.amount("GEM", 30)], customer: alice)
      try ledger.grant([Make.amount("GEM", 20)], customer: bob)
      try ledger.merge(from: alice, into: bob)
      if spent > 0 { try ledger.spend([Make.amount("GEM", spent)], customer: bob) }
      if later > 0 { try ledger.grant([Make.amount("GEM", later)], customer: bob) }
      let report = try XCTUnwrap(try ledger.unmerge(alice).unmerged)
      XCTAssertEqual(report.lots.map(\.moved), [30], line: line)
      XCTAssertEqual(report.lots.map(\.returned), [alices], line: line)
      XCTAssertEqual(report.isWhole, alices == 30, line: line)
      XCTAssertEqual(try balance(ledger, "GEM", alice), alices, line: line)
      XCTAssertEqual(try balance(ledger, "GEM", bob), bobs, line: line)
      try check(ledger, line: line)
    }
  }

  func testSpentLotsStayAway() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.grant([Make.amount("GEM", 100)], customer: alice, source: .bonus)
    try ledger.creditPurchase(Make.purchase("u"), customer: bob)
    try ledger.merge(from: alice, into: bob)
    // The bonus goes first, and then the older purchase.
    try ledger.spend([Make.amount("GEM", 400)], customer: bob)
    let report = try XCTUnwrap(try ledger.unmerge(alice).unmerged)
    XCTAssertEqual(report.lots.map(\.moved).sorted(), [100, 1200])
    XCTAssertEqual(report.lots.map(\.missing).sorted(), [100, 300])
    XCTAssertEqual(report.lots.first { $0.source == .paid }?.returned, 900)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 900)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 1200)
    let gem = try CurrencyCode("GEM")
    let lots = try ledger.explain(gem, customer: alice).lots
    XCTAssertEqual(lots.map(\.remaining), [900])
    XCTAssertEqual(lots.map(\.granted), [1200])
    try check(ledger)
  }

  func testDebtsComeBack() throws {
    for (line, has, later, alices, bobs) in [
      (#line, 0, 0, 120, 0), (#line, 30, 0, 90, 0), (#line, 0, 50, 70, 0), (#line, 200, 0, 0, 0),
    ] as [(UInt, Int64, Int64, Int64, Int64)] {
      let ledger = try ledger()
      let (alice, bob, _) = try people()
      try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
      try ledger.spend([Make.amount("RUBY", 120)], customer: alice)
      try ledger.refund(Make.refund("t"))
      try ledger.createCustomer(bob)
      if has > 0 { try ledger.grant([Make.amount("RUBY", has)], customer: bob) }
      try ledger.merge(from: alice, into: bob)
      if later > 0 { try ledger.grant([Make.amount("RUBY", later)], customer: bob) }
      let report = try XCTUnwrap(try ledger.unmerge(alice).unmerged)
      let ruby = try CurrencyCode("RUBY")
      XCTAssertEqual(try ledger.balance(of: ruby, customer: alice).debt, alices, line: line)
      XCTAssertEqual(try ledger.balance(of: ruby, customer: bob).debt, bobs, line: line)
      XCTAssertEqual(report.debts.map(\.returned), alices + later > 0 ? [alices] : [], line: line)
      XCTAssertEqual(report.debts.map(\.missing), alices + later > 0 ? [later] : [], line: line)
      // The debt is that of the refunded purchase, whose owner gets back what the refund took.
      try ledger.reverseRefund(Make.reversal("t"))
      XCTAssertEqual(try ledger.balance(of: ruby, customer: alice).debt, 0, line: line)
      try check(ledger, line: line)
    }
  }

  func testItemsComeBack() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    try ledger.creditPurchase(Make.purchase("t", product: "bundle"), customer: alice)
    try ledger.creditPurchase(Make.purchase("u", product: "chest"), customer: alice)
    try ledger.createCustomer(bob)
    try ledger.createCustomer(carol)
    try ledger.merge(from: alice, into: bob)
    let legs = [BasketLeg.item(try ItemID("sword"), quantity: 2, from: bob, to: carol)]
    try ledger.book(.basket(legs, payer: bob))
    let unmerge = try ledger.unmerge(alice)
    XCTAssertEqual(unmerge.items.map(\.owned), [2, 1])
    XCTAssertEqual(unmerge.unmerged?.items.map(\.moved), [2, 3])
    XCTAssertEqual(unmerge.unmerged?.items.map(\.missing), [0, 2])
    try check(ledger)
  }

  // MARK: Refusals and keys

  func testRefusals() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    assertRefused(.customerNotFound) { try ledger.unmerge(alice) }
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    try ledger.grant([Make.amount("GEM", 20)], customer: bob)
    try ledger.createCustomer(carol)
    try assertRefusedWithoutTrace(.notReversible, ledger) { try ledger.unmerge(alice) }
    try ledger.createAlias(Make.customer("more"), of: bob)
    try ledger.merge(from: alice, into: bob)
    try assertRefusedWithoutTrace(.notReversible, ledger) { try ledger.unmerge(bob) }
    try assertRefusedWithoutTrace(.notReversible, ledger) { try ledger.unmerge(Make.customer("more")) }
    try assertRefusedWithoutTrace(.conditionFailed, ledger) { try ledger.unmerge(alice, from: carol) }
    try assertRefusedWithoutTrace(.conditionFailed, ledger) { try ledger.unmerge(alice, from: Make.customer("no")) }
    try ledger.freeze(bob)
    try assertRefusedWithoutTrace(.customerFrozen, ledger) { try ledger.unmerge(alice) }
    try ledger.unfreeze(bob)
    try ledger.unmerge(alice, from: bob)
    let again = try assertRefusedWithoutTrace(.alreadyReversed, ledger) { try ledger.unmerge(alice) }
    XCTAssertEqual(again?.text("survivor"), "bob")
    try check(ledger)
  }

  func testKeys() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.grant([Make.amount("GEM", 10)], customer: alice, key: Make.key("first"))
    try ledger.grant([Make.amount("GEM", 20)], customer: bob)
    try ledger.merge(from: alice, into: bob)
    let during = try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: Make.key("during"))
    let unmerge = try ledger.unmerge(alice, key: Make.key("u"))
    let again = try ledger.unmerge(alice, key: Make.key("u"))
    XCTAssertTrue(again.isReplayed)
    var first = unmerge
    first.isReplayed = true
    XCTAssertEqual(again, first)
    assertRefused(.keyConflict) { try ledger.unmerge(alice, from: bob, key: Make.key("u")) }
    // A retry of a request from the time as one customer gets its answer, and later requests are each customer's own.
    XCTAssertTrue(try ledger.grant([Make.amount("GEM", 10)], customer: alice, key: Make.key("first")).isReplayed)
    let retry = try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: Make.key("during"))
    XCTAssertEqual(retry.transactionID, during.transactionID)
    XCTAssertTrue(try ledger.spend([Make.amount("GEM", 1)], customer: bob, key: Make.key("during")).isReplayed)
    XCTAssertFalse(try ledger.spend([Make.amount("GEM", 2)], customer: bob, key: Make.key("daily")).isReplayed)
    XCTAssertFalse(try ledger.spend([Make.amount("GEM", 2)], customer: alice, key: Make.key("daily")).isReplayed)
    XCTAssertFalse(try ledger.spend([Make.amount("GEM", 3)], customer: alice, key: Make.key("weekly")).isReplayed)
    XCTAssertFalse(try ledger.spend([Make.amount("GEM", 3)], customer: bob, key: Make.key("weekly")).isReplayed)
    try check(ledger)
  }

  /// A refusal from the time as one customer is the answer of every id that it was split into, and a later one is not.
  func testKeptRefusals() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    for id in [alice, bob] { try ledger.grant([Make.amount("GEM", 10)], customer: id) }
    func spend(_ amount: Int64, _ id: CustomerID, _ key: String) throws -> Booking {
      try ledger.spend([Make.amount("GEM", amount)], customer: id, key: Make.key(key))
    }
    assertRefused(.insufficientBalance) { try spend(15, bob, "before") }
    try ledger.merge(from: alice, into: bob)
    assertRefused(.insufficientBalance) { try spend(40, alice, "during") }
    try ledger.unmerge(alice)
    assertRefused(.insufficientBalance) { try spend(30, bob, "after") }
    for id in [alice, bob] { try ledger.grant([Make.amount("GEM", 100)], customer: id) }
    for id in [alice, bob] {
      let refusal = assertRefused(.insufficientBalance) { try spend(40, id, "during") }
      XCTAssertEqual(refusal?.isReplayed, true)
    }
    for (id, key) in [(bob, "before"), (bob, "after")] {
      XCTAssertEqual(
        assertRefused(.insufficientBalance) { try spend(key == "after" ? 30 : 15, id, key) }?.isReplayed, true)
    }
    XCTAssertFalse(try spend(30, alice, "after").isReplayed)
    XCTAssertFalse(try spend(41, alice, "during").isReplayed)
    try check(ledger)
  }

  /// Requests from the time as one customer keep their answers where a third customer takes over since.
  func testKeysThroughLaterMerges() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    for id in [alice, bob, carol] { try ledger.grant([Make.amount("GEM", 10)], customer: id) }
    try ledger.merge(from: alice, into: bob)
    let booked = try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: Make.key("booked"))
    assertRefused(.insufficientBalance) {
      try ledger.spend([Make.amount("GEM", 40)], customer: alice, key: Make.key("refused"))
    }
    try ledger.unmerge(alice)
    try ledger.grant([Make.amount("GEM", 100)], customer: carol)
    try ledger.merge(from: alice, into: carol)
    for id in [alice, carol] {
      let again = try ledger.spend([Make.amount("GEM", 1)], customer: id, key: Make.key("booked"))
      XCTAssertEqual(again.transactionID, booked.transactionID)
      let refusal = assertRefused(.insufficientBalance) {
        try ledger.spend([Make.amount("GEM", 40)], customer: id, key: Make.key("refused"))
      }
      XCTAssertEqual(refusal?.isReplayed, true)
    }
    // A request of the third customer under the same key hides none of them.
    for key in ["booked", "refused"] { try ledger.spend([Make.amount("GEM", 3)], customer: carol, key: Make.key(key)) }
    try ledger.unmerge(alice)
    XCTAssertTrue(try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: Make.key("booked")).isReplayed)
    try check(ledger)
  }

  /// A request through another id, filed under the customer's number, does not hide the answer of before an unmerge.
  func testKeysUsedThroughOtherIDs() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    for id in [alice, bob, carol] { try ledger.grant([Make.amount("GEM", 10)], customer: id) }
    try ledger.merge(from: alice, into: bob)
    let first = try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: Make.key("k"))
    try ledger.unmerge(alice)
    try ledger.merge(from: carol, into: alice)
    XCTAssertFalse(try ledger.spend([Make.amount("GEM", 2)], customer: carol, key: Make.key("k")).isReplayed)
    for id in [alice, carol] {
      let again = try ledger.spend([Make.amount("GEM", 1)], customer: id, key: Make.key("k"))
      XCTAssertEqual(again.transactionID, first.transactionID)
      XCTAssertTrue(try ledger.spend([Make.amount("GEM", 2)], customer: id, key: Make.key("k")).isReplayed)
      assertRefused(.keyConflict) { try ledger.spend([Make.amount("GEM", 3)], customer: id, key: Make.key("k")) }
    }
    try check(ledger)
  }

  // MARK: Several merges

  func testNestedMerges() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    for (index, id) in [alice, bob, carol].enumerated() {
      try ledger.creditPurchase(Make.purchase("t\(index)"), customer: id)
      try ledger.grant([Make.amount("COIN", Int64(10 * (index + 1)))], customer: id)
    }
    try ledger.merge(from: carol, into: bob)
    try ledger.merge(from: bob, into: alice)
    let refusal = try assertRefusedWithoutTrace(.conditionFailed, ledger) { try ledger.unmerge(carol) }
    XCTAssertEqual(refusal?.text("first"), "bob")
    let first = try ledger.unmerge(bob)
    XCTAssertEqual(first.entries.map(\.balance), [50, 2400])
    XCTAssertEqual(try ledger.customerIDs(of: carol), [bob, carol])
    XCTAssertEqual(try balance(ledger, "COIN", alice), 10)
    try assertBooksAddUp(ledger)
    let second = try ledger.unmerge(carol)
    XCTAssertEqual(second.entries.map(\.balance), [30, 1200])
    XCTAssertEqual(second.unmerged?.isWhole, true)
    for (index, id) in [alice, bob, carol].enumerated() {
      XCTAssertEqual(try balance(ledger, "GEM", id), 1200)
      XCTAssertEqual(try balance(ledger, "COIN", id), Int64(10 * (index + 1)))
      XCTAssertEqual(try ledger.purchases(of: id).purchases.map(\.storeTransactionID.text), ["t\(index)"])
      XCTAssertEqual(try ledger.customerIDs(of: id), [id])
    }
    try check(ledger)
  }

  /// Merged again after an unmerge, also the other way round, and split off again.
  func testOnceMore() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.grant([Make.amount("GEM", 5)], customer: bob)
    try ledger.grant([Make.amount("GEM", 3)], customer: carol)
    for _ in 0..<2 {
      try ledger.merge(from: alice, into: bob)
      XCTAssertEqual(try balance(ledger, "GEM", alice), 1205)
      XCTAssertEqual(try ledger.unmerge(alice).entries.map(\.balance), [1200])
    }
    try ledger.merge(from: bob, into: alice)
    XCTAssertEqual(try ledger.customerIDs(of: bob), [alice, bob])
    XCTAssertEqual(try ledger.unmerge(bob).entries.map(\.balance), [5])
    try ledger.merge(from: alice, into: carol)
    try ledger.merge(from: bob, into: carol)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 1208)
    try ledger.unmerge(alice)
    XCTAssertEqual(try ledger.customerIDs(of: carol), [carol, bob])
    XCTAssertEqual(try balance(ledger, "GEM", carol), 8)
    XCTAssertEqual(try ledger.refund(Make.refund("t")).customer, alice)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 0)
    try check(ledger)
  }
}
