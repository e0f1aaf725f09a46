import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Orders of the client in every state, and payments that come after an order was given up.
class GivenUpOrderTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"
  private let order = PurchaseOrder(productID: "gems", context: OrderContext(roleID: "char-12345"))

  private func approveAll(_ world: World) throws {
    for waiting in world.store.allTransactions() where waiting.pendingAskToBuyConfirmation {
      try world.store.approveAskToBuyTransaction(identifier: waiting.identifier)
    }
  }

  /// Announces an order with a payment that waits for a consent, and gives it up.
  private func giveUp(_ world: World, _ client: StoreClient) async throws -> PurchaseCode {
    world.store.askToBuyEnabled = true
    let outcome = try await client.purchase(order: order)
    XCTAssertEqual(outcome.result, .pending)
    let code = try XCTUnwrap(outcome.order?.code)
    let givenUp = try await client.cancelOrder(code)
    XCTAssertEqual(givenUp.status, .failed)
    return code
  }

  func testListsOrdersInEveryState() async throws {
    let world = try World()
    let client = try world.client(alice, on: world.phone, style: .twoStep)
    let none = try await client.orders()
    XCTAssertEqual(none, [])
    let bought = try await client.purchase(order: order)
    let givenUp = try await giveUp(world, client)
    world.clock.advance(by: .seconds(60))
    let waiting = try await client.purchase(order: order)
    let orders = try await client.orders()
    XCTAssertEqual(orders.map(\.status), [.pending, .failed, .success])
    XCTAssertEqual(orders.map(\.code), [waiting.order?.code, givenUp, bought.order?.code])
    XCTAssertEqual(orders.map(\.bundleID), ["com.example.gems", "com.example.gems", "com.example.gems"])
    XCTAssertEqual(orders.map(\.storeProductID), ["gems", "gems", "gems"])
    XCTAssertEqual(orders.map { $0.storeTransactionID == nil }, [true, true, false])
    XCTAssertEqual(orders.map(\.originalTransactionID), orders.map(\.storeTransactionID))
    let second = try await client.orders(page: 2, size: 2)
    XCTAssertEqual(second.map(\.code), [bought.order?.code])
    let others = try await world.client("bobby-77d0e2b1", on: world.tablet).orders()
    XCTAssertEqual(others, [])
  }

  /// The fields of a two-step SDK's history.
  func testTheHistoryHasTheFieldsOfTwoStepSDKs() async throws {
    let world = try World()
    let client = try world.client(alice, on: world.phone, style: .twoStep)
    let bought = try await client.purchase(order: order)
    let history = try await client.listSuccessfulTransactions(atPage: 1, size: 20)
    let record = try XCTUnwrap(history.first)
    XCTAssertEqual(record.announcement?.code, bought.order?.code)
    XCTAssertEqual(record.announcement?.bundleID, "com.example.gems")
    XCTAssertEqual(record.announcement?.context.roleID, "char-12345")
    XCTAssertEqual(record.storeProductID, "gems")
    XCTAssertEqual(record.originalTransactionID, record.storeTransactionID)
    XCTAssertEqual(record.announcement?.createdAt, bought.order?.createdAt)
    let updatedAt = try XCTUnwrap(record.announcement?.updatedAt)
    XCTAssertGreaterThanOrEqual(updatedAt, try XCTUnwrap(record.announcement?.createdAt))
  }

  func testAConsentAfterTheOrderWasGivenUpIsCreditedOnce() async throws {
    // Before the order's deadline, and days after it.
    for hours in [1, 100] {
      let server = DeliveryLog()
      let world = try World(delivery: server)
      let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
      let code = try await giveUp(world, client)
      world.clock.advance(by: .seconds(hours * 3600))
      try approveAll(world)
      for _ in 0..<2 { await client.syncPurchases() }
      XCTAssertEqual(try world.balance(alice), 300)
      let orders = try await client.orders()
      XCTAssertEqual(orders.map(\.status), [.success])
      XCTAssertEqual(orders.map(\.code), [code])
      XCTAssertEqual(server.all.map(\.purchaseCode), [code])
      let late = try await client.cancelOrder(code)
      XCTAssertEqual(late.status, .success)
      XCTAssertEqual(try world.balance(alice), 300)
      try assertBooksAddUp(world.ledger)
    }
  }

  /// A new installation knows nothing of the order; the buyer is credited all the same.
  func testAConsentAfterAReinstallIsCredited() async throws {
    for hours in [1, 100] {
      let world = try World()
      let first = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
      let code = try await giveUp(world, first)
      world.phone.reinstall()
      world.clock.advance(by: .seconds(hours * 3600))
      try approveAll(world)
      let next = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
      await next.syncPurchases()
      XCTAssertEqual(try world.balance(alice), 300)
      // Beyond its deadline, a given-up order is no candidate for a purchase without an order.
      XCTAssertEqual(try world.backend.order(code).status, hours == 1 ? .success : .failed)
      try assertBooksAddUp(world.ledger)
    }
  }

  /// The held gems are free again; where they are gone by the time of the payment, the credit does not wait for them.
  func testAGivenUpOrderFreesItsGems() async throws {
    for isSpent in [false, true] {
      let gem = try CurrencyCode("GEM")
      let policy = BackendPolicy(currencyPrices: [try ProductCode("gems"): [Adjustment(gem, 60)]])
      let world = try World(policy: policy)
      let buyer = try CustomerID(alice)
      try world.ledger.grant([Adjustment(gem, 100)], customer: buyer)
      let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
      let code = try await giveUp(world, client)
      XCTAssertEqual(try world.ledger.balance(of: gem, customer: buyer).available, 100)
      if isSpent { try world.ledger.spend([Adjustment(gem, 100)], customer: buyer) }
      try approveAll(world)
      await client.syncPurchases()
      XCTAssertEqual(try world.backend.order(code).status, .success)
      // The credited gems pay for it where the others are gone.
      XCTAssertEqual(try world.balance(alice), isSpent ? 240 : 340)
      try assertBooksAddUp(world.ledger)
    }
  }

  func testRefusesAnOrderThatIsNotThere() async throws {
    let world = try World()
    let client = try world.client(alice, on: world.phone)
    await assertRefused(.orderNotFound) { try await client.cancelOrder(PurchaseCode("GG261121AAAA")) }
    await assertRefused(.limitExceeded) { try await client.orders(page: 0) }
  }
}
