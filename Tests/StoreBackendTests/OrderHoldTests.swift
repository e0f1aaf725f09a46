import GemLedger
import GemTestSupport
import Synchronization
import XCTest

@testable import StoreBackend

/// Orders that cost gems beside their price: the gems are held until the purchase completes.
final class OrderHoldTests: XCTestCase {
  /// The pass costs 60 gems on top of its price; alice has 100.
  private func shop(
    delivery: (any DeliveryTarget)? = nil, storage: (any LedgerStorage)? = nil, lifetime: Int64 = 86_400_000
  ) throws -> Shop {
    let gem = try CurrencyCode("GEM")
    let shop = try Shop(
      policy: BackendPolicy(
        orderLifetimeMilliseconds: lifetime, currencyPrices: [ProductCode("premium"): [Adjustment(gem, 60)]]),
      delivery: delivery, storage: storage)
    try shop.ledger.grant([Adjustment(gem, 100)], customer: CustomerID("alice"))
    return shop
  }

  private func assertGems(_ shop: Shop, _ balance: Int64, held: Int64 = 0, line: UInt = #line) throws {
    let found = try shop.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice"))
    XCTAssertEqual(found.balance, balance, line: line)
    XCTAssertEqual(found.held, held, line: line)
    try assertBooksAddUp(shop.ledger, line: line)
  }

  private func pay(_ shop: Shop, _ order: Order) async throws -> ReceiptAnswer {
    try await shop.backend.completePayment(order.code, post: shop.post(shop.transaction("t1", product: "premium")))
  }

  func testTheGemsAreHeldUntilThePurchaseCompletes() async throws {
    let shop = try shop()
    let order = try await shop.backend.initPayment(shop.request("premium", key: "k"))
    XCTAssertEqual(order.costs, [Adjustment(try CurrencyCode("GEM"), 60)])
    try assertGems(shop, 100, held: 60)
    let again = try await shop.backend.initPayment(shop.request("premium", key: "k"))
    XCTAssertEqual(again.code, order.code)
    let hold = try XCTUnwrap(shop.ledger.holds(of: CustomerID("alice")).first)
    XCTAssertGreaterThan(hold.expiresAt, order.deadline)
    let pending = try await shop.backend.resolveOrder(order.code)
    XCTAssertEqual(pending, .held)
    let answer = try await pay(shop, order)
    guard case .spent(let receipt) = answer.held else { return XCTFail("\(String(describing: answer.held))") }
    XCTAssertEqual(receipt.entries.map(\.amount), [-60])
    try assertGems(shop, 40)
    guard case .spent = try await pay(shop, order).held else { return XCTFail("not spent") }
    try assertGems(shop, 40)
    // Other products cost none.
    let plain = try await shop.backend.initPayment(shop.request())
    XCTAssertEqual(plain.costs, [])
    let none = try await shop.backend.resolveOrder(plain.code)
    XCTAssertNil(none)
  }

  func testAnOrderWithoutTheGemsFails() async throws {
    let shop = try shop()
    try shop.ledger.spend([Adjustment(CurrencyCode("GEM"), 50)], customer: CustomerID("alice"))
    for _ in 0..<2 {
      await assertRefused(.insufficientBalance) {
        try await shop.backend.initPayment(shop.request("premium", key: "k"))
      }
    }
    let orders = try shop.backend.orders(of: CustomerID("alice"))
    XCTAssertEqual(orders.map(\.status), [.failed])
    try assertGems(shop, 50)
  }

  func testAnOrderThatFailsGivesThemBack() async throws {
    let shop = try shop()
    let givenUp = try await shop.backend.initPayment(shop.request("premium"))
    _ = try await shop.backend.cancelPayment(givenUp.code)
    try assertGems(shop, 100)
    let late = try await shop.backend.initPayment(shop.request("premium"))
    shop.time.advance(seconds: 86_400)
    let settled = try await shop.backend.resolveOrders()
    XCTAssertEqual(settled.map(\.code), [late.code])
    XCTAssertEqual(settled.map(\.isResolved), [true])
    try assertGems(shop, 100)
    _ = try await shop.backend.initPayment(shop.request("premium"))
    // Where no call resolves the orders, the hold's deadline gives the gems back.
    shop.time.advance(seconds: 2 * 86_400)
    try assertGems(shop, 100)
  }

  /// A process that died right after the order's failure leaves the gems on hold.
  private func leaveAHold(_ shop: Shop) async throws -> PurchaseCode {
    let code = try await shop.backend.initPayment(shop.request("premium")).code
    _ = try await shop.ledger.book(.advanceOrder(code, .fail, customer: CustomerID("alice")))
    return code
  }

  func testARestartGoesOnWhereTheLastSearchEnded() async throws {
    let shop = try shop()
    let waiting = try await shop.backend.initPayment(shop.request("premium"))
    let found = try await shop.backend.resolveOrders()
    XCTAssertEqual(found.map(\.code), [waiting.code])
    let kept = try XCTUnwrap(shop.ledger.documents.find(named: OrderHoldSearch.documentName))
    let idle = try await shop.backend.resolveOrders()
    XCTAssertEqual(idle.map(\.code), [waiting.code])
    XCTAssertEqual(try shop.ledger.documents.find(named: OrderHoldSearch.documentName)?.version, kept.version)
    // An order that waits is known without its part of the journal.
    let later = LocalBackend(ledger: shop.ledger, verifier: shop.receipts)
    shop.time.advance(seconds: 86_400)
    let resolved = try await later.resolveOrders()
    XCTAssertEqual(resolved.map(\.isResolved), [true])
    let none = try await later.resolveOrders()
    XCTAssertEqual(none.count, 0)
    try assertGems(shop, 100)
    // What lies before the stored cursor is not read again.
    let document = try XCTUnwrap(shop.ledger.documents.find(named: OrderHoldSearch.documentName))
    let end = try shop.ledger.feedPlaces.end()
    XCTAssertEqual(try JSONValue.parse(document.content)["cursor"]?.text, end.description)
  }

  func testASearchWithoutAReadableDocumentBeginsAgain() async throws {
    for content in ["{}", #"{"cursor":"AAAA","waiting":[]}"#, #"{"cursor":null,"waiting":7}"#] {
      let shop = try shop()
      let code = try await leaveAHold(shop)
      try shop.ledger.documents.save(OrderHoldSearch.documentName, content: content, replacing: nil)
      let found = try await shop.backend.resolveOrders()
      XCTAssertEqual(found.map(\.code), [code], content)
      try assertGems(shop, 100)
    }
  }

  func testACancelledSearchStopsAndGoesOnLater() async throws {
    let shop = try shop()
    let code = try await leaveAHold(shop)
    let stopped = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await shop.backend.resolveOrders()
    }.value
    XCTAssertEqual(stopped.count, 0)
    try assertGems(shop, 100, held: 60)
    let found = try await shop.backend.resolveOrders()
    XCTAssertEqual(found.map(\.code), [code])
    try assertGems(shop, 100)
  }

  func testAPaymentAtTheLastMomentFindsTheHold() async throws {
    let shop = try shop()
    let order = try await shop.backend.initPayment(shop.request("premium"))
    shop.time.advance(seconds: 86_400 + 1800)
    guard case .spent(let receipt) = try await pay(shop, order).held else { return XCTFail("not spent") }
    XCTAssertEqual(receipt.kind, .capture)
    try assertGems(shop, 40)
  }

  func testALatePaymentTakesThemIfTheyAreThereAndElseSaysSo() async throws {
    for gone in [0, 70] as [Int64] {
      let shop = try shop()
      let order = try await shop.backend.initPayment(shop.request("premium"))
      shop.time.advance(seconds: 3 * 86_400)
      if gone > 0 { try shop.ledger.spend([Adjustment(CurrencyCode("GEM"), gone)], customer: CustomerID("alice")) }
      let answer = try await pay(shop, order)
      XCTAssertEqual(answer.order?.status, .success)
      if gone == 0 {
        guard case .spent(let receipt) = answer.held else { return XCTFail("not spent") }
        XCTAssertEqual(receipt.kind, .spend)
        try assertGems(shop, 40)
      } else {
        guard case .unpaid(let why) = answer.held else { return XCTFail("spent") }
        XCTAssertEqual(why.code, .insufficientBalance)
        try assertGems(shop, 30)
        let settled = try await shop.backend.resolveOrders()
        XCTAssertEqual(settled.map(\.isResolved), [false])
        try shop.ledger.grant([Adjustment(CurrencyCode("GEM"), 30)], customer: CustomerID("alice"))
        let after = try await shop.backend.resolveOrders()
        XCTAssertEqual(after.map(\.isResolved), [true])
        try assertGems(shop, 0)
      }
    }
  }

  func testTheGemsAreTakenBeforeTheDelivery() async throws {
    let server = GameServer()
    let shop = try shop(delivery: server)
    let order = try await shop.backend.initPayment(shop.request("premium"))
    _ = try await pay(shop, order)
    XCTAssertEqual(server.heard.map(\.purchaseCode), [order.code])
    try assertGems(shop, 40)
  }

  func testTheGemsOfAnOrderAnnouncedLateAreTakenBeforeTheDelivery() async throws {
    let balances = Mutex<[Int64]>([])
    let server = WatchingServer { balance in balances.withLock { $0.append(balance) } }
    let shop = try shop(delivery: server)
    server.ledger.withLock { $0 = shop.ledger }
    let payment = try shop.transaction("t1", product: "premium")
    _ = try await shop.backend.post(shop.post(payment))
    let order = try await shop.backend.initPayment(
      shop.request("premium", paidBy: .init(environment: payment.environment, id: payment.id)))
    XCTAssertEqual(order.status, .success)
    XCTAssertEqual(balances.withLock { $0 }, [40])
    try assertGems(shop, 40)
  }

  func testOrdersThatOutliveEveryHoldAreRefused() async throws {
    let shop = try shop(lifetime: 31 * 86_400_000)
    await assertRefused(.limitExceeded) { try await shop.backend.initPayment(shop.request("premium")) }
    XCTAssertEqual(try shop.backend.orders(of: CustomerID("alice")), [])
  }

  /// The process dies at every commit, on either side of it; then the app and its queue send the same requests again.
  func testACrashAnywhereLosesNeitherTheGemsNorThePurchase() async throws {
    for fails in [false, true] {
      for step in 0..<5 {
        for moment in CrashPoint.Side.allCases {
          let crashPoint = CrashPoint()
          let shop = try shop(storage: CrashingStorage(crashPoint: crashPoint))
          crashPoint.begin(deaths: [step: moment])
          do { try await live(shop, fails: fails) } catch { XCTAssertTrue(crashPoint.isDead, "\(error)") }
          XCTAssertTrue(crashPoint.isDead || step >= crashPoint.stepCount)
          crashPoint.begin()
          try await live(shop, fails: fails)
          try assertGems(shop, fails ? 100 : 40)
          XCTAssertEqual(try shop.ledger.purchases(of: CustomerID("alice")).purchases.count, fails ? 0 : 1)
          let left = try await shop.backend.resolveOrders()
          XCTAssertEqual(left.count, 0, "\(step) \(moment)")
        }
      }
    }
  }

  private func live(_ shop: Shop, fails: Bool) async throws {
    let order = try await shop.backend.initPayment(shop.request("premium", key: "k"))
    if fails {
      _ = try await shop.backend.cancelPayment(order.code)
    } else {
      _ = try await pay(shop, order)
    }
  }
}

/// A game server that looks at alice's gems when it is delivered to.
private final class WatchingServer: DeliveryTarget {
  let ledger = Mutex<Ledger?>(nil)
  private let see: @Sendable (Int64) -> Void

  init(_ see: @escaping @Sendable (Int64) -> Void) { self.see = see }

  func deliver(_ delivery: Delivery) async -> Bool {
    guard let ledger = ledger.withLock({ $0 }) else { return false }
    let balance = try? ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice"))
    see(balance?.balance ?? -1)
    return true
  }
}
