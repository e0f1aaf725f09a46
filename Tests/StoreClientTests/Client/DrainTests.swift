import Dispatch
import GemLedger
import GemTestSupport
import StoreBackend
import StoreTestSupport
import XCTest

@testable import StoreClient

final class DrainTests: XCTestCase {
  func testALongBacklogDrainsInOrderAndInBoundedMemory() async throws {
    let fixture = try ClientFixture()
    let count = Tier.current.length(1000, thorough: 10_000)
    let client = try fixture.client()
    _ = try await client.offerings()
    let token = AccountToken(of: client.customerID)
    for _ in 0..<count { fixture.shop.sell("com.example.gems_300", token: token) }
    let (most, progress) = (Collector<Int>(), Collector<Int>())
    client.onReceiptPipelineEvent = { [weak client] event in
      if let client { most.add(client.queueCounts.pending) }
      if case .progress(let done, _) = event { progress.add(done) }
    }
    let before = fixture.eventLog.appendCount
    await client.syncPurchases()
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 300 * Int64(count))
    XCTAssertEqual(fixture.shop.finished.map(\.text), (0..<count).map { "\(2_000_000_001 + $0)" })
    XCTAssertLessThanOrEqual(most.all.max() ?? 0, ReceiptPipeline.batchCount)
    XCTAssertEqual(progress.all, progress.all.sorted())
    XCTAssertEqual(progress.all.last, count)
    XCTAssertLessThanOrEqual(fixture.shop.pageSizes.max() ?? 0, ReceiptPipeline.batchCount)
    // The receipts of a page share two syncs.
    XCTAssertLessThanOrEqual(fixture.eventLog.appendCount - before, 2 * (count / ReceiptPipeline.batchCount + 2))
    XCTAssertLessThan(fixture.eventLog.records().count, 2 * ReceiptQueue.slack)
  }

  func testABacklogPausesWhereTheBackendGoesAwayAndGoesOn() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    for _ in 0..<200 { fixture.shop.sell("com.example.gems_300", token: AccountToken(of: client.customerID)) }
    fixture.backend.setDown(true)
    _ = try? await client.appDidBecomeActive()
    XCTAssertLessThanOrEqual(client.queueCounts.pending, ReceiptPipeline.batchCount)
    XCTAssertLessThanOrEqual(fixture.backend.count("post"), 2, "a failure or two tell enough")
    fixture.backend.setDown(false)
    fixture.clock.advance(seconds: 3600)
    let balances = try await client.appDidBecomeActive()
    XCTAssertEqual(balances["GEM"]?.balance, 60_000)
    XCTAssertEqual(client.queueCounts.pending, 0)
  }

  func testEveryRetryableRefusalIsTriedAgainAndEveryOtherDeadLettered() async throws {
    for kind in ErrorKind.allCases {
      let code = LedgerError.Code(kind)
      let fixture = try ClientFixture()
      let client = try fixture.client()
      _ = try await client.offerings()
      await client.context.register(client.customerID)
      fixture.backend.fail(LedgerError(code, "No."))
      _ = try await client.purchase(try ProductCode(ClientFixture.gems))
      let isRetried = [
        "backend_unreachable", "timed_out", "rate_limited", "unauthenticated", "forbidden", "in_progress",
        "validation_pending", "outcome_unknown", "input_output", "storage_unavailable", "storage_damaged",
        "storage_foreign", "storage_newer", "books_wrong", "unexpected", "clock_implausible",
      ].contains(code.description)
      let expected: ReceiptQueueItem.Status = isRetried ? .waiting : .deadLettered
      XCTAssertEqual(client.queueItems.map(\.status), [expected], code.description)
      XCTAssertEqual(fixture.shop.finished, [], "\(code): paid for and not credited")
    }
  }

  func testASyncTriesEveryItemOfEveryCustomerNow() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    fixture.backend.setDown(true)
    _ = try await client.purchase(try ProductCode("gems_300"))
    fixture.backend.setDown(false)
    try await client.identify("bobby-77d0e2b1")
    fixture.backend.setDown(true)
    _ = try await client.purchase(try ProductCode("gems_1200"))
    await client.syncPurchases()
    XCTAssertEqual(client.queueItems.map(\.attemptCount), [2, 2])
    await client.pipeline.drain()
    XCTAssertEqual(client.queueItems.map(\.attemptCount), [2, 2], "a drain keeps to the back-off")
    fixture.backend.setDown(false)
    await client.syncPurchases()
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 300)
    XCTAssertEqual(try fixture.backend.balance("bobby-77d0e2b1"), 1200)
  }

  func testAListOlderThanTheEndOfAReceiptBringsItBackToNobody() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    let evidence = fixture.shop.sell("com.example.gems_300", token: AccountToken(of: client.customerID))
    let queued = Collector<ReceiptQueueItem>()
    client.onReceiptPipelineEvent = { if case .queued(let item) = $0 { queued.add(item) } }
    fixture.shop.whenListed { await client.receive(evidence) }
    await client.drainReceipts()
    XCTAssertEqual(queued.all.map(\.storeTransactionID), [evidence.transaction.id])
    XCTAssertEqual(fixture.backend.count("post"), 1)
    XCTAssertEqual(fixture.shop.finished, [evidence.transaction.id])
    // The next list is a new one: a store that has forgotten the end is told again.
    fixture.shop.relist(evidence)
    await client.drainReceipts()
    XCTAssertEqual(fixture.shop.finished, [evidence.transaction.id, evidence.transaction.id])
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 300)
    XCTAssertEqual(client.queueCounts.pending, 0)
  }

  func testASyncSettlesWhatSomebodyElsePutsIntoTheQueueMeanwhile() async throws {
    let fixture = try ClientFixture()
    let (isQueued, isSynced) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let client = try fixture.client {
      // The task that queues it comes no further until the sync is over.
      $0.onStep = { step in
        guard step == .queued else { return }
        isQueued.signal()
        isSynced.wait()
      }
    }
    _ = try await client.offerings()
    let evidence = FakeShop(fixture.clock).sell("com.example.gems_300", token: AccountToken(of: client.customerID))
    fixture.shop.whenAsked {
      Task.detached { await client.receive(evidence) }
      isQueued.wait()
    }
    await client.syncPurchases()
    XCTAssertEqual(client.queueCounts.pending, 0)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 300)
    isSynced.signal()
  }

  func testALostAnswerIsNoSecondCredit() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    fixture.backend.loseAnswer()
    let result = try await client.purchase(try ProductCode(ClientFixture.gems))
    XCTAssertEqual(result, .pendingServerValidation)
    await client.syncPurchases()
    XCTAssertEqual(fixture.backend.count("post"), 2)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
    XCTAssertEqual(fixture.shop.finished.count, 1)
  }

  func testWhatTheStoreDeliversIsTakenAndTriedAgainByItself() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client(isAutomatic: true) { $0.retry = RetryPolicy(base: .seconds(2), cap: .seconds(8)) }
    _ = try await client.offerings()
    fixture.backend.setDown(true)
    fixture.shop.sell("com.example.gems_300", token: AccountToken(of: client.customerID), tells: true)
    try await until { client.queueItems.first?.status == .waiting }
    fixture.backend.setDown(false)
    try await until {
      if client.queueCounts.pending > 0 { fixture.clock.advance(seconds: 1) }
      return client.queueCounts.pending == 0
    }
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 300)
  }

  func testALaunchWorksOffWhatWasLeft() async throws {
    let fixture = try ClientFixture()
    fixture.shop.sell("com.example.gems_300", token: AccountToken(of: try CustomerID("alice-4f1c9a7e")))
    let client = try fixture.client(isAutomatic: true)
    try await until { try fixture.backend.balance("alice-4f1c9a7e") == 300 && client.queueCounts.pending == 0 }
    XCTAssertEqual(fixture.shop.finished.count, 1)
  }

  func testTheSameTransactionFromTwoSidesIsOnePost() async throws {
    let fixture = try ClientFixture()
    let events = Collector<ReceiptPipelineEvent>()
    let client = try fixture.client(isAutomatic: true)
    client.onReceiptPipelineEvent = { events.add($0) }
    _ = try await client.offerings()
    await client.context.register(client.customerID)
    fixture.backend.hold()
    let purchase = Task { try await client.purchase(try ProductCode(ClientFixture.gems)) }
    try await until { fixture.backend.heldCount >= 1 }
    let evidence = try XCTUnwrap(fixture.shop.unfinished.first)
    fixture.shop.deliver(evidence)
    try await until { events.all.contains { if case .duplicateSkipped = $0 { true } else { false } } }
    fixture.backend.release()
    let result = try await purchase.value
    XCTAssertNotNil(result.customerInfo)
    XCTAssertEqual(fixture.backend.count("post"), 1)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
  }

  func testARefundIsPostedToo() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let outcome = try await client.outcome(ofPurchasing: ClientFixture.gems)
    let (transaction, receipt) = (try XCTUnwrap(outcome.transaction), try XCTUnwrap(outcome.receipt))
    fixture.clock.advance(seconds: 60)
    await client.receive(fixture.shop.refunded(StoreEvidence(transaction: transaction, receipt: receipt)))
    XCTAssertEqual(fixture.backend.count("post"), 2)
    XCTAssertEqual(client.queueItems, [])
  }

  func testAPendingPurchaseIsItsBuyersWhoeverIsSignedInWhenItComes() async throws {
    for forgets in [false, true] {
      let fixture = try ClientFixture()
      let client = try fixture.client()
      fixture.shop.script(.pending)
      let result = try await client.purchase(try ProductCode(ClientFixture.gems))
      XCTAssertEqual(result, .pending)
      try await client.identify("bobby-77d0e2b1")
      let token = AccountToken(of: try CustomerID("alice-4f1c9a7e"))
      await client.receive(fixture.shop.sell("com.example.gems_1200", token: forgets ? nil : token))
      XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
      XCTAssertEqual(try fixture.backend.balance("bobby-77d0e2b1"), 0)
    }
  }

  func testAPurchaseWhoseAnswerWasLostComesByItself() async throws {
    for script in [FakeShop.Script.paidButLost, .paidButReportsCancelled] {
      let fixture = try ClientFixture()
      let client = try fixture.client()
      fixture.shop.script(script)
      _ = try? await client.purchase(try ProductCode(ClientFixture.gems))
      let balances = try await client.appDidBecomeActive()
      XCTAssertEqual(balances["GEM"]?.balance, 1200)
      XCTAssertEqual(fixture.shop.unfinished, [])
    }
  }
}
