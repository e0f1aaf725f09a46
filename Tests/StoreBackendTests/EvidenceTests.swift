import GemLedger
import GemLedgerAudit
import GemTestSupport
import StoreBackend
import XCTest

/// Whatever a store states is kept before its sender is answered, and the order of arrival changes nothing.
final class EvidenceTests: XCTestCase {
  /// One statement about the purchase `t1`: a receipt that the app posts, or a notice of the store.
  private enum Message: CaseIterable {
    case receipt
    case refund
    case reversal
    case laterReceipt
    case laterNotice

    /// The store's date of it, in seconds after the purchase.
    var date: Int64 {
      switch self {
      case .receipt: 0
      case .refund: 10
      case .reversal: 20
      case .laterReceipt: 30
      case .laterNotice: 40
      }
    }
  }

  private struct Story {
    let shop: Shop
    let start: Timestamp
    var hasToken = true
    var extent = StoreTransaction.Revocation.Extent.full

    init(hasToken: Bool = true) async throws {
      shop = try Shop()
      self.hasToken = hasToken
      _ = try await shop.backend.register(try CustomerID("alice"))
      start = shop.time.now
      shop.time.advance(seconds: 60)
    }

    func transaction(at seconds: Int64) throws -> StoreTransaction {
      var transaction = try shop.transaction("t1", of: hasToken ? "alice" : nil)
      transaction.purchasedAt = start
      transaction.signedAt = Timestamp(milliseconds: start.milliseconds + seconds * 1000)
      return transaction
    }

    /// - Returns: The outcome of a notice; nil for a post.
    @discardableResult
    func tell(_ message: Message) async throws -> NoticeAnswer.Outcome? {
      var transaction = try transaction(at: message.date)
      switch message {
      case .receipt, .laterReceipt:
        do { _ = try await shop.backend.post(shop.post(transaction)) } catch {
          // A purchase that was taken back in full is not credited.
          XCTAssertEqual((error as? LedgerError)?.code, .receiptRevoked)
        }
        return nil
      case .refund:
        transaction.revocation = .init(revokedAt: transaction.signedAt, extent: extent)
        return try await shop.backend.apply(transaction).outcome
      case .reversal, .laterNotice: return try await shop.backend.apply(transaction).outcome
      }
    }
  }

  private func check(
    _ messages: [Message], _ outcomes: [NoticeAnswer.Outcome?], hasToken: Bool = true, gems: Int64 = 1200,
    line: UInt = #line
  ) async throws {
    let story = try await Story(hasToken: hasToken)
    for (message, outcome) in zip(messages, outcomes) {
      let told = try await story.tell(message)
      XCTAssertEqual(told, outcome, "\(message)", line: line)
    }
    XCTAssertEqual(try story.shop.gems(), gems, line: line)
    try assertBooksAddUp(story.shop.ledger)
  }

  func testTheNameOfAReasonIsTheNameOfItsCase() {
    for reason in HoldReason.allCases { XCTAssertEqual(reason.name, "\(reason)") }
  }

  func testARefundThatWasTakenBackBeforeTheCreditCostsNothing() async throws {
    try await check([.refund, .reversal], [.kept, .credited])
  }

  func testTheSameWithoutATokenThenTheAppPostsItsOldReceipt() async throws {
    try await check([.refund, .reversal, .receipt], [.kept, .unattributed, nil], hasToken: false)
  }

  func testAKeptRefundAndTheNewerStateOfTheApp() async throws {
    try await check([.refund, .laterReceipt], [.kept, nil])
  }

  func testTheReversalBeforeTheLateRefund() async throws {
    try await check([.reversal, .refund], [.credited, .unchanged])
  }

  func testTheNewerStateOfTheAppBeforeTheLateRefund() async throws {
    try await check([.laterReceipt, .refund], [nil, .unchanged])
  }

  func testCreditedThenTheNewerStateThenTheLateRefund() async throws {
    try await check([.receipt, .laterReceipt, .refund], [nil, nil, .unchanged])
  }

  func testCreditedThenReversedThenTheLateRefund() async throws {
    try await check([.receipt, .reversal, .refund], [nil, .unchanged, .unchanged])
  }

  func testARefundThatStandsIsBooked() async throws {
    try await check([.receipt, .refund], [nil, .refunded], gems: 0)
    try await check([.refund, .receipt], [.kept, nil], gems: 0)
  }

  /// Every order of every set of messages, each once: what is left depends on the set alone.
  func testTheOrderOfArrivalChangesNothing() async throws {
    for chosen in 1..<(1 << Message.allCases.count) {
      let messages = Message.allCases.enumerated().filter { chosen & 1 << $0.offset != 0 }.map(\.element)
      // Without a statement of the purchase itself there is nothing to credit.
      guard messages.contains(where: { $0 != .refund }) else { continue }
      let newest = messages.max { $0.date < $1.date }
      for order in Self.permutations(messages) {
        let story = try await Story()
        for message in order { try await story.tell(message) }
        let label = "\(order)"
        XCTAssertEqual(try story.shop.gems(), newest == .refund ? 0 : 1200, label)
        let purchases = try story.shop.ledger.purchases(of: CustomerID("alice")).purchases
        XCTAssertEqual(purchases.map(\.isRefunded), [newest == .refund], label)
        try assertBooksAddUp(story.shop.ledger)
      }
    }
  }

  private static func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard elements.count > 1 else { return [elements] }
    return elements.indices.flatMap { index in
      var rest = elements
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  // MARK: Facts that the store signs

  /// An offer code, a price raised at the store, a family member's share: credited, and never counted as paid for more.
  func testWhatCostNothingGivesFreeLots() async throws {
    for change: (inout StoreTransaction) -> Void in [
      { $0.price = Money(minorUnits: 0, currency: "USD") }, { $0.ownership = .familyShared },
      { $0.offer = .init(kind: .introductory, isFreeTrial: true) },
    ] {
      let shop = try Shop(policy: BackendPolicy(checksPrice: false))
      var transaction = try shop.transaction("t1")
      change(&transaction)
      _ = try await shop.backend.post(shop.post(transaction))
      XCTAssertEqual(try shop.gems(), 1200)
      let unspent = try shop.ledger.unspent()
      XCTAssertEqual(unspent.parts.map(\.paid), [0])
      XCTAssertEqual(unspent.parts.map(\.free), [1200])
      try assertBooksAddUp(shop.ledger)
    }
  }

  // MARK: Held purchases

  func testAHeldPurchaseIsCreditedOnceTheCatalogHasIt() async throws {
    let shop = try Shop()
    for number in 1...250 {
      await assertRefused(.validationPending) {
        try await shop.backend.post(shop.post(shop.transaction("t\(number)", product: "new")))
      }
    }
    let runner = MaintenanceRunner(backend: shop.backend)
    var report = try await runner.runOnce()
    XCTAssertEqual(report.counts("held_receipts"), ["decided": 250, "credited": 0])
    // Nothing changes, and nothing is looked at again.
    report = try await runner.runOnce()
    XCTAssertEqual(report.counts("held_receipts"), ["decided": 0, "credited": 0])
    try shop.sellNew()
    report = try await runner.runOnce()
    XCTAssertEqual(report.counts("held_receipts"), ["decided": 250, "credited": 250])
    XCTAssertEqual(try shop.gems(), 7 * 250)
    report = try await runner.runOnce()
    XCTAssertEqual(report.counts("held_receipts"), ["decided": 0, "credited": 0])
    try assertBooksAddUp(shop.ledger)
  }

  func testAPurchaseOfAnUnknownBuyerGoesToItsPosterInTheEndAndItsOwnerIsListed() async throws {
    let shop = try Shop()
    await assertRefused(.validationPending) {
      try await shop.backend.post(shop.post(shop.transaction("t1", of: "carol"), as: "bob"))
    }
    // The first who posted it is its buyer, not the last.
    await assertRefused(.validationPending) {
      try await shop.backend.post(shop.post(shop.transaction("t1", of: "carol"), as: "dave"))
    }
    shop.time.advance(seconds: 3601)
    let report = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(report.counts("held_receipts"), ["decided": 1, "credited": 1])
    XCTAssertEqual(try shop.gems("bob"), 1200)
    XCTAssertEqual(try shop.held(.owner).map(\.transactionID.text), ["t1"])
    // Carol appears: nothing moves, and a person decides.
    _ = try await shop.backend.register(try CustomerID("carol"))
    XCTAssertEqual(try shop.gems("carol"), 0)
    XCTAssertEqual(try shop.held(.owner).count, 0)
    XCTAssertEqual(try shop.held(.decision).map(\.transactionID.text), ["t1"])
  }

  /// A person's decision wins over what the store had stated, until the store states something else.
  func testAHeldPurchaseIsCreditedByHand() async throws {
    let shop = try Shop()
    var transaction = try shop.transaction("t1", product: "new")
    await assertRefused(.validationPending) { try await shop.backend.post(shop.post(transaction)) }
    shop.time.advance(seconds: 60)
    transaction.signedAt = shop.time.now
    transaction.revocation = .init(revokedAt: shop.time.now)
    let kept = try await shop.backend.apply(transaction)
    XCTAssertEqual(kept.outcome, .kept)
    shop.time.advance(seconds: 60)
    let held = try XCTUnwrap(shop.backend.heldPurchases(with: StoreTransactionID("t1")).first)
    var details = CommandDetails()
    details.reason = try Reason("support case 17")
    for _ in 0..<2 {
      let booking = try await shop.backend.credit(held, as: ProductCode("gems"), details: details)
      XCTAssertEqual(booking.entries.map(\.amount), [1200])
    }
    XCTAssertEqual(try shop.gems(), 1200)
    XCTAssertEqual(try shop.held(.product).count, 0)
    // The same refund, told again, was known to whoever decided.
    _ = try await shop.backend.apply(transaction)
    XCTAssertEqual(try shop.gems(), 1200)
    shop.time.advance(seconds: 60)
    transaction.revocation = .init(revokedAt: shop.time.now)
    transaction.signedAt = shop.time.now
    let refunded = try await shop.backend.apply(transaction)
    XCTAssertEqual(refunded.outcome, .refunded)
    XCTAssertEqual(try shop.gems(), 0)
    try assertBooksAddUp(shop.ledger)
  }

  /// Whoever follows the journal hears of a held purchase, once.
  func testAHeldPurchaseIsAnEvent() async throws {
    let shop = try Shop()
    let post = try shop.post(shop.transaction("t1", product: "new"))
    for _ in 0..<3 { await assertRefused(.validationPending) { try await shop.backend.post(post) } }
    let events = try shop.ledger.feed(after: nil, limit: 10).events
    XCTAssertEqual(events.map(\.record.booking.kind), [.receiptHeld])
    XCTAssertEqual(events.map(\.record.reference?.text), ["t1"])
    XCTAssertEqual(events.map(\.record.reason?.text), ["product"])
    XCTAssertEqual(events.map(\.record.booking.customer.text), ["alice"])
    try assertBooksAddUp(shop.ledger)
  }

  func testASubscriptionSaysWhoPaidAndForWhichPeriod() async throws {
    let shop = try Shop()
    var trial = try shop.transaction("s1", product: "club", expiresAt: shop.after(hours: 24))
    trial.offer = .init(kind: .introductory, isFreeTrial: true)
    _ = try await shop.backend.post(shop.post(trial))
    var shared = try shop.transaction("s2", product: "club", expiresAt: shop.after(hours: 48))
    shared.ownership = .familyShared
    _ = try await shop.backend.post(shop.post(shared))
    let records = try shop.backend.subscriptions(of: CustomerID("alice"))
    XCTAssertEqual(records.map(\.ownership), [.familyShared, .purchased])
    XCTAssertEqual(records.map { $0.offer?.isFreeTrial }, [nil, true])
  }

  /// The terms are those of the purchase's date, whatever the catalog has become.
  func testAProductThatLeftTheCatalogAfterThePurchaseIsCredited() async throws {
    let shop = try Shop()
    try shop.sellNew()
    let transaction = try shop.transaction("t1", product: "new")
    shop.time.advance(seconds: 60)
    try shop.ledger.apply(Shop.catalog())
    _ = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(try shop.gems(), 7)
    try assertBooksAddUp(shop.ledger)
  }

  /// Bought at the very instant at which the product leaves the catalog, it waits, and no queue gives it up.
  func testAProductThatLeavesTheCatalogAtTheMomentOfThePurchaseIsHeld() async throws {
    let shop = try Shop()
    try shop.sellNew()
    try shop.ledger.apply(Shop.catalog())
    let post = try shop.post(shop.transaction("t1", product: "new"))
    await assertRefused(.validationPending) { try await shop.backend.post(post) }
    XCTAssertEqual(try shop.held(.product).map(\.transactionID.text), ["t1"])
    shop.time.advance(seconds: 60)
    try shop.sellNew()
    let report = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(report.counts("held_receipts"), ["decided": 1, "credited": 1])
    XCTAssertEqual(try shop.gems(), 7)
  }

  /// Whoever posts a held purchase again, at whatever moment, who posted it first is its buyer.
  func testAHeldPurchaseIsItsFirstPosters() async throws {
    // Its time is over, or the catalog has it, before the background has looked at it.
    for (token, product, seconds) in [("carol", "gems", Int64(3601)), (nil, "new", 0)] {
      for isRestored in [false, true] {
        let shop = try Shop()
        let transaction = try shop.transaction("t1", product: product, of: token)
        func post(as customer: String) throws -> ReceiptPost { try shop.post(transaction, as: customer) }
        await assertRefused(.validationPending) { try await shop.backend.post(post(as: "bob")) }
        if product == "new" { try shop.sellNew() }
        shop.time.advance(seconds: seconds)
        if isRestored {
          _ = try await shop.backend.restore(
            [post(as: "dave").receipt], customer: CustomerID("dave"), sharing: .keepWithOwner)
        } else {
          _ = try await shop.backend.post(post(as: "dave"))
        }
        let owners = try shop.ledger.purchases(of: CustomerID("bob")).purchases.map(\.storeTransactionID.text)
        XCTAssertEqual(owners, ["t1"], "\(token ?? "-") \(isRestored)")
        try assertBooksAddUp(shop.ledger)
      }
    }
  }

  func testATrialGivesItsOwnAmount() async throws {
    let shop = try Shop(policy: BackendPolicy(checksPrice: false))
    let old = try Shop.catalog()
    let new = Product(
      code: try ProductCode("new"), storeIDs: ["apple": "new.apple"], type: .consumable,
      grants: [Grant(currency: try CurrencyCode("GEM"), amount: 7, trial: 3)])
    try shop.ledger.apply(
      Catalog(currencies: old.currencies, products: old.products + [new], settings: old.settings))
    var transaction = try shop.transaction("t1", product: "new")
    transaction.offer = .init(kind: .introductory, isFreeTrial: true)
    _ = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(try shop.gems(), 3)
    try assertBooksAddUp(shop.ledger)
  }

  func testANoticeLeavesTheEndOfTheWait() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "carol")
    await assertRefused(.validationPending) { try await shop.backend.post(shop.post(transaction, as: "bob")) }
    XCTAssertNotNil(try shop.held(.buyer).first?.dueAt)
    _ = try await shop.backend.apply(transaction)
    XCTAssertNotNil(try shop.held(.buyer).first?.dueAt)
  }

  func testALoginCreditsWhatAStoreToldOf() async throws {
    let shop = try Shop()
    let anonymous = try CustomerID("$RCAnonymousID:0123456789abcdef0123456789abcdef")
    _ = try await shop.backend.register(anonymous)
    let transaction = try shop.transaction("t1", of: "carol")
    _ = try await shop.backend.apply(transaction)
    XCTAssertEqual(try shop.held(.buyer).count, 1)
    _ = try await shop.backend.logIn(CustomerID("carol"), from: anonymous, isProven: true)
    _ = try await shop.backend.register(CustomerID("carol"))
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try shop.held(.buyer).count, 0)
    XCTAssertEqual(try shop.gems("carol"), 1200)
  }

  func testOfForeignAppsAFewReceiptsAreKept() async throws {
    let shop = try Shop()
    for number in 1...30 {
      var transaction = try shop.transaction("t\(number)")
      transaction.bundleID = "com.example.other"
      await assertRefused(.bundleMismatch) { try await shop.backend.post(shop.post(transaction)) }
    }
    XCTAssertEqual(try shop.held(.app).count, 10)
    let counts = shop.backend.foreignCounts.map { "\($0.key.reason) \($0.key.value) \($0.count)" }
    XCTAssertEqual(counts, ["app com.example.other 30"])
    assertRefused(.customerNotFound) { try shop.gems() }
    // Another setting credits none of them by itself.
    try shop.ledger.apply(Shop.catalog(settings: CatalogSettings(bundleID: "com.example.other")))
    let report = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(report.counts("held_receipts"), ["decided": 0, "credited": 0])
  }

  func testAnErasedCustomersHeldPurchaseIsCreditedToNobody() async throws {
    let shop = try Shop()
    let post = try shop.post(shop.transaction("t1", product: "new"))
    await assertRefused(.validationPending) { try await shop.backend.post(post) }
    try shop.ledger.erase(CustomerID("alice"))
    XCTAssertEqual(try shop.held(.erased).map(\.transactionID.text), ["t1"])
    try shop.sellNew()
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    for customer in ["alice", "bob"] {
      await assertRefused(.receiptRevoked) {
        try await shop.backend.post(shop.post(shop.transaction("t1", product: "new"), as: customer))
      }
    }
    try assertBooksAddUp(shop.ledger)
  }

  /// The token of an erased buyer is gone from all that stores stated; the purchase stays known.
  func testAnErasureTakesTheBuyersTokens() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "alice")
    _ = try await shop.backend.post(shop.post(transaction))
    let purchases = try shop.ledger.purchases(of: CustomerID("alice")).purchases
    let token = AccountToken(of: try CustomerID("alice")).description
    func contents() throws -> [String] {
      try shop.ledger.view { (view) throws(LedgerError) in
        try view.evidence.statements(about: purchases).values.flatMap { $0.map(\.content) }
      }
    }
    XCTAssertTrue(try contents().contains { $0.contains(token) })
    try shop.ledger.erase(CustomerID("alice"))
    _ = try await shop.backend.post(shop.post(transaction, as: "bob"))
    XCTAssertEqual(try contents().count, 1)
    XCTAssertFalse(try contents().contains { $0.contains(token) })
    assertRefused(.customerNotFound) { try shop.gems("bob") }
  }
}

extension Shop {
  /// The catalog gets a product of which a unit gives so much GEM.
  func sellNew(amount: Int64 = 7, appleID: String = "new.apple") throws {
    let old = try Self.catalog()
    let new = Product(
      code: try ProductCode("new"), storeIDs: ["apple": appleID, "google": "new.google"], type: .consumable,
      grants: [Grant(currency: try CurrencyCode("GEM"), amount: amount)])
    try ledger.apply(Catalog(currencies: old.currencies, products: old.products + [new], settings: old.settings))
  }

  func held(_ reason: HoldReason) throws -> [HeldPurchase] {
    try ledger.view { (view) throws(LedgerError) in try view.evidence.held(for: reason, after: nil, limit: 1000) }
  }
}

extension MaintenanceReport {
  func counts(_ name: String) -> [String: Int]? { jobs.first { $0.name == name }?.counts }
}
