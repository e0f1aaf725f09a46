import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// Stories of an attacker, a late message or an erasure that could take, lose or keep what is another's.
final class HeldReceiptAttackTests: XCTestCase {
  private func erase(_ shop: Shop, _ id: String) throws {
    let customer = try CustomerID(id)
    let ids = try shop.ledger.customerIDs(of: customer)
    _ = try shop.ledger.book(.erase(customer, with: ids, in: shop.ledger, digest: { _ in nil }))
  }

  private func evidenceNaming(_ shop: Shop, _ id: String) throws -> Int {
    let token = AccountToken(of: try CustomerID(id)).description
    return try exportedText(shop.ledger).split(separator: "\n").filter { $0.contains(token) && $0.contains("evidence") }
      .count
  }

  private func postHeld(_ shop: Shop, _ transaction: StoreTransaction, as customer: String = "alice") async throws {
    await assertRefused(.validationPending) { try await shop.backend.post(shop.post(transaction, as: customer)) }
  }

  /// Mallory posts Carol's receipt, and is erased: Carol's paid purchase ends.
  func testErasedPosterEndsTheOwnersPurchase() async throws {
    let shop = try Shop()
    _ = try await shop.backend.register(CustomerID("carol"))
    _ = try await shop.backend.register(CustomerID("mallory"))
    let transaction = try shop.transaction("t1", product: "new", of: "carol")
    try await postHeld(shop, transaction, as: "mallory")
    try erase(shop, "mallory")
    try shop.sellNew()
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    do { _ = try await shop.backend.post(shop.post(transaction, as: "carol")) } catch { XCTFail("\(error)") }
    XCTAssertEqual(try? shop.gems("carol"), 7)
  }

  func testErasedPosterEndsTheOwnersPendingPurchase() async throws {
    let shop = try Shop()
    _ = try await shop.backend.register(CustomerID("carol"))
    _ = try await shop.backend.register(CustomerID("mallory"))
    let transaction = try shop.transaction("t1", store: .google, of: "carol")
    try await shop.backend.keep(unpaid: transaction, isDeclined: false, postedBy: CustomerID("mallory"))
    try erase(shop, "mallory")
    shop.time.advance(seconds: 60)
    let paid = try shop.transaction("t1", store: .google, of: "carol")
    do { _ = try await shop.backend.apply(state: paid) } catch { XCTFail("\(error)") }
    XCTAssertEqual(try? shop.gems("carol"), 1200)
  }

  /// Late statements of a purchase that another was credited for.
  func testALateRefundOfAPurchaseCreditedToThePoster() async throws {
    let shop = try Shop()
    var transaction = try shop.transaction("t1", of: "carol")
    try await postHeld(shop, transaction, as: "bob")
    shop.time.advance(seconds: 3601)
    _ = try await shop.backend.post(shop.post(transaction, as: "bob"))
    _ = try await shop.backend.register(CustomerID("carol"))
    try erase(shop, "carol")
    XCTAssertEqual(try evidenceNaming(shop, "carol"), 0)
    shop.time.advance(seconds: 60)
    transaction.signedAt = shop.time.now
    transaction.revocation = .init(revokedAt: shop.time.now)
    _ = try await shop.backend.apply(transaction)
    XCTAssertEqual(try evidenceNaming(shop, "carol"), 0)
  }

  /// The first statement after the erasure, held for the product.
  func testAFirstStatementAfterTheErasure() async throws {
    for reason in ["product", "pending", "app"] {
      let shop = try Shop()
      _ = try await shop.backend.register(CustomerID("carol"))
      var transaction = try shop.transaction("t1", product: reason == "product" ? "new" : "gems", of: "carol")
      shop.time.advance(seconds: 60)
      try erase(shop, "carol")
      shop.time.advance(seconds: 60)
      switch reason {
      case "product": _ = try? await shop.backend.post(shop.post(transaction, as: "bob"))
      case "pending": try await shop.backend.keep(unpaid: transaction, isDeclined: false, postedBy: CustomerID("bob"))
      default:
        transaction.bundleID = "com.example.other"
        _ = try? await shop.backend.post(shop.post(transaction, as: "bob"))
      }
      XCTAssertEqual(try evidenceNaming(shop, "carol"), 0, reason)
    }
  }

  /// A person credited Carol's purchase to Bob.
  func testAPersonCreditsAnotherThenTheOwnerIsErased() async throws {
    let shop = try Shop()
    _ = try await shop.backend.register(CustomerID("carol"))
    _ = try await shop.backend.register(CustomerID("bob"))
    try await postHeld(shop, shop.transaction("t1", product: "new", of: "carol"), as: "carol")
    try shop.sellNew(appleID: "another")
    _ = try await shop.backend.credit(
      shop.held(.product)[0], to: CustomerID("bob"), as: ProductCode("new"), details: CommandDetails())
    XCTAssertEqual(try shop.gems("bob"), 7)
    try erase(shop, "carol")
    XCTAssertEqual(try evidenceNaming(shop, "carol"), 0)
  }

  /// A decision ended the hold that named Carol.
  func testAfterADecisionTheOwnerIsErased() async throws {
    let shop = try Shop()
    try await postHeld(shop, shop.transaction("t1", of: "carol"), as: "bob")
    shop.time.advance(seconds: 3601)
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    _ = try await shop.backend.register(try CustomerID("carol"))
    _ = try await shop.backend.credit(shop.held(.decision)[0], details: CommandDetails())
    try erase(shop, "carol")
    XCTAssertEqual(try evidenceNaming(shop, "carol"), 0)
  }

  /// Made-up orders pass the bound of samples.
  func testAMadeUpOrderPassesTheBoundOfSamples() async throws {
    let shop = try Shop()
    for number in 0..<30 {
      var transaction = try shop.transaction("t\(number)")
      transaction.bundleID = "com.mallory.app"
      do {
        _ = try await shop.backend.completePayment(PurchaseCode("PC-MADE-UP"), post: shop.post(transaction))
      } catch {}
    }
    XCTAssertLessThanOrEqual(try shop.backend.heldCounts().values.reduce(0, +), 10)
  }

  func testAFutureDateWithAMadeUpOrderIsNotKept() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", signedAt: shop.after(hours: 24 * 365))
    do {
      _ = try await shop.backend.completePayment(PurchaseCode("PC-MADE-UP"), post: shop.post(transaction))
    } catch {}
    XCTAssertEqual(try shop.backend.heldCounts(), [:])
    _ = try await shop.backend.post(shop.post(try shop.transaction("t1")))
    shop.time.advance(seconds: 60)
    var refund = try shop.transaction("t1")
    refund.revocation = .init(revokedAt: shop.time.now)
    _ = try await shop.backend.apply(refund)
    XCTAssertEqual(try shop.gems(), 0)
  }

  /// A declined payment that is paid after all.
  func testADeclinedPurchaseThatIsPaidAfterAll() async throws {
    let shop = try Shop()
    _ = try await shop.backend.register(CustomerID("alice"))
    let declined = try shop.transaction("t1", store: .google)
    try await shop.backend.keep(unpaid: declined, isDeclined: true, postedBy: CustomerID("alice"))
    shop.time.advance(seconds: 60)
    let outcome = try await shop.backend.apply(state: shop.transaction("t1", store: .google)).outcome
    XCTAssertEqual(outcome, .credited)
    XCTAssertEqual(try? shop.gems(), 1200)
  }

  /// The order of a second poster replaces the first poster's.
  func testASecondPosterWithAnOrderTakesAHeldPurchase() async throws {
    let shop = try Shop()
    try shop.sellNew()
    let own = try await shop.backend.initPayment(shop.request("new", customer: "alice", key: "a"))
    let others = try await shop.backend.initPayment(shop.request("new", customer: "mallory", key: "m"))
    try shop.ledger.apply(Shop.catalog())
    let transaction = try shop.transaction("t1", product: "later")
    await assertRefused(.validationPending) {
      try await shop.backend.completePayment(own.code, post: shop.post(transaction))
    }
    await assertRefused(.validationPending) {
      try await shop.backend.completePayment(others.code, post: shop.post(transaction, as: "mallory"))
    }
    try shop.sellNew(appleID: "later.apple")
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems("alice"), 7)
    XCTAssertEqual(try? shop.gems("mallory"), 0)
  }

  func testASecondPosterWithAnOrderTakesABuyersHold() async throws {
    let shop = try Shop()
    _ = try await shop.backend.register(CustomerID("bob"))
    let transaction = try shop.transaction("t1", of: "carol")
    try await postHeld(shop, transaction, as: "bob")
    let others = try await shop.backend.initPayment(shop.request("gems", customer: "mallory", key: "m"))
    await assertRefused(.validationPending) {
      try await shop.backend.completePayment(others.code, post: shop.post(transaction, as: "mallory"))
    }
    shop.time.advance(seconds: 3601)
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try? shop.gems("bob"), 1200)
    XCTAssertEqual(try? shop.gems("mallory"), 0)
  }

  /// A UUID in another case shares the token.
  func testErasingAnotherUUIDOfOtherCaseEndsPurchases() async throws {
    let shop = try Shop()
    let uuid = "3f2b8c1e-7d44-4a6b-9c11-0a5d3e7f9b21"
    _ = try await shop.backend.register(CustomerID(uuid))
    var transaction = try shop.transaction("t1", product: "new")
    transaction.accountToken = AccountToken(uuid)
    try await postHeld(shop, transaction, as: uuid)
    _ = try await shop.backend.register(CustomerID(uuid.uppercased()))
    try erase(shop, uuid.uppercased())
    try shop.sellNew()
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    do { _ = try await shop.backend.post(shop.post(transaction, as: uuid)) } catch { XCTFail("\(error)") }
    XCTAssertEqual(try? shop.gems(uuid), 7)
  }

  /// The samples of a foreign app are full: a notice of a refund of a credited purchase.
  func testARefundOfACreditedPurchaseOfAFormerApp() async throws {
    let shop = try Shop()
    var transaction = try shop.transaction("t1")
    transaction.bundleID = "com.example.gems"
    _ = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(try shop.gems(), 1200)
    shop.time.advance(seconds: 5)
    try shop.ledger.apply(Shop.catalog(settings: CatalogSettings(bundleID: "com.example.renamed")))
    for number in 0..<10 {
      _ = try? await shop.backend.post(shop.post(try shop.transaction("other\(number)")))
    }
    XCTAssertEqual(try shop.held(.app).count, 10)
    shop.time.advance(seconds: 60)
    transaction.signedAt = shop.time.now
    transaction.revocation = .init(revokedAt: shop.time.now)
    _ = try? await shop.backend.apply(transaction)
    XCTAssertEqual(try shop.gems(), 0)
  }

  /// A decision about another quantity, with a part refunded.
  func testADecidedQuantityWithARefundIsNotListedAgain() async throws {
    let shop = try Shop()
    var transaction = try shop.transaction("t1", store: .google, quantity: 2)
    _ = try await shop.backend.post(shop.post(transaction))
    shop.time.advance(seconds: 60)
    (transaction.quantity, transaction.signedAt) = (3, shop.time.now)
    transaction.revocation = .init(revokedAt: shop.time.now, extent: .quantity(1))
    _ = try await shop.backend.post(shop.post(transaction))
    let held = try shop.held(.decision)
    XCTAssertEqual(held.count, 1)
    shop.time.advance(seconds: 60)
    _ = try await shop.backend.credit(held[0], details: CommandDetails())
    XCTAssertEqual(try shop.held(.decision).count, 0)
    shop.time.advance(seconds: 60)
    _ = try await shop.backend.post(shop.post(transaction))
    XCTAssertEqual(try shop.held(.decision).count, 0)
  }

  /// The reason of a purchase of an environment that is not credited, by the order of arrival.
  func testHeldReasonOfAPendingSandboxPurchase() async throws {
    var reasons: [String] = []
    for isPaidFirst in [false, true] {
      let shop = try Shop(
        catalog: Shop.catalog(
          settings: CatalogSettings(bundleID: "com.example.gems", sandboxReceipts: .nobody)))
      let pending = try shop.transaction("t1", store: .google)
      shop.time.advance(seconds: 60)
      let paid = try shop.transaction("t1", store: .google)
      if isPaidFirst { _ = try? await shop.backend.post(shop.post(paid)) }
      try await shop.backend.keep(unpaid: pending, isDeclined: false, postedBy: CustomerID("alice"))
      if !isPaidFirst { _ = try? await shop.backend.post(shop.post(paid)) }
      reasons.append(try shop.backend.heldCounts().keys.map(\.name).joined())
    }
    XCTAssertEqual(reasons[0], reasons[1])
  }

  /// A known refund in part, a full balance, and hourly tries: nothing grows.
  func testHourlyTriesGrowNothing() async throws {
    let shop = try Shop()
    try shop.sellNew(amount: Limits.amount)
    _ = try await shop.backend.post(shop.post(shop.transaction("t1", product: "new")))
    await assertRefused(.amountOutOfRange) {
      try await shop.backend.post(shop.post(shop.transaction("t2", product: "new")))
    }
    let before = try exportedText(shop.ledger).split(separator: "\n").count
    for _ in 0..<5 {
      shop.time.advance(seconds: 3601)
      _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    }
    XCTAssertEqual(try exportedText(shop.ledger).split(separator: "\n").count, before)
    try assertBooksAddUp(shop.ledger)
  }

  /// An id of a kind that only the ledger makes.
  func testAnIDOfTheLedgerIsHeld() async throws {
    let shop = try Shop()
    let post = ReceiptPost(
      receipt: shop.receipts.receipt(for: try shop.transaction("t1")), customer: CustomerID(unchecked: "$erased:1"),
      source: .purchase)
    do { _ = try await shop.backend.post(post) } catch { XCTAssertEqual(error.code, .invalidIdentifier) }
    XCTAssertEqual(try shop.backend.heldCounts(), [.unattributed: 1])
  }
}
