import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Two customers on one store account; the backend knows one of them.
class SharedAccountTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"
  private let bob = "bobby-77d0e2b1"

  /// She pays before her app ever reached the backend; his finds the purchase first.
  func testAPurchaseWaitsForABuyerWhomTheBackendDoesNotKnowYet() async throws {
    for style in [StoreClient.PurchaseStyle.direct, .twoStep] {
      let world = try World()
      let (hers, network) = try await offlinePurchase(in: world, alice)
      let his = try world.client(bob, on: world.tablet, eventLog: MemoryEventLog(), style: style)
      await his.syncPurchases()
      let item = try XCTUnwrap(his.queueItems.first)
      XCTAssertEqual(item.status, .waiting)
      XCTAssertEqual(item.lastError?.code, .validationPending)
      // It is not his, so nothing of it is shown as his, however long it takes.
      world.clock.advance(by: .seconds(300))
      let shown = try await his.appDidBecomeActive()
      XCTAssertEqual(shown["GEM"]?.balance, 0)
      XCTAssertEqual(shown["GEM"]?.provisional, 0)
      XCTAssertEqual(his.provisionalCredits, [:])

      network.heal()
      await hers.syncPurchases()
      await his.syncPurchases()
      XCTAssertEqual(hers.queueItems, [])
      XCTAssertEqual(his.queueItems, [])
      XCTAssertEqual(try world.balance(alice), 300)
      XCTAssertEqual(try world.balance(bob), 0)
      XCTAssertTrue(world.store.allTransactions().allSatisfy(\.isFinished))
      try assertBooksAddUp(world.ledger)
    }
  }

  /// The buyer is gone with the installation, and no customer will ever sign in under that id.
  func testALostInstallationsPurchaseIsCreditedToTheNextOneInTime() async throws {
    let world = try World()
    _ = try await offlinePurchase(in: world, nil)
    world.phone.reinstall()
    let next = try world.client(nil, on: world.phone, eventLog: MemoryEventLog())
    await next.syncPurchases()
    XCTAssertEqual(next.queueCounts.pending, 1)
    world.clock.advance(by: .seconds(3600))
    let shown = try await next.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, 300)
    XCTAssertEqual(next.queueCounts.pending, 0)
    try assertBooksAddUp(world.ledger)
  }

  /// An app beside its own backend is proven: it need not wait for a buyer who may still come.
  func testARestoreTakesALostInstallationsPurchaseAtOnce() async throws {
    let world = try World()
    let next = try await installationAfterALostOne(in: world)
    try await next.restorePurchases()
    try await assertHoldsThePurchase(next, in: world)
  }

  /// Returns the client of a new installation whose predecessor bought and never reached the backend.
  func installationAfterALostOne(in world: World) async throws -> StoreClient {
    _ = try await offlinePurchase(in: world, nil)
    world.phone.reinstall()
    let next = try world.client(nil, on: world.phone, eventLog: MemoryEventLog())
    await next.syncPurchases()
    return next
  }

  func assertHoldsThePurchase(
    _ client: StoreClient, in world: World, file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    let shown = try await client.virtualCurrencies()
    XCTAssertEqual(shown["GEM"]?.balance, 300, file: file, line: line)
    await client.syncPurchases()
    XCTAssertEqual(client.queueItems, [], file: file, line: line)
    XCTAssertTrue(world.store.allTransactions().allSatisfy(\.isFinished), file: file, line: line)
    try assertBooksAddUp(world.ledger)
  }

  /// Buys for a customer that is new to the backend, over a network that does not reach it; returns both.
  private func offlinePurchase(
    in world: World, _ customer: String?
  ) async throws -> (client: StoreClient, network: FaultyBackend) {
    let network = FaultyBackend(world.access)
    let client = try world.client(customer, on: world.phone, eventLog: MemoryEventLog(), backend: network)
    _ = try await client.offerings()
    network.fail(with: .networkLostBeforeEffect, .always)
    let result = try await client.purchase(try ProductCode("gems"))
    XCTAssertEqual(result, .pendingServerValidation)
    return (client, network)
  }
}
