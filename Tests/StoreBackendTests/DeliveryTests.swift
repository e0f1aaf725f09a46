import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// Paid orders on their way to a game server.
final class DeliveryTests: XCTestCase {
  func testAConfirmedDeliveryIsASuccess() async throws {
    let server = GameServer()
    let shop = try Shop(delivery: server)
    let context = OrderContext(roleID: "char-12345", serverID: "server-01")
    let order = try await shop.backend.initPayment(shop.request(context: context))
    let answer = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction("t1")))
    XCTAssertEqual(answer.order?.status, .success)
    XCTAssertEqual(answer.order?.deliveryAttempts, 1)
    let delivery = try XCTUnwrap(server.heard.first)
    XCTAssertEqual(
      delivery,
      Delivery(
        purchaseCode: order.code, customer: try CustomerID("alice"), product: try ProductCode("gems"), quantity: 1,
        price: Money(minorUnits: 999, currency: "USD"), items: [.init(id: "GEM", quantity: 1200)], context: context,
        storeTransactionID: try StoreTransactionID("t1"), store: .apple, storeProductID: "gems.apple"))
    let round = try await shop.backend.retryDeliveries(now: shop.after(hours: 100))
    XCTAssertEqual(round, DeliveryRound())
  }

  /// Eight tries in 24 hours, and then a person.
  func testAnUnconfirmedDeliveryIsTriedOnItsSchedule() async throws {
    let server = GameServer(confirms: false)
    let shop = try Shop(delivery: server)
    let begin = shop.time.now
    let order = try await shop.backend.initPayment(shop.request())
    let answer = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction("t1")))
    XCTAssertEqual(answer.order?.status, .deliveryPending)
    XCTAssertEqual(PaymentStatusCode(completed: answer), .deliveryPending)
    XCTAssertTrue(PaymentStatusCode(completed: answer).isSuccess)
    XCTAssertEqual(try shop.gems(), 1200)
    var tries = [Int64(0)]
    while let next = try shop.backend.order(order.code).nextDeliveryAt {
      shop.time.set(Timestamp(milliseconds: next.milliseconds - 1))
      let early = try await shop.backend.retryDeliveries()
      XCTAssertEqual(early.tried, 0)
      shop.time.set(next)
      let round = try await shop.backend.retryDeliveries()
      XCTAssertEqual(round.tried, 1)
      tries.append((next.milliseconds - begin.milliseconds) / 60_000)
      XCTAssertEqual(round.exhausted, tries.count == 8 ? 1 : 0)
    }
    XCTAssertEqual(tries, [0, 2, 10, 30, 120, 360, 720, 1440])
    XCTAssertEqual(server.heard.count, 8)
    let exhausted = try shop.backend.order(order.code)
    XCTAssertTrue(exhausted.isDeliveryExhausted)
    XCTAssertEqual(exhausted.status, .deliveryPending)
    XCTAssertEqual(try shop.backend.undelivered().orders.map(\.code), [order.code])
    // Nothing is clawed back, and after the repair of the server an operator delivers by hand.
    XCTAssertEqual(try shop.gems(), 1200)
    server.setConfirms(true)
    let delivered = try await shop.backend.retryDelivery(of: order.code)
    XCTAssertEqual(delivered.status, .success)
    XCTAssertEqual(delivered.deliveryAttempts, 8)
    XCTAssertEqual(try shop.backend.undelivered().orders, [])
    try assertBooksAddUp(shop.ledger)
  }

  func testAProcessThatDiedBetweenCreditAndDeliveryIsMadeGood() async throws {
    let shop = try Shop(delivery: GameServer(confirms: false))
    let order = try await shop.backend.initPayment(shop.request())
    _ = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction("t1")))
    let server = GameServer()
    let next = LocalBackend(ledger: shop.ledger, verifier: shop.receipts, delivery: server)
    shop.time.advance(seconds: 120)
    let round = try await next.retryDeliveries()
    XCTAssertEqual(round.confirmed, 1)
    XCTAssertEqual(server.heard.map(\.purchaseCode), [order.code])
    XCTAssertEqual(try next.order(order.code).status, .success)
  }

  func testEachTryIsTakenByOne() async throws {
    let server = GameServer(confirms: false)
    let shop = try Shop(delivery: server)
    for number in 0..<5 {
      let order = try await shop.backend.initPayment(shop.request())
      _ = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction("t\(number)")))
    }
    shop.time.advance(seconds: 120)
    let rounds = try await withThrowingTaskGroup(of: DeliveryRound.self) { group in
      for _ in 0..<8 { group.addTask { try await shop.backend.retryDeliveries() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(rounds.reduce(0) { $0 + $1.tried }, 5)
    XCTAssertEqual(server.heard.count, 10)
  }

  func testARoundThatIsCancelledEndsWithTheTryThatIsUnderWay() async throws {
    let server = CancellingServer()
    let shop = try Shop(delivery: server)
    for number in 0..<3 {
      let order = try await shop.backend.initPayment(shop.request())
      _ = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction("t\(number)")))
    }
    shop.time.advance(seconds: 120)
    let round = try await Task { try await shop.backend.retryDeliveries() }.value
    XCTAssertEqual(round.tried, 1)
  }

  func testUndeliveredOrdersByPages() async throws {
    let policy = BackendPolicy(deliverySchedule: DeliverySchedule(retriesAfterMilliseconds: []))
    let shop = try Shop(policy: policy, delivery: GameServer(confirms: false))
    var codes: [PurchaseCode] = []
    for number in 0..<5 {
      let order = try await shop.backend.initPayment(shop.request())
      let answer = try await shop.backend.completePayment(
        order.code, post: shop.post(shop.transaction("t\(number)")))
      XCTAssertEqual(answer.order?.isDeliveryExhausted, true)
      codes.append(order.code)
    }
    var (found, cursor) = ([PurchaseCode](), OrdersPage.Cursor?.none)
    repeat {
      let page = try shop.backend.undelivered(limit: 2, after: cursor)
      found += page.orders.map(\.code)
      cursor = page.next
    } while cursor != nil
    XCTAssertEqual(found, codes)
  }

  func testASchedule() {
    let schedule = DeliverySchedule(retriesAfterMilliseconds: [500, 100, -3])
    XCTAssertEqual(schedule.retriesAfterMilliseconds, [100, 500])
    XCTAssertEqual(schedule.tryCount, 3)
    XCTAssertEqual([1, 2, 3].map { schedule.gapMilliseconds(after: $0) }, [100, 400, nil])
    XCTAssertEqual(DeliverySchedule.standard.tryCount, 8)
    XCTAssertEqual(DeliverySchedule.standard.retriesAfterMilliseconds.last, 24 * 3_600_000)
  }
}

/// A game server that denies, and is stopped with its first try.
private struct CancellingServer: DeliveryTarget {
  func deliver(_ delivery: Delivery) async -> Bool {
    withUnsafeCurrentTask { $0?.cancel() }
    return false
  }
}
