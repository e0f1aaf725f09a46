import GemLedger
import GemTestSupport
import StoreBackend
import StoreTestSupport
import XCTest

@testable import StoreClient

/// Two tasks of one client, with one of them stopped between its reading and its act.
final class InterleavingTests: XCTestCase {
  private let gems300 = "com.example.gems_300"

  /// A refund of the purchase before is no outcome of the one that waits for consent.
  func testARefundOfAnOldPurchaseLeavesTheAnnouncedOneAlone() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let old = try await client.outcome(ofPurchasing: ClientFixture.gems)
    fixture.clock.advance(seconds: 600)
    fixture.shop.script(.pending)
    let order = PurchaseOrder(productID: ClientFixture.gems, key: IdempotencyKey(unchecked: "tap-2"))
    let pending = try await client.purchase(order: order)
    XCTAssertEqual(pending.result, .pending)
    let evidence = StoreEvidence(
      transaction: try XCTUnwrap(old.transaction), receipt: try XCTUnwrap(old.receipt))
    await client.receive(fixture.shop.refunded(evidence))
    let again = try await client.purchase(order: order)
    XCTAssertEqual(again.result, .pending)
    XCTAssertEqual(fixture.shop.purchaseCount, 2, "the store is not asked for a second payment")
    // The consent comes without the buyer's token, while somebody else is signed in.
    try await client.identify("bobby-77d0e2b1")
    await client.receive(fixture.shop.sell("com.example.gems_1200"))
    XCTAssertEqual(try fixture.backend.balance("bobby-77d0e2b1"), 0)
  }

  /// A refund that comes before the credit ends the purchase that it is of.
  func testARefundOfTheAnnouncedPurchaseEndsIt() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    fixture.shop.script(.pending)
    _ = try await client.purchase(try ProductCode(ClientFixture.gems))
    fixture.clock.advance(seconds: 600)
    let paid = fixture.shop.sell("com.example.gems_1200", token: AccountToken(of: client.customerID))
    fixture.clock.advance(seconds: 600)
    await client.receive(fixture.shop.refunded(paid))
    XCTAssertEqual(client.queue.read { $0.intents }, [])
  }

  func testTapsAtOnceTakeAsOftenAsTheySucceed() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    try await client.purchase(try ProductCode("gems_300"))
    fixture.backend.hold()
    let slow = Task { await client.consumeProduct("gems_300", amount: 100) }
    try await until { fixture.backend.heldCount == 1 }
    fixture.backend.stopHolding()
    fixture.backend.loseSpend()
    let lost = await client.consumeProduct("gems_300", amount: 100)
    XCTAssertFalse(lost)
    fixture.backend.release()
    let first = await slow.value
    let second = await client.consumeProduct("gems_300", amount: 100)
    XCTAssertEqual([first, second], [true, true])
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 100)
  }

  func testOneLostAnswerIsTheAnswerOfOneTap() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    try await client.purchase(try ProductCode("gems_300"))
    fixture.backend.loseSpend()
    let lost = await client.consumeProduct("gems_300", amount: 100)
    XCTAssertFalse(lost)
    fixture.backend.hold()
    let taps = (0..<2).map { _ in Task { await client.consumeProduct("gems_300", amount: 100) } }
    try await until { fixture.backend.heldCount == 2 }
    fixture.backend.release()
    for tap in taps {
      let isTaken = await tap.value
      XCTAssertTrue(isTaken)
    }
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 100, "two successes")
  }

  /// A process that is killed behind the customer's refusal.
  func testACancelledPurchaseCanBePaidUnderItsKeyAfterAKill() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    fixture.shop.script(.cancelled)
    let order = PurchaseOrder(productID: ClientFixture.gems, key: IdempotencyKey(unchecked: "tap-1"))
    let cancelled = try await client.purchase(order: order)
    XCTAssertEqual(cancelled.result, .cancelled)
    let next = try fixture.client(eventLog: MemoryEventLog(fixture.eventLog.records()))
    let paid = try await next.purchase(order: order)
    XCTAssertNotNil(paid.result.customerInfo)
    withExtendedLifetime(client) {}
  }

  func testAReaderOfBalancesGetsThoseOfWhoeverIsSignedIn() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    try await client.purchase(try ProductCode("gems_300"))
    _ = try await client.virtualCurrencies()
    let shown = Collector<String>()
    let reader = Task { [updates = client.balanceUpdates] in for await one in updates { shown.add(one.customer.text) } }
    for customer in ["alice-4f1c9a7e", "bobby-77d0e2b1", "alice-4f1c9a7e"] {
      try await client.identify(customer)
      try await until { shown.all.last == customer }
    }
    reader.cancel()
  }

  func testTwoTasksThatFinishOneReceiptReportItOnce() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let (finished, funnel) = (Collector<ReceiptQueueItem>(), Collector<FunnelEvent>())
    client.onReceiptPipelineEvent = { if case .finished(let item) = $0 { finished.add(item) } }
    let listening = Task { [events = client.funnelEvents] in for await event in events { funnel.add(event) } }
    fixture.shop.whenFinishing { await client.pipeline.drain() }
    try await client.purchase(try ProductCode("gems_300"))
    XCTAssertEqual(finished.all.count, 1)
    try await until { funnel.all.contains { $0.name == .purchase } }
    listening.cancel()
    await listening.value
    XCTAssertEqual(funnel.all.count { $0.name == .purchase }, 1)
  }

  func testAWaiterGetsTheOutcomeOfTheAttemptThatItWaitsFor() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    let token = AccountToken(of: client.customerID)
    let first = fixture.shop.sell(gems300, token: token)
    fixture.shop.sell(gems300, token: token)
    await client.context.register(client.customerID)
    fixture.backend.fail(LedgerError(.inProgress, "Later."))
    let (outcomes, others) = (Collector<PostOutcome>(), Collector<Task<Void, Never>>())
    let (backend, pipeline) = (fixture.backend, client.pipeline)
    // While the second receipt is being finished, the first one is tried again, and somebody waits for that.
    fixture.shop.whenFinishing {
      backend.hold()
      others.add(Task { await pipeline.drain(everything: true) })
      try? await until { backend.heldCount == 1 }
      others.add(Task { outcomes.add(await pipeline.outcome(of: first.key)) })
      for _ in 0..<1000 { await Task.yield() }
    }
    await client.drainReceipts()
    XCTAssertEqual(others.all.count, 2)
    for _ in 0..<1000 { await Task.yield() }
    XCTAssertEqual(outcomes.all.count, 0, "the outcome of the attempt before")
    backend.release()
    for task in others.all { await task.value }
    XCTAssertEqual(outcomes.all.count, 1)
    // One that came after the end of the attempt finds it done.
    if case .waiting? = outcomes.all.first { XCTFail("\(outcomes.all)") }
  }

  /// A sweep goes in the order of the store, and a drain in the order of coming.
  func testTwoTasksThatPostTheSameReceiptsInOtherOrdersBothEnd() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    await client.context.register(client.customerID)
    let (pipeline, shop) = (client.pipeline, FakeShop(fixture.clock))
    let sold = (0..<2).map { _ in shop.sell(gems300, token: AccountToken(of: client.customerID)) }
    let keys = pipeline.enqueue(sold, source: .updates, current: client.customerID)
    fixture.backend.hold()
    let ended = Collector<Int>()
    for (count, order) in [(1, keys), (2, keys.reversed())] {
      Task { ended.add(await pipeline.postNow(order).count) }
      try await until { fixture.backend.heldCount == count }
    }
    fixture.backend.release()
    try await until { ended.all.count == 2 }
    XCTAssertEqual(ended.all, [2, 2])
    XCTAssertEqual(fixture.backend.count("post"), 2)
  }

  func testASyncPostsARefundThatCameDuringThePost() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    await client.context.register(client.customerID)
    let queued = Collector<ReceiptQueueItem>()
    client.onReceiptPipelineEvent = { if case .queued(let item) = $0 { queued.add(item) } }
    let paid = FakeShop(fixture.clock).sell(gems300, token: AccountToken(of: client.customerID))
    fixture.backend.hold()
    let post = Task { await client.receive(paid) }
    try await until { fixture.backend.heldCount == 1 }
    fixture.clock.advance(seconds: 60)
    let refund = Task { await client.receive(fixture.shop.refunded(paid)) }
    try await until { queued.all.count == 2 }
    fixture.backend.release()
    await post.value
    await refund.value
    // The end of a sync that began before the refund came.
    await client.pipeline.join()
    XCTAssertEqual(client.queueItems, [])
    XCTAssertEqual(fixture.backend.count("post"), 2)
  }

  func testAFailedFinishIsTriedAgainByItself() async throws {
    let fixture = try ClientFixture()
    let shop = fixture.shop
    let client = try fixture.client(isAutomatic: true) {
      $0.onStep = { if $0 == .credited { shop.die() } }
    }
    _ = try await client.purchase(try ProductCode("gems_300"))
    XCTAssertEqual(client.queueItems.map(\.status), [.finishOnly])
    shop.die(false)
    try await until {
      fixture.clock.advance(seconds: 60)
      return client.queueItems.isEmpty
    }
    XCTAssertEqual(shop.finished.count, 1)
  }

  /// A screen that is left cancels its task, and not the post of a receipt.
  func testACancelledTaskStillPosts() async throws {
    let fixture = try ClientFixture()
    let backend = CancellableBackend(decorated: fixture.backend)
    let client = try fixture.client { $0.mode = .payment(backend) }
    _ = try await client.offerings()
    await client.context.register(client.customerID)
    fixture.shop.sell(gems300, token: AccountToken(of: client.customerID))
    let screen = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await client.drainReceipts()
    }
    await screen.value
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 300)
    XCTAssertEqual(client.queueItems, [])
  }

  func testAReceiptWithoutATokenIsOfWhoeverIsSignedInWhenItIsListed() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    let token = AccountToken(of: client.customerID)
    for _ in 0..<ReceiptPipeline.batchCount { fixture.shop.sell(gems300, token: token) }
    fixture.shop.sell(gems300)
    fixture.shop.whenListed { _ = try? await client.identify("bobby-77d0e2b1") }
    await client.syncPurchases()
    XCTAssertEqual(try fixture.backend.balance("bobby-77d0e2b1"), 300)
  }

  func testAnOldListWithARefundBringsItBackToNobody() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    let paid = fixture.shop.sell(gems300, token: AccountToken(of: client.customerID))
    fixture.clock.advance(seconds: 60)
    let refunded = fixture.shop.refunded(paid)
    fixture.shop.relist(refunded)
    fixture.shop.whenListed { await client.receive(refunded) }
    await client.drainReceipts()
    XCTAssertEqual(fixture.backend.count("post"), 1)
    XCTAssertEqual(client.queueItems, [])
  }
}

/// A backend over a network that gives up where its caller does.
private struct CancellableBackend: BackendDecorator {
  let decorated: any PurchaseBackend

  func intercept<Answer: Sendable>(
    _ call: BackendCall, _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    guard !Task.isCancelled else { throw LedgerError(.backendUnreachable, "The request was cancelled.") }
    return try await body()
  }
}
