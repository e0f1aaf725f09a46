import GemLedger
import XCTest

extension RefundContract {
  // MARK: Items, freezing, keys

  func testItemsGoAndComeBack() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t", product: "bundle", quantity: 2), customer: alice)
    let half = try ledger.refund(Make.refund("t", .milliPercent(49_000), revokedAt: 1, signedAt: 1))
    XCTAssertEqual(half.items.map(\.quantity), [-1])
    XCTAssertEqual(half.items.map(\.owned), [3])
    XCTAssertEqual(half.entries.map(\.amount), [-324, -490])
    let full = try ledger.refund(Make.refund("t", revokedAt: 2, signedAt: 2))
    XCTAssertEqual(full.items.map(\.quantity), [-3])
    let back = try ledger.reverseRefund(Make.reversal("t", signedAt: 3))
    XCTAssertEqual(back.items.map(\.quantity), [4])
    XCTAssertEqual(back.entries.map(\.balance), [660, 1000])
    let starter = try ledger.creditPurchase(Make.purchase("u", product: "starter"), customer: alice)
    XCTAssertEqual(starter.items.map(\.owned), [5])
    XCTAssertEqual(try ledger.refund(Make.refund("u")).items.map(\.owned), [4])
    try check(ledger)
  }

  func testAFrozenCustomerIsUnfrozenByTheReversal() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    for id in ["t", "u"] { try ledger.creditPurchase(Make.purchase(id, product: "ore_pack"), customer: alice) }
    try ledger.spend([Make.amount("ORE", 1800)], customer: alice)
    try ledger.refund(Make.refund("t"))
    try ledger.refund(Make.refund("u"))
    XCTAssertNotNil(try ledger.customer(alice).frozenReason)
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    assertRefused(.customerFrozen) { try ledger.spend([Make.amount("GEM", 1)], customer: alice) }
    // A frozen customer still receives paid purchases.
    try ledger.creditPurchase(Make.purchase("v"), customer: alice)
    try ledger.refund(Make.refund("v"))
    try ledger.reverseRefund(Make.reversal("t"))
    XCTAssertTrue(try ledger.customer(alice).isFrozen)
    try ledger.reverseRefund(Make.reversal("u"))
    XCTAssertFalse(try ledger.customer(alice).isFrozen)
    try ledger.freeze(alice, reason: Reason("chargebacks"), key: Make.key("f"))
    XCTAssertTrue(try ledger.freeze(alice, reason: Reason("again"), key: Make.key("f")).isReplayed)
    XCTAssertEqual(try ledger.customer(alice).frozenReason?.text, "chargebacks")
    assertRefused(.customerFrozen) { try ledger.spend([Make.amount("GEM", 1)], customer: alice) }
    try ledger.unfreeze(alice)
    try ledger.spend([Make.amount("GEM", 1)], customer: alice)
    assertRefused(.customerNotFound) { try ledger.freeze(Make.customer("nobody")) }
    XCTAssertEqual(
      try ledger.history(of: alice, limit: 3).transactions.map(\.booking.kind), [.spend, .unfreeze, .freeze])
    try check(ledger)
  }

  func testKeysOfRefunds() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.creditPurchase(Make.purchase("u"), customer: alice)
    let first = try ledger.refund(Make.refund("t", .milliPercent(50_000)), key: Make.key("k"))
    XCTAssertEqual(
      try ledger.refund(Make.refund("t", .milliPercent(50_000)), key: Make.key("k")).transactionID,
      first.transactionID)
    let conflict = assertRefused(.keyConflict) { try ledger.refund(Make.refund("u"), key: Make.key("k")) }
    XCTAssertEqual(conflict?.text("field"), "refund")
    assertRefused(.keyConflict) { try ledger.reverseRefund(Make.reversal("t"), key: Make.key("k")) }
    XCTAssertEqual(try balance(ledger, "GEM").balance, 1800)
    let preview = try ledger.preview(.refund(Make.refund("u"), key: Make.key("p")))
    XCTAssertNil(preview.transactionID)
    XCTAssertEqual(preview.entries.map(\.balance), [600])
    XCTAssertEqual(try balance(ledger, "GEM").balance, 1800)
    try check(ledger)
  }

  func testRefundsOfOneGroup() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let results = ledger.submit([
      .refund(try Make.refund("t", .milliPercent(10_000), revokedAt: 1, signedAt: 1)),
      .creditPurchase(try Make.purchase("t", product: "rubies"), customer: alice),
      try .spend([Make.amount("RUBY", 100)], customer: alice),
      .refund(try Make.refund("t", revokedAt: 2, signedAt: 2)),
      .refund(try Make.refund("t", revokedAt: 2, signedAt: 2)),
      .grant([try Make.amount("RUBY", 30)], customer: alice),
      .reverseRefund(try Make.reversal("t", signedAt: 3)),
      .refund(try Make.refund("t", revokedAt: 2, signedAt: 4)),
    ])
    XCTAssertEqual(
      try results.map { try $0.get().entries.map(\.balance) }, [[], [120], [8], [0], [0], [0], [50], [0]])
    XCTAssertEqual(
      try results.map { try $0.get().entries.map(\.debt) }, [[], [0], [0], [100], [100], [70], [0], [70]])
    try check(ledger)
  }

  func testPurchasesSayWhatBecameOfThem() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for number in 1...7 {
      var purchase = try Make.purchase("t\(number)", product: number == 3 ? "starter" : "gems_1200", quantity: 2)
      purchase.cycleEndsAt = number == 4 ? Timestamp(milliseconds: 5) : nil
      purchase.originalTransactionID = number == 4 ? try StoreTransactionID("t1") : nil
      time.advance(seconds: 1)
      try ledger.creditPurchase(purchase, customer: number == 5 ? bob : alice)
    }
    try ledger.refund(Make.refund("t2", .quantity(1)))
    try ledger.refund(Make.refund("t3", signedAt: 123))
    var pages: [[Purchase]] = []
    var cursor: PageCursor?
    repeat {
      let page = try ledger.purchases(of: alice, before: cursor, limit: 4)
      pages.append(page.purchases)
      cursor = page.next
    } while cursor != nil
    XCTAssertEqual(pages.map { $0.map(\.storeTransactionID.text) }, [["t7", "t6", "t4", "t3"], ["t2", "t1"]])
    let all = pages.flatMap(\.self)
    XCTAssertEqual(all.map(\.refundedMilliPercent), [0, 0, 0, 100_000, 50_000, 0])
    XCTAssertEqual(all.map(\.isRefunded), [false, false, false, true, false, false])
    XCTAssertEqual(all.map(\.originalTransactionID.text), ["t7", "t6", "t1", "t3", "t2", "t1"])
    XCTAssertEqual(all[2].expiresAt, Timestamp(milliseconds: 5))
    XCTAssertEqual(all[3].productType, .nonConsumable)
    XCTAssertEqual(all[3].refundEvidenceAt, Timestamp(milliseconds: 123_000))
    XCTAssertEqual(all.map(\.customer), Array(repeating: alice, count: 6))
    XCTAssertEqual(
      try ledger.purchase(store: .apple, environment: .production, transactionID: StoreTransactionID("t6")), all[1])
    XCTAssertEqual(try ledger.transaction(all[1].transactionID).booking.kind, .purchase)
    XCTAssertNil(
      try ledger.purchase(store: .google, environment: .production, transactionID: StoreTransactionID("t6")))
    XCTAssertNil(
      try ledger.purchase(
        store: .apple, environment: .xcode(session: "new"), transactionID: StoreTransactionID("t6")))
    let history = try XCTUnwrap(try ledger.history(of: alice, limit: 1).next)
    assertRefused(.invalidRequest) { try ledger.purchases(of: alice, before: history) }
    assertRefused(.customerNotFound) { try ledger.purchases(of: Make.customer("nobody")) }
    assertRefused(.limitExceeded) { try ledger.purchases(of: alice, limit: 0) }
    try check(ledger)
  }

  /// The expired part of a cycle is gone for a refund too, and currency that comes back to it has expired at once.
  func testACycleEndsWhatItGranted() throws {
    for (line, isRefundedLate) in [(#line, false), (#line, true)] as [(UInt, Bool)] {
      let ledger = try make(time.clock)
      try ledger.apply(Catalog.load(Array(Self.subscriptions.utf8)))
      let alice = try Make.customer("alice")
      var purchase = try Make.purchase("t", product: "monthly")
      purchase.cycleEndsAt = Timestamp(milliseconds: time.now.milliseconds + 100_000)
      XCTAssertEqual(try ledger.creditPurchase(purchase, customer: alice).entries.map(\.balance), [110], line: line)
      try ledger.spend([Make.amount("GEM", 30)], customer: alice)
      XCTAssertEqual(try ledger.purchases(of: alice).purchases[0].expiresAt, purchase.cycleEndsAt, line: line)
      XCTAssertEqual(try ledger.purchases(of: alice).purchases[0].entitlement, "premium", line: line)
      if !isRefundedLate { XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-80]) }
      try ledger.grant([Make.amount("GEM", 7)], customer: alice)
      time.advance(seconds: 100)
      XCTAssertEqual(try balance(ledger, "GEM").balance, 7, line: line)
      if isRefundedLate {
        XCTAssertEqual(try ledger.refund(Make.refund("t")).entries.map(\.amount), [-7], line: line)
        XCTAssertTrue(try ledger.purchases(of: alice).purchases[0].isRefunded, line: line)
      }
      try ledger.reverseRefund(Make.reversal("t"))
      XCTAssertEqual(try balance(ledger, "GEM").balance, 7, line: line)
      try assertBooksAddUp(ledger, line: line)
      try ledger.spend([Make.amount("GEM", 7)], customer: alice)
      XCTAssertEqual(try balance(ledger, "GEM").balance, 0, line: line)
      try check(ledger, line: line)
    }
  }

  /// Due effects are booked before the refund and change no debt.
  func testAnExpiryBesideADebt() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 1000)
    try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
    try ledger.grant([Make.amount("RUBY", 9)], customer: alice, source: .promotional, expiresAt: expiry)
    try ledger.spend([Make.amount("RUBY", 42)], customer: alice)
    try ledger.grant([Make.amount("RUBY", 4)], customer: alice, source: .promotional, expiresAt: expiry)
    time.advance(seconds: 1)
    let refund = try ledger.refund(Make.refund("t"))
    XCTAssertEqual(refund.entries.map(\.amount), [-120])
    XCTAssertEqual(refund.entries.map(\.balance), [0])
    XCTAssertEqual(refund.entries.map(\.debt), [33])
    let expired = try ledger.history(of: alice, limit: 2).transactions[1].booking
    XCTAssertEqual(expired.entries.map(\.amount), [-4])
    XCTAssertEqual(expired.entries.map(\.debt), [0])
    try check(ledger)
  }

  private static let subscriptions = """
    {
      "currencies": [{"code": "GEM", "name": "Gems"}],
      "products": [
        {"code": "monthly", "type": "auto_renewable_subscription", "period": "P1M", "entitlement": "premium",
         "grants": [{"currency": "GEM", "amount": 100, "bonus": 10, "expires_at_cycle_end": true}]}
      ]
    }
    """
}
