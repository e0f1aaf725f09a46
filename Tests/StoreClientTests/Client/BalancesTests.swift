import GemLedger
import GemTestSupport
import StoreBackend
import StoreTestSupport
import Synchronization
import XCTest

@testable import StoreClient

final class BalancesTests: XCTestCase {
  func testAreAskedForOnceInFiveMinutes() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    XCTAssertNil(client.cachedVirtualCurrencies)
    let first = try await client.virtualCurrencies()
    XCTAssertEqual(first.all.keys.sorted(), ["COIN", "GEM"], "zeros included")
    XCTAssertEqual(first["GEM"]?.name, "Gems")
    XCTAssertEqual(first["GEM"]?.serverDescription, "Hard currency")
    fixture.clock.advance(seconds: 299)
    _ = try await client.virtualCurrencies()
    XCTAssertEqual(fixture.backend.count("balances"), 1)
    XCTAssertEqual(client.cachedVirtualCurrencies?.isStale, false)
    fixture.clock.advance(seconds: 1)
    XCTAssertEqual(client.cachedVirtualCurrencies?.isStale, true)
    _ = try await client.virtualCurrencies()
    XCTAssertEqual(fixture.backend.count("balances"), 2)
  }

  func testEverythingThatMayChangeThemInvalidatesThem() async throws {
    typealias Call = @Sendable (StoreClient) async throws -> Void
    let rows: [(line: UInt, call: Call)] = [
      (#line, { $0.invalidateVirtualCurrenciesCache() }),
      (#line, { try await $0.purchase(try ProductCode("gems_300")) }),
      (#line, { try await $0.spend([Adjustment(try CurrencyCode("GEM"), 1)]) }),
      (#line, { try await $0.identify("bobby-77d0e2b1") }), (#line, { try await $0.restorePurchases() }),
    ]
    for row in rows {
      let fixture = try ClientFixture()
      let client = try fixture.client()
      try await client.purchase(try ProductCode("gems_300"))
      _ = try await client.virtualCurrencies()
      try await row.call(client)
      XCTAssertNotEqual(client.cachedVirtualCurrencies?.isStale, false, line: row.line)
      let before = fixture.backend.count("balances")
      _ = try await client.virtualCurrencies()
      XCTAssertEqual(fixture.backend.count("balances"), before + 1, line: row.line)
    }
  }

  /// The hazard of clients that join a request under way: its answer is older than the purchase.
  func testAnOlderAnswerNeverOverwritesANewerOne() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    await client.context.register(client.customerID)
    fixture.backend.hold()
    let old = Task { try await client.virtualCurrencies() }
    try await until { fixture.backend.heldCount == 1 }
    fixture.backend.stopHolding()
    try await client.purchase(try ProductCode("gems_300"))
    let new = try await client.virtualCurrencies()
    XCTAssertEqual(new["GEM"]?.balance, 300)
    fixture.backend.release()
    let stale = try await old.value
    XCTAssertEqual(stale["GEM"]?.balance, 0, "what was asked before the purchase")
    XCTAssertEqual(client.cachedVirtualCurrencies?["GEM"]?.balance, 300)
    XCTAssertEqual(client.cachedVirtualCurrencies?.isStale, false)
  }

  func testRequestsAtTheSameTimeAreOne() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    fixture.backend.hold()
    let first = Task { try await client.virtualCurrencies() }
    try await until { fixture.backend.heldCount == 1 }
    let others = (0..<10).map { _ in Task { try await client.virtualCurrencies() } }
    for _ in 0..<500 { await Task.yield() }
    fixture.backend.release()
    for task in [first] + others { _ = try await task.value }
    XCTAssertEqual(fixture.backend.count("balances"), 1)
  }

  func testTheLastKnownValueIsShownAsStaleWhereNobodyAnswers() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    fixture.backend.setDown(true)
    _ = await refusal(.backendUnreachable) { try await client.virtualCurrencies() }
    fixture.backend.setDown(false)
    try await client.purchase(try ProductCode("gems_300"))
    _ = try await client.virtualCurrencies()
    fixture.backend.setDown(true)
    client.invalidateVirtualCurrenciesCache()
    let stale = try await client.virtualCurrencies()
    XCTAssertEqual(stale["GEM"]?.balance, 300)
    XCTAssertTrue(stale.isStale)
    // The same after a restart without a network.
    let next = try fixture.client()
    XCTAssertEqual(next.cachedVirtualCurrencies?["GEM"]?.balance, 300)
    let again = try await next.virtualCurrencies()
    XCTAssertTrue(again.isStale)
    // A refusal is an answer, not silence.
    fixture.backend.setDown(false)
    fixture.backend.fail(LedgerError(.customerNotFound, "Nobody."))
    _ = await refusal(.customerNotFound) { try await next.virtualCurrencies() }
  }

  func testABalanceOfAnotherCustomerIsNeverShown() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    try await client.purchase(try ProductCode("gems_300"))
    _ = try await client.virtualCurrencies()
    try await client.identify("bobby-77d0e2b1")
    XCTAssertNil(client.cachedVirtualCurrencies)
    let bobbys = try await client.virtualCurrencies()
    XCTAssertEqual(bobbys["GEM"]?.balance, 0)
    XCTAssertEqual(bobbys.customer.text, "bobby-77d0e2b1")
  }

  func testUpdatesTellOfPurchasesAndSpends() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    var updates = client.balanceUpdates.makeAsyncIterator()
    try await client.purchase(try ProductCode("gems_1200"))
    let bought = await updates.next()
    XCTAssertEqual(bought?["GEM"]?.balance, 1200)
    try await client.spend([Adjustment(try CurrencyCode("GEM"), 50)])
    let spent = await updates.next()
    XCTAssertEqual(spent?["GEM"]?.balance, 1150)
    var late = client.balanceUpdates.makeAsyncIterator()
    let known = await late.next()
    XCTAssertEqual(known?["GEM"]?.balance, 1150, "a late listener begins with what is known")
  }

  func testConsumablesByTheirProducts() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    try await client.purchase(try ProductCode("gems_300"))
    for name in ["gems_300", "com.example.gems_300"] {
      let balance = await client.consumableBalance(for: name)
      XCTAssertEqual(balance, 300)
    }
    let key = try IdempotencyKey("tap-1")
    for _ in 0..<2 {
      let isTaken = try await client.consumeProduct("gems_300", amount: 120, key: key)
      XCTAssertTrue(isTaken)
    }
    let left = try await client.virtualCurrency(ofProduct: "gems_300")
    XCTAssertEqual(left?.balance, 180)
    let isTaken = await client.consumeProduct("gems_300", amount: 181)
    XCTAssertFalse(isTaken)
    _ = await refusal(.invalidRequest) { try await client.virtualCurrency(ofProduct: "bundle") }
    _ = await refusal(.productNotFound) { try await client.virtualCurrency(ofProduct: "nothing") }
    let unknown = await client.consumableBalance(for: "nothing")
    XCTAssertEqual(unknown, 0)
  }

  /// A spend without a key of the app's has one all the same until its outcome is known.
  func testAConsumptionWithALostAnswerIsAskedAgainUnderItsKey() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    try await client.purchase(try ProductCode("gems_300"))
    fixture.backend.loseSpend()
    let lost = await client.consumeProduct("gems_300", amount: 100)
    XCTAssertFalse(lost, "the app gives nothing")
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 200, "but it was taken")
    let again = await client.consumeProduct("gems_300", amount: 100)
    XCTAssertTrue(again)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 200, "once")
    let next = await client.consumeProduct("gems_300", amount: 100)
    XCTAssertTrue(next)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 100, "a settled key is not used again")
  }

  func testAClearedCacheIsEmptyUntilTheNextAnswer() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    try await client.purchase(try ProductCode("gems_300"))
    _ = try await client.virtualCurrencies()
    client.invalidateVirtualCurrenciesCache()
    XCTAssertNil(client.cachedVirtualCurrencies)
    XCTAssertEqual(client.lastKnownVirtualCurrencies?["GEM"]?.balance, 300)
    XCTAssertEqual(client.lastKnownVirtualCurrencies?.isStale, true)
    fixture.backend.setDown(true)
    let stale = try await client.virtualCurrencies()
    XCTAssertTrue(stale.isStale)
    XCTAssertNil(client.cachedVirtualCurrencies, "nothing was answered")
    fixture.backend.setDown(false)
    _ = try await client.virtualCurrencies()
    XCTAssertEqual(client.cachedVirtualCurrencies?["GEM"]?.balance, 300)
    try await client.purchase(try ProductCode("gems_300"))
    XCTAssertEqual(client.cachedVirtualCurrencies?.isStale, true, "a purchase clears nothing")
  }

  /// The answer to a request from before the cache was cleared does not fill it again.
  func testAnOlderAnswerDoesNotFillAClearedCache() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.virtualCurrencies()
    client.invalidateVirtualCurrenciesCache()
    fixture.backend.hold()
    let early = Task { try await client.virtualCurrencies() }
    try await until { fixture.backend.heldCount == 1 }
    client.invalidateVirtualCurrenciesCache()
    fixture.backend.release()
    _ = try await early.value
    XCTAssertNil(client.cachedVirtualCurrencies)
    XCTAssertNotNil(client.lastKnownVirtualCurrencies)
  }

  // MARK: Provisional credits

  func testAPurchaseThatWaitsTooLongIsShownAsProvisionalAndNeverDoubled() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client { $0.provisionalAfter = .seconds(60) }
    try await client.purchase(try ProductCode("gems_300"))
    _ = try await client.virtualCurrencies()
    fixture.clock.advance(seconds: 1)
    fixture.backend.setDown(true)
    try await client.purchase(try ProductCode("gems_1200"))
    let before = try await client.virtualCurrencies()
    XCTAssertEqual(before["GEM"]?.provisional, 0, "not yet")
    fixture.clock.advance(seconds: 60)
    let shown = try await client.virtualCurrencies()
    XCTAssertEqual(shown["GEM"]?.balance, 300)
    XCTAssertEqual(shown["GEM"]?.provisional, 1200)
    XCTAssertTrue(shown.isStale)
    // It survives the process, and synchronous reads show it too.
    let next = try fixture.client()
    XCTAssertEqual(next.cachedVirtualCurrencies?["GEM"]?.provisional, 1200)
    XCTAssertEqual(next.provisionalCredits, [try CurrencyCode("GEM"): 1200])
    // The next contact brings the credit, and the provisional one goes.
    fixture.backend.setDown(false)
    fixture.clock.advance(seconds: 3600)
    let credited = try await next.appDidBecomeActive()
    XCTAssertEqual(credited["GEM"]?.balance, 1500)
    XCTAssertEqual(credited["GEM"]?.provisional, 0)
    XCTAssertEqual(next.provisionalCredits, [:])
  }

  /// The backend credited, and its answer was lost: a balance asked for afterwards may hold the credit already.
  func testAProvisionalCreditIsNotShownBesideABalanceThatMayHoldIt() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client { $0.provisionalAfter = .seconds(0) }
    _ = try await client.virtualCurrencies()
    fixture.clock.advance(seconds: 1)
    fixture.backend.loseAnswer()
    try await client.purchase(try ProductCode("gems_300"))
    fixture.backend.loseAnswer()
    await client.syncPurchases()
    XCTAssertEqual(client.queueCounts.pending, 1)
    XCTAssertEqual(client.cachedVirtualCurrencies?["GEM"]?.provisional, 300)
    fixture.clock.advance(seconds: 1)
    // The balance is asked for and holds the credit; the receipt still waits.
    fixture.backend.loseAnswer()
    fixture.backend.loseAnswer()
    fixture.clock.advance(seconds: 60)
    let balances = try await client.virtualCurrencies()
    XCTAssertEqual(balances["GEM"]?.balance, 300)
    client.invalidateVirtualCurrenciesCache()
    XCTAssertEqual(client.queueCounts.pending, 1)
    XCTAssertEqual(client.lastKnownVirtualCurrencies?["GEM"]?.provisional, 0)
  }

  func testALocalModeHasNothingProvisional() async throws {
    let fixture = try ClientFixture()
    let backend = fixture.backend
    let client = try fixture.client {
      $0.mode = .local(backend)
      $0.provisionalAfter = .seconds(0)
    }
    _ = try await client.offerings()
    fixture.backend.setDown(true)
    try await client.purchase(try ProductCode("gems_300"))
    await client.syncPurchases()
    XCTAssertEqual(client.provisionalCredits, [:])
  }

  // MARK: Customer information

  func testCustomerInfoIsKeptUpByPurchases() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    for _ in 0..<3 { try await client.purchase(try ProductCode("gems_300")) }
    let info = try await client.customerInfo()
    XCTAssertEqual(info.nonSubscriptions.count, 3)
    XCTAssertEqual(fixture.backend.count("customer "), 1, "the purchases bring what is new")
    XCTAssertEqual(info.nonSubscriptions.first?.storeTransactionIdentifier, "2000000003")
    XCTAssertNotEqual(
      info.nonSubscriptions.first?.storeTransactionIdentifier, info.nonSubscriptions.first?.transactionIdentifier)
    client.invalidateCustomerInfoCache()
    let asked = try await client.customerInfo()
    XCTAssertEqual(asked.nonSubscriptions, info.nonSubscriptions)
    XCTAssertFalse(asked.hasActiveEntitlement("premium"))
  }

  func testCustomerInfoNamesEachPurchaseOnceAndAtMostAHundred() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    for _ in 0..<102 { try await client.purchase(try ProductCode("gems_300")) }
    var info = try await client.customerInfo()
    let newest = info.nonSubscriptions.map(\.storeTransactionIdentifier)
    XCTAssertEqual(newest.count, 100)
    XCTAssertEqual(newest.first, "2000000102")
    XCTAssertEqual(newest.last, "2000000003")
    var again = info.record.nonSubscriptions[40]
    again.refundedMilliPercent = 100_000
    info.add(again, at: fixture.clock.now)
    XCTAssertEqual(info.nonSubscriptions.map(\.storeTransactionIdentifier), newest)
    XCTAssertEqual(info.nonSubscriptions.filter(\.isRefunded).map(\.storeTransactionIdentifier), [newest[40]])
  }

  func testHistoryComesInPages() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    for _ in 0..<5 { try await client.purchase(try ProductCode("gems_300")) }
    let first = try await client.purchaseHistory(page: 1, size: 2)
    XCTAssertEqual(first.map(\.storeTransactionID.text), ["2000000005", "2000000004"])
    let last = try await client.listSuccessfulTransactions(atPage: 3, size: 2)
    XCTAssertEqual(last.map(\.storeTransactionID.text), ["2000000001"])
    let behind = try await client.listSuccessfulTransactions(atPage: 4, size: 2)
    XCTAssertEqual(behind.count, 0)
  }
}
