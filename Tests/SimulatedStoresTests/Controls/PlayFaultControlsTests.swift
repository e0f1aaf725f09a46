import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Faults and simulated errors at Google Play, as a client's user sees them.
final class PlayFaultControlsTests: XCTestCase {
  func testEveryErrorOfAPurchaseReachesItsCaller() async throws {
    let fixture = try PlayFixture()
    _ = try await fixture.client.offerings()
    for failure in StoreFailure.allCases {
      try fixture.store.setSimulatedError(.store(failure), forAPI: .purchase)
      XCTAssertEqual(fixture.store.simulatedError(forAPI: .purchase), .store(failure))
      if failure == .userCancelled {
        let result = try await fixture.client.buy("gems")
        XCTAssertEqual(result, .cancelled)
      } else {
        await assertStoreFails(failure) { try await fixture.client.buy("gems") }
      }
    }
    try fixture.store.setSimulatedError(nil, forAPI: .purchase)
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, fixture.client)
  }

  func testTheOtherCallsFailWithTheirErrors() async throws {
    let fixture = try PlayFixture()
    try fixture.store.setSimulatedError(.store(.networkError), forAPI: .loadProducts)
    await assertStoreFails(.networkError) { try await fixture.client.offerings() }
    try fixture.store.setSimulatedError(nil, forAPI: .loadProducts)
    try fixture.store.setSimulatedError(.store(.systemError), forAPI: .finish)
    _ = try await fixture.client.buy("vip")
    try await assertSees(300, fixture.client, pending: 1, "not acknowledged")
    try fixture.store.setSimulatedError(nil, forAPI: .finish)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
    for api in [StoreAPI.appStoreSync, .all] {
      try fixture.store.setSimulatedError(.store(.systemError), forAPI: api)
      await assertStoreFails(.systemError) { try await fixture.client.restorePurchases() }
      try fixture.store.setSimulatedError(nil, forAPI: api)
    }
    let restored = try await fixture.client.restorePurchases()
    XCTAssertTrue(restored.hasActiveEntitlement("premium"))
    try fixture.store.setSimulatedError(.verification(.invalidSignature), forAPI: .verification)
    let result = try await fixture.client.buy("gems")
    guard case .failedServerValidation(let code, _, _) = result else { return XCTFail("\(result)") }
    XCTAssertEqual(code, LedgerError.Code.receiptUnverified.description)
  }

  func testFaultsOnEitherSideOfAnEffect() async throws {
    let fixture = try PlayFixture(isAutomatic: true)
    try fixture.store.inject([
      StoreFault(.networkCutBefore, on: .purchase, .nth(1)), StoreFault(.networkCutAfter, on: .purchase, .nth(2)),
      StoreFault(.networkCutAfter, on: .finish),
    ])
    await assertStoreFails(.networkError) { try await fixture.client.buy("gems") }
    XCTAssertEqual(fixture.store.purchases(), [])
    await assertStoreFails(.networkError) { try await fixture.client.buy("gems") }
    try await fixture.client.comes(to: 300)
    // The client finishes in its own time; it repeats a failed finish with the next look.
    try await fixture.client.comes(to: true, \.self) {
      await fixture.client.syncPurchases()
      return fixture.store.faults.isEmpty && fixture.client.queueCounts.pending == 0
    }
    try await assertSees(300, fixture.client)
  }

  func testWrongAnswersAndDuplicatesAreCreditedOnce() async throws {
    for effect in [StoreFault.Effect.reportsCancelled, .reportsPending, .duplicate] {
      let fixture = try PlayFixture(isAutomatic: true)
      let listener = await PurchaseListener(fixture.client)
      try fixture.store.inject(StoreFault(effect, on: .purchase))
      let result = try await fixture.client.buy("gems")
      XCTAssertEqual(result.customerInfo != nil, effect == .duplicate, "\(effect)")
      try await fixture.client.comes(to: 300, "\(effect)")
      try await until { listener.bought.all.count == 1 && fixture.client.queueCounts.pending == 0 }
      await fixture.client.syncPurchases()
      try await assertSees(300, fixture.client, "\(effect)")
      await listener.heardAll()
      XCTAssertEqual(listener.bought.all.count, 1)
    }
  }

  func testOneShotFaultsReplaceTheSwitches() async throws {
    let fixture = try PlayFixture()
    try fixture.store.inject([
      StoreFault(.cancel, on: .purchase, .nth(1)), StoreFault(.askToBuy, on: .purchase, .nth(2)),
    ])
    let first = try await fixture.client.buy("gems")
    let second = try await fixture.client.buy("gems")
    XCTAssertEqual([first, second], [.cancelled, .pending])
    try fixture.store.approvePendingPurchase(token: try XCTUnwrap(fixture.store.purchases().first).purchaseToken)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
    assertRefused(.invalidRequest) { try fixture.store.inject(StoreFault(.interrupt, on: .purchase)) }
  }

  func testLateUpdatesAreCreditedInTime() async throws {
    let fixture = try PlayFixture(isAutomatic: true)
    fixture.store.paymentInstrument = .cash
    for product in ["gems", "chest"] { _ = try await fixture.client.buy(product) }
    try fixture.store.inject([
      StoreFault(.failure(.systemError), on: .unfinished, .always),
      StoreFault(.delay(.seconds(10)), on: .updates, .nth(1)), StoreFault(.duplicate, on: .updates, .nth(2)),
    ])
    for purchase in fixture.store.purchases() {
      try fixture.store.approvePendingPurchase(token: purchase.purchaseToken)
    }
    try await fixture.client.comes(to: 300)
    let products = try await fixture.client.products()
    XCTAssertEqual(products, ["chest"])
    fixture.clock.advance(by: .seconds(10))
    try await fixture.client.comes(to: 600)
  }

  func testClearedFaultsStrikeNoMoreAndChaosLeavesMoneyAndGemsEqual() async throws {
    var generator = SeededRandom()
    let seed = generator.next()
    let fixture = try PlayFixture(seed: seed)
    try fixture.store.inject(.chaos(percent: 20))
    for _ in 0..<40 {
      // How each of them ends does not matter here.
      _ = try? await fixture.client.buy(generator.percent(50) ? "gems" : "chest")
      if generator.percent(30) { await fixture.client.syncPurchases() }
      // A payment that never arrives would keep its product from being bought again.
      for waiting in fixture.store.purchases() where waiting.state == .pending {
        try fixture.store.approvePendingPurchase(token: waiting.purchaseToken)
      }
      fixture.clock.advance(by: .seconds(Int64(generator.below(120))))
    }
    XCTAssertFalse(fixture.store.faults.isEmpty)
    try fixture.store.clearFaults()
    try await fixture.pixel.sync()
    await fixture.client.syncPurchases()
    let paid = fixture.store.purchases().count { $0.state == .purchased }
    XCTAssertGreaterThan(paid, 0, "seed \(seed)")
    try await assertSees(300 * paid, fixture.client, "seed \(seed)")
  }

  func testAFaultOfAnAccountOrDeviceStrikesNobodyElse() async throws {
    let fixture = try PlayFixture()
    try fixture.store.inject(StoreFault(.failure(.unknown), on: .purchase, .always, account: "family", device: "pixel"))
    let second = try await fixture.fresh(on: fixture.tablet).buy("gems")
    XCTAssertNotNil(second.customerInfo)
    await assertStoreFails(.unknown) { try await fixture.client.buy("gems") }
  }

  func testTheClockAndTheEnvironmentAreThoseThatPurchasesState() async throws {
    let fixture = try PlayFixture(policy: BackendPolicy(sandboxReceipts: .nobody))
    XCTAssertTrue(fixture.store.clock === fixture.clock)
    fixture.store.clock.advance(to: fixture.clock.now.advanced(days: 3))
    let outcome = try await fixture.client.outcome(ofPurchasing: "gems")
    XCTAssertEqual(outcome.transaction?.purchasedAt, fixture.clock.now)
    XCTAssertEqual(outcome.transaction?.environment, fixture.store.environment)
    XCTAssertEqual(outcome.failure?.code, .environmentNotAllowed)
  }
}
