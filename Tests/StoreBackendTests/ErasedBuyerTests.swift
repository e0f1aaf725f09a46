import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// After an erasure nothing that the stores stated names the customer, whoever posted it and whenever it comes.
final class ErasedBuyerTests: XCTestCase {
  private func erase(_ shop: Shop, _ id: String) throws {
    let customer = try CustomerID(id)
    let ids = try shop.ledger.customerIDs(of: customer)
    _ = try shop.ledger.book(.erase(customer, with: ids, in: shop.ledger, digest: { _ in nil }))
  }

  private func assertNobodyIsNamed(
    _ shop: Shop, _ id: String = "carol", file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let token = AccountToken(of: try CustomerID(id)).description
    // The ledger still knows the token itself: a late payment must not reach another wallet.
    let lines = try exportedText(shop.ledger).split(separator: "\n").filter { $0.contains(token) }
    XCTAssertEqual(lines.filter { $0.contains("evidence") }, [], file: file, line: line)
    try assertBooksAddUp(shop.ledger, file: file, line: line)
  }

  func testTheExportNamesTheBuyerUntilThen() async throws {
    let shop = try Shop()
    _ = try await shop.backend.post(shop.post(shop.transaction("t1", of: "carol"), as: "carol"))
    XCTAssertTrue(try exportedText(shop.ledger).contains(AccountToken(of: CustomerID("carol")).description))
    try erase(shop, "carol")
    try assertNobodyIsNamed(shop)
  }

  func testARefundOfAHeldPurchaseAfterTheErasure() async throws {
    let shop = try Shop()
    var transaction = try shop.transaction("t1", product: "new", of: "carol")
    await assertRefused(.validationPending) { try await shop.backend.post(shop.post(transaction, as: "carol")) }
    try erase(shop, "carol")
    try assertNobodyIsNamed(shop)
    shop.time.advance(seconds: 60)
    transaction.signedAt = shop.time.now
    for extent in [StoreTransaction.Revocation.Extent.milliPercent(10_000), .full] {
      transaction.revocation = .init(revokedAt: shop.time.now, extent: extent)
      do { _ = try await shop.backend.apply(transaction) } catch { XCTAssertEqual(error.code, .receiptRevoked) }
      try assertNobodyIsNamed(shop)
    }
  }

  func testAPurchaseThatWasGivenBackBeforeItsCredit() async throws {
    for isPosted in [true, false] {
      let shop = try Shop()
      _ = try await shop.backend.register(CustomerID("carol"))
      var transaction = try shop.transaction("t1", of: "carol")
      transaction.revocation = .init(revokedAt: shop.time.now)
      if isPosted {
        await assertRefused(.receiptRevoked) { try await shop.backend.post(shop.post(transaction, as: "carol")) }
      } else {
        _ = try await shop.backend.apply(transaction)
      }
      try erase(shop, "carol")
      try assertNobodyIsNamed(shop)
    }
  }

  /// It was credited to whom posted it; then its buyer came, and left.
  func testAnOwnerWhoAppearsLater() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", of: "carol")
    await assertRefused(.validationPending) { try await shop.backend.post(shop.post(transaction, as: "bob")) }
    shop.time.advance(seconds: 3601)
    _ = try await shop.backend.post(shop.post(transaction, as: "bob"))
    _ = try await shop.backend.register(CustomerID("carol"))
    XCTAssertEqual(try shop.held(.decision).count, 1)
    try erase(shop, "carol")
    try assertNobodyIsNamed(shop)
    XCTAssertEqual(try shop.held(.decision).count, 0)
    XCTAssertEqual(try shop.gems("bob"), 1200)
  }

  /// The buyer paid, another customer posted it, and it could not be credited: it is credited to nobody.
  func testAHeldPurchaseThatAnotherCustomerPosted() async throws {
    let shop = try Shop()
    _ = try await shop.backend.register(CustomerID("carol"))
    let transaction = try shop.transaction("t1", product: "new", of: "carol")
    await assertRefused(.validationPending) { try await shop.backend.post(shop.post(transaction, as: "bob")) }
    try erase(shop, "carol")
    try assertNobodyIsNamed(shop)
    try shop.sellNew()
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try shop.held(.erased).map(\.transactionID.text), ["t1"])
    XCTAssertEqual(try? shop.gems("bob"), 0)
  }

  func testAReceiptOfAnotherApp() async throws {
    let shop = try Shop()
    _ = try await shop.backend.register(CustomerID("carol"))
    var transaction = try shop.transaction("t1", of: "carol")
    transaction.bundleID = "com.example.other"
    await assertRefused(.bundleMismatch) { try await shop.backend.post(shop.post(transaction, as: "carol")) }
    XCTAssertEqual(try shop.held(.app).count, 1)
    try erase(shop, "carol")
    try assertNobodyIsNamed(shop)
  }

  /// Others' purchases keep their buyers.
  func testAnotherCustomersErasureTakesNothing() async throws {
    let shop = try Shop()
    let transaction = try shop.transaction("t1", product: "new", of: "carol")
    await assertRefused(.validationPending) { try await shop.backend.post(shop.post(transaction, as: "carol")) }
    _ = try await shop.backend.register(CustomerID("bob"))
    try erase(shop, "bob")
    try shop.sellNew()
    _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
    XCTAssertEqual(try shop.gems("carol"), 7)
  }
}
