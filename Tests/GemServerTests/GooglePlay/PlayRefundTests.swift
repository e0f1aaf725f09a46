#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import Synchronization
import XCTest

@testable import GemServer

/// Undelivered orders that are refunded at Google Play.
final class PlayRefundTests: XCTestCase {
  /// A game server that is down, and an order that was paid at Google Play and tried once.
  private struct Undelivered {
    let play: PlayWorld
    let backend: LocalBackend
    let code: PurchaseCode

    init(_ store: Store = .google) async throws {
      let play = try PlayWorld()
      let world = play.world
      let issuer = PlayRefunds(api: play.api, ledger: world.ledger) { [logged = play.logged] purchase, error in
        logged.add("\(purchase.storeTransactionID) \(error.code)")
      }
      backend = LocalBackend(
        ledger: world.ledger, verifier: world.receipts,
        policy: BackendPolicy(deliverySchedule: DeliverySchedule(retriesAfterMilliseconds: [])), delivery: NoServer(),
        refundIssuer: issuer)
      let customer = try CustomerID("alice")
      let order = try await backend.initPayment(
        OrderRequest(
          customer: customer, product: ProductCode("gems_300"), store: store, bundleID: "com.example.gems"))
      let receipt = StoreReceipt(try world.receipt("t1", "gems_300", store: store))
      _ = try await backend.completePayment(
        order.code, post: ReceiptPost(receipt: receipt, customer: customer, source: .purchase))
      try play.google.set("t1")
      (self.play, code) = (play, order.code)
    }

    func retry(afterMinutes minutes: Int64) async throws {
      play.world.time.set(play.world.time.now.advanced(milliseconds: minutes * 60_000))
      _ = try await backend.retryDeliveries()
    }

    var status: Order.Status { get throws { try backend.order(code).status } }
  }

  private struct NoServer: DeliveryTarget {
    func deliver(_ delivery: Delivery) async -> Bool { false }
  }

  private static let request =
    "POST /androidpublisher/v3/applications/com.example.gems/orders/GPA.1:refund?revoke=true HTTP/1.1"

  func testAnUndeliveredOrderIsRefundedAtGoogle() async throws {
    let shop = try await Undelivered()
    defer { shop.play.google.stop() }
    XCTAssertEqual(try shop.play.balance(), 300)
    try await shop.retry(afterMinutes: 10)
    XCTAssertEqual(shop.play.google.refunds, [Self.request])
    XCTAssertEqual(try shop.status, .failed)
    XCTAssertEqual(try shop.play.balance(), 0)
    XCTAssertEqual(shop.play.logged.lines, [])
    // Google's own word on it changes nothing.
    let voided = try await shop.play.push(PlayWorld.voided("t1"))
    XCTAssertEqual(voided.status, 200)
    XCTAssertEqual(try shop.play.balance(), 0)
    try assertBooksAddUp(shop.play.world.ledger)
  }

  /// Google refunds an order as a whole, and the order's other products may be delivered.
  func testAnOrderOfSeveralProductsIsNotRefundedForOneOfThem() async throws {
    let shop = try await Undelivered()
    defer { shop.play.google.stop() }
    try shop.play.google.set("t1", others: [("gems_1200", 1)])
    try await shop.retry(afterMinutes: 10)
    XCTAssertEqual(shop.play.google.refunds, [])
    XCTAssertEqual(shop.play.logged.lines, ["t1 not_available"])
    XCTAssertEqual(try shop.play.balance(), 300)
  }

  /// Google takes the refund and does not say so yet; then the process ended before it was booked.
  func testARefundThatShowsLaterIsAskedForOnce() async throws {
    let shop = try await Undelivered()
    defer { shop.play.google.stop() }
    shop.play.google.state.withLock { $0.showsRefunds = false }
    try await shop.retry(afterMinutes: 10)
    XCTAssertEqual(try shop.status, .deliveryPending)
    XCTAssertEqual(try shop.play.balance(), 300)
    try shop.play.google.set("t1", state: "CANCELLED")
    try await shop.retry(afterMinutes: 60)
    XCTAssertEqual(shop.play.google.refunds.count, 1)
    XCTAssertEqual(try shop.status, .failed)
    XCTAssertEqual(try shop.play.balance(), 0)
  }

  func testWhatMayWorkLaterIsAskedForAgainAndWhatNeverWillIsNot() async throws {
    for (status, requests, isExhausted) in [(403, 3, false), (503, 3, false), (404, 1, true), (400, 1, true)] {
      let shop = try await Undelivered()
      defer { shop.play.google.stop() }
      shop.play.google.state.withLock { $0.refundStatus = status }
      try await shop.retry(afterMinutes: 10)
      for _ in 0..<2 { try await shop.retry(afterMinutes: 60) }
      XCTAssertEqual(shop.play.google.refunds.count, requests, "\(status)")
      XCTAssertEqual(try shop.backend.order(shop.code).isDeliveryExhausted, isExhausted, "\(status)")
      XCTAssertEqual(shop.play.logged.lines.count, requests, "\(status)")
      XCTAssertEqual(try shop.play.balance(), 300)
    }
  }

  /// A part was refunded before: the rest is, too.
  func testAPartlyRefundedPurchaseIsRefundedWhole() async throws {
    let shop = try await Undelivered()
    defer { shop.play.google.stop() }
    try shop.play.google.set("t1", quantity: 3, refundable: 2)
    try await shop.retry(afterMinutes: 10)
    XCTAssertEqual(shop.play.google.refunds.count, 1)
    XCTAssertEqual(try shop.status, .failed)
    XCTAssertEqual(try shop.play.balance(), 0)
  }

  /// An earlier request was taken, and Google refuses the second one.
  func testARefusalOfWhatIsRefundedIsNoRefusal() async throws {
    let shop = try await Undelivered()
    defer { shop.play.google.stop() }
    shop.play.google.state.withLock { ($0.refundStatus, $0.refundsAllTheSame) = (400, true) }
    try await shop.retry(afterMinutes: 10)
    XCTAssertEqual(try shop.status, .failed)
    XCTAssertEqual(try shop.play.balance(), 0)
  }

  func testOtherPurchasesAreLeftToAPerson() async throws {
    let apple = try await Undelivered(.apple)
    defer { apple.play.google.stop() }
    try await apple.retry(afterMinutes: 10)
    XCTAssertEqual(apple.play.logged.lines, ["t1 not_available"])
    XCTAssertEqual(apple.play.google.requests.count, 0)
    XCTAssertTrue(try apple.backend.order(apple.code).isDeliveryExhausted)
    for change in ["unknown", "pending"] {
      let shop = try await Undelivered()
      defer { shop.play.google.stop() }
      if change == "unknown" { shop.play.google.state.withLock { $0.purchases = [:] } }
      if change == "pending" { try shop.play.google.set("t1", state: "PENDING") }
      try await shop.retry(afterMinutes: 10)
      XCTAssertEqual(shop.play.logged.lines, ["t1 not_available"], change)
      XCTAssertEqual(shop.play.google.refunds, [], change)
      XCTAssertTrue(try shop.backend.order(shop.code).isDeliveryExhausted, change)
    }
  }
}
#endif
