import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Two-step purchases after the app forgot the order: the order is still completed, and its goods are delivered.
class LostOrderTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"
  private let order = PurchaseOrder(productID: "gems", context: OrderContext(roleID: "char-12345"))

  func testAnApprovalAfterAReinstallCompletesItsOrder() async throws {
    for style in [StoreClient.PurchaseStyle.direct, .twoStep] {
      for hasSeenOfferings in [false, true] {
        let server = DeliveryLog()
        let world = try World(delivery: server)
        let first = try world.client(alice, on: world.phone, eventLog: MemoryEventLog(), style: style)
        world.store.askToBuyEnabled = true
        let announced = try await first.purchase(order: order)
        XCTAssertEqual(announced.result, .pending)
        world.phone.reinstall()
        try approveAll(world)
        world.clock.advance(by: .seconds(60))
        let next = try world.client(alice, on: world.phone, eventLog: MemoryEventLog(), style: style)
        if hasSeenOfferings { _ = try await next.offerings() }
        await next.syncPurchases()
        let code = try XCTUnwrap(announced.order?.code)
        XCTAssertEqual(try world.backend.order(code).status, .success)
        XCTAssertEqual(server.all.map(\.purchaseCode), [code])
        XCTAssertEqual(server.all.first?.context.roleID, "char-12345")
        XCTAssertEqual(try world.balance(alice), 300)
        try assertNothingIsUncompleted(world)
      }
    }
  }

  /// An app that sells by orders only announces a purchase that was made without one, and its goods are delivered.
  func testAPurchaseWithoutAnOrderIsAnnouncedLate() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let buyer = try CustomerID(alice)
    let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog(), style: .twoStep)
    _ = try await world.backend.register(buyer)
    try await world.phone.buy("gems", token: AccountToken(of: buyer))
    for _ in 0..<2 { await client.syncPurchases() }
    XCTAssertEqual(server.all.map(\.product.text), ["gems"])
    XCTAssertEqual(try world.backend.orders(of: buyer).map(\.status), [.success])
    XCTAssertEqual(try world.balance(alice), 300)
    try assertNothingIsUncompleted(world)
  }

  /// The store's notice credits first; the app, installed anew, comes later.
  func testANoticeThatComesFirstCompletesTheOrder() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let first = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
    world.store.askToBuyEnabled = true
    let announced = try await first.purchase(order: order)
    try approveAll(world)
    let paid = try XCTUnwrap(world.store.allTransactions().first)
    let notice = try await world.backend.apply(paid.transaction)
    XCTAssertEqual(notice.outcome, .credited)
    XCTAssertEqual(server.all.map(\.purchaseCode), [try XCTUnwrap(announced.order?.code)])
    await first.syncPurchases()
    XCTAssertEqual(server.all.count, 1)
    XCTAssertEqual(try world.balance(alice), 300)
    try assertNothingIsUncompleted(world)
  }

  /// A purchase that the app made without an order pays for none, even beside an announced one.
  func testADirectPurchaseLeavesAnAnnouncedOrderAlone() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let eventLog = MemoryEventLog()
    let client = try world.client(alice, on: world.phone, eventLog: eventLog)
    world.store.askToBuyEnabled = true
    let announced = try await client.purchase(order: order)
    world.store.askToBuyEnabled = false
    let direct = try await client.outcome(ofPurchasing: "gems")
    XCTAssertNil(direct.order)
    XCTAssertEqual(server.all.count, 0)
    let code = try XCTUnwrap(announced.order?.code)
    XCTAssertEqual(try world.backend.order(code).status, .pending)
    try approveAll(world)
    await client.syncPurchases()
    XCTAssertEqual(server.all.map(\.purchaseCode), [code])
    XCTAssertEqual(try world.balance(alice), 600)
    try assertNothingIsUncompleted(world)
  }

  /// A purchase pays neither for an order that was abandoned before it nor for one that is announced after it.
  func testThePurchasePaysForTheOrderBeforeIt() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let buyer = try CustomerID(alice)
    _ = try await world.backend.register(buyer)
    func announce(_ role: String) async throws -> PurchaseCode {
      world.clock.advance(by: .seconds(900))
      return try await world.backend.initPayment(
        OrderRequest(
          customer: buyer, product: try ProductCode("gems"), store: .apple, bundleID: "com.example.gems",
          context: OrderContext(roleID: role))
      ).code
    }
    let abandoned = try await announce("abandoned")
    let meant = try await announce("meant")
    world.clock.advance(by: .seconds(60))
    try await world.phone.buy("gems", token: AccountToken(of: buyer))
    let later = try await announce("later")
    let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
    await client.syncPurchases()
    XCTAssertEqual(server.all.map(\.purchaseCode), [meant])
    XCTAssertEqual(try world.backend.order(abandoned).status, .pending)
    XCTAssertEqual(try world.backend.order(later).status, .pending)
  }

  /// The store says that the customer turned back, and takes the money.
  func testAPaymentThatIsReportedAsCancelledCompletesItsOrder() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
    try world.store.inject(StoreFault(.reportsCancelled, on: .purchase))
    let outcome = try await client.purchase(order: order)
    XCTAssertEqual(outcome.result, .cancelled)
    XCTAssertEqual(outcome.order?.status, .failed)
    await client.syncPurchases()
    XCTAssertEqual(server.all.map(\.purchaseCode), [try XCTUnwrap(outcome.order?.code)])
    XCTAssertEqual(try world.balance(alice), 300)
    try assertNothingIsUncompleted(world)
  }

  /// The backend learned of the buyer by the order alone: its other calls were lost.
  func testTheOrderMakesItsBuyerKnown() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let network = FaultyBackend(world.access)
    network.fail(.register, with: .networkLostBeforeEffect, .always)
    let first = try world.client(nil, on: world.phone, eventLog: MemoryEventLog(), backend: network)
    world.store.askToBuyEnabled = true
    let announced = try await first.purchase(order: order)
    let buyer = first.customerID
    world.phone.reinstall()
    try approveAll(world)
    let next = try world.client(nil, on: world.phone, eventLog: MemoryEventLog())
    await next.syncPurchases()
    XCTAssertEqual(try world.balance(buyer.text), 300)
    XCTAssertEqual(server.all.map(\.purchaseCode), [try XCTUnwrap(announced.order?.code)])
    XCTAssertEqual(server.all.map(\.customer), [buyer])
    try assertNothingIsUncompleted(world)
  }

  // MARK: Helpers

  private func approveAll(_ world: World) throws {
    for waiting in world.store.allTransactions() where waiting.pendingAskToBuyConfirmation {
      try world.store.approveAskToBuyTransaction(identifier: waiting.identifier)
    }
  }

  private func assertNothingIsUncompleted(_ world: World, line: UInt = #line) throws {
    let start = world.clock.now
    world.clock.advance(by: .seconds(2 * 86_400))
    let report = try world.backend.ordersReport(
      from: Timestamp(milliseconds: start.milliseconds - 86_400_000), until: world.clock.now)
    XCTAssertEqual(report.orders.map(\.code), [], line: line)
    XCTAssertTrue(world.store.allTransactions().allSatisfy(\.isFinished), line: line)
    try assertBooksAddUp(world.ledger)
  }
}
