import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreTestSupport
import XCTest

@testable import StoreClient

/// Refunds while the app is closed, with a backend that gets no notices from the store.
class ClosedAppRefundTests: XCTestCase {
  private static let alice = "alice-4f1c9a7e"

  /// A store account with an app that was closed after it had bought, spent and finished.
  private struct Fixture {
    let world: World
    let eventLog = MemoryEventLog()
    /// Counts the posts.
    let backend: FaultyBackend
    let id: StoreTransactionID

    init(product: String = "gems", quantity: Int64 = 2, spending: Int64 = 0) async throws {
      world = try World()
      backend = FaultyBackend(world.access)
      let client = try world.client(alice, on: world.phone, eventLog: eventLog, backend: backend)
      let outcome = try await client.outcome(ofPurchasing: product, quantity: quantity)
      id = try XCTUnwrap(outcome.storeTransactionID)
      if spending > 0 {
        try await client.spend([Adjustment(CurrencyCode("GEM"), spending)])
      }
      let left = try await world.phone.unfinishedIDs()
      XCTAssertEqual(left, [])
      client.flush()
      close()
    }

    func close() {
      world.phone.relaunch()
      world.clock.advance(by: .seconds(60))
    }

    /// Starts the app, brings it to the foreground, and closes it.
    ///
    /// - Returns: How many receipts were posted.
    @discardableResult
    func launch(as customer: String = alice, _ act: (StoreClient) async throws -> Void = { _ in }) async throws -> Int {
      let before = backend.count(of: .post)
      let client = try world.client(customer, on: world.phone, eventLog: eventLog, backend: backend)
      try await client.appDidBecomeActive()
      try await act(client)
      client.flush()
      XCTAssertEqual(client.queueItems, [])
      close()
      return backend.count(of: .post) - before
    }

    var balance: Int64 { get throws { try world.balance(alice) } }
  }

  func testARefundWhileTheAppIsClosedIsClawedBackAtTheNextLaunchAndPostedOnce() async throws {
    let fixture = try await Fixture(spending: 100)
    XCTAssertEqual(try fixture.balance, 500)
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    var posts = try await fixture.launch(as: "bobby-77d0e2b1")
    XCTAssertEqual(posts, 1)
    XCTAssertEqual(try fixture.balance, 0)
    XCTAssertEqual(try fixture.world.balance("bobby-77d0e2b1"), 0)
    posts = try await fixture.launch()
    XCTAssertEqual(posts, 0)
    posts = try await fixture.launch { await $0.syncPurchases() }
    XCTAssertEqual(posts, 0)
    // An app without its files posts it again, which changes nothing.
    let version = try fixture.world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(Self.alice))
    let client = try fixture.world.client(Self.alice, on: fixture.world.phone, backend: fixture.backend)
    await client.syncPurchases()
    XCTAssertEqual(
      try fixture.world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(Self.alice)), version)
    try assertBooksAddUp(fixture.world.ledger)
  }

  func testAClientThatWorksByItselfLooksForRefundsAtItsStart() async throws {
    let fixture = try await Fixture()
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    let client = try fixture.world.client(
      Self.alice, on: fixture.world.phone, eventLog: fixture.eventLog, backend: fixture.backend, isAutomatic: true)
    try await until { try fixture.balance == 0 }
    _ = client
  }

  func testARefundInPartThenInFullIsPostedOnceEach() async throws {
    let fixture = try await Fixture()
    try fixture.world.store.refundTransaction(identifier: fixture.id, extent: .milliPercent(50_000))
    var posts = try await fixture.launch()
    XCTAssertEqual(posts, 1)
    XCTAssertEqual(try fixture.balance, 300)
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    posts = try await fixture.launch()
    XCTAssertEqual(posts, 1)
    XCTAssertEqual(try fixture.balance, 0)
    posts = try await fixture.launch()
    XCTAssertEqual(posts, 0)
  }

  /// The store shows a reversed refund as long as the purchase is in its lists: a product bought once and kept.
  func testARefundThatIsTakenBackGivesBack() async throws {
    let fixture = try await Fixture(product: "vip", quantity: 1)
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    try await fixture.launch()
    XCTAssertEqual(try fixture.balance, 0)
    try fixture.world.store.reverseRefund(identifier: fixture.id)
    var posts = try await fixture.launch()
    XCTAssertEqual(posts, 1)
    XCTAssertEqual(try fixture.balance, 300)
    posts = try await fixture.launch()
    XCTAssertEqual(posts, 0)
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    posts = try await fixture.launch()
    XCTAssertEqual(posts, 1)
    XCTAssertEqual(try fixture.balance, 0)
  }

  func testACrashBetweenQueueingAndPostingIsRepairedFromTheQueue() async throws {
    let fixture = try await Fixture()
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    fixture.backend.fail(.post, with: .networkLostBeforeEffect)
    var client: StoreClient? = try fixture.world.client(
      Self.alice, on: fixture.world.phone, eventLog: fixture.eventLog, backend: fixture.backend)
    await client?.syncPurchases()
    XCTAssertEqual(client?.queueCounts.pending, 1)
    XCTAssertEqual(try fixture.balance, 600)
    client = nil
    fixture.close()
    // The store answers nothing any more: the queued receipt is enough.
    try fixture.world.store.inject(StoreFault(.failure(.systemError), on: .all, .always))
    let posts = try await fixture.launch()
    XCTAssertEqual(posts, 1)
    XCTAssertEqual(try fixture.balance, 0)
    try fixture.world.store.clearFaults()
    let again = try await fixture.launch()
    XCTAssertEqual(again, 0)
  }

  func testALostAnswerIsAskedForAgainAndChangesNothing() async throws {
    let fixture = try await Fixture()
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    fixture.backend.fail(.post, with: .networkLostAfterEffect)
    let client = try fixture.world.client(
      Self.alice, on: fixture.world.phone, eventLog: fixture.eventLog, backend: fixture.backend)
    await client.syncPurchases()
    XCTAssertEqual(try fixture.balance, 0)
    await client.syncPurchases()
    XCTAssertEqual(client.queueItems, [])
    XCTAssertEqual(try fixture.balance, 0)
    try assertBooksAddUp(fixture.world.ledger)
  }

  /// Where the store could not be asked at the start, the next foreground asks.
  func testAStoreThatCannotBeAskedIsAskedAgain() async throws {
    let fixture = try await Fixture()
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    try fixture.world.store.inject(StoreFault(.failure(.systemError), on: .all, .always))
    try await fixture.launch { client in
      XCTAssertEqual(try fixture.balance, 600)
      try fixture.world.store.clearFaults()
      try await client.appDidBecomeActive()
      XCTAssertEqual(try fixture.balance, 0)
    }
  }

  /// A backend that was never told of the purchase has nothing to claw back, and no operator has to look into it.
  func testARefundOfWhatNobodyWasCreditedForLeavesNothingInTheQueue() async throws {
    let world = try World()
    let bought = try world.store.buyProduct(identifier: "gems", account: "family")
    try await world.phone.finish(bought.identifier)
    try world.store.refundTransaction(identifier: bought.identifier)
    let (eventLog, backend) = (MemoryEventLog(), FaultyBackend(world.access))
    for _ in 0..<2 {
      let client = try world.client(Self.alice, on: world.phone, eventLog: eventLog, backend: backend)
      await client.syncPurchases()
      XCTAssertEqual(client.queueItems, [])
      client.flush()
    }
    XCTAssertEqual(backend.count(of: .post), 1)
    XCTAssertEqual(try world.balance(Self.alice), 0)
  }

  /// An announced purchase that waits for consent keeps its buyer and its order.
  func testARefundDoesNotTakeThePlaceOfAPurchaseThatIsAnnounced() async throws {
    let fixture = try await Fixture()
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    fixture.world.store.askToBuyEnabled = true
    let waiting = try fixture.world.client(
      Self.alice, on: fixture.world.phone, eventLog: fixture.eventLog, backend: fixture.backend)
    let outcome = try await waiting.purchase(order: PurchaseOrder(productID: "gems"))
    XCTAssertEqual(outcome.result, .pending)
    try await fixture.launch()
    let asked = try XCTUnwrap(fixture.world.store.allTransactions().first { $0.state == .deferred })
    try fixture.world.store.approveAskToBuyTransaction(identifier: asked.identifier)
    try await fixture.launch()
    XCTAssertEqual(fixture.backend.count(of: .completePayment), 1)
    XCTAssertEqual(try fixture.balance, 300)
  }

  func testARestoreTellsTheBackendOfRefundsToo() async throws {
    let fixture = try await Fixture()
    try fixture.world.store.refundTransaction(identifier: fixture.id)
    let client = try fixture.world.client(
      Self.alice, on: fixture.world.phone, eventLog: fixture.eventLog, backend: fixture.backend)
    try await client.restorePurchases()
    XCTAssertEqual(try fixture.balance, 0)
    client.flush()
    let posts = try await fixture.launch()
    XCTAssertEqual(posts, 0)
  }

  /// Google's queries show no purchase that was voided: that is for its notices and its list of voided purchases.
  func testGooglePlayShowsWhatWasVoidedInPartUntilItIsConsumed() async throws {
    let world = try World()
    let play = try SimulatedPlayStore(
      catalog: try SimulatedShop.catalog(), session: World.session, clock: world.clock, signer: world.receipts)
    let device = play.account("alice").device("phone")
    let (eventLog, backend) = (MemoryEventLog(), FaultyBackend(world.access))
    try play.inject(StoreFault(.networkCutBefore, on: .finish, .always))
    var client: StoreClient? = try world.client(Self.alice, on: device, eventLog: eventLog, backend: backend)
    let outcome = try await client?.outcome(ofPurchasing: "gems", quantity: 3)
    let token = try XCTUnwrap(outcome?.storeTransactionID)
    XCTAssertEqual(try world.balance(Self.alice), 900)
    client = nil
    device.relaunch()
    world.clock.advance(by: .seconds(60))
    try play.refund(token: token, quantity: 1)
    client = try world.client(Self.alice, on: device, eventLog: eventLog, backend: backend)
    await client?.syncPurchases()
    XCTAssertEqual(try world.balance(Self.alice), 600)
    try play.clearFaults()
    await client?.syncPurchases()
    let posts = backend.count(of: .post)
    world.clock.advance(by: .seconds(60))
    try? play.refund(token: token)
    await client?.syncPurchases()
    XCTAssertEqual(backend.count(of: .post), posts)
    XCTAssertEqual(client?.queueItems, [])
  }
}
