import GemLedger
import GemTestSupport
import StoreBackend
import StoreTestSupport
import Synchronization
import XCTest

@testable import StoreClient

final class PurchaseTests: XCTestCase {
  func testCreditsAndFinishes() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let outcome = try await client.outcome(ofPurchasing: ClientFixture.gems, quantity: 2)
    guard case .success(let info?) = outcome.result else { return XCTFail("\(outcome.result)") }
    XCTAssertEqual(info.nonSubscriptions.map(\.productIdentifier), ["gems_1200"])
    XCTAssertEqual(info.nonSubscriptions.first?.storeTransactionIdentifier, "2000000001")
    XCTAssertEqual(outcome.answer?.booking.balance(try CurrencyCode("GEM")), 2400)
    XCTAssertEqual(outcome.storeTransactionID?.text, "2000000001")
    XCTAssertEqual(fixture.shop.finished.map(\.text), ["2000000001"])
    XCTAssertEqual(client.queueCounts.pending, 0)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 2400)
  }

  /// The buyer is durable before the payment, the receipt before the post, the credit before the finish.
  ///
  /// That takes three syncs.
  func testTakesItsStepsInOrderWithThreeSyncs() async throws {
    let fixture = try ClientFixture()
    let (steps, eventLog) = (Collector<String>(), fixture.eventLog)
    let client = try fixture.client {
      $0.onStep = { step in
        let last = eventLog.records().last.flatMap { try? JSONValue.parse($0)["what"]?.text }
        steps.add("\(step.rawValue) after \(last ?? "nothing")")
      }
    }
    _ = try await client.offerings()
    let before = eventLog.appendCount
    _ = try await client.purchase(try ProductCode(ClientFixture.gems))
    XCTAssertEqual(eventLog.appendCount - before, 3)
    XCTAssertEqual(
      steps.all,
      [
        "paid after intended", "queued after intent_ended", "credited after intent_ended",
        "finish_only after credited", "finished after credited",
      ])
  }

  func testTheStoresAnswersAreResults() async throws {
    let rows: [(line: UInt, script: FakeShop.Script, result: PurchaseResult)] = [
      (#line, .pending, .pending), (#line, .cancelled, .cancelled), (#line, .fails(.userCancelled), .cancelled),
    ]
    for row in rows {
      let fixture = try ClientFixture()
      fixture.shop.script(row.script)
      let client = try fixture.client()
      let result = try await client.purchase(try ProductCode(ClientFixture.gems))
      XCTAssertEqual(result, row.result, line: row.line)
      XCTAssertEqual(result.userCancelled, row.result == .cancelled, line: row.line)
      XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 0, line: row.line)
      XCTAssertEqual(client.queueItems, [], line: row.line)
    }
  }

  func testAProductThatTheStoreDoesNotKnowIsLookedUpAnew() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    fixture.shop.script(.fails(.productUnavailable))
    await refusal(.storeError) { try await client.purchase(try ProductCode(ClientFixture.gems)) }
    XCTAssertEqual(fixture.backend.count("offerings"), 1)
    for _ in 0..<2 { try await client.purchase(try ProductCode(ClientFixture.gems)) }
    XCTAssertEqual(fixture.backend.count("offerings"), 2)
  }

  func testTheStoresFailuresAreErrorsWithRevenueCatsCodes() async throws {
    let rows: [(line: UInt, failure: StoreFailure, number: Int)] = [
      (#line, .networkError, 10), (#line, .purchaseNotAllowed, 3), (#line, .productUnavailable, 5),
      (#line, .invalidQuantity, 4), (#line, .unknown, 2), (#line, .ineligibleForOffer, 18),
    ]
    for row in rows {
      let fixture = try ClientFixture()
      fixture.shop.script(.fails(row.failure))
      let client = try fixture.client()
      let error = await refusal(.storeError, line: row.line) {
        try await client.purchase(try ProductCode(ClientFixture.gems))
      }
      XCTAssertEqual(error?.revenueCatCode, row.number, line: row.line)
      // The next purchase is not kept from starting.
      let next = try await client.purchase(try ProductCode(ClientFixture.gems))
      XCTAssertNotNil(next.customerInfo, line: row.line)
    }
    let fixture = try ClientFixture()
    fixture.shop.script(.fails(.unknown))
    let client = try fixture.client { $0.apiKey = "test_key" }
    let error = await refusal(.storeError) { try await client.purchase(try ProductCode(ClientFixture.gems)) }
    XCTAssertEqual(error?.revenueCatCode, 42, "of a simulated store")
  }

  func testQueuesWhereTheBackendIsOutOfReach() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    fixture.backend.setDown(true)
    let outcome = try await client.outcome(ofPurchasing: ClientFixture.gems)
    XCTAssertEqual(outcome.result, .pendingServerValidation)
    XCTAssertEqual(outcome.failure?.code, .backendUnreachable)
    XCTAssertEqual(client.queueCounts.pending, 1)
    XCTAssertEqual(fixture.shop.finished, [])
    let item = try XCTUnwrap(client.queueItems.first)
    XCTAssertEqual(item.status, .waiting)
    XCTAssertEqual(item.attemptCount, 1)
    XCTAssertEqual(item.lastError?.code, .backendUnreachable)
    XCTAssertEqual(item.customer.text, "alice-4f1c9a7e")
    fixture.backend.setDown(false)
    await client.syncPurchases()
    XCTAssertEqual(client.queueCounts.pending, 0)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
    XCTAssertEqual(fixture.shop.finished.count, 1)
  }

  func testADeadLetterStaysUnfinishedAndCanBeRequeued() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    await client.context.register(client.customerID)
    fixture.backend.fail(
      LedgerError(.bundleMismatch, "Another app.", details: [.text("request_id", "request-7")]))
    let result = try await client.purchase(try ProductCode(ClientFixture.gems))
    XCTAssertEqual(
      result,
      .failedServerValidation(errorCode: "bundle_mismatch", message: "Another app.", requestID: "request-7"))
    XCTAssertEqual(client.queueCounts.deadLettered, 1)
    XCTAssertEqual(client.queueCounts.pending, 0)
    XCTAssertEqual(fixture.shop.finished, [])
    await client.syncPurchases()
    XCTAssertEqual(client.queueCounts.deadLettered, 1, "a sync leaves it")
    _ = await refusal(.purchaseNotFound) { try await client.requeueReceipt("2000000002") }
    try await client.requeueReceipt("2000000001")
    XCTAssertEqual(client.queueCounts.deadLettered, 0)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
    XCTAssertEqual(fixture.shop.finished.count, 1)
  }

  func testBuyingAgainTriesADeadLetterOnceMore() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    await client.context.register(client.customerID)
    fixture.backend.fail(LedgerError(.bundleMismatch, "Another app."))
    _ = try await client.purchase(try ProductCode(ClientFixture.gems))
    let again = try await client.outcome(ofPurchasing: ClientFixture.gems)
    XCTAssertNotNil(again.result.customerInfo)
    XCTAssertEqual(again.storeTransactionID?.text, "2000000001", "nobody paid twice")
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
  }

  func testUnverifiedEvidenceIsNeverPosted() async throws {
    let fixture = try ClientFixture()
    fixture.shop.script(.unverified)
    let client = try fixture.client()
    let result = try await client.purchase(try ProductCode(ClientFixture.gems))
    guard case .failedServerValidation("receipt_unverified", _, nil) = result else { return XCTFail("\(result)") }
    await client.syncPurchases()
    XCTAssertEqual(fixture.backend.count("post"), 0)
    XCTAssertEqual(client.queueItems.map(\.status), [.deadLettered])
    XCTAssertEqual(fixture.shop.finished, [])
  }

  func testOnePurchaseAtATime() async throws {
    let fixture = try ClientFixture()
    for (isPerProduct, second) in [(false, "gems_300"), (true, "gems_1200")] {
      let client = try fixture.client { $0.purchaseGuard = isPerProduct ? .perProduct : .perClient }
      _ = try await client.offerings()
      fixture.shop.hold()
      let count = fixture.shop.purchaseCount
      let first = Task { try await client.purchase(try ProductCode("gems_1200")) }
      try await until { client.context.session.withLock { !$0.purchasesInProgress.isEmpty } }
      let error = await refusal(.purchaseAlreadyInProgress) { try await client.purchase(try ProductCode(second)) }
      XCTAssertEqual(error?.revenueCatCode, 15)
      try await until { fixture.shop.isHeld }
      fixture.shop.release()
      _ = try await first.value
      XCTAssertEqual(fixture.shop.purchaseCount, count + 1)
    }
  }

  func testASlowBackendDoesNotKeepThePurchaseWaiting() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client { $0.validationTimeout = .seconds(35) }
    _ = try await client.offerings()
    await client.context.register(client.customerID)
    fixture.backend.hold()
    let purchase = Task { try await client.outcome(ofPurchasing: ClientFixture.gems) }
    try await until { fixture.backend.heldCount == 1 }
    fixture.clock.advance(seconds: 36)
    let outcome = try await purchase.value
    XCTAssertEqual(outcome.result, .pendingServerValidation)
    XCTAssertEqual(client.queueItems.map(\.status), [.posting])
    fixture.backend.release()
    try await until { client.queueCounts.pending == 0 }
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
  }

  @MainActor
  func testCompletionAndDelegateFireOnce() async throws {
    final class Delegate: StoreClientDelegate {
      var heard: [String] = []
      func purchases(_ client: StoreClient, didPurchase purchase: PurchaseRecord, for customer: CustomerID) {
        heard.append("\(purchase.product) for \(customer)")
      }
    }
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let delegate = Delegate()
    client.delegate = delegate
    let offerings = try await client.offerings()
    let package = try XCTUnwrap(offerings.current?.availablePackages.first)
    let completions = Collector<CustomerInfo?>()
    client.purchase(package: package) { _, info, _, _ in completions.add(info) }
    try await until { !completions.all.isEmpty }
    let again = fixture.shop.sell("com.example.gems_300", token: AccountToken(of: client.customerID))
    await client.syncPurchases()
    await client.syncPurchases()
    await client.receive(again)
    XCTAssertEqual(completions.all.count, 1)
    XCTAssertNotNil(completions.all.first ?? nil)
    try await until { delegate.heard.count >= 2 }
    XCTAssertEqual(delegate.heard, ["gems_1200 for alice-4f1c9a7e", "gems_300 for alice-4f1c9a7e"])
  }

  func testNobodyPaysWhereItCannotBeWrittenDown() async throws {
    let fixture = try ClientFixture()
    let eventLog = FailingEventLog()
    let client = try fixture.client(eventLog: eventLog)
    _ = try await client.offerings()
    await client.context.register(client.customerID)
    eventLog.isFull.withLock { $0 = true }
    _ = await refusal(.inputOutput) { try await client.purchase(try ProductCode(ClientFixture.gems)) }
    XCTAssertEqual(fixture.shop.purchaseCount, 0)
  }

  func testWhatIsPaidForIsCreditedThoughTheDiskIsFull() async throws {
    let fixture = try ClientFixture()
    let eventLog = FailingEventLog()
    let events = Collector<ReceiptPipelineEvent>()
    let client = try fixture.client(eventLog: eventLog) {
      $0.onStep = { step in if step == .paid { eventLog.isFull.withLock { $0 = true } } }
    }
    client.onReceiptPipelineEvent = { events.add($0) }
    let result = try await client.purchase(try ProductCode(ClientFixture.gems))
    XCTAssertNotNil(result.customerInfo)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
    XCTAssertEqual(fixture.shop.finished.count, 1)
    XCTAssertTrue(events.all.contains { if case .notKept = $0 { true } else { false } })
    eventLog.isFull.withLock { $0 = false }
    client.flush()
    XCTAssertEqual(try ReceiptQueue(eventLog: eventLog).read { $0.items.count }, 0)
  }
}

extension XCTestCase {
  /// Fails unless the work is refused with this code; gives the refusal.
  @discardableResult
  func refusal<T>(
    _ code: LedgerError.Code, file: StaticString = #filePath, line: UInt = #line, _ work: () async throws -> T
  ) async -> LedgerError? {
    do {
      let value = try await work()
      XCTFail("expected \(code), got \(value)", file: file, line: line)
    } catch let error as LedgerError {
      XCTAssertEqual(error.code, code, error.message, file: file, line: line)
      return error
    } catch {
      XCTFail("expected \(code), got \(error)", file: file, line: line)
    }
    return nil
  }
}
