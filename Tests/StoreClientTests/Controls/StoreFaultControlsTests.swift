import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import XCTest

/// Each fault at each of its times, as a client's user sees it.
final class StoreFaultControlsTests: XCTestCase {
  // MARK: Purchases

  func testANetworkCutBeforeThePaymentCostsNothing() async throws {
    let scene = try ControlScene()
    try scene.store.inject(StoreFault(.networkCutBefore, on: .purchase))
    let error = await assertRefused(.storeError) { try await scene.client.buy("gems") }
    XCTAssertEqual(error?.revenueCatCode, 10)
    await scene.client.syncPurchases()
    try await assertSees(0, scene.client)
  }

  /// A paid purchase comes to its buyer through the updates, regardless of the answer that the app got.
  func testALostOrWrongAnswerToAPaymentIsCreditedAllTheSame() async throws {
    for effect in [StoreFault.Effect.networkCutAfter, .reportsCancelled, .reportsPending] {
      let scene = try ControlScene(isAutomatic: true)
      let listener = PurchaseListener(scene.client)
      try scene.store.inject(StoreFault(effect, on: .purchase))
      switch effect {
      case .networkCutAfter: await assertStoreFails(.networkError) { try await scene.client.buy("gems") }
      case .reportsCancelled:
        let result = try await scene.client.buy("gems")
        XCTAssertEqual(result, .cancelled)
      default:
        let result = try await scene.client.buy("gems")
        XCTAssertEqual(result, .pending)
      }
      try await scene.client.comes(to: 300, "\(effect)")
      try await until { listener.bought.all.count == 1 && scene.client.pendingReceiptCount == 0 }
      try await assertSees(300, scene.client, "\(effect)")
    }
  }

  func testOneShotFaultsReplaceTheSwitches() async throws {
    let scene = try ControlScene()
    try scene.store.inject([
      StoreFault(.cancel, on: .purchase, .nth(1)), StoreFault(.askToBuy, on: .purchase, .nth(2)),
      StoreFault(.interrupt, on: .purchase, .nth(3)),
    ])
    var results: [PurchaseResult] = []
    for _ in 0..<3 { results.append(try await scene.client.buy("gems")) }
    XCTAssertEqual(results, [.cancelled, .pending, .cancelled])
    XCTAssertEqual(scene.store.faults, [], "each struck once")
    let (asked, issue) = (scene.store.allTransactions()[0], scene.store.allTransactions()[1])
    try scene.store.approveAskToBuyTransaction(identifier: asked.identifier)
    try scene.store.resolveIssueForTransaction(identifier: issue.identifier)
    await scene.client.syncPurchases()
    try await assertSees(600, scene.client)
  }

  func testTheFaultsOfOneAPIAreEndedAndTheOthersGoOnCounting() async throws {
    let scene = try ControlScene()
    try scene.store.inject([
      StoreFault(.networkCutBefore, on: .finish, .always), StoreFault(.failure(.unknown), on: .purchase, .nth(2)),
    ])
    let result = try await scene.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    XCTAssertEqual(scene.client.pendingReceiptCount, 1, "credited, and the store cannot be told")
    try scene.store.clearFaults(on: .finish)
    await scene.client.syncPurchases()
    XCTAssertEqual(scene.client.pendingReceiptCount, 0)
    await assertStoreFails(.unknown) { try await scene.client.buy("gems") }
    XCTAssertEqual(scene.store.faults, [])
    try await assertSees(300, scene.client)
  }

  func testUnverifiedEvidenceIsRefusedAndCreditedOnceItIsTrusted() async throws {
    let scene = try ControlScene()
    try scene.store.inject(StoreFault(.unverified(.invalidSignature), on: .verification))
    let result = try await scene.client.buy("gems")
    guard case .failedServerValidation(let code, _, _) = result else { return XCTFail("\(result)") }
    XCTAssertEqual(code, LedgerError.Code.receiptUnverified.description)
    XCTAssertEqual(scene.client.deadLetteredReceiptCount, 1)
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client, "the next listing is trusted")
  }

  /// The store lists the purchase only later, and the purchase's own answer is credited at once.
  func testADelayedPurchaseIsCreditedByItsAnswerOrLaterByTheList() async throws {
    let scene = try ControlScene()
    let fault = StoreFault(.delay(.seconds(30)), on: .purchase)
    try scene.store.inject(fault)
    let direct = try await scene.client.buy("chest")
    XCTAssertNotNil(direct.customerInfo)
    try await assertSees(300, scene.client)
    try scene.store.inject([fault, StoreFault(.networkCutAfter, on: .purchase)])
    await assertStoreFails(.networkError) { try await scene.client.buy("gems") }
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client, "no list shows it yet")
    scene.clock.advance(by: .seconds(30))
    await scene.client.syncPurchases()
    try await assertSees(600, scene.client)
  }

  /// The credit lags behind `purchase` where the backend does not answer.
  func testCreditLagsBehindThePurchaseAndIsShownAsProvisional() async throws {
    let scene = try ControlScene()
    _ = try await scene.client.gems()
    scene.backend.fail(.post, with: .networkLostBeforeEffect, .always)
    let result = try await scene.client.buy("gems")
    XCTAssertEqual(result, .pendingServerValidation)
    XCTAssertEqual(scene.client.pendingReceiptCount, 1)
    scene.clock.advance(by: .seconds(120))
    let shown = try await scene.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, 0)
    XCTAssertEqual(scene.client.provisionalCredits, [try CurrencyCode("GEM"): 300])
    scene.backend.heal()
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
    XCTAssertEqual(scene.client.provisionalCredits, [:])
  }

  func testASlowStoreKeepsOnlyTheCallerWaiting() async throws {
    let scene = try ControlScene()
    _ = try await scene.client.offerings()
    try scene.store.inject(StoreFault(.slow(.seconds(20)), on: .purchase))
    let client = scene.client
    let purchase = Task { try await client.purchase(ProductCode("gems")) }
    while scene.clock.sleeperCount == 0 { await Task.yield() }
    await assertRefused(.purchaseAlreadyInProgress) { try await client.buy("chest") }
    try await assertSees(0, client)
    scene.clock.advance(by: .seconds(20))
    let result = try await purchase.value
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, client)
  }

  func testAnAnswerThatComesAfterItsUpdateIsToldOnce() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let listener = PurchaseListener(scene.client)
    _ = try await scene.client.offerings()
    try scene.store.inject([StoreFault(.slow(.seconds(20)), on: .purchase), StoreFault(.duplicate, on: .purchase)])
    let client = scene.client
    let purchase = Task { try await client.purchase(ProductCode("gems")) }
    try await until { listener.bought.all.count == 1 && client.pendingReceiptCount == 0 }
    while scene.clock.sleeperCount == 0 { await Task.yield() }
    scene.clock.advance(by: .seconds(20))
    let result = try await purchase.value
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, client)
    XCTAssertEqual(listener.bought.all.count, 1)
  }

  func testADuplicateIsCreditedOnce() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let (listener, heard) = (PurchaseListener(scene.client), Collector<ReceiptPipelineEvent>())
    scene.client.onReceiptPipelineEvent = { heard.add($0) }
    try scene.store.inject([StoreFault(.duplicate, on: .purchase), StoreFault(.duplicate, on: .updates)])
    let result = try await scene.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await until {
      // The answer, and the update twice.
      heard.all.count { if case .queued = $0 { true } else if case .duplicateSkipped = $0 { true } else { false } } >= 3
        && scene.client.pendingReceiptCount == 0
    }
    try await assertSees(300, scene.client)
    XCTAssertEqual(listener.bought.all.count, 1)
  }

  // MARK: Updates

  func testUpdatesThatComeLateTwiceInAnotherOrderOrNeverAreCreditedOnceEach() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let seen = Collector<StoreTransactionID>()
    scene.client.onReceiptPipelineEvent = { event in
      if case .finished(let item) = event { seen.add(item.storeTransactionID) }
    }
    _ = try await scene.client.customerInfo()
    try scene.store.inject([
      StoreFault(.delay(.seconds(10)), on: .updates, .nth(1)), StoreFault(.duplicate, on: .updates, .nth(2)),
      StoreFault(.reorder, on: .updates, .nth(3)), StoreFault(.networkCutBefore, on: .updates, .nth(5)),
      // So that the client's look at its start finds none of them.
      StoreFault(.failure(.systemError), on: .unfinished, .always),
    ])
    var ids: [StoreTransactionID] = []
    for _ in 0..<5 { ids.append(try scene.family.buyProduct(identifier: "gems").identifier) }
    try await scene.client.comes(to: 900)
    try await until { Set(seen.all) == [ids[1], ids[2], ids[3]] }
    scene.clock.advance(by: .seconds(10))
    try await scene.client.comes(to: 1200, "the late one")
    try scene.store.clearFaults()
    await scene.client.syncPurchases()
    try await assertSees(1500, scene.client, "the lost one, by the list")
    try await until { Set(seen.all) == Set(ids) }
  }

  func testAnUnverifiedUpdateIsNotCredited() async throws {
    let scene = try ControlScene(isAutomatic: true)
    try scene.store.inject([
      StoreFault(.unverified(.invalidCertificateChain), on: .updates),
      // So that the client's look at its start does not find it trusted.
      StoreFault(.failure(.systemError), on: .unfinished, .always),
      StoreFault(.failure(.systemError), on: .all, .always),
    ])
    try scene.family.buyProduct(identifier: "gems")
    try await until { scene.client.deadLetteredReceiptCount == 1 }
    let gems = try await scene.client.gems()
    XCTAssertEqual(gems, 0)
    try scene.store.clearFaults()
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
  }

  // MARK: The other calls

  /// On either side of its effect.
  func testANetworkCutAtAFinishLeavesItToBeFinished() async throws {
    for (effect, isFinished) in [(StoreFault.Effect.networkCutBefore, false), (.networkCutAfter, true)] {
      let scene = try ControlScene()
      try scene.store.inject(StoreFault(effect, on: .finish))
      let outcome = try await scene.client.outcome(ofPurchasing: "gems")
      XCTAssertNotNil(outcome.result.customerInfo)
      XCTAssertEqual(scene.client.receiptQueueSnapshot().map(\.status), [.finishOnly], "\(effect)")
      let id = try XCTUnwrap(outcome.storeTransactionID)
      XCTAssertEqual(scene.store.transaction(identifier: id)?.isFinished, isFinished)
      await scene.client.syncPurchases()
      try await assertSees(300, scene.client, "\(effect)")
      XCTAssertEqual(scene.store.transaction(identifier: id)?.isFinished, true)
    }
  }

  func testARestoreFailsWhereItsCallsAreCut() async throws {
    let scene = try ControlScene()
    for api in [StoreAPI.appStoreSync, .all] {
      for effect in [StoreFault.Effect.networkCutBefore, .networkCutAfter, .failure(.networkError)] {
        try scene.store.inject(StoreFault(effect, on: api))
        await assertStoreFails(.networkError) { try await scene.client.restorePurchases() }
      }
    }
    let info = try await scene.client.restorePurchases()
    XCTAssertEqual(info.nonSubscriptions, [])
  }

  // MARK: When faults strike

  func testFaultsStrikeOnceAlwaysAtTheNthOrSoManyTimes() async throws {
    let expected: [(StoreFault.Timing, [Bool])] = [
      (.once, [true, false, false, false]), (.always, [true, true, true, true]),
      (.nth(3), [false, false, true, false]), (.times(2), [true, true, false, false]),
      (.chance(percent: 100), [true, true, true, true]),
    ]
    for (timing, pattern) in expected {
      let scene = try ControlScene()
      try scene.store.inject(StoreFault(.failure(.unknown), on: .purchase, timing))
      var struck: [Bool] = []
      for _ in 0..<4 { struck.append(await fails { try await scene.client.buy("gems") }) }
      XCTAssertEqual(struck, pattern, "\(timing)")
      let isSpent = timing != .always && timing != .chance(percent: 100)
      XCTAssertEqual(scene.store.faults.isEmpty, isSpent, "\(timing)")
      try scene.store.clearFaults()
      let result = try await scene.client.buy("gems")
      XCTAssertNotNil(result.customerInfo)
      try await assertSees(300 * (1 + pattern.count { !$0 }), scene.client, "\(timing)")
    }
  }

  func testRandomFaultsDependOnTheSeedAlone() async throws {
    func pattern(seed: UInt64) async throws -> [Bool] {
      let scene = try ControlScene(seed: seed)
      try scene.store.inject(StoreFault(.failure(.systemError), on: .purchase, .chance(percent: 50)))
      var pattern: [Bool] = []
      for _ in 0..<32 { pattern.append(await fails { try await scene.client.buy("gems") }) }
      try await assertSees(300 * pattern.count { !$0 }, scene.client)
      return pattern
    }
    let (one, again, other) = (try await pattern(seed: 1), try await pattern(seed: 1), try await pattern(seed: 2))
    XCTAssertEqual(one, again)
    XCTAssertNotEqual(one, other)
  }

  func testAFaultOfAnAccountOrDeviceStrikesNobodyElse() async throws {
    let scene = try ControlScene()
    let tablet = try scene.fresh(on: scene.world.tablet)
    let stranger = try scene.fresh(ControlScene.bob, on: scene.store.account("bob").device("phone"))
    try scene.store.inject(StoreFault(.failure(.unknown), on: .purchase, account: "family", device: "phone"))
    let other = try await stranger.buy("gems")
    let second = try await tablet.buy("gems")
    XCTAssertNotNil(other.customerInfo)
    XCTAssertNotNil(second.customerInfo)
    await assertStoreFails(.unknown) { try await scene.client.buy("gems") }
  }

  func testAFaultThatCouldNeverStrikeIsRefusedWithItsPlan() async throws {
    let scene = try ControlScene()
    let plan: FaultPlan = [StoreFault(.cancel, on: .purchase), StoreFault(.cancel, on: .finish)]
    assertRefused(.invalidRequest) { try scene.store.inject(plan) }
    let result = try await scene.client.buy("gems")
    XCTAssertNotNil(result.customerInfo, "no part of it was taken")
  }

  /// Everything goes wrong at random, and in the end the client shows the paid gems.
  func testChaosLeavesMoneyAndGemsEqual() async throws {
    var dice = SeededDice()
    let seed = dice.next()
    let scene = try ControlScene(seed: seed)
    try scene.store.inject(.chaos(percent: 20))
    for _ in 0..<40 {
      _ = await fails { try await scene.client.buy(dice.percent(50) ? "gems" : "chest") }
      if dice.percent(30) { await scene.client.syncPurchases() }
      scene.clock.advance(by: .seconds(Int64(dice.below(120))))
    }
    try scene.store.clearFaults()
    try await scene.world.phone.sync()
    await scene.client.syncPurchases()
    let paid = scene.store.allTransactions().count { $0.state == .purchased }
    XCTAssertGreaterThan(paid, 0, "seed \(seed)")
    try await assertSees(300 * paid, scene.client, "seed \(seed)")
  }

  /// On a clock that goes by itself, due events happen without a call that moves it.
  func testOnAClockThatGoesByItselfALateUpdateComesInTime() async throws {
    let base = VirtualClock(startingAt: Timestamp(milliseconds: 1_767_225_600_000))
    let clock = VirtualClock(following: base.storeClock)
    let world = try World(catalog: ControlScene.catalog())
    let store = try SimulatedStore(
      catalog: ControlScene.catalog(), session: World.session, clock: clock, signer: world.receipts)
    let client = try world.client(ControlScene.alice, on: store.account("family").device("phone"), isAutomatic: true)
    _ = try await client.customerInfo()
    try store.inject([
      StoreFault(.delay(.seconds(10)), on: .updates), StoreFault(.failure(.systemError), on: .unfinished, .always),
    ])
    try store.account("family").buyProduct(identifier: "gems")
    while base.sleeperCount == 0 { await Task.yield() }
    try await assertSees(0, client)
    base.advance(by: .seconds(10))
    try await client.comes(to: 300)
  }

  private func fails(_ body: () async throws -> some Any) async -> Bool {
    do {
      _ = try await body()
      return false
    } catch { return true }
  }
}
