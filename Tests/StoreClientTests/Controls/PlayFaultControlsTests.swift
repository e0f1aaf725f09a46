import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import XCTest

/// Faults and simulated errors at Google Play, as a client's user sees them.
final class PlayFaultControlsTests: XCTestCase {
  func testEveryErrorOfAPurchaseReachesItsCaller() async throws {
    let scene = try PlayScene()
    _ = try await scene.client.offerings()
    for failure in StoreFailure.allCases {
      try scene.store.setSimulatedError(.store(failure), forAPI: .purchase)
      XCTAssertEqual(scene.store.simulatedError(forAPI: .purchase), .store(failure))
      if failure == .userCancelled {
        let result = try await scene.client.buy("gems")
        XCTAssertEqual(result, .cancelled)
      } else {
        await assertStoreFails(failure) { try await scene.client.buy("gems") }
      }
    }
    try scene.store.setSimulatedError(nil, forAPI: .purchase)
    let result = try await scene.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, scene.client)
  }

  func testTheOtherCallsFailWithTheirErrors() async throws {
    let scene = try PlayScene()
    try scene.store.setSimulatedError(.store(.networkError), forAPI: .loadProducts)
    await assertStoreFails(.networkError) { try await scene.client.offerings() }
    try scene.store.setSimulatedError(nil, forAPI: .loadProducts)
    try scene.store.setSimulatedError(.store(.systemError), forAPI: .finish)
    _ = try await scene.client.buy("vip")
    try await assertSees(300, scene.client, pending: 1, "not acknowledged")
    try scene.store.setSimulatedError(nil, forAPI: .finish)
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
    for api in [StoreAPI.appStoreSync, .all] {
      try scene.store.setSimulatedError(.store(.systemError), forAPI: api)
      await assertStoreFails(.systemError) { try await scene.client.restorePurchases() }
      try scene.store.setSimulatedError(nil, forAPI: api)
    }
    let restored = try await scene.client.restorePurchases()
    XCTAssertTrue(restored.hasActiveEntitlement("premium"))
    try scene.store.setSimulatedError(.verification(.invalidSignature), forAPI: .verification)
    let result = try await scene.client.buy("gems")
    guard case .failedServerValidation(let code, _, _) = result else { return XCTFail("\(result)") }
    XCTAssertEqual(code, LedgerError.Code.receiptUnverified.description)
  }

  func testFaultsOnEitherSideOfAnEffect() async throws {
    let scene = try PlayScene(isAutomatic: true)
    try scene.store.inject([
      StoreFault(.networkCutBefore, on: .purchase, .nth(1)), StoreFault(.networkCutAfter, on: .purchase, .nth(2)),
      StoreFault(.networkCutAfter, on: .finish),
    ])
    await assertStoreFails(.networkError) { try await scene.client.buy("gems") }
    XCTAssertEqual(scene.store.purchases(), [])
    await assertStoreFails(.networkError) { try await scene.client.buy("gems") }
    try await scene.client.comes(to: 300)
    // The client finishes in its own time; it repeats a failed finish with the next look.
    try await scene.client.comes(to: true, \.self) {
      await scene.client.syncPurchases()
      return scene.store.faults.isEmpty && scene.client.pendingReceiptCount == 0
    }
    try await assertSees(300, scene.client)
  }

  func testWrongAnswersAndDuplicatesAreCreditedOnce() async throws {
    for effect in [StoreFault.Effect.reportsCancelled, .reportsPending, .duplicate] {
      let scene = try PlayScene(isAutomatic: true)
      let listener = PurchaseListener(scene.client)
      try scene.store.inject(StoreFault(effect, on: .purchase))
      let result = try await scene.client.buy("gems")
      XCTAssertEqual(result.customerInfo != nil, effect == .duplicate, "\(effect)")
      try await scene.client.comes(to: 300, "\(effect)")
      try await until { listener.bought.all.count == 1 && scene.client.pendingReceiptCount == 0 }
      await scene.client.syncPurchases()
      try await assertSees(300, scene.client, "\(effect)")
      XCTAssertEqual(listener.bought.all.count, 1)
    }
  }

  func testOneShotFaultsReplaceTheSwitches() async throws {
    let scene = try PlayScene()
    try scene.store.inject([
      StoreFault(.cancel, on: .purchase, .nth(1)), StoreFault(.askToBuy, on: .purchase, .nth(2)),
    ])
    let first = try await scene.client.buy("gems")
    let second = try await scene.client.buy("gems")
    XCTAssertEqual([first, second], [.cancelled, .pending])
    try scene.store.approvePendingPurchase(token: try XCTUnwrap(scene.store.purchases().first).purchaseToken)
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
    assertRefused(.invalidRequest) { try scene.store.inject(StoreFault(.interrupt, on: .purchase)) }
  }

  func testLateUpdatesAreCreditedInTime() async throws {
    let scene = try PlayScene(isAutomatic: true)
    scene.store.paymentInstrument = .cash
    for product in ["gems", "chest"] { _ = try await scene.client.buy(product) }
    try scene.store.inject([
      StoreFault(.failure(.systemError), on: .unfinished, .always),
      StoreFault(.delay(.seconds(10)), on: .updates, .nth(1)), StoreFault(.duplicate, on: .updates, .nth(2)),
    ])
    for purchase in scene.store.purchases() { try scene.store.approvePendingPurchase(token: purchase.purchaseToken) }
    try await scene.client.comes(to: 300)
    let products = try await scene.client.products()
    XCTAssertEqual(products, ["chest"])
    scene.clock.advance(by: .seconds(10))
    try await scene.client.comes(to: 600)
  }

  func testClearedFaultsStrikeNoMoreAndChaosLeavesMoneyAndGemsEqual() async throws {
    var dice = SeededDice()
    let seed = dice.next()
    let scene = try PlayScene(seed: seed)
    try scene.store.inject(.chaos(percent: 20))
    for _ in 0..<40 {
      // How each of them ends does not matter here.
      _ = try? await scene.client.buy(dice.percent(50) ? "gems" : "chest")
      if dice.percent(30) { await scene.client.syncPurchases() }
      // A payment that never arrives would keep its product from being bought again.
      for waiting in scene.store.purchases() where waiting.state == .pending {
        try scene.store.approvePendingPurchase(token: waiting.purchaseToken)
      }
      scene.clock.advance(by: .seconds(Int64(dice.below(120))))
    }
    XCTAssertFalse(scene.store.faults.isEmpty)
    try scene.store.clearFaults()
    try await scene.pixel.sync()
    await scene.client.syncPurchases()
    let paid = scene.store.purchases().count { $0.state == .purchased }
    XCTAssertGreaterThan(paid, 0, "seed \(seed)")
    try await assertSees(300 * paid, scene.client, "seed \(seed)")
  }

  func testAFaultOfAnAccountOrDeviceStrikesNobodyElse() async throws {
    let scene = try PlayScene()
    try scene.store.inject(StoreFault(.failure(.unknown), on: .purchase, .always, account: "family", device: "pixel"))
    let second = try await scene.fresh(on: scene.tablet).buy("gems")
    XCTAssertNotNil(second.customerInfo)
    await assertStoreFails(.unknown) { try await scene.client.buy("gems") }
  }

  func testTheClockAndTheEnvironmentAreThoseThatPurchasesState() async throws {
    let scene = try PlayScene(policy: BackendPolicy(sandboxReceipts: .nobody))
    XCTAssertTrue(scene.store.clock === scene.clock)
    scene.store.clock.advance(to: scene.clock.now.advanced(days: 3))
    let outcome = try await scene.client.outcome(ofPurchasing: "gems")
    XCTAssertEqual(outcome.transaction?.purchasedAt, scene.clock.now)
    XCTAssertEqual(outcome.transaction?.environment, scene.store.environment)
    XCTAssertEqual(outcome.failure?.code, .environmentNotAllowed)
  }
}
