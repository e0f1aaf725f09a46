import GemLedger
import GemLedgerAudit
import GemTestSupport
import XCTest

@testable import StoreBackend

/// Stories in which a paid purchase could be lost, doubled or given to the wrong one.
final class HeldReceiptStoryTests: XCTestCase {
  private func withNew(_ shop: Shop, amount: Int64 = 7) throws {
    let old = try Shop.catalog()
    let new = Product(
      code: try ProductCode("new"), storeIDs: ["apple": "new.apple", "google": "new.google"], type: .consumable,
      grants: [Grant(currency: try CurrencyCode("GEM"), amount: amount)])
    try shop.ledger.apply(Catalog(currencies: old.currencies, products: old.products + [new], settings: old.settings))
  }

  private func reasons(_ shop: Shop) throws -> [String] {
    try HoldReason.allCases.flatMap { reason in
      try shop.held(reason).map { "\(reason) due:\($0.dueAt != nil) by:\($0.customer?.text ?? "-") note:\($0.note)" }
    }
  }

  private func quietly(_ body: () async throws -> Void) async { do { try await body() } catch { print("  ", error) } }

  // 01: app posts (product unknown), then the store's own notice without token.
  func testNoticeAfterPostKeepsTheReasonAndPoster() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", product: "new")
    await quietly { _ = try await shop.backend.post(shop.post(transaction)) }
    print(try reasons(shop))
    _ = try await shop.backend.apply(transaction)
    print(try reasons(shop))
    try withNew(shop)
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems(), 7)
  }

  // 02: held for an unknown buyer with an end; the notice comes; after an hour the poster.
  func testNoticeAfterPostKeepsTheEndOfTheWait() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "carol")
    await quietly { _ = try await shop.backend.post(shop.post(transaction, as: "bob")) }
    _ = try await shop.backend.apply(transaction)
    print(try reasons(shop))
    shop.time.advance(seconds: 3700)
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems("bob"), 1200)
  }

  // 03: a notice of an unknown buyer; the buyer logs in by the server's login.
  func testNoticeOfABuyerWhoLogsInLater() async throws {
    let shop = try Shop()
    _ = try await shop.backend.apply(shop.transaction("t1", of: "carol"))
    print(try reasons(shop))
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

  // 04: the first poster stays the buyer.
  func testFirstPosterIsTheBuyer() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", product: "new")
    await quietly { _ = try await shop.backend.post(shop.post(transaction, as: "bob")) }
    try withNew(shop)
    _ = try await shop.backend.post(shop.post(transaction, as: "dave"))
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems("bob"), 7)
    XCTAssertNil(try? shop.gems("dave"))
  }

  func testFirstPosterOfAnUnknownBuyer() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "carol")
    await quietly { _ = try await shop.backend.post(shop.post(transaction, as: "bob")) }
    shop.time.advance(seconds: 3601)
    _ = try await shop.backend.post(shop.post(transaction, as: "dave"))
    XCTAssertEqual(try? shop.gems("bob"), 1200)
    XCTAssertNil(try? shop.gems("dave"))
  }

  // 05: entitlements alone: a copied receipt of an unknown buyer.
  func testRestoreDoesNotPassTheWait() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "carol")
    await quietly {
      _ = try await shop.backend.restoreEntitlements(
        [shop.receipts.receipt(for: transaction)], customer: CustomerID("mallory"), sharing: .transfer)
    }
    XCTAssertEqual(try? shop.gems("mallory"), 0)
  }

  // 06: held two-step order, full refund, then the product appears: nothing is delivered.
  func testARefundedHeldOrderIsNotDelivered() async throws {
    let server = GameServer()
    let shop = try Shop(delivery: server)
    try withNew(shop)
    let order = try await shop.backend.initPayment(shop.request("new"))
    try shop.ledger.apply(Shop.catalog())
    let transaction = try shop.transaction("t1", product: "new2")
    var other = transaction
    other.storeProductID = "later.apple"
    await quietly { _ = try await shop.backend.completePayment(order.code, post: shop.post(other)) }
    print(try reasons(shop))
    shop.time.advance(seconds: 5)
    var refunded = other
    refunded.signedAt = shop.time.now
    refunded.revocation = .init(revokedAt: shop.time.now)
    print(try await shop.backend.apply(refunded).outcome)
    let old = try Shop.catalog()
    let new = Product(
      code: try ProductCode("new"), storeIDs: ["apple": "later.apple"], type: .consumable,
      grants: [Grant(currency: try CurrencyCode("GEM"), amount: 7)])
    try shop.ledger.apply(Catalog(currencies: old.currencies, products: old.products + [new], settings: old.settings))
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    print("\(String(describing: try? shop.gems())) \(try shop.backend.order(order.code))")
    XCTAssertEqual(server.heard.count, 0)
    try assertBooksAddUp(shop.ledger)
  }

  // 07: units given back before the credit, in two refunds.
  func testRefundsByUnitsOfAHeldPurchaseAddUp() async throws {
    for isHeld in [false, true] {
      let shop = try Shop()
      if !isHeld { try withNew(shop, amount: 100) }
      _ = try await shop.backend.register(try CustomerID("alice"))
      let bought = try shop.transaction("t1", product: "new", store: .google, quantity: 4, of: "alice")
      await quietly { _ = try await shop.backend.post(shop.post(bought)) }
      for _ in 1...2 {
        shop.time.advance(seconds: 10)
        var refund = bought
        refund.signedAt = shop.time.now
        refund.revocation = .init(revokedAt: shop.time.now, extent: .quantity(1))
        await quietly { _ = try await shop.backend.apply(refund) }
      }
      if isHeld { try withNew(shop, amount: 100) }
      _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
      XCTAssertEqual(try? shop.gems(), 200, "held: \(isHeld)")
      try assertBooksAddUp(shop.ledger)
    }
  }

  // 08: a decision about an owner ends.
  func testADecisionEnds() async throws {
    let shop = try Shop()
    await quietly { _ = try await shop.backend.post(shop.post(shop.transaction("t1", of: "carol"), as: "bob")) }
    shop.time.advance(seconds: 3601)
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    _ = try await shop.backend.register(try CustomerID("carol"))
    let held = try shop.held(.decision)
    XCTAssertEqual(held.count, 1)
    let booking = try await shop.backend.credit(
      held[0], to: CustomerID("carol"), details: CommandDetails())
    print(booking.customer, booking.isReplayed)
    XCTAssertEqual(try shop.held(.decision).count, 0)
  }

  // 09: the poster is erased while the purchase waits for another, who then appears.
  func testAnErasedPosterDoesNotEndAnothersPurchase() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "carol")
    await quietly { _ = try await shop.backend.post(shop.post(transaction, as: "mallory")) }
    try shop.ledger.erase(CustomerID("mallory"))
    _ = try await shop.backend.register(try CustomerID("carol"))
    await quietly { _ = try await shop.backend.post(shop.post(transaction, as: "carol")) }
    XCTAssertEqual(try? shop.gems("carol"), 1200)
  }

  // 10: erasure, then notices and replays: no token is left.
  // 11: a refund before the purchase names the buyer, who is erased.
  // 12: the product was sold at the purchase, and is not in the catalog any more.
  func testARemovedProductIsCredited() async throws {
    let shop = try Shop()
    try withNew(shop)
    shop.time.advance(seconds: 10)
    let transaction = try shop.transaction("t1", product: "new")
    shop.time.advance(seconds: 10)
    do { try shop.ledger.apply(Shop.catalog()) } catch {
      print("not allowed", error)
      return
    }
    await quietly { _ = try await shop.backend.post(shop.post(transaction)) }
    XCTAssertEqual(try? shop.gems(), 7)
  }

  // 13: a receipt with a wrong purchase code.
  // 14: the state that names price 0 comes after the one that names none.
  // 15: UUIDs in capitals and small letters.
  // 16: a post of an order, then one without it.
  // 17: by hand.
  // 18: gemctl decides with a verifier that proves nothing.
  func testAnotherBackendDecides() async throws {
    let shop = try Shop()
    struct Proving: ReceiptVerifier {
      let base: UnsignedReceipts
      func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction { try base.verify(receipt) }
    }
    let server = LocalBackend(ledger: shop.ledger, verifier: Proving(base: shop.receipts))
    let transaction = try shop.transaction("t1", product: "new", price: 1299)
    await quietly { _ = try await server.post(shop.post(transaction)) }
    let old = try Shop.catalog()
    let new = Product(
      code: try ProductCode("new"), storeIDs: ["apple": "new.apple"], type: .consumable,
      prices: [.unitedStates: try Price("9.99", in: StorefrontCode.unitedStates.currency)],
      grants: [Grant(currency: try CurrencyCode("GEM"), amount: 7)])
    try shop.ledger.apply(Catalog(currencies: old.currencies, products: old.products + [new], settings: old.settings))
    // As gemctl catalog apply does.
    let gemctl = LocalBackend(ledger: shop.ledger, verifier: try UnsignedReceipts(session: "operator"))
    _ = try await gemctl.decideHeld()
    _ = try await MaintenanceRunner(backend: server).runOnce()
    XCTAssertEqual(try? shop.gems(), 7)
  }

  // 19: extremes.
  func testItemsTimesQuantity() async throws {
    let old = try Shop.catalog()
    let item = try ItemID("sword")
    let new = Product(
      code: try ProductCode("new"), storeIDs: ["apple": "new.apple"], type: .consumable,
      itemGrants: [ItemGrant(item: item, quantity: 1_000_000)])
    let shop = try Shop()
    try shop.ledger.apply(
      Catalog(
        currencies: old.currencies, products: old.products + [new],
        items: [Item(id: item, name: "Sword", price: [CurrencyAmount(currency: CurrencyCode("GEM"), amount: 5)])],
        settings: old.settings))
    await quietly {
      _ = try await shop.backend.post(shop.post(shop.transaction("t1", product: "new", quantity: 1_000_000)))
    }
    print(try reasons(shop))
  }

  // 21: the archived currency.
  func testAnArchivedCurrency() async throws {
    let shop = try Shop()
    let old = try Shop.catalog()
    var gem = old.currencies[0]
    gem.isActive = false
    shop.time.advance(seconds: 5)
    do { try shop.ledger.apply(Catalog(currencies: [gem], products: old.products, settings: old.settings)) } catch {
      print(error)
    }
    await quietly { _ = try await shop.backend.post(shop.post(shop.transaction("t1"))) }
    let all = try HoldReason.allCases.flatMap { try shop.held($0) }
    XCTAssertTrue(all.count == 1 || (try? shop.gems()) == 1200, "neither credited nor held")
  }

  // 22: a notice of another app.
}
