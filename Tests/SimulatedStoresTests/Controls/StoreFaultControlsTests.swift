import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Each fault at each of its times, as a client's user sees it.
final class StoreFaultControlsTests: XCTestCase {
  // MARK: Purchases

  func testANetworkCutBeforeThePaymentCostsNothing() async throws {
    let fixture = try ControlFixture()
    try fixture.store.inject(StoreFault(.networkCutBefore, on: .purchase))
    let error = await assertRefused(.storeError) { try await fixture.client.buy("gems") }
    XCTAssertEqual(error?.revenueCatCode, 10)
    await fixture.client.syncPurchases()
    try await assertSees(0, fixture.client)
  }

  /// A paid purchase comes to its buyer through the updates, regardless of the answer that the app got.
  func testALostOrWrongAnswerToAPaymentIsCreditedAllTheSame() async throws {
    for effect in [StoreFault.Effect.networkCutAfter, .reportsCancelled, .reportsPending] {
      let fixture = try ControlFixture(isAutomatic: true)
      let listener = await PurchaseListener(fixture.client)
      try fixture.store.inject(StoreFault(effect, on: .purchase))
      switch effect {
      case .networkCutAfter: await assertStoreFails(.networkError) { try await fixture.client.buy("gems") }
      case .reportsCancelled:
        let result = try await fixture.client.buy("gems")
        XCTAssertEqual(result, .cancelled)
      default:
        let result = try await fixture.client.buy("gems")
        XCTAssertEqual(result, .pending)
      }
      try await fixture.client.comes(to: 300, "\(effect)")
      try await until { listener.bought.all.count == 1 && fixture.client.queueCounts.pending == 0 }
      try await assertSees(300, fixture.client, "\(effect)")
    }
  }

  func testOneShotFaultsReplaceTheSwitches() async throws {
    let fixture = try ControlFixture()
    try fixture.store.inject([
      StoreFault(.cancel, on: .purchase, .nth(1)), StoreFault(.askToBuy, on: .purchase, .nth(2)),
      StoreFault(.interrupt, on: .purchase, .nth(3)),
    ])
    var results: [PurchaseResult] = []
    for _ in 0..<3 { results.append(try await fixture.client.buy("gems")) }
    XCTAssertEqual(results, [.cancelled, .pending, .cancelled])
    XCTAssertEqual(fixture.store.faults, [], "each struck once")
    let (asked, issue) = (fixture.store.allTransactions()[0], fixture.store.allTransactions()[1])
    try fixture.store.approveAskToBuyTransaction(identifier: asked.identifier)
    try fixture.store.resolveIssueForTransaction(identifier: issue.identifier)
    await fixture.client.syncPurchases()
    try await assertSees(600, fixture.client)
  }

  func testTheFaultsOfOneAPIAreEndedAndTheOthersGoOnCounting() async throws {
    let fixture = try ControlFixture()
    try fixture.store.inject([
      StoreFault(.networkCutBefore, on: .finish, .always), StoreFault(.failure(.unknown), on: .purchase, .nth(2)),
    ])
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    XCTAssertEqual(fixture.client.queueCounts.pending, 1, "credited, and the store cannot be told")
    try fixture.store.clearFaults(on: .finish)
    await fixture.client.syncPurchases()
    XCTAssertEqual(fixture.client.queueCounts.pending, 0)
    await assertStoreFails(.unknown) { try await fixture.client.buy("gems") }
    XCTAssertEqual(fixture.store.faults, [])
    try await assertSees(300, fixture.client)
  }

  func testUnverifiedEvidenceIsRefusedAndCreditedOnceItIsTrusted() async throws {
    let fixture = try ControlFixture()
    try fixture.store.inject(StoreFault(.unverified(.invalidSignature), on: .verification))
    let result = try await fixture.client.buy("gems")
    guard case .failedServerValidation(let code, _, _) = result else { return XCTFail("\(result)") }
    XCTAssertEqual(code, LedgerError.Code.receiptUnverified.description)
    XCTAssertEqual(fixture.client.queueCounts.deadLettered, 1)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client, "the next listing is trusted")
  }

  /// The store lists the purchase only later, and the purchase's own answer is credited at once.
  func testADelayedPurchaseIsCreditedByItsAnswerOrLaterByTheList() async throws {
    let fixture = try ControlFixture()
    let fault = StoreFault(.delay(.seconds(30)), on: .purchase)
    try fixture.store.inject(fault)
    let direct = try await fixture.client.buy("chest")
    XCTAssertNotNil(direct.customerInfo)
    try await assertSees(300, fixture.client)
    try fixture.store.inject([fault, StoreFault(.networkCutAfter, on: .purchase)])
    await assertStoreFails(.networkError) { try await fixture.client.buy("gems") }
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client, "no list shows it yet")
    fixture.clock.advance(by: .seconds(30))
    await fixture.client.syncPurchases()
    try await assertSees(600, fixture.client)
  }

  /// The credit lags behind `purchase` where the backend does not answer.
  func testCreditLagsBehindThePurchaseAndIsShownAsProvisional() async throws {
    let fixture = try ControlFixture()
    _ = try await fixture.client.gems()
    fixture.backend.fail(.post, with: .networkLostBeforeEffect, .always)
    let result = try await fixture.client.buy("gems")
    XCTAssertEqual(result, .pendingServerValidation)
    XCTAssertEqual(fixture.client.queueCounts.pending, 1)
    fixture.clock.advance(by: .seconds(120))
    let shown = try await fixture.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, 0)
    XCTAssertEqual(fixture.client.provisionalCredits, [try CurrencyCode("GEM"): 300])
    fixture.backend.heal()
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
    XCTAssertEqual(fixture.client.provisionalCredits, [:])
  }

  func testASlowStoreKeepsOnlyTheCallerWaiting() async throws {
    let fixture = try ControlFixture()
    _ = try await fixture.client.offerings()
    try fixture.store.inject(StoreFault(.slow(.seconds(20)), on: .purchase))
    let client = fixture.client
    let purchase = Task { try await client.purchase(ProductCode("gems")) }
    while fixture.clock.sleeperCount == 0 { await Task.yield() }
    await assertRefused(.purchaseAlreadyInProgress) { try await client.buy("chest") }
    try await assertSees(0, client)
    fixture.clock.advance(by: .seconds(20))
    let result = try await purchase.value
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, client)
  }

  func testAnAnswerThatComesAfterItsUpdateIsToldOnce() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let listener = await PurchaseListener(fixture.client)
    _ = try await fixture.client.offerings()
    try fixture.store.inject([StoreFault(.slow(.seconds(20)), on: .purchase), StoreFault(.duplicate, on: .purchase)])
    let client = fixture.client
    let purchase = Task { try await client.purchase(ProductCode("gems")) }
    try await until { listener.bought.all.count == 1 && client.queueCounts.pending == 0 }
    while fixture.clock.sleeperCount == 0 { await Task.yield() }
    fixture.clock.advance(by: .seconds(20))
    let result = try await purchase.value
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, client)
    await listener.heardAll()
    XCTAssertEqual(listener.bought.all.count, 1)
  }

  func testADuplicateIsCreditedOnce() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let (listener, heard) = (await PurchaseListener(fixture.client), Collector<ReceiptPipelineEvent>())
    fixture.client.onReceiptPipelineEvent = { heard.add($0) }
    try fixture.store.inject([StoreFault(.duplicate, on: .purchase), StoreFault(.duplicate, on: .updates)])
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await until {
      // The answer, and the update twice.
      heard.all.count { if case .queued = $0 { true } else if case .duplicateSkipped = $0 { true } else { false } } >= 3
        && fixture.client.queueCounts.pending == 0
    }
    try await assertSees(300, fixture.client)
    await listener.heardAll()
    XCTAssertEqual(listener.bought.all.count, 1)
  }

  // MARK: Updates

  func testUpdatesThatComeLateTwiceInAnotherOrderOrNeverAreCreditedOnceEach() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let seen = Collector<StoreTransactionID>()
    fixture.client.onReceiptPipelineEvent = { event in
      if case .finished(let item) = event { seen.add(item.storeTransactionID) }
    }
    _ = try await fixture.client.customerInfo()
    try fixture.store.inject([
      StoreFault(.delay(.seconds(10)), on: .updates, .nth(1)), StoreFault(.duplicate, on: .updates, .nth(2)),
      StoreFault(.reorder, on: .updates, .nth(3)), StoreFault(.networkCutBefore, on: .updates, .nth(5)),
      // So that the client's look at its start finds none of them.
      StoreFault(.failure(.systemError), on: .unfinished, .always),
    ])
    var ids: [StoreTransactionID] = []
    for _ in 0..<5 { ids.append(try fixture.family.buyProduct(identifier: "gems").identifier) }
    try await fixture.client.comes(to: 900)
    try await until { Set(seen.all) == [ids[1], ids[2], ids[3]] }
    fixture.clock.advance(by: .seconds(10))
    try await fixture.client.comes(to: 1200, "the late one")
    try fixture.store.clearFaults()
    await fixture.client.syncPurchases()
    try await assertSees(1500, fixture.client, "the lost one, by the list")
    try await until { Set(seen.all) == Set(ids) }
  }

  func testAnUnverifiedUpdateIsNotCredited() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    try fixture.store.inject([
      StoreFault(.unverified(.invalidCertificateChain), on: .updates),
      // So that the client's look at its start does not find it trusted.
      StoreFault(.failure(.systemError), on: .unfinished, .always),
      StoreFault(.failure(.systemError), on: .all, .always),
    ])
    try fixture.family.buyProduct(identifier: "gems")
    try await until { fixture.client.queueCounts.deadLettered == 1 }
    let gems = try await fixture.client.gems()
    XCTAssertEqual(gems, 0)
    try fixture.store.clearFaults()
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
  }

  // MARK: The other calls

  /// On either side of its effect.
  func testANetworkCutAtAFinishLeavesItToBeFinished() async throws {
    for (effect, isFinished) in [(StoreFault.Effect.networkCutBefore, false), (.networkCutAfter, true)] {
      let fixture = try ControlFixture()
      try fixture.store.inject(StoreFault(effect, on: .finish))
      let outcome = try await fixture.client.outcome(ofPurchasing: "gems")
      XCTAssertNotNil(outcome.result.customerInfo)
      XCTAssertEqual(fixture.client.queueItems.map(\.status), [.finishOnly], "\(effect)")
      let id = try XCTUnwrap(outcome.storeTransactionID)
      XCTAssertEqual(fixture.store.transaction(identifier: id)?.isFinished, isFinished)
      await fixture.client.syncPurchases()
      try await assertSees(300, fixture.client, "\(effect)")
      XCTAssertEqual(fixture.store.transaction(identifier: id)?.isFinished, true)
    }
  }

  func testARestoreFailsWhereItsCallsAreCut() async throws {
    let fixture = try ControlFixture()
    for api in [StoreAPI.appStoreSync, .all] {
      for effect in [StoreFault.Effect.networkCutBefore, .networkCutAfter, .failure(.networkError)] {
        try fixture.store.inject(StoreFault(effect, on: api))
        await assertStoreFails(.networkError) { try await fixture.client.restorePurchases() }
      }
    }
    let info = try await fixture.client.restorePurchases()
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
      let fixture = try ControlFixture()
      try fixture.store.inject(StoreFault(.failure(.unknown), on: .purchase, timing))
      var struck: [Bool] = []
      for _ in 0..<4 { struck.append(await fails { try await fixture.client.buy("gems") }) }
      XCTAssertEqual(struck, pattern, "\(timing)")
      let isSpent = timing != .always && timing != .chance(percent: 100)
      XCTAssertEqual(fixture.store.faults.isEmpty, isSpent, "\(timing)")
      try fixture.store.clearFaults()
      let result = try await fixture.client.buy("gems")
      XCTAssertNotNil(result.customerInfo)
      try await assertSees(300 * (1 + pattern.count { !$0 }), fixture.client, "\(timing)")
    }
  }

  func testRandomFaultsDependOnTheSeedAlone() async throws {
    func pattern(seed: UInt64) async throws -> [Bool] {
      let fixture = try ControlFixture(seed: seed)
      try fixture.store.inject(StoreFault(.failure(.systemError), on: .purchase, .chance(percent: 50)))
      var pattern: [Bool] = []
      for _ in 0..<32 { pattern.append(await fails { try await fixture.client.buy("gems") }) }
      try await assertSees(300 * pattern.count { !$0 }, fixture.client)
      return pattern
    }
    let (one, again, other) = (try await pattern(seed: 1), try await pattern(seed: 1), try await pattern(seed: 2))
    XCTAssertEqual(one, again)
    XCTAssertNotEqual(one, other)
  }

  func testAFaultOfAnAccountOrDeviceStrikesNobodyElse() async throws {
    let fixture = try ControlFixture()
    let tablet = try fixture.fresh(on: fixture.world.tablet)
    let stranger = try fixture.fresh(ControlFixture.bob, on: fixture.store.account("bob").device("phone"))
    try fixture.store.inject(StoreFault(.failure(.unknown), on: .purchase, account: "family", device: "phone"))
    let other = try await stranger.buy("gems")
    let second = try await tablet.buy("gems")
    XCTAssertNotNil(other.customerInfo)
    XCTAssertNotNil(second.customerInfo)
    await assertStoreFails(.unknown) { try await fixture.client.buy("gems") }
  }

  func testAFaultThatCouldNeverStrikeIsRefusedWithItsPlan() async throws {
    let fixture = try ControlFixture()
    let plan: FaultPlan = [StoreFault(.cancel, on: .purchase), StoreFault(.cancel, on: .finish)]
    assertRefused(.invalidRequest) { try fixture.store.inject(plan) }
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo, "no part of it was taken")
  }

  /// Everything goes wrong at random, and in the end the client shows the paid gems.
  func testChaosLeavesMoneyAndGemsEqual() async throws {
    var generator = SeededRandom()
    let seed = generator.next()
    let fixture = try ControlFixture(seed: seed)
    try fixture.store.inject(.chaos(percent: 20))
    for _ in 0..<40 {
      _ = await fails { try await fixture.client.buy(generator.percent(50) ? "gems" : "chest") }
      if generator.percent(30) { await fixture.client.syncPurchases() }
      fixture.clock.advance(by: .seconds(Int64(generator.below(120))))
    }
    try fixture.store.clearFaults()
    try await fixture.world.phone.sync()
    await fixture.client.syncPurchases()
    let paid = fixture.store.allTransactions().count { $0.state == .purchased }
    XCTAssertGreaterThan(paid, 0, "seed \(seed)")
    try await assertSees(300 * paid, fixture.client, "seed \(seed)")
  }

  /// On a clock that goes by itself, due events happen without a call that moves it.
  func testOnAClockThatGoesByItselfALateUpdateComesInTime() async throws {
    let base = VirtualClock(startingAt: Timestamp(milliseconds: 1_767_225_600_000))
    let clock = VirtualClock(following: base.storeClock)
    let world = try World(catalog: ControlFixture.catalog())
    let store = try SimulatedStore(
      catalog: ControlFixture.catalog(), session: World.session, clock: clock, signer: world.receipts)
    let client = try world.client(ControlFixture.alice, on: store.account("family").device("phone"), isAutomatic: true)
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

  func testTheWordOfAnEffectIsTheNameOfItsCase() throws {
    for word in StoreFault.Effect.words {
      guard let effect = StoreFault.Effect(word: word, delay: .seconds(1)) else {
        XCTFail(word)
        continue
      }
      switch effect {
      case .failure, .unverified, .delay, .slow: continue
      default: XCTAssertEqual(effect.text, "\(effect)")
      }
    }
  }
}
