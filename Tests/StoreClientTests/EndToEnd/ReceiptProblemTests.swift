import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Problems of receipts as the app sees them, each with a code of its own.
///
/// A purchase that cannot be credited stays unfinished at the store and visible in the queue. One that is credited
/// already is finished.
class ReceiptProblemTests: XCTestCase {
  func testEvidenceThatTheDeviceDoesNotTrustIsNeverPosted() async throws {
    let world = try World()
    try world.store.inject(StoreFault(.unverified(.invalidSignature), on: .purchase))
    try await assertKept(.receiptUnverified, in: world)
  }

  func testAReceiptOfAnotherSignerIsUnverified() async throws {
    try await assertKept(.receiptUnverified, in: try World(accepted: "another"))
  }

  func testAReceiptOfAnotherAppIsABundleMismatch() async throws {
    try await assertKept(.bundleMismatch, in: try World(policy: BackendPolicy(bundleIDs: ["com.example.other"])))
  }

  func testATestPurchaseIsNotAllowedInProduction() async throws {
    let policy = BackendPolicy(sandboxReceipts: .nobody)
    try await assertKept(.environmentNotAllowed, in: try World(policy: policy))
  }

  /// It is kept, and credited once the catalog has it; the client finishes it then.
  func testAProductThatTheBackendDoesNotKnowYet() async throws {
    let world = try World()
    let client = try world.client(Self.alice, on: world.phone)
    _ = try await client.offerings()
    let catalog = try SimulatedShop.catalog()
    try world.ledger.apply(
      Catalog(
        currencies: catalog.currencies, products: catalog.products.filter { $0.code.text != "gems" },
        settings: catalog.settings))
    let outcome = try await client.outcome(ofPurchasing: "gems")
    XCTAssertEqual(outcome.result, .pendingServerValidation)
    XCTAssertEqual(try world.balance(Self.alice), 0)
    try world.ledger.apply(catalog)
    _ = try await MaintenanceRunner(backend: world.backend).runOnce()
    XCTAssertGreaterThan(try world.balance(Self.alice), 0)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left.count, 1)
    await client.syncPurchases()
    XCTAssertEqual(client.queueItems, [])
    let finished = try await world.phone.unfinishedIDs()
    XCTAssertEqual(finished, [])
    try assertBooksAddUp(world.ledger)
  }

  func testAnotherPriceThanTheCatalogs() async throws {
    let world = try World()
    let client = try world.client(Self.alice, on: world.phone)
    _ = try await client.offerings()
    try world.ledger.apply(try SimulatedShop.catalog(gemPrice: "3.99"))
    // A payment before a change of the catalog is compared with the catalog of then.
    world.clock.advance(by: .seconds(1))
    try await assertKept(.amountMismatch, in: world, client)
  }

  func testAReceiptFromTheFuture() async throws {
    let yesterday = ManualClock()
    yesterday.advance(seconds: -3 * 86_400)
    try await assertKept(.receiptFutureDated, in: try World(backendClock: yesterday.clock))
  }

  /// The store gave the money back before the app heard of the purchase.
  func testAPurchaseThatWasTakenBackIsRevoked() async throws {
    let world = try World()
    let client = try world.client(Self.alice, on: world.phone)
    try world.store.inject(StoreFault(.networkCutAfter, on: .purchase))
    await assertRefused(.storeError) { try await client.outcome(ofPurchasing: "gems") }
    world.clock.advance(by: .seconds(60))
    try world.store.refundTransaction(identifier: try XCTUnwrap(world.store.allTransactions().first).identifier)
    await client.syncPurchases()
    let item = try XCTUnwrap(client.queueItems.first)
    XCTAssertEqual(item.status, .deadLettered)
    XCTAssertEqual(item.lastError?.code, .receiptRevoked)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [item.storeTransactionID])
    XCTAssertEqual(try world.balance(Self.alice), 0)
    try assertBooksAddUp(world.ledger)
  }

  /// The server hears of the refund before the app can post its receipt of before then: both are booked.
  func testAReceiptThatIsOlderThanItsRefundLeavesNothing() async throws {
    let world = try World()
    let backend = FaultyBackend(world.access)
    let client = try world.client(Self.alice, on: world.phone, backend: backend)
    _ = try await client.offerings()
    backend.fail(.post, with: .networkLostBeforeEffect)
    let outcome = try await client.outcome(ofPurchasing: "gems")
    XCTAssertEqual(outcome.result, .pendingServerValidation)
    world.clock.advance(by: .seconds(60))
    try world.store.refundTransaction(identifier: try XCTUnwrap(outcome.storeTransactionID))
    for case .refunded(let evidence) in try world.store.takeNotices() {
      let answer = try await world.backend.apply(evidence.transaction)
      XCTAssertEqual(answer.outcome, .kept)
    }
    await client.syncPurchases()
    XCTAssertEqual(client.queueItems, [])
    XCTAssertEqual(try world.balance(Self.alice), 0)
    let history = try world.ledger.wholeHistory(of: CustomerID(Self.alice))
    XCTAssertTrue(history.contains { $0.booking.kind == .purchase })
    try assertBooksAddUp(world.ledger)
  }

  /// Another customer's purchase is a success for the store, which need not redeliver it, and changes no balance.
  func testWhatIsCreditedToSomebodyElseIsFinishedAndSaysWhoOwnsIt() async throws {
    let world = try World()
    try world.store.inject(StoreFault(.networkCutBefore, on: .finish))
    let alice = try world.client(Self.alice, on: world.phone)
    let bought = try await alice.outcome(ofPurchasing: "gems")
    let id = try XCTUnwrap(bought.storeTransactionID)
    let waiting = try await world.phone.unfinishedIDs()
    XCTAssertEqual(waiting, [id])
    let bob = try world.client(Self.bob, on: world.phone)
    // The store gives him the transaction that she has paid for.
    let outcome = try await bob.outcome(ofPurchasing: "gems")
    XCTAssertEqual(outcome.storeTransactionID, id)
    XCTAssertEqual(outcome.answer?.booking.customer.text, Self.alice)
    XCTAssertEqual(outcome.answer?.booking.isReplayed, true)
    XCTAssertEqual(bob.queueItems, [])
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [])
    XCTAssertEqual(try world.balance(Self.alice), 300)
    XCTAssertEqual(try world.balance(Self.bob), 0)
    XCTAssertEqual(world.store.allTransactions().count, 1)
    try assertBooksAddUp(world.ledger)
  }

  // MARK: Helpers

  private static let alice = "alice-4f1c9a7e"
  private static let bob = "bobby-77d0e2b1"

  /// Buys, and fails unless the receipt is refused with this code, stays unfinished and visible, and credits nothing.
  private func assertKept(
    _ code: LedgerError.Code, in world: World, _ known: StoreClient? = nil, line: UInt = #line
  ) async throws {
    let eventLog = MemoryEventLog()
    let client = try known ?? world.client(Self.alice, on: world.phone, eventLog: eventLog)
    let outcome = try await client.outcome(ofPurchasing: "gems")
    guard case .failedServerValidation(let errorCode, let message, _) = outcome.result else {
      return XCTFail("\(outcome.result)", line: line)
    }
    XCTAssertEqual(errorCode, code.description, line: line)
    XCTAssertFalse(message.isEmpty, line: line)
    let item = try XCTUnwrap(client.queueItems.first, line: line)
    XCTAssertEqual(item.status, .deadLettered, line: line)
    XCTAssertEqual(item.lastError?.code, code, line: line)
    XCTAssertEqual(client.queueCounts.deadLettered, 1, line: line)
    // It stays so, however often the queue is worked off and the app started.
    await client.syncPurchases()
    let next = known == nil ? try world.client(Self.alice, on: world.phone, eventLog: eventLog) : client
    await next.syncPurchases()
    XCTAssertEqual(next.queueItems.map(\.lastError?.code), [code], line: line)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [item.storeTransactionID], line: line)
    XCTAssertEqual(try world.balance(Self.alice), 0, line: line)
    try assertBooksAddUp(world.ledger, line: line)
  }
}
