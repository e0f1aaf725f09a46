#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import XCTest

@testable import GemServer

/// Posts that could be lost, or credited to somebody who does not exist.
final class ReceiptAttackTests: XCTestCase {
  private let android = [(name: "X-Platform", value: "android")]

  private func gems(_ world: APIWorld, _ id: String = "alice") -> Int64? {
    try? world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(unchecked: id)).balance
  }

  /// A pending purchase for an order that nobody knows, without a player.
  func testAPendingPurchaseForAnUnknownOrderIsNobodys() async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    try play.google.set("t1", state: "PENDING", buyer: nil)
    _ = try await play.world.send(
      "POST", "/api/v1/client/purchase/complete-payment",
      ["purchaseCode": "PC-NOBODY-KNOWS", "receiptData": "t1"], headers: android)
    try play.google.set("t1", buyer: nil)
    let told = try await play.push(PlayWorld.purchased("t1"))
    XCTAssertEqual(told.outcome, "unattributed")
    XCTAssertNil(gems(play.world, "nobody"))
    // The app posts it with its player.
    _ = try await play.world.send(
      "POST", "/v1/receipts", ["fetch_token": "t1", "app_user_id": "alice"], headers: android)
    XCTAssertEqual(gems(play.world, "alice"), 300)
  }

  /// A pending purchase that an app without an id posts.
  func testAPendingPurchaseOfAnAppWithoutAnID() async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    try play.google.set("t1", state: "PENDING", buyer: nil)
    let answer = try await play.world.send(
      "POST", "/v1/receipts", ["fetch_token": "t1", "app_user_id": "null"], headers: android)
    XCTAssertEqual(answer.body["error"]?["code"]?.text, "invalid_user_id")
    try play.google.set("t1", buyer: nil)
    _ = try await play.push(PlayWorld.purchased("t1"))
    XCTAssertNil(gems(play.world, "null"))
    _ = try await play.world.send(
      "POST", "/v1/receipts", ["fetch_token": "t1", "app_user_id": "alice"], headers: android)
    XCTAssertEqual(gems(play.world, "alice"), 300)
  }

  /// The app asks again each minute while nobody has paid.
  func testPendingLookUpsAreOneStatement() async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    try play.google.set("t1", state: "PENDING", buyer: nil)
    for _ in 0..<40 {
      _ = try await play.world.send(
        "POST", "/v1/receipts", ["fetch_token": "t1", "app_user_id": "alice"], headers: android)
      play.world.time.advance(seconds: 60)
    }
    let held = try play.world.backend.heldPurchases(with: StoreTransactionID("t1"))
    XCTAssertEqual(held[0].statements.count, 1)
  }

  /// An order of another customer than the poster's, paid late.
  func testAPendingOrderIsItsCustomers() async throws {
    for isPending in [false, true] {
      let play = try PlayWorld()
      defer { play.google.stop() }
      _ = try await play.world.backend.register(CustomerID("bob"))
      let order = try await play.world.backend.initPayment(
        OrderRequest(
          customer: CustomerID("alice"), product: ProductCode("gems_300"), store: .google,
          bundleID: "com.example.gems", key: IdempotencyKey("k")))
      try play.google.set("t1", state: isPending ? "PENDING" : "PURCHASED", buyer: nil)
      _ = try await play.world.send(
        "POST", "/v1/orders/\(order.code)/complete", ["fetch_token": "t1", "app_user_id": "bob"], headers: android)
      if isPending {
        try play.google.set("t1", buyer: nil)
        _ = try await play.push(PlayWorld.purchased("t1"))
      }
      XCTAssertEqual(gems(play.world, "alice"), 300, "pending: \(isPending)")
      XCTAssertEqual(gems(play.world, "bob") ?? 0, 0, "pending: \(isPending)")
      XCTAssertEqual(try play.world.backend.order(order.code).status, .success, "pending: \(isPending)")
    }
  }

  /// A bare token with an order at Google Play, by a caller whose key names no store.
  func testABareTokenForAKnownOrderAtGooglePlay() async throws {
    let play = try PlayWorld()
    defer { play.google.stop() }
    let order = try await play.world.backend.initPayment(
      OrderRequest(
        customer: CustomerID("alice"), product: ProductCode("gems_300"), store: .google,
        bundleID: "com.example.gems", key: IdempotencyKey("k")))
    try play.google.set("t1", buyer: nil)
    let answer = try await play.world.send(
      "POST", "/v1/orders/\(order.code)/complete", ["fetch_token": "t1", "app_user_id": "alice"])
    XCTAssertEqual(answer.status, 200, answer.body.text())
    XCTAssertEqual(gems(play.world, "alice"), 300)
  }

  /// Equal bodies for two orders.
  func testTheQuarantineTellsOrdersApart() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    let before = try APIWorld(ledger: ledger, verifier: StoreVerifiers(apple: nil, google: nil))
    let transaction = StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID("1"),
      bundleID: "com.example.gems", storeProductID: "gems_300", productType: .consumable,
      purchasedAt: before.time.now, signedAt: before.time.now)
    let text = receipts.receipt(for: transaction).text
    let order = try await before.backend.initPayment(
      OrderRequest(
        customer: CustomerID("alice"), product: ProductCode("gems_300"), store: .apple,
        bundleID: "com.example.gems", key: IdempotencyKey("k")))
    _ = try await before.send("POST", "/v1/receipts", ["fetch_token": .string(text), "app_user_id": "alice"])
    _ = try await before.send(
      "POST", "/v1/orders/\(order.code)/complete", ["fetch_token": .string(text), "app_user_id": "alice"])
    let after = try APIWorld(ledger: ledger, verifier: receipts)
    let watch = ReceiptWatch(after.project, ServerLog(clock: after.time.clock) { _ in })
    _ = try await MaintenanceRunner(backend: after.backend, jobs: [watch.job]).runOnce()
    XCTAssertEqual(gems(after), 300)
    XCTAssertEqual(try after.backend.order(order.code).status, .success)
  }
}
#endif
