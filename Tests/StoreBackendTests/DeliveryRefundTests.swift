import GemLedger
import GemTestSupport
import Synchronization
import XCTest

@testable import StoreBackend

/// Paid orders that no game server confirms, and orders that are refunded before one does.
final class DeliveryRefundTests: XCTestCase {
  /// A shop with two tries, a minute apart.
  private func shop(
    _ server: GameServer, _ issuer: StoreDesk? = nil, retries: [Int64] = [60_000],
    currencyPrices: [ProductCode: [Adjustment]] = [:]
  ) throws -> Shop {
    let policy = BackendPolicy(
      deliverySchedule: DeliverySchedule(retriesAfterMilliseconds: retries), currencyPrices: currencyPrices)
    return try Shop(policy: policy, delivery: server, refundIssuer: issuer)
  }

  private func pay(_ shop: Shop, _ id: String = "t1") async throws -> PurchaseCode {
    let order = try await shop.backend.initPayment(shop.request())
    _ = try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction(id)))
    return order.code
  }

  /// Pays, and lets both tries go by.
  private func payAndExhaust(_ shop: Shop) async throws -> PurchaseCode {
    let code = try await pay(shop)
    shop.time.advance(seconds: 60)
    _ = try await shop.backend.retryDeliveries()
    return code
  }

  // MARK: After the last try

  func testAfterTheLastTryTheMoneyAndTheCurrencyAreGivenBack() async throws {
    let (server, desk) = (GameServer(confirms: false), StoreDesk())
    let shop = try shop(server, desk)
    desk.setAnswer { [shop] in try shop.refunded() }
    let code = try await pay(shop)
    shop.time.advance(seconds: 60)
    let last = try await shop.backend.retryDeliveries()
    XCTAssertEqual(last, DeliveryRound(tried: 1, exhausted: 1))
    XCTAssertEqual(try shop.backend.order(code).status, .deliveryPending)
    // The last try may still be under way.
    shop.time.advance(seconds: 599)
    let early = try await shop.backend.retryDeliveries()
    XCTAssertEqual(early, DeliveryRound())
    XCTAssertEqual(desk.asked, [])
    shop.time.advance(seconds: 1)
    let round = try await shop.backend.retryDeliveries()
    XCTAssertEqual(round, DeliveryRound(refunded: 1))
    XCTAssertEqual(desk.asked, ["t1"])
    XCTAssertEqual(try shop.gems(), 0)
    let order = try shop.backend.order(code)
    XCTAssertEqual(order.status, .failed)
    XCTAssertEqual(order.storeTransactionID?.text, "t1")
    XCTAssertNil(order.nextDeliveryAt)
    XCTAssertEqual(try shop.backend.undelivered().orders, [])
    // It was paid for: the report of orders that never were does not name it.
    let report = try shop.backend.ordersReport(from: Timestamp(milliseconds: 0), until: shop.after(hours: 100))
    XCTAssertEqual(report.orders, [])
    let later = try await shop.backend.retryDeliveries(now: shop.after(hours: 100))
    XCTAssertEqual(later, DeliveryRound())
    server.setConfirms(true)
    let byHand = try await shop.backend.retryDelivery(of: code)
    XCTAssertEqual(byHand.status, .failed)
    XCTAssertEqual(server.heard.count, 2)
    let again = try await shop.backend.completePayment(code, post: shop.post(shop.transaction("t1")))
    XCTAssertEqual(again.order?.status, .failed)
    XCTAssertEqual(again.purchase.refundedMilliPercent, 100_000)
    XCTAssertTrue(PaymentStatusCode(completed: again).isSuccess)
    try assertBooksAddUp(shop.ledger)
  }

  func testAConfirmedLastTryIsNotRefunded() async throws {
    let (server, desk) = (GameServer(confirms: false), StoreDesk())
    let shop = try shop(server, desk)
    let code = try await pay(shop)
    server.setConfirms(true)
    shop.time.advance(seconds: 60)
    _ = try await shop.backend.retryDeliveries()
    _ = try await shop.backend.retryDeliveries(now: shop.after(hours: 100))
    XCTAssertEqual(try shop.backend.order(code).status, .success)
    XCTAssertEqual(desk.asked, [])
  }

  func testAScheduleOfOneTry() async throws {
    let desk = StoreDesk()
    let shop = try shop(GameServer(confirms: false), desk, retries: [])
    desk.setAnswer { [shop] in try shop.refunded() }
    let code = try await pay(shop)
    shop.time.advance(seconds: 600)
    let round = try await shop.backend.retryDeliveries()
    XCTAssertEqual(round, DeliveryRound(refunded: 1))
    XCTAssertEqual(try shop.backend.order(code).status, .failed)
  }

  func testAStoreThatRefundsNothingLeavesTheOrderToAPerson() async throws {
    let (server, desk) = (GameServer(confirms: false), StoreDesk())
    let shop = try shop(server, desk)
    desk.setAnswer { throw LedgerError(.notAvailable, "Not for sellers.") }
    let code = try await pay(shop)
    for _ in 0..<5 {
      shop.time.advance(seconds: 360_000)
      _ = try await shop.backend.retryDeliveries()
    }
    XCTAssertEqual(desk.asked, ["t1"])
    XCTAssertEqual(try shop.backend.undelivered().orders.map(\.code), [code])
    XCTAssertEqual(try shop.gems(), 1200)
    server.setConfirms(true)
    let delivered = try await shop.backend.retryDelivery(of: code)
    XCTAssertEqual(delivered.status, .success)
    try assertBooksAddUp(shop.ledger)
  }

  /// The store is down, then it refunds and its answer is lost, then it says that it did.
  func testAStoreThatDoesNotAnswerIsAskedAgain() async throws {
    let desk = StoreDesk()
    let shop = try shop(GameServer(confirms: false), desk)
    let code = try await payAndExhaust(shop)
    for (seconds, answer) in [(600, Int?.none), (3600, 0), (3600, 1)] as [(Int64, Int?)] {
      desk.setAnswer { [shop] in
        guard let answer else { throw LedgerError(.backendUnreachable, "Down.") }
        return answer == 0 ? nil : try shop.refunded()
      }
      shop.time.advance(seconds: seconds - 1)
      let early = try await shop.backend.retryDeliveries()
      XCTAssertEqual(early, DeliveryRound())
      shop.time.advance(seconds: 1)
      let round = try await shop.backend.retryDeliveries()
      XCTAssertEqual(round.refunded, answer == 1 ? 1 : 0)
    }
    XCTAssertEqual(desk.asked, ["t1", "t1", "t1"])
    XCTAssertEqual(try shop.backend.order(code).status, .failed)
    XCTAssertEqual(try shop.gems(), 0)
    try assertBooksAddUp(shop.ledger)
  }

  func testOneOfManyServersAsksTheStore() async throws {
    let desk = StoreDesk()
    let shop = try shop(GameServer(confirms: false), desk)
    desk.setAnswer { nil }
    _ = try await payAndExhaust(shop)
    shop.time.advance(seconds: 600)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = try await shop.backend.retryDeliveries() } }
      try await group.waitForAll()
    }
    XCTAssertEqual(desk.asked, ["t1"])
  }

  func testADeliveryByHandPutsTheRefundOff() async throws {
    let (server, desk) = (GameServer(confirms: false), StoreDesk())
    let shop = try shop(server, desk)
    let code = try await payAndExhaust(shop)
    shop.time.advance(seconds: 599)
    let tried = try await shop.backend.retryDelivery(of: code)
    XCTAssertEqual(tried.nextDeliveryAt, shop.time.now.advanced(milliseconds: 600_000))
    shop.time.advance(seconds: 599)
    _ = try await shop.backend.retryDeliveries()
    XCTAssertEqual(desk.asked, [])
  }

  /// Tries by hand are not of the schedule: a young order is not refunded for them.
  func testDeliveriesByHandDoNotBringTheRefundForward() async throws {
    let (server, desk) = (GameServer(confirms: false), StoreDesk())
    let shop = try shop(server, desk, retries: [60_000, 7_200_000])
    let code = try await pay(shop)
    for _ in 0..<5 { _ = try await shop.backend.retryDelivery(of: code) }
    shop.time.advance(seconds: 7199)
    for _ in 0..<3 { _ = try await shop.backend.retryDeliveries() }
    XCTAssertEqual(desk.asked, [])
    XCTAssertEqual(try shop.backend.order(code).nextDeliveryAt?.milliseconds, shop.time.now.milliseconds + 7_140_000)
    XCTAssertEqual(server.heard.count, 7)
  }

  /// The store has refunded it, or will, and has not said so yet.
  func testNothingIsDeliveredOnceTheRefundIsAskedFor() async throws {
    let (server, desk) = (GameServer(confirms: false), StoreDesk())
    let shop = try shop(server, desk)
    let code = try await payAndExhaust(shop)
    shop.time.advance(seconds: 600)
    _ = try await shop.backend.retryDeliveries()
    XCTAssertEqual(desk.asked, ["t1"])
    server.setConfirms(true)
    await assertRefused(.notAvailable) { try await shop.backend.retryDelivery(of: code) }
    // A server with a longer schedule does not begin to try again.
    let longer = LocalBackend(
      ledger: shop.ledger, verifier: shop.receipts, delivery: server, refundIssuer: desk)
    desk.setAnswer { [shop] in try shop.refunded() }
    let round = try await longer.retryDeliveries(now: shop.after(hours: 1))
    XCTAssertEqual(round, DeliveryRound(refunded: 1))
    XCTAssertEqual(server.heard.count, 2)
    XCTAssertEqual(try shop.backend.order(code).status, .failed)
    XCTAssertEqual(try shop.backend.order(code).deliveryAttempts, 2)
  }

  /// A round with many slow tries ends long after it began.
  func testTheRefundIsDueFromTheEndOfTheTriesBeforeIt() async throws {
    final class SlowServer: DeliveryTarget {
      let time: ManualClock
      init(_ time: ManualClock) { self.time = time }
      func deliver(_ delivery: Delivery) async -> Bool {
        time.advance(seconds: 900)
        return false
      }
    }
    let desk = StoreDesk()
    let shop = try shop(GameServer(confirms: false), desk)
    let codes = [try await pay(shop, "t1"), try await pay(shop, "t2")]
    shop.time.advance(seconds: 60)
    let slow = LocalBackend(
      ledger: shop.ledger, verifier: shop.receipts, policy: shop.backend.policy, delivery: SlowServer(shop.time),
      refundIssuer: desk)
    let begin = shop.time.now
    _ = try await slow.retryDeliveries()
    XCTAssertEqual(
      try codes.map { try slow.order($0).nextDeliveryAt?.milliseconds(since: begin) }, [600_000, 1_500_000])
  }

  func testAnIssuerThatRefundsAPartOrSomethingElseIsAskedAgain() async throws {
    let desk = StoreDesk()
    let shop = try shop(GameServer(confirms: false), desk)
    let code = try await payAndExhaust(shop)
    shop.time.advance(seconds: 600)
    desk.setAnswer { [shop] in
      var half = try shop.refunded()
      half.revocation?.extent = .milliPercent(50_000)
      return half
    }
    let part = try await shop.backend.retryDeliveries()
    XCTAssertEqual(part, DeliveryRound())
    XCTAssertEqual(try shop.gems(), 600)
    desk.setAnswer { [shop] in
      var other = try shop.refunded()
      other.environment = .production
      return other
    }
    shop.time.advance(seconds: 3600)
    let other = try await shop.backend.retryDeliveries()
    XCTAssertEqual(other, DeliveryRound())
    desk.setAnswer { [shop] in try shop.refunded() }
    shop.time.advance(seconds: 3600)
    let all = try await shop.backend.retryDeliveries()
    XCTAssertEqual(all, DeliveryRound(refunded: 1))
    XCTAssertEqual(try shop.gems(), 0)
    XCTAssertEqual(try shop.backend.order(code).status, .failed)
  }

  func testWithoutAnIssuerAWaitingRefundIsLeftToAPerson() async throws {
    let shop = try shop(GameServer(confirms: false), StoreDesk())
    let code = try await payAndExhaust(shop)
    let other = LocalBackend(
      ledger: shop.ledger, verifier: shop.receipts, policy: shop.backend.policy, delivery: GameServer(confirms: false))
    _ = try await other.retryDeliveries(now: shop.after(hours: 1))
    XCTAssertEqual(try other.undelivered().orders.map(\.code), [code])
  }

  // MARK: Refunds of the store's own

  func testARefundedOrderIsDeliveredNoMore() async throws {
    let server = GameServer(confirms: false)
    let shop = try shop(server)
    let code = try await pay(shop)
    shop.time.advance(seconds: 10)
    let notice = try await shop.backend.apply(shop.refunded())
    XCTAssertEqual(notice.outcome, .refunded)
    XCTAssertEqual(try shop.backend.order(code).status, .failed)
    server.setConfirms(true)
    _ = try await shop.backend.retryDeliveries(now: shop.after(hours: 100))
    XCTAssertEqual(server.heard.count, 1)
    // The store takes the refund back: the items are owed again.
    shop.time.advance(seconds: 10)
    let reversed = try await shop.backend.apply(shop.transaction("t1"))
    XCTAssertEqual(reversed.outcome, .refundReversed)
    XCTAssertEqual(try shop.backend.order(code).status, .deliveryPending)
    let round = try await shop.backend.retryDeliveries()
    XCTAssertEqual(round, DeliveryRound(tried: 1, confirmed: 1))
    XCTAssertEqual(try shop.backend.order(code).status, .success)
    XCTAssertEqual(try shop.gems(), 1200)
    try assertBooksAddUp(shop.ledger)
  }

  /// The items are out: the order does not say that they are not.
  func testAConfirmationThatComesAfterTheRefundCounts() async throws {
    final class RefundingServer: DeliveryTarget {
      private let refund: @Sendable () async -> Void
      init(_ refund: @escaping @Sendable () async -> Void) { self.refund = refund }
      func deliver(_ delivery: Delivery) async -> Bool {
        await refund()
        return true
      }
    }
    let shop = try shop(GameServer(confirms: false))
    let code = try await pay(shop)
    shop.time.advance(seconds: 60)
    let backend = LocalBackend(
      ledger: shop.ledger, verifier: shop.receipts, policy: shop.backend.policy,
      delivery: RefundingServer { [shop] in
        do { _ = try await shop.backend.apply(shop.refunded()) } catch { XCTFail("\(error)") }
      })
    let round = try await backend.retryDeliveries()
    XCTAssertEqual(round.confirmed, 1)
    XCTAssertEqual(try backend.order(code).status, .success)
    XCTAssertEqual(try shop.gems(), 0)
  }

  /// The process ended between the reversal and the step of the order; the app posts its receipt again.
  func testAReversalWhoseOrderWasNotResumedIsMadeGoodByTheReceipt() async throws {
    let server = GameServer(confirms: false)
    let shop = try shop(server)
    let code = try await pay(shop)
    shop.time.advance(seconds: 10)
    _ = try await shop.backend.apply(shop.refunded())
    shop.time.advance(seconds: 10)
    _ = try await shop.ledger.book(
      .reverseRefund(
        StoreRefundReversal(
          store: .apple, environment: shop.receipts.environment, transactionID: StoreTransactionID("t1"),
          signedAt: shop.time.now)))
    XCTAssertEqual(try shop.backend.order(code).status, .failed)
    _ = try await shop.backend.post(shop.post(shop.transaction("t1")))
    XCTAssertEqual(try shop.backend.order(code).status, .deliveryPending)
  }

  func testARefundOfAPartLeavesTheDelivery() async throws {
    let server = GameServer(confirms: false)
    let shop = try shop(server)
    let code = try await pay(shop)
    shop.time.advance(seconds: 10)
    var half = try shop.refunded()
    half.revocation?.extent = .milliPercent(50_000)
    _ = try await shop.backend.apply(half)
    XCTAssertEqual(try shop.backend.order(code).status, .deliveryPending)
    server.setConfirms(true)
    let round = try await shop.backend.retryDeliveries(now: shop.after(hours: 1))
    XCTAssertEqual(round.confirmed, 1)
  }

  /// Whoever books with the ledger itself does not know of orders.
  func testARefundThatTheLedgerAloneKnowsOfIsSeenBeforeTheNextTry() async throws {
    let server = GameServer(confirms: false)
    let shop = try shop(server)
    let code = try await pay(shop)
    _ = try await shop.ledger.book(
      .refund(
        StoreRefund(
          store: .apple, environment: shop.receipts.environment, transactionID: StoreTransactionID("t1"),
          revokedAt: shop.time.now, extent: .full, signedAt: shop.time.now)))
    _ = try await shop.backend.retryDeliveries(now: shop.after(hours: 1))
    XCTAssertEqual(server.heard.count, 1)
    XCTAssertEqual(try shop.backend.order(code).status, .failed)
  }

  func testAPurchaseThatWasRefundedBeforeItsCreditIsNotDelivered() async throws {
    let server = GameServer()
    let shop = try shop(server)
    let order = try await shop.backend.initPayment(shop.request())
    let old = try shop.transaction("t1")
    shop.time.advance(seconds: 60)
    _ = try await shop.backend.apply(shop.refunded())
    let answer = try await shop.backend.completePayment(order.code, post: shop.post(old))
    XCTAssertEqual(answer.order?.status, .failed)
    XCTAssertEqual(try shop.gems(), 0)
    XCTAssertEqual(server.heard, [])
    try assertBooksAddUp(shop.ledger)
  }

  func testADeliveredOrderStaysASuccess() async throws {
    let shop = try shop(GameServer())
    let code = try await pay(shop)
    shop.time.advance(seconds: 10)
    _ = try await shop.backend.apply(shop.refunded())
    XCTAssertEqual(try shop.backend.order(code).status, .success)
    shop.time.advance(seconds: 10)
    _ = try await shop.backend.apply(shop.transaction("t1"))
    XCTAssertEqual(try shop.backend.order(code).status, .success)
  }

  func testWhatAnOrderCostBesideItsPriceStaysSpent() async throws {
    let gem = try CurrencyCode("GEM")
    let shop = try shop(
      GameServer(confirms: false), currencyPrices: [ProductCode("gems"): [Adjustment(gem, 100)]])
    try shop.ledger.grant([Adjustment(gem, 500)], customer: CustomerID("alice"))
    let code = try await pay(shop)
    shop.time.advance(seconds: 10)
    _ = try await shop.backend.apply(shop.refunded())
    XCTAssertEqual(try shop.gems(), 400)
    let held = try await shop.backend.resolveOrder(code)
    guard case .spent = held else { return XCTFail("\(String(describing: held))") }
    let all = try await shop.backend.resolveOrders()
    XCTAssert(all.allSatisfy(\.isResolved))
    XCTAssertEqual(try shop.gems(), 400)
    try assertBooksAddUp(shop.ledger)
  }
}

extension Shop {
  /// The purchase as the store states it once it is refunded.
  fileprivate func refunded() throws -> StoreTransaction {
    try transaction("t1", revocation: .init(revokedAt: time.now))
  }
}

/// A store's desk for refunds, with the answer of a test.
private final class StoreDesk: RefundIssuer {
  private struct State {
    var asked: [String] = []
    var answer: @Sendable () throws -> StoreTransaction? = { nil }
  }

  private let state = Mutex(State())

  var asked: [String] { state.withLock { $0.asked } }
  func setAnswer(_ answer: @escaping @Sendable () throws -> StoreTransaction?) { state.withLock { $0.answer = answer } }

  func refund(_ purchase: Purchase) async throws(LedgerError) -> StoreTransaction? {
    let answer = state.withLock { state in
      state.asked.append(purchase.storeTransactionID.text)
      return state.answer
    }
    do { return try answer() } catch { throw error as? LedgerError ?? .defect("\(error)") }
  }
}
