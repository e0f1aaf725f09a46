import GemLedger
import GemLedgerAudit
import GemTestSupport
import XCTest

@testable import StoreBackend

/// Stories in which a paid purchase could be lost, doubled or given to the wrong one.
final class HeldReceiptStoryTests: XCTestCase {
  /// Posts a receipt that is held.
  private func postHeld(_ shop: Shop, _ transaction: StoreTransaction, as customer: String = "alice") async throws {
    await assertRefused(.validationPending) { try await shop.backend.post(shop.post(transaction, as: customer)) }
  }

  func testNoticeAfterPostKeepsTheReasonAndPoster() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", product: "new")
    try await postHeld(shop, transaction)
    _ = try await shop.backend.apply(transaction)
    try shop.sellNew()
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems(), 7)
  }

  func testNoticeAfterPostKeepsTheEndOfTheWait() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "carol")
    try await postHeld(shop, transaction, as: "bob")
    _ = try await shop.backend.apply(transaction)
    shop.time.advance(seconds: 3700)
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems("bob"), 1200)
  }

  func testNoticeOfABuyerWhoLogsInLater() async throws {
    let shop = try Shop()
    _ = try await shop.backend.apply(shop.transaction("t1", of: "carol"))
    _ = try await shop.backend.logIn(
      CustomerID("carol"), from: CustomerID("$RCAnonymousID:1234567890abcdef1234567890abcdef"), isProven: true)
    shop.time.advance(seconds: 86_400)
    _ = try await shop.backend.register(CustomerID("carol"))
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems("carol"), 1200)
  }

  func testNoticeOfABuyerWhoIsRead() async throws {
    let shop = try Shop()
    _ = try await shop.backend.apply(shop.transaction("t1", of: "carol"))
    _ = try await shop.backend.customer(CustomerID("carol"))
    _ = try await shop.backend.register(CustomerID("carol"))
    shop.time.advance(seconds: 86_400)
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems("carol"), 1200)
  }

  func testFirstPosterIsTheBuyer() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", product: "new")
    try await postHeld(shop, transaction, as: "bob")
    try shop.sellNew()
    _ = try await shop.backend.post(shop.post(transaction, as: "dave"))
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems("bob"), 7)
    XCTAssertNil(try? shop.gems("dave"))
  }

  func testFirstPosterOfAnUnknownBuyer() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "carol")
    try await postHeld(shop, transaction, as: "bob")
    shop.time.advance(seconds: 3601)
    _ = try await shop.backend.post(shop.post(transaction, as: "dave"))
    XCTAssertEqual(try? shop.gems("bob"), 1200)
    XCTAssertNil(try? shop.gems("dave"))
  }

  func testRestoreDoesNotPassTheWait() async throws {
    let shop = try Shop()
    let receipt = shop.receipts.receipt(for: try shop.transaction("t1", of: "carol"))
    await assertRefused(.validationPending) {
      try await shop.backend.restoreEntitlements([receipt], customer: CustomerID("mallory"), sharing: .transfer)
    }
    XCTAssertEqual(try? shop.gems("mallory"), 0)
  }

  func testARefundedHeldOrderIsNotDelivered() async throws {
    let server = GameServer()
    let shop = try Shop(delivery: server)
    try shop.sellNew()
    let order = try await shop.backend.initPayment(shop.request("new"))
    try shop.ledger.apply(Shop.catalog())
    var transaction = try shop.transaction("t1", product: "later")
    await assertRefused(.validationPending) {
      try await shop.backend.completePayment(order.code, post: shop.post(transaction))
    }
    shop.time.advance(seconds: 5)
    transaction.signedAt = shop.time.now
    transaction.revocation = .init(revokedAt: shop.time.now)
    let refunded = try await shop.backend.apply(transaction)
    XCTAssertEqual(refunded.outcome, .kept)
    try shop.sellNew(appleID: "later.apple")
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(server.heard.count, 0)
    try assertBooksAddUp(shop.ledger)
  }

  /// The app posts the purchase of its order before the catalog has the product, and once more without the order.
  func testAHeldPurchaseCompletesItsOrderWhoeverPostsItAgain() async throws {
    let server = GameServer()
    let shop = try Shop(delivery: server)
    try shop.sellNew()
    let order = try await shop.backend.initPayment(shop.request("new"))
    try shop.ledger.apply(Shop.catalog())
    let transaction = try shop.transaction("t1", product: "later")
    await assertRefused(.validationPending) {
      try await shop.backend.completePayment(order.code, post: shop.post(transaction))
    }
    try await postHeld(shop, transaction)
    try shop.sellNew(appleID: "later.apple")
    let answer = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(answer.order?.code, order.code)
    XCTAssertEqual(server.heard.count, 1)
    XCTAssertEqual(try shop.gems(), 7)
  }

  func testAReceiptForAnUnknownOrderIsHeld() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1")
    await assertRefused(.orderNotFound) {
      try await shop.backend.completePayment(PurchaseCode("PC-NOBODY-KNOWS-IT"), post: shop.post(transaction))
    }
    XCTAssertEqual(try shop.held(.unattributed).map(\.transactionID.text), ["t1"])
    _ = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(try shop.gems(), 1200)
    XCTAssertEqual(try shop.held(.unattributed).count, 0)
  }

  func testRefundsByUnitsOfAHeldPurchaseAddUp() async throws {
    for isHeld in [false, true] {
      let shop = try Shop()
      if !isHeld { try shop.sellNew(amount: 100) }
      _ = try await shop.backend.register(try CustomerID("alice"))
      let bought = try shop.transaction("t1", product: "new", store: .google, quantity: 4, of: "alice")
      if isHeld { try await postHeld(shop, bought) } else { _ = try await shop.backend.post(shop.post(bought)) }
      for _ in 1...2 {
        shop.time.advance(seconds: 10)
        var refund = bought
        refund.signedAt = shop.time.now
        refund.revocation = .init(revokedAt: shop.time.now, extent: .quantity(1))
        let answer = try await shop.backend.apply(refund)
        XCTAssertEqual(answer.outcome, isHeld ? .held : .refunded)
      }
      if isHeld { try shop.sellNew(amount: 100) }
      _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
      XCTAssertEqual(try? shop.gems(), 200, "held: \(isHeld)")
      try assertBooksAddUp(shop.ledger)
    }
  }

  func testADecisionEnds() async throws {
    let shop = try Shop()
    try await postHeld(shop, shop.transaction("t1", of: "carol"), as: "bob")
    shop.time.advance(seconds: 3601)
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    _ = try await shop.backend.register(try CustomerID("carol"))
    let held = try shop.held(.decision)
    XCTAssertEqual(held.count, 1)
    let booking = try await shop.backend.credit(held[0], to: CustomerID("carol"), details: CommandDetails())
    XCTAssertTrue(booking.isReplayed, "It was credited to whom posted it")
    XCTAssertEqual(try shop.held(.decision).count, 0)
  }

  /// The store named no price at first, and 0 later: the newest statement holds, in either order of arrival.
  func testTheNewestStatementSaysWhatWasPaid() async throws {
    for isNewestFirst in [false, true] {
      let shop = try Shop()
      var old = try shop.transaction("t1", product: "new")
      old.price = nil
      var new = old
      (new.price, new.signedAt) = (Money(minorUnits: 0, currency: "USD"), shop.after(hours: 1))
      shop.time.advance(seconds: 7200)
      let order = isNewestFirst ? [new, old] : [old, new]
      for transaction in order { try await postHeld(shop, transaction) }
      try shop.sellNew()
      _ = try await shop.backend.post(shop.post(old))
      XCTAssertEqual(try shop.ledger.purchases(of: CustomerID("alice")).purchases.map(\.price?.minorUnits), [0])
      XCTAssertEqual(try shop.ledger.unspent().parts.map(\.free), [7])
    }
  }

  /// A store does not change what was bought, so a person looks at it, once.
  func testAnotherQuantityOfACreditedPurchaseIsListed() async throws {
    let shop = try Shop()
    var transaction = try shop.transaction("t1")
    _ = try await shop.backend.post(shop.post(transaction))
    shop.time.advance(seconds: 60)
    (transaction.quantity, transaction.signedAt) = (3, shop.time.now)
    for _ in 0..<2 { _ = try await shop.backend.post(shop.post(transaction)) }
    XCTAssertEqual(try shop.gems(), 1200)
    let held = try shop.held(.decision)
    XCTAssertEqual(held.map(\.transactionID.text), ["t1"])
    shop.time.advance(seconds: 60)
    _ = try await shop.backend.credit(held[0], details: CommandDetails())
    shop.time.advance(seconds: 60)
    transaction.signedAt = shop.time.now
    _ = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(try shop.held(.decision).count, 0)
    try assertBooksAddUp(shop.ledger)
  }

  /// A full balance has room again once the customer spends; no change of the catalog is needed.
  func testACreditWaitsForRoomInTheBalance() async throws {
    let shop = try Shop()
    try shop.sellNew(amount: Limits.amount)
    _ = try await shop.backend.post(shop.post(shop.transaction("t1", product: "new")))
    await assertRefused(.amountOutOfRange) {
      try await shop.backend.post(shop.post(shop.transaction("t2", product: "new")))
    }
    XCTAssertEqual(try shop.held(.amount).map(\.transactionID.text), ["t2"])
    let runner = MaintenanceRunner(backend: shop.backend)
    shop.time.advance(seconds: 3601)
    _ = try await runner.runOnce()
    XCTAssertEqual(try shop.held(.amount).count, 1)
    try shop.ledger.spend(
      [Adjustment(CurrencyCode("GEM"), Limits.amount)], customer: CustomerID("alice"))
    _ = try await runner.runOnce()
    XCTAssertEqual(try shop.gems(), 0, "It is not due yet")
    shop.time.advance(seconds: 3601)
    _ = try await runner.runOnce()
    XCTAssertEqual(try shop.gems(), Limits.amount)
    XCTAssertEqual(try shop.held(.amount).count, 0)
  }

  func testAnErasedPosterDoesNotEndAnothersPurchase() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "carol")
    try await postHeld(shop, transaction, as: "mallory")
    try shop.ledger.erase(CustomerID("mallory"))
    _ = try await shop.backend.register(try CustomerID("carol"))
    _ = try await shop.backend.post(shop.post(transaction, as: "carol"))
    XCTAssertEqual(try? shop.gems("carol"), 1200)
  }

  /// `gemctl catalog apply` decides with a verifier that proves nothing.
  func testAnotherBackendDecides() async throws {
    let shop = try Shop()
    struct Proving: ReceiptVerifier {
      let base: UnsignedReceipts
      func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction { try base.verify(receipt) }
    }
    let server = LocalBackend(ledger: shop.ledger, verifier: Proving(base: shop.receipts))
    let transaction = try shop.transaction("t1", product: "new", price: 1299)
    await assertRefused(.validationPending) { try await server.post(shop.post(transaction)) }
    let old = try Shop.catalog()
    let new = Product(
      code: try ProductCode("new"), storeIDs: ["apple": "new.apple"], type: .consumable,
      prices: [.unitedStates: try Price("9.99", in: StorefrontCode.unitedStates.currency)],
      grants: [Grant(currency: try CurrencyCode("GEM"), amount: 7)])
    try shop.ledger.apply(Catalog(currencies: old.currencies, products: old.products + [new], settings: old.settings))
    let gemctl = LocalBackend(ledger: shop.ledger, verifier: try UnsignedReceipts(session: "operator"))
    _ = try await gemctl.decideHeld()
    _ = try await MaintenanceRunner(backend: server).runOnce()
    XCTAssertEqual(try? shop.gems(), 7)
  }

  func testItemsTimesTheLargestQuantity() async throws {
    let (old, item) = (try Shop.catalog(), try ItemID("sword"))
    let new = Product(
      code: try ProductCode("new"), storeIDs: ["apple": "new.apple"], type: .consumable,
      itemGrants: [ItemGrant(item: item, quantity: 1_000_000)])
    let shop = try Shop()
    try shop.ledger.apply(
      Catalog(
        currencies: old.currencies, products: old.products + [new],
        items: [Item(id: item, name: "Sword", price: [CurrencyAmount(currency: CurrencyCode("GEM"), amount: 5)])],
        settings: old.settings))
    let answer = try await shop.backend.post(
      shop.post(shop.transaction("t1", product: "new", quantity: Limits.quantity)))
    XCTAssertEqual(answer.booking.items.map(\.quantity), [1_000_000 * Limits.quantity])
  }

  func testAPurchaseOfAnArchivedCurrencyIsCredited() async throws {
    let shop = try Shop()
    let old = try Shop.catalog()
    var gem = old.currencies[0]
    gem.isActive = false
    shop.time.advance(seconds: 5)
    try shop.ledger.apply(Catalog(currencies: [gem], products: old.products, settings: old.settings))
    _ = try await shop.backend.post(shop.post(shop.transaction("t1")))
    XCTAssertEqual(try shop.gems(), 1200)
  }

  // MARK: Pending payments

  func testWhoPostedItBeforeItWasPaidIsCredited() async throws {
    let shop = try Shop()
    _ = try await shop.backend.register(try CustomerID("alice"))
    for isPaidFirst in [false, true] {
      let id = "t\(isPaidFirst)"
      let pending = try shop.transaction(id, store: .google)
      shop.time.advance(seconds: 60)
      let paid = try shop.transaction(id, store: .google)
      let before = try shop.gems()
      if isPaidFirst { _ = try await shop.backend.apply(state: paid) }
      try await shop.backend.keep(unpaid: pending, isDeclined: false, postedBy: CustomerID("alice"))
      XCTAssertEqual(try shop.held(.pending).count, isPaidFirst ? 0 : 1)
      if !isPaidFirst {
        let outcome = try await shop.backend.apply(state: paid).outcome
        XCTAssertEqual(outcome, .credited)
        XCTAssertEqual(try shop.gems(), before + 1200)
        // A late word of the time before changes nothing.
        try await shop.backend.keep(unpaid: pending, isDeclined: false, postedBy: CustomerID("alice"))
        XCTAssertEqual(try shop.held(.pending).count, 0)
      }
      try assertBooksAddUp(shop.ledger)
    }
  }

  /// What is given back before its credit alarms nobody; where the refund is taken back, its poster is credited.
  func testAHeldPurchaseThatIsGivenBackWaitsForNothing() async throws {
    for isPostedFirst in [true, false] {
      let shop = try Shop()
      let posted = try shop.transaction("t1", product: "new")
      var notice = posted
      shop.time.advance(seconds: 60)
      notice.signedAt = shop.time.now
      notice.revocation = .init(revokedAt: shop.time.now)
      if isPostedFirst { try await postHeld(shop, posted) }
      _ = try await shop.backend.apply(notice)
      // The app may finish the purchase: nothing is left to credit.
      await assertRefused(.receiptRevoked) { try await shop.backend.post(shop.post(posted)) }
      let outcome = try await shop.backend.apply(posted).outcome
      XCTAssertEqual(outcome, .held)
      XCTAssertEqual(try shop.backend.heldCounts(), [.refunded: 1])
      shop.time.advance(seconds: 60)
      (notice.revocation, notice.signedAt) = (nil, shop.time.now)
      _ = try await shop.backend.apply(notice)
      XCTAssertEqual(try shop.backend.heldCounts(), [.product: 1])
      try shop.sellNew()
      _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
      XCTAssertEqual(try shop.gems(), 7)
      XCTAssertEqual(try shop.backend.heldCounts(), [:])
      try assertBooksAddUp(shop.ledger)
    }
  }

  func testNobodyIsCreditedForAnUnpaidPurchase() async throws {
    let shop = try Shop()
    let pending = try shop.transaction("t1", store: .google, of: "carol")
    try await shop.backend.keep(unpaid: pending, isDeclined: false, postedBy: CustomerID("bob"))
    _ = try await shop.backend.register(CustomerID("carol"))
    let runner = MaintenanceRunner(backend: shop.backend)
    shop.time.advance(seconds: 7200)
    _ = try await runner.runOnce()
    let held = try XCTUnwrap(shop.held(.pending).first)
    await assertRefused(.invalidRequest) { try await shop.backend.credit(held, details: CommandDetails()) }
    for customer in ["bob", "carol"] { XCTAssertEqual(try shop.gems(customer), 0) }
  }

  func testADeclinedPaymentIsDeclinedInEitherOrder() async throws {
    for isDeclinedFirst in [false, true] {
      let shop = try Shop()
      let pending = try shop.transaction("t1", store: .google)
      shop.time.advance(seconds: 60)
      let declined = try shop.transaction("t1", store: .google)
      for isDeclined in [isDeclinedFirst, !isDeclinedFirst] {
        try await shop.backend.keep(unpaid: isDeclined ? declined : pending, isDeclined: isDeclined, postedBy: nil)
      }
      XCTAssertEqual(try shop.held(.declined).map(\.transactionID.text), ["t1"])
      XCTAssertEqual(try shop.held(.pending).count, 0)
      try assertBooksAddUp(shop.ledger)
    }
  }
}
