package import GemLedger
internal import GemLedgerAudit
import XCTest

/// Refunds, their reversals, and their independence of the order of notices, on any storage.
package struct RefundContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testWhatIsTakenAndGivenBack", testWhatIsTakenAndGivenBack)
    run.step("testExtentsCountFromTheWholePurchase", testExtentsCountFromTheWholePurchase)
    run.step("testUnitsOfSingleRefundsAddUp", testUnitsOfSingleRefundsAddUp)
    run.step("testTheOrderOfNoticesChangesNothing", testTheOrderOfNoticesChangesNothing)
    run.step("testRepeatedAndOlderNoticesAreReplays", testRepeatedAndOlderNoticesAreReplays)
    run.step("testARefundBeforeItsPurchase", testARefundBeforeItsPurchase)
    run.step("testCreditsRepayADebtFirst", testCreditsRepayADebtFirst)
    run.step("testADebtThatWasRepaidComesBackAsCurrency", testADebtThatWasRepaidComesBackAsCurrency)
    run.step("testOtherLotsGetBackWhatTheyGave", testOtherLotsGetBackWhatTheyGave)
    run.step("testItemsGoAndComeBack", testItemsGoAndComeBack)
    run.step("testAFrozenCustomerIsUnfrozenByTheReversal", testAFrozenCustomerIsUnfrozenByTheReversal)
    run.step("testKeysOfRefunds", testKeysOfRefunds)
    run.step("testRefundsOfOneGroup", testRefundsOfOneGroup)
    run.step("testWhatExpiredIsNotTakenAgain", testWhatExpiredIsNotTakenAgain)
    run.step("testPurchasesSayWhatBecameOfThem", testPurchasesSayWhatBecameOfThem)
    run.step("testACycleEndsWhatItGranted", testACycleEndsWhatItGranted)
    run.step("testAnExpiryBesideADebt", testAnExpiryBesideADebt)
    run.step("testEvidenceInAnyOrder", testEvidenceInAnyOrder)
    run.step("testManyStatementsOfOnePurchase", testManyStatementsOfOnePurchase)
    run.step("testHeldPurchasesAreFound", testHeldPurchasesAreFound)
  }

  func balance(_ ledger: Ledger, _ code: String, _ customer: String = "alice") throws -> Balance {
    try ledger.balance(of: CurrencyCode(code), customer: Make.customer(customer))
  }

  // MARK: How much

  /// A purchase, a spend, a grant that came afterwards, then the refund and its reversal.
  private struct Row {
    var line: UInt
    var product: String
    var code: String
    var quantity: Int64 = 1
    var spent: Int64 = 0
    var other: Int64 = 0
    var extent: StoreRefund.Extent = .full
    var balance: Int64
    var debt: Int64 = 0
    var isFrozen = false
  }

  private static let rows = [
    Row(line: #line, product: "gems_1200", code: "GEM", balance: 0),
    Row(line: #line, product: "gems_1200", code: "GEM", spent: 700, balance: 0),
    Row(line: #line, product: "gems_1200", code: "GEM", spent: 700, other: 100, balance: 0),
    Row(line: #line, product: "gems_1200", code: "GEM", spent: 700, other: 900, balance: 200),
    Row(line: #line, product: "gems_1200", code: "GEM", extent: .milliPercent(50_000), balance: 600),
    Row(line: #line, product: "gems_1200", code: "GEM", spent: 700, extent: .milliPercent(50_000), balance: 0),
    Row(line: #line, product: "gems_1200", code: "GEM", extent: .milliPercent(1), balance: 1199),
    Row(line: #line, product: "gems_1200", code: "GEM", quantity: 3, extent: .milliPercent(33_333), balance: 2400),
    Row(line: #line, product: "gems_1200", code: "GEM", quantity: 3, extent: .quantity(1), balance: 2400),
    Row(line: #line, product: "gems_1200", code: "GEM", quantity: 3, extent: .quantity(2), balance: 1200),
    Row(line: #line, product: "gems_1200", code: "GEM", quantity: 3, extent: .quantity(7), balance: 0),
    Row(line: #line, product: "rubies", code: "RUBY", balance: 0),
    Row(line: #line, product: "rubies", code: "RUBY", spent: 100, balance: 0, debt: 100),
    Row(line: #line, product: "rubies", code: "RUBY", spent: 100, other: 30, balance: 0, debt: 70),
    Row(line: #line, product: "rubies", code: "RUBY", spent: 100, other: 130, balance: 30),
    Row(line: #line, product: "rubies", code: "RUBY", spent: 100, extent: .milliPercent(50_000), balance: 0, debt: 40),
    Row(line: #line, product: "rubies", code: "RUBY", extent: .milliPercent(33_333), balance: 80),
    Row(line: #line, product: "ore_pack", code: "ORE", balance: 0),
    Row(line: #line, product: "ore_pack", code: "ORE", spent: 100, balance: 0, isFrozen: true),
    Row(line: #line, product: "ore_pack", code: "ORE", spent: 100, other: 100, balance: 0),
    Row(line: #line, product: "ore_pack", code: "ORE", spent: 100, extent: .milliPercent(50_000), balance: 350),
  ]

  func testWhatIsTakenAndGivenBack() throws {
    // One ledger: to make one takes longer than all that happens to a row.
    let ledger = try ledger()
    for row in Self.rows {
      let (name, id) = ("alice \(row.line)", "t\(row.line)")
      let alice = try Make.customer(name)
      try ledger.creditPurchase(Make.purchase(id, product: row.product, quantity: row.quantity), customer: alice)
      if row.spent > 0 { try ledger.spend([Make.amount(row.code, row.spent)], customer: alice) }
      if row.other > 0 { try ledger.grant([Make.amount(row.code, row.other)], customer: alice) }
      let before = try balance(ledger, row.code, name)
      let refund = try ledger.refund(Make.refund(id, row.extent))
      let after = try balance(ledger, row.code, name)
      XCTAssertEqual(refund.kind, .refund, line: row.line)
      XCTAssertEqual(refund.customer, alice, line: row.line)
      XCTAssertEqual([after.balance, after.debt], [row.balance, row.debt], line: row.line)
      let change = after.balance - before.balance - after.debt
      XCTAssertEqual(refund.entries.map(\.amount), change == 0 ? [] : [change], line: row.line)
      XCTAssertEqual(try ledger.customer(alice).isFrozen, row.isFrozen, line: row.line)
      try assertBooksAddUp(ledger, line: row.line)
      let reversal = try ledger.reverseRefund(Make.reversal(id))
      XCTAssertEqual(reversal.kind, .reversedRefund, line: row.line)
      let restored = try balance(ledger, row.code, name)
      XCTAssertEqual([restored.balance, restored.debt], [before.balance, 0], line: row.line)
      XCTAssertFalse(try ledger.customer(alice).isFrozen, line: row.line)
      // The lots are as before: the whole balance can be spent, and nothing more.
      if before.balance > 0 { try ledger.spend([Make.amount(row.code, before.balance)], customer: alice) }
      try assertBooksAddUp(ledger, line: row.line)
    }
    ledger.close()
  }

  /// Google says of each refund how many units it was for, Apple how much of the purchase is refunded in all.
  func testUnitsOfSingleRefundsAddUp() throws {
    typealias Notice = (extent: StoreRefund.Extent, revokedAt: Int64)
    let rows: [(line: UInt, notices: [Notice], balance: Int64)] = [
      (#line, [(.quantity(1), 1), (.quantity(1), 2)], 2400), (#line, [(.quantity(1), 1), (.quantity(1), 1)], 3600),
      (#line, [(.quantity(3), 1), (.quantity(3), 2)], 0), (#line, [(.quantity(1), 1), (.full, 2)], 0),
      (#line, [(.totalQuantity(1), 1), (.totalQuantity(2), 2)], 2400),
      (#line, [(.totalQuantity(2), 2), (.quantity(1), 1)], 2400),
      (#line, [(.totalQuantity(2), 2), (.quantity(1), 3)], 1200),
      (#line, [(.totalQuantity(1), 2), (.quantity(1), 1), (.quantity(1), 3)], 2400),
      (#line, [(.milliPercent(25_000), 1), (.milliPercent(25_000), 2)], 3600),
    ]
    let ledger = try ledger()
    for (number, row) in rows.enumerated() {
      for (order, notices) in [row.notices, row.notices.reversed()].enumerated() {
        for isEarly in [false, true] {
          let (name, id) = ("alice \(number) \(order) \(isEarly)", "t\(number) \(order) \(isEarly)")
          let purchase = try Make.purchase(id, quantity: 4)
          if !isEarly { try ledger.creditPurchase(purchase, customer: Make.customer(name)) }
          // Each comes twice, as notices do.
          for notice in notices + notices {
            try ledger.refund(Make.refund(id, notice.extent, revokedAt: notice.revokedAt, signedAt: notice.revokedAt))
          }
          if isEarly { try ledger.creditPurchase(purchase, customer: Make.customer(name)) }
          XCTAssertEqual(try balance(ledger, "GEM", name).balance, row.balance, "\(notices)", line: row.line)
        }
      }
      try assertBooksAddUp(ledger, line: row.line)
    }
    ledger.close()
  }

  func testExtentsCountFromTheWholePurchase() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let steps: [(line: UInt, extent: StoreRefund.Extent, revokedAt: Int64, signedAt: Int64, balance: Int64)] = [
      (#line, .milliPercent(25_000), 1, 10, 900), (#line, .milliPercent(50_000), 2, 20, 600),
      // The same refund, corrected by later evidence.
      (#line, .milliPercent(30_000), 2, 30, 840), (#line, .milliPercent(10_000), 3, 40, 1080),
      (#line, .full, 4, 50, 0),
    ]
    for step in steps {
      try ledger.refund(
        Make.refund("t", step.extent, revokedAt: step.revokedAt, signedAt: step.signedAt))
      XCTAssertEqual(try balance(ledger, "GEM").balance, step.balance, line: step.line)
      try assertBooksAddUp(ledger, line: step.line)
    }
    try ledger.reverseRefund(Make.reversal("t", revokedAt: 4, signedAt: 60))
    XCTAssertEqual(try balance(ledger, "GEM").balance, 1080)
    try ledger.reverseRefund(Make.reversal("t", signedAt: 70))
    XCTAssertEqual(try balance(ledger, "GEM").balance, 1200)
    for extent in [StoreRefund.Extent.milliPercent(0), .milliPercent(100_001), .quantity(0), .quantity(.max)] {
      try assertRefusedWithoutTrace(.amountOutOfRange, ledger) { try ledger.refund(Make.refund("t", extent)) }
    }
    try check(ledger)
  }

  // MARK: In which order

  func testTheOrderOfNoticesChangesNothing() throws {
    typealias Step = (_ ledger: Ledger, _ id: String) throws -> Void
    let steps: [Step] = [
      { try $0.creditPurchase(Make.purchase($1, product: "rubies"), customer: Make.customer($1)) },
      { try $0.refund(Make.refund($1, .milliPercent(50_000), revokedAt: 1, signedAt: 10)) },
      { try $0.refund(Make.refund($1, .full, revokedAt: 2, signedAt: 20)) },
      { try $0.reverseRefund(Make.reversal($1, revokedAt: 2, signedAt: 30)) },
      { try $0.reverseRefund(Make.reversal($1, signedAt: 5)) },
    ]
    var orders: [[Int]] = [[]]
    for step in steps.indices {
      orders = orders.flatMap { order in
        (0...order.count).map { order.prefix($0) + [step] + order.suffix(order.count - $0) }
      }
    }
    XCTAssertEqual(Set(orders).count, 120)
    let ledger = try ledger()
    for order in orders {
      let id = order.map { "\($0)" }.joined()
      for step in order + order.reversed() { try steps[step](ledger, id) }
      let ruby = try balance(ledger, "RUBY", id)
      XCTAssertEqual([ruby.balance, ruby.debt], [60, 0], "\(order)")
      XCTAssertEqual(
        try ledger.purchase(store: .apple, environment: .production, transactionID: StoreTransactionID(id))?
          .refundedMilliPercent, 50_000, "\(order)")
    }
    try check(ledger)
  }

  func testRepeatedAndOlderNoticesAreReplays() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let first = try ledger.refund(Make.refund("t", signedAt: 50))
    for (signedAt, key) in [(50, nil), (49, nil), (1, "k"), (51, nil), (50, "other")] as [(Int64, String?)] {
      var again = try ledger.refund(Make.refund("t", signedAt: signedAt), key: key.map(Make.key))
      XCTAssertTrue(again.isReplayed)
      again.isReplayed = false
      XCTAssertEqual(again, first)
    }
    let reversal = try ledger.reverseRefund(Make.reversal("t", signedAt: 60))
    XCTAssertEqual(reversal.entries.map(\.amount), [1200])
    XCTAssertEqual(
      try ledger.reverseRefund(Make.reversal("t", signedAt: 60)).transactionID, reversal.transactionID)
    // The first notice comes a last time; the reversal is newer.
    XCTAssertEqual(try ledger.refund(Make.refund("t", signedAt: 55)).transactionID, first.transactionID)
    XCTAssertEqual(try balance(ledger, "GEM").balance, 1200)
    XCTAssertEqual(try ledger.refund(Make.refund("t", signedAt: 70)).entries.map(\.amount), [-1200])
    XCTAssertEqual(
      try ledger.history(of: alice).transactions.map(\.booking.kind),
      [
        .refund, .reversedRefund, .refund, .purchase,
      ])
    try check(ledger)
  }

  func testARefundBeforeItsPurchase() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let session = try StoreEnvironment.xcode(session: "s")
    let early = try ledger.refund(Make.refund("t", .milliPercent(25_000), environment: session), key: Make.key("k"))
    XCTAssertTrue(early.isAwaitingPurchase)
    XCTAssertNil(early.transactionID)
    XCTAssertTrue(early.entries.isEmpty)
    XCTAssertFalse(early.isReplayed)
    XCTAssertTrue(try ledger.refund(Make.refund("t", .milliPercent(25_000), environment: session)).isReplayed)
    XCTAssertEqual(try ledger.verify().customers, 0)
    // One of the same id in another environment is another purchase.
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    XCTAssertEqual(try balance(ledger, "GEM").balance, 1200)
    let purchase = try Make.purchase("t", environment: session)
    let credit = try ledger.creditPurchase(purchase, customer: alice, key: Make.key("credit"))
    XCTAssertEqual(credit.entries.map(\.balance), [2400])
    XCTAssertEqual(try balance(ledger, "GEM").balance, 2100)
    XCTAssertEqual(
      try ledger.creditPurchase(purchase, customer: alice, key: Make.key("credit")).transactionID,
      credit.transactionID)
    XCTAssertEqual(
      try ledger.history(of: alice).transactions.map(\.booking.kind), [.refund, .purchase, .purchase])
    try check(ledger)
  }

  // MARK: Debts and other lots

  func testCreditsRepayADebtFirst() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
    try ledger.spend([Make.amount("RUBY", 120)], customer: alice)
    try ledger.refund(Make.refund("t"))
    let grant = try ledger.grant([Make.amount("RUBY", 50)], customer: alice)
    XCTAssertEqual(grant.entries.map(\.amount), [50])
    XCTAssertEqual(grant.entries.map(\.balance), [0])
    XCTAssertEqual(grant.entries.map(\.debt), [70])
    let adjustment = try ledger.adjust([Make.amount("RUBY", 10)], customer: alice)
    XCTAssertEqual(adjustment.entries.map(\.debt), [60])
    assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("RUBY", 1)], customer: alice) }
    let purchase = try ledger.creditPurchase(Make.purchase("u", product: "rubies"), customer: alice)
    XCTAssertEqual(purchase.entries.map(\.balance), [60])
    XCTAssertEqual(purchase.entries.map(\.debt), [0])
    XCTAssertEqual(purchase.entries[0].allocations.map(\.amount), [100, 20, -60])
    XCTAssertEqual(purchase.entries[0].allocations.map(\.source), [.paid, .bonus, .paid])
    XCTAssertEqual(
      try ledger.creditPurchase(Make.purchase("u", product: "rubies"), customer: alice).entries, purchase.entries)
    try ledger.grant([Make.amount("RUBY", 5)], customer: alice)
    XCTAssertEqual(try balance(ledger, "RUBY").balance, 65)
    let ruby = try XCTUnwrap(try ledger.verify().currencies.first { $0.currency.description == "RUBY" })
    XCTAssertEqual([ruby.outstanding, ruby.debt], [65, 0])
    try check(ledger)
  }

  func testADebtThatWasRepaidComesBackAsCurrency() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    for id in ["t", "u"] {
      try ledger.creditPurchase(Make.purchase(id, product: "rubies"), customer: alice)
      try ledger.spend([Make.amount("RUBY", 120)], customer: alice)
    }
    try ledger.refund(Make.refund("t"))
    try ledger.refund(Make.refund("u"))
    XCTAssertEqual(try balance(ledger, "RUBY").debt, 240)
    try ledger.grant([Make.amount("RUBY", 200)], customer: alice)
    XCTAssertEqual(try balance(ledger, "RUBY").debt, 40)
    let first = try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(first.entries.map(\.amount), [120])
    XCTAssertEqual(first.entries.map(\.balance), [80])
    XCTAssertEqual(first.entries.map(\.debt), [0])
    try assertBooksAddUp(ledger)
    try ledger.reverseRefund(Make.reversal("u"))
    XCTAssertEqual(try balance(ledger, "RUBY").balance, 200)
    // Once more each, to see that nothing is given back twice.
    try ledger.refund(Make.refund("t", signedAt: 300))
    XCTAssertEqual(try balance(ledger, "RUBY").balance, 80)
    try ledger.reverseRefund(Make.reversal("t", signedAt: 400))
    XCTAssertEqual(try balance(ledger, "RUBY").balance, 200)
    try check(ledger)
  }

  func testOtherLotsGetBackWhatTheyGave() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 1_000_000)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.spend([Make.amount("GEM", 1100)], customer: alice)
    try ledger.grant([Make.amount("GEM", 40)], customer: alice, source: .promotional, expiresAt: expiry)
    try ledger.grant([Make.amount("GEM", 50)], customer: alice)
    try ledger.grant([Make.amount("GEM", 60)], customer: alice, source: .bonus)
    let refund = try ledger.refund(Make.refund("t", .milliPercent(20_000)))
    XCTAssertEqual(refund.entries[0].allocations.map(\.source), [.paid, .promotional, .admin, .bonus])
    XCTAssertEqual(refund.entries[0].allocations.map(\.amount), [-100, -40, -50, -50])
    // A part comes back: the currency taken last comes first.
    let part = try ledger.refund(Make.refund("t", .milliPercent(15_000), signedAt: 150))
    XCTAssertEqual(part.kind, .reversedRefund)
    XCTAssertEqual(part.entries[0].allocations.map(\.source), [.bonus, .admin])
    XCTAssertEqual(part.entries[0].allocations.map(\.amount), [50, 10])
    let rest = try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertEqual(rest.entries[0].allocations.map(\.amount), [40, 40, 100])
    time.advance(seconds: 1001)
    XCTAssertEqual(try balance(ledger, "GEM").balance, 210)
    try check(ledger)
  }

  func testWhatExpiredIsNotTakenAgain() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 1000)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.spend([Make.amount("GEM", 1200)], customer: alice)
    try ledger.grant([Make.amount("GEM", 70)], customer: alice, source: .promotional, expiresAt: expiry)
    try ledger.grant([Make.amount("GEM", 30)], customer: alice)
    time.advance(seconds: 2)
    let refund = try ledger.refund(Make.refund("t"))
    XCTAssertEqual(refund.entries.map(\.amount), [-30])
    XCTAssertEqual(try ledger.history(of: alice, limit: 2).transactions.map(\.booking.kind), [.refund, .expiry])
    try check(ledger)
  }

}
