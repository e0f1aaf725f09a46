package import GemLedger
internal import GemLedgerAudit
import XCTest

/// Merges of two customers, and customers with several ids, on any storage.
package struct MergeContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testEverythingMoves", testEverythingMoves)
    run.step("testBothIDsNameTheSurvivor", testBothIDsNameTheSurvivor)
    run.step("testAnUnknownIDBecomesOneMore", testAnUnknownIDBecomesOneMore)
    run.step("testAliases", testAliases)
    run.step("testKeysOfBothStayKnown", testKeysOfBothStayKnown)
    run.step("testRefusals", testRefusals)
    run.step("testLotsKeepWhatTheyAre", testLotsKeepWhatTheyAre)
    run.step("testDebtsAreSettled", testDebtsAreSettled)
    run.step("testARefundAfterAMerge", testARefundAfterAMerge)
    run.step("testAReversalAfterAMerge", testAReversalAfterAMerge)
    run.step("testChainsOfMerges", testChainsOfMerges)
    run.step("testHistoryAndPurchasesOfBoth", testHistoryAndPurchasesOfBoth)
    run.step("testMergesOfOneGroup", testMergesOfOneGroup)
    run.step("testManyLotsMove", testManyLotsMove)
    run.step("testWhatExpiresWithAMergeStaysBehind", testWhatExpiresWithAMergeStaysBehind)
    run.step("testALotThatExpiredWithAMergeOfItsGroupStaysEmpty", testALotThatExpiredWithAMergeOfItsGroupStaysEmpty)
    run.step("testAMergeMayPassTheMaximum", testAMergeMayPassTheMaximum)
    run.step("testAFrozenCustomerStaysFrozen", testAFrozenCustomerStaysFrozen)
    run.step("testOnlyAnonymousCustomersAreJoined", testOnlyAnonymousCustomersAreJoined)
    run.step("testAnUnprovenMergeMovesNoBurden", testAnUnprovenMergeMovesNoBurden)
    run.step("testARefundAfterAnUnprovenMerge", testARefundAfterAnUnprovenMerge)
    run.step("testRefundsAfterSeveralMerges", testRefundsAfterSeveralMerges)
    run.step("testARefundOfWhatAnUnmergeTookAway", testARefundOfWhatAnUnmergeTookAway)
    try UnmergeContract(make: make).runAll()
  }

  func people() throws -> (CustomerID, CustomerID, CustomerID) {
    (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("carol"))
  }

  func testEverythingMoves() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.grant([Make.amount("GEM", 10), Make.amount("COIN", 5)], customer: alice)
    try ledger.creditPurchase(Make.purchase("t", product: "bundle"), customer: alice)
    try ledger.grant([Make.amount("GEM", 7), Make.amount("RUBY", 3)], customer: bob)
    try ledger.creditPurchase(Make.purchase("u", product: "starter"), customer: bob)
    let merge = try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(merge.kind, .merge)
    XCTAssertEqual(merge.customer, bob)
    XCTAssertEqual(merge.entries.map(\.currency.description), ["COIN", "GEM"])
    XCTAssertEqual(merge.entries.map(\.amount), [335, 510])
    XCTAssertEqual(merge.entries.map(\.balance), [335, 517])
    XCTAssertEqual(merge.items.map(\.owned), [3])
    for id in [alice, bob] {
      XCTAssertEqual(try ledger.balances(of: id).map(\.balance), [335, 517, 0, 3])
    }
    XCTAssertEqual(try ledger.purchases(of: bob).purchases.map(\.storeTransactionID.text), ["u", "t"])
    XCTAssertEqual(try ledger.purchases(of: bob).purchases.map(\.customer), [bob, bob])
    XCTAssertEqual(try ledger.buyItem(ItemID("extra_life"), customer: alice).items.map(\.owned), [1])
    XCTAssertEqual(try ledger.transaction(XCTUnwrap(merge.transactionID)).booking.entries, merge.entries)
    let again = try ledger.creditPurchase(Make.purchase("t", product: "bundle"), customer: bob)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.customer, bob)
    let gem = try XCTUnwrap(try ledger.verify().currencies.first { $0.currency.description == "GEM" })
    XCTAssertEqual(gem.kinds, [.grant: 17, .purchase: 500, .spend: -50, .merge: 0])
    try check(ledger)
  }

  func testKeysOfBothStayKnown() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    let (shared, own) = (try Make.key("shared"), try Make.key("own"))
    for (id, amount) in [(alice, 1), (bob, 2)] as [(CustomerID, Int64)] {
      try ledger.grant([Make.amount("GEM", 100)], customer: id)
      try ledger.spend([Make.amount("GEM", amount)], customer: id, key: shared)
    }
    let first = try ledger.spend([Make.amount("GEM", 5)], customer: alice, key: own)
    assertRefused(.insufficientBalance) {
      try ledger.spend([Make.amount("GEM", 500)], customer: alice, key: Make.key("refused"))
    }
    let merge = try ledger.merge(from: alice, into: bob, key: Make.key("merge"))
    XCTAssertEqual(try ledger.merge(from: alice, into: bob, key: Make.key("merge")).transactionID, merge.transactionID)
    // The id as named is looked up first, then the other.
    XCTAssertTrue(try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: shared).isReplayed)
    XCTAssertTrue(try ledger.spend([Make.amount("GEM", 2)], customer: bob, key: shared).isReplayed)
    assertRefused(.keyConflict) { try ledger.spend([Make.amount("GEM", 1)], customer: bob, key: shared) }
    for id in [alice, bob] {
      let again = try ledger.spend([Make.amount("GEM", 5)], customer: id, key: own)
      XCTAssertEqual(again.transactionID, first.transactionID)
      XCTAssertEqual(again.entries, first.entries)
      assertRefused(.insufficientBalance) {
        try ledger.spend([Make.amount("GEM", 500)], customer: id, key: Make.key("refused"))
      }
    }
    let new = try ledger.spend([Make.amount("GEM", 3)], customer: alice, key: Make.key("new"))
    XCTAssertEqual(
      try ledger.spend([Make.amount("GEM", 3)], customer: bob, key: Make.key("new")).transactionID, new.transactionID)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 189)
    try check(ledger)
  }

  func testRefusals() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    assertRefused(.customerNotFound) { try ledger.merge(from: alice, into: bob) }
    try ledger.grant([Make.amount("GEM", Limits.amount)], customer: alice)
    try ledger.grant([Make.amount("GEM", 1)], customer: bob)
    let key = try Make.key("k")
    for _ in 0..<2 {
      assertRefused(.overMaximum) { try ledger.merge(from: alice, into: bob, key: key) }
    }
    try assertRefusedWithoutTrace(.sameCustomer, ledger) { try ledger.merge(from: alice, into: alice) }
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    // The refusal is the key's answer.
    assertRefused(.overMaximum) { try ledger.merge(from: alice, into: bob, key: key) }
    assertRefused(.keyConflict) { try ledger.merge(from: carol, into: bob, key: key) }
    XCTAssertEqual(try ledger.merge(from: alice, into: bob).entries.map(\.balance), [Limits.amount])
    try assertRefusedWithoutTrace(.sameCustomer, ledger) { try ledger.merge(from: alice, into: bob) }
    try assertRefusedWithoutTrace(.sameCustomer, ledger) { try ledger.merge(from: bob, into: alice) }
    try check(ledger)
  }

  func testLotsKeepWhatTheyAre() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 100_000)
    let paid = try ledger.creditPurchase(Make.purchase("t"), customer: alice).entries[0].allocations[0].lot
    try ledger.spend([Make.amount("GEM", 200)], customer: alice)
    let late = try ledger.grant([Make.amount("GEM", 30)], customer: alice, source: .promotional, expiresAt: expiry)
    try ledger.grant([Make.amount("GEM", 5)], customer: alice, source: .bonus)
    let pool = try ledger.grant([Make.amount("GEM", 9)], customer: bob, source: .bonus).entries[0].allocations[0].lot
    let merge = try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(Set(merge.entries[0].allocations.map(\.lot)), [paid, late.entries[0].allocations[0].lot, pool])
    XCTAssertEqual(merge.entries[0].allocations.map(\.amount).reduce(0, +), 1035)
    let spend = try ledger.spend([Make.amount("GEM", 50)], customer: bob)
    XCTAssertEqual(spend.entries[0].allocations.map(\.source), [.promotional, .bonus, .paid])
    XCTAssertEqual(spend.entries[0].allocations.map(\.amount), [-30, -14, -6])
    try ledger.grant([Make.amount("GEM", 1)], customer: alice, source: .promotional, expiresAt: expiry)
    time.advance(seconds: 101)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 994)
    try check(ledger)
  }

  func testDebtsAreSettled() throws {
    for (line, owes, has, balance, debt) in [
      (#line, 0, 30, 30, 0), (#line, 120, 30, 0, 90), (#line, 120, 150, 30, 0), (#line, 120, 0, 0, 120),
    ] as [(UInt, Int64, Int64, Int64, Int64)] {
      for isReversed in [false, true] {
        let ledger = try ledger()
        let (alice, bob, _) = try people()
        try ledger.createCustomer(alice)
        if owes > 0 {
          try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
          try ledger.spend([Make.amount("RUBY", 120)], customer: alice)
          try ledger.refund(Make.refund("t"))
        }
        try ledger.createCustomer(bob)
        if has > 0 { try ledger.grant([Make.amount("RUBY", has)], customer: bob) }
        let merge = try isReversed ? ledger.merge(from: bob, into: alice) : ledger.merge(from: alice, into: bob)
        let ruby = try ledger.balance(of: CurrencyCode("RUBY"), customer: bob)
        XCTAssertEqual([ruby.balance, ruby.debt], [balance, debt], line: line)
        XCTAssertEqual(merge.kind, .merge, line: line)
        if owes > 0 {
          try ledger.reverseRefund(Make.reversal("t"))
          XCTAssertEqual(try self.balance(ledger, "RUBY", bob), has, line: line)
        }
        try check(ledger, line: line)
      }
    }
  }

  func testARefundAfterAMerge() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.creditPurchase(Make.purchase("u"), customer: alice)
    try ledger.spend([Make.amount("GEM", 1300)], customer: alice)
    try ledger.grant([Make.amount("GEM", 50)], customer: bob)
    try ledger.refund(Make.refund("t", .milliPercent(50_000), revokedAt: 1, signedAt: 1))
    try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 550)
    let refund = try ledger.refund(Make.refund("t", revokedAt: 2, signedAt: 2), key: Make.key("k"))
    XCTAssertEqual(refund.customer, bob)
    XCTAssertEqual(refund.entries[0].allocations.map(\.source), [.admin, .paid])
    XCTAssertEqual(try balance(ledger, "GEM", alice), 0)
    let reversal = try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(reversal.entries.map(\.balance), [1150])
    XCTAssertEqual(try ledger.refund(Make.refund("u")).entries.map(\.balance), [0])
    try check(ledger)
  }

  /// Currency that a refund took before the merge goes back into lots that are now the surviving customer's.
  func testAReversalAfterAMerge() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.grant([Make.amount("GEM", 30)], customer: alice)
    try ledger.grant([Make.amount("GEM", 20)], customer: alice, source: .bonus)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.spend([Make.amount("GEM", 50)], customer: alice)
    try ledger.spend([Make.amount("GEM", 40)], customer: alice)
    try ledger.grant([Make.amount("GEM", 30)], customer: alice)
    try ledger.grant([Make.amount("GEM", 5)], customer: alice, source: .bonus)
    XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.balance), [0])
    try ledger.grant([Make.amount("GEM", 2)], customer: bob, source: .earned)
    try ledger.grant([Make.amount("GEM", 1)], customer: bob, source: .bonus)
    XCTAssertTrue(try ledger.merge(from: alice, into: bob).entries.isEmpty)
    let reversal = try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(reversal.entries.map(\.amount), [1195])
    XCTAssertEqual(try balance(ledger, "GEM", bob), 1198)
    let spend = try ledger.spend([Make.amount("GEM", 1198)], customer: alice)
    XCTAssertEqual(Set(spend.entries[0].allocations.map(\.source)), [.earned, .bonus, .admin, .paid])
    try check(ledger)
  }

  func testChainsOfMerges() throws {
    let ledger = try ledger()
    let ids = try (0..<6).map { try Make.customer("customer \($0)") }
    for (index, id) in ids.enumerated() {
      try ledger.creditPurchase(Make.purchase("t\(index)"), customer: id)
      try ledger.spend([Make.amount("GEM", Int64(index) + 1)], customer: id, key: Make.key("k\(index)"))
    }
    try ledger.merge(from: ids[0], into: ids[1])
    try ledger.merge(from: ids[2], into: ids[3])
    try ledger.merge(from: ids[1], into: ids[3])
    try ledger.createAlias(Make.customer("more"), of: ids[0])
    try ledger.merge(from: ids[3], into: ids[4])
    try ledger.merge(from: ids[5], into: ids[0])
    for id in ids {
      XCTAssertEqual(try balance(ledger, "GEM", id), 6 * 1200 - 21)
      XCTAssertEqual(try ledger.customer(id).originalID, ids[4])
      XCTAssertEqual(Set(try ledger.customerIDs(of: id)), Set(ids + [try Make.customer("more")]))
      for index in ids.indices {
        XCTAssertTrue(
          try ledger.spend([Make.amount("GEM", Int64(index) + 1)], customer: id, key: Make.key("k\(index)")).isReplayed)
      }
    }
    for index in ids.indices { try ledger.refund(Make.refund("t\(index)")) }
    XCTAssertEqual(try balance(ledger, "GEM", ids[2]), 0)
    XCTAssertEqual(try ledger.verify().customers, 1)
    try check(ledger)
  }

  func testHistoryAndPurchasesOfBoth() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    for number in 0..<70 {
      try ledger.grant([Make.amount("GEM", 1)], customer: number % 3 == 0 ? alice : bob)
      time.advance(seconds: 1)
      if number % 10 == 0 {
        try ledger.creditPurchase(
          Make.purchase("t\(number)", product: "starter"), customer: number % 20 == 0 ? alice : bob)
      }
    }
    let before = try (ledger.wholeHistory(of: alice) + ledger.wholeHistory(of: bob)).map(\.booking.transactionID)
    let merge = try ledger.merge(from: alice, into: bob)
    for id in [alice, bob] {
      let history = try ledger.wholeHistory(of: id).compactMap(\.booking.transactionID)
      XCTAssertEqual(history, history.sorted(by: >))
      XCTAssertEqual(Set(history), Set(before.compactMap(\.self)).union([try XCTUnwrap(merge.transactionID)]))
      XCTAssertEqual(
        try ledger.purchases(of: id, limit: 3).purchases.map(\.storeTransactionID.text), ["t60", "t50", "t40"])
    }
    // A page's cursor serves under either id.
    let next = try XCTUnwrap(try ledger.history(of: alice, limit: 10).next)
    XCTAssertEqual(try ledger.history(of: bob, limit: 10, after: next).transactions.count, 10)
    try check(ledger)
  }

  func testMergesOfOneGroup() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    let key = try Make.key("k")
    let spend = try LedgerCommand.spend([Make.amount("GEM", 1)], customer: alice, key: key)
    let results = ledger.submit([
      .grant([try Make.amount("GEM", 10)], customer: alice), spend,
      .grant([try Make.amount("GEM", 5)], customer: bob, source: .bonus),
      .creditPurchase(try Make.purchase("t"), customer: alice), .createAlias(carol, of: alice),
      .merge(from: alice, into: bob), spend, try .spend([Make.amount("GEM", 1)], customer: bob, key: key),
      .grant([try Make.amount("GEM", 1)], customer: carol, source: .bonus), .freeze(alice),
      try .spend([Make.amount("GEM", 1)], customer: bob), .refund(try Make.refund("t")),
      .unfreeze(carol), .reverseRefund(try Make.reversal("t")),
      try .spend([Make.amount("GEM", 1200)], customer: carol), .merge(from: carol, into: bob),
      .createAlias(try Make.customer("dave"), of: carol),
    ])
    XCTAssertEqual(try results[5].get().entries.map(\.balance), [1214])
    XCTAssertTrue(try results[6].get().isReplayed)
    XCTAssertTrue(try results[7].get().isReplayed)
    XCTAssertEqual(try results[8].get().entries.map(\.balance), [1215])
    assertRefused(.customerFrozen) { try results[10].get() }
    XCTAssertEqual(try results[11].get().entries.map(\.balance), [15])
    XCTAssertEqual(try results[13].get().entries.map(\.balance), [1215])
    XCTAssertEqual(try results[14].get().entries.map(\.balance), [15])
    assertRefused(.sameCustomer) { try results[15].get() }
    XCTAssertEqual(
      try ledger.customerIDs(of: Make.customer("dave")).map(\.text).sorted(), ["alice", "bob", "carol", "dave"])
    XCTAssertEqual(try balance(ledger, "GEM", alice), 15)
    try check(ledger)
  }

  func testManyLotsMove() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    for (id, count) in [(alice, 200), (bob, 50)] {
      let grants = try (1...count).map { number in
        LedgerCommand.grant(
          [try Make.amount("GEM", 2)], customer: id, source: .promotional,
          expiresAt: Timestamp(milliseconds: time.now.milliseconds + Int64(1000 + number % 50) * 1000))
      }
      for result in ledger.submit(grants) { _ = try result.get() }
    }
    XCTAssertEqual(try ledger.merge(from: alice, into: bob).entries[0].allocations.count, 200)
    XCTAssertEqual(try ledger.spend([Make.amount("GEM", 301)], customer: alice).entries[0].allocations.count, 151)
    time.advance(seconds: 1049)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 0)
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 1)
    try check(ledger)
  }

  func testWhatExpiresWithAMergeStaysBehind() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    let soon = Timestamp(milliseconds: time.now.milliseconds + 1000)
    let later = Timestamp(milliseconds: time.now.milliseconds + 100_000)
    try ledger.grant([Make.amount("GEM", 10)], customer: alice, expiresAt: soon)
    try ledger.grant([Make.amount("GEM", 4)], customer: alice, expiresAt: later)
    try ledger.grant([Make.amount("GEM", 1)], customer: bob, expiresAt: soon)
    time.set(Timestamp(milliseconds: soon.milliseconds + 1))
    try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 4)
    try check(ledger)
  }

  /// A merge leaves a balance of 0 alone; the former content of its lots does not reappear in a later read.
  func testALotThatExpiredWithAMergeOfItsGroupStaysEmpty() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    let soon = Timestamp(milliseconds: time.now.milliseconds + 1000)
    try ledger.grant([Make.amount("GEM", 10)], customer: alice, expiresAt: soon)
    let spent = try XCTUnwrap(ledger.spend([Make.amount("GEM", 9)], customer: alice).transactionID)
    try ledger.grant([Make.amount("GEM", 5)], customer: bob)
    time.set(Timestamp(milliseconds: soon.milliseconds + 1))
    let answers = ledger.submit([.merge(from: alice, into: bob), .reverse(spent)])
    XCTAssertEqual(try answers.map { try $0.get().kind }, [.merge, .reversal])
    XCTAssertEqual(try balance(ledger, "GEM", bob), 5)
    try ledger.spend([Make.amount("GEM", 5)], customer: bob)
    try check(ledger)
  }

  func testAMergeMayPassTheMaximum() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    for id in [alice, bob] { try ledger.grant([Make.amount("ORE", 800)], customer: id) }
    try ledger.createCustomer(carol)
    XCTAssertFalse(try ledger.merge(from: alice, into: carol).isOverMaximum)
    let merge = try ledger.merge(from: bob, into: carol, key: Make.key("k"))
    XCTAssertTrue(merge.isOverMaximum)
    XCTAssertTrue(try ledger.merge(from: bob, into: carol, key: Make.key("k")).isOverMaximum)
    XCTAssertEqual(try balance(ledger, "ORE", alice), 1600)
    try check(ledger)
  }

  func testAFrozenCustomerStaysFrozen() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    try ledger.createCustomer(bob)
    try ledger.freeze(alice, reason: Reason("fraud"))
    try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(try ledger.customer(bob).frozenReason?.text, "fraud")
    assertRefused(.customerFrozen) { try ledger.spend([Make.amount("GEM", 1)], customer: bob) }
    try ledger.unfreeze(alice)
    try ledger.spend([Make.amount("GEM", 1)], customer: bob)
    try check(ledger)
  }
}
