import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Faults on command, each by its effect on a client.
final class StoreFaultTests: XCTestCase {
  private let gems = StorePaymentRequest(productID: "gems")

  func testSimulatedErrorsStrikeTheirCallUntilCleared() async throws {
    let shop = try SimulatedShop()
    let phone = shop.phone
    let calls: [(StoreAPI, () async throws -> Any)] = [
      (.loadProducts, { try await phone.products(for: ["gems"]) }),
      (.purchase, { try await phone.purchase(self.gems) }),
      (.unfinished, { try await phone.unfinishedIDs() }), (.all, { try await phone.all() }),
      (.currentEntitlements, { try await phone.currentEntitlements() }),
      (.finish, { try await phone.finish(StoreTransactionID("1")) }), (.appStoreSync, { try await phone.sync() }),
      (.subscriptionStatus, { try await phone.subscriptionStatus(of: "monthly") as Any }),
      (.appTransaction, { try await phone.appTransaction() }),
      (.manageSubscriptions, { try await phone.manageSubscriptions(cancelling: "monthly") }),
      (.offerCodeRedeem, { try await phone.redeemOfferCode("X") }),
    ]
    try shop.store.addOfferCode("X", forProduct: "pass")
    for (api, call) in calls {
      try shop.store.setSimulatedError(.store(.notEntitled), forAPI: api)
      XCTAssertEqual(shop.store.simulatedError(forAPI: api), .store(.notEntitled))
      for _ in 0..<2 { await assertFails(.notEntitled) { try await call() } }
      try shop.store.setSimulatedError(nil, forAPI: api)
      _ = try await call()
    }
  }

  func testACallFailsOnlyAsItCan() throws {
    let store = try SimulatedShop().store
    for api in StoreAPI.allCases where api != .verification {
      assertRefused(.invalidRequest) {
        try store.setSimulatedError(.verification(.invalidSignature), forAPI: api)
      }
    }
    assertRefused(.invalidRequest) { try store.setSimulatedError(.store(.unknown), forAPI: .verification) }
    for fault in [
      StoreFault(.cancel, on: .finish), StoreFault(.reorder, on: .purchase), StoreFault(.duplicate, on: .all),
      StoreFault(.failure(.unknown), on: .updates), StoreFault(.networkCutAfter, on: .purchase, .nth(0)),
      StoreFault(.cancel, on: .purchase, .chance(percent: 101)),
      StoreFault(.duplicate, on: .updates, device: "phone"),
    ] {
      assertRefused(.invalidRequest) { try store.inject([StoreFault(.cancel, on: .purchase), fault]) }
    }
    XCTAssertEqual(store.faults, [], "a plan is taken whole or not at all")
  }

  func testUnverifiedEvidenceSaysWhy() async throws {
    let shop = try SimulatedShop()
    try shop.store.setSimulatedError(.verification(.revokedCertificate), forAPI: .verification)
    guard case .success(let evidence) = try await shop.phone.purchase(gems) else { return XCTFail("not paid") }
    XCTAssertEqual(evidence.unverified, .revokedCertificate)
    try shop.store.setSimulatedError(nil, forAPI: .verification)
    var listed = try await shop.phone.unfinished(after: nil, limit: 1)
    XCTAssertNil(listed[0].unverified)
    try shop.store.inject(StoreFault(.unverified(.invalidSignature), on: .verification))
    listed = try await shop.phone.unfinished(after: nil, limit: 1)
    XCTAssertEqual(listed[0].unverified, .invalidSignature)
    try shop.store.inject(StoreFault(.unverified(.invalidEncoding), on: .purchase))
    guard case .success(let other) = try await shop.phone.purchase(StorePaymentRequest(productID: "chest")) else {
      return XCTFail("not paid")
    }
    XCTAssertEqual(other.unverified, .invalidEncoding)
  }

  func testANetworkCutBeforePaymentLeavesNothing() async throws {
    let shop = try SimulatedShop()
    try shop.store.inject(StoreFault(.networkCutBefore, on: .purchase))
    await assertFails(.networkError) { try await shop.phone.purchase(self.gems) }
    XCTAssertEqual(shop.store.allTransactions(), [])
    try await shop.phone.buy("gems")
  }

  func testALostAnswerToAPaymentComesThroughTheUpdates() async throws {
    for effect in [StoreFault.Effect.networkCutAfter, .reportsCancelled, .reportsPending] {
      let shop = try SimulatedShop()
      let updates = Reader(shop.phone.updates())
      try shop.store.inject(StoreFault(effect, on: .purchase))
      switch effect {
      case .networkCutAfter: await assertFails(.networkError) { try await shop.phone.purchase(self.gems) }
      case .reportsCancelled:
        let result = try await shop.phone.purchase(gems)
        XCTAssertEqual(result, .userCancelled)
      default:
        let result = try await shop.phone.purchase(gems)
        XCTAssertEqual(result, .pending)
      }
      let update = await updates.next()
      let unfinished = try await shop.phone.unfinishedIDs()
      XCTAssertEqual(unfinished, [try XCTUnwrap(update).transaction.id], "\(effect)")
      let again = try await shop.phone.buy("gems").id
      XCTAssertEqual(again, update?.transaction.id, "asking again pays nothing")
    }
  }

  func testALostAnswerToAFinishHasFinished() async throws {
    let shop = try SimulatedShop()
    let id = try await shop.phone.buy("gems").id
    try shop.store.inject([
      StoreFault(.networkCutBefore, on: .finish, .nth(1)), StoreFault(.networkCutAfter, on: .finish, .nth(2)),
    ])
    await assertFails(.networkError) { try await shop.phone.finish(id) }
    var unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [id])
    await assertFails(.networkError) { try await shop.phone.finish(id) }
    unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [])
    XCTAssertEqual(shop.store.faults, [])
  }

  func testFaultsStrikeAtTheirCallsAndForTheirDevices() async throws {
    let shop = try SimulatedShop()
    try shop.store.inject([
      StoreFault(.failure(.systemError), on: .loadProducts, .nth(3), device: "phone"),
      StoreFault(.failure(.unknown), on: .loadProducts, .times(2), account: "bob"),
    ])
    func fails(_ device: StoreDevice) async -> Bool {
      do {
        _ = try await device.products(for: [])
        return false
      } catch { return true }
    }
    let bob = shop.store.account("bob").device("tablet")
    var struck: [Bool] = []
    for _ in 0..<4 {
      struck.append(await fails(shop.phone))
      struck.append(await fails(shop.tablet))
      struck.append(await fails(bob))
    }
    XCTAssertEqual(
      struck,
      [false, false, true, false, false, true, true, false, false, false, false, false])
  }

  func testRandomFaultsDependOnTheSeedAlone() async throws {
    func pattern(seed: UInt64) async throws -> [Bool] {
      let shop = try SimulatedShop(seed: seed)
      try shop.store.inject(StoreFault(.failure(.systemError), on: .all, .chance(percent: 50)))
      var pattern: [Bool] = []
      for _ in 0..<64 {
        // Only whether it fails is of interest.
        pattern.append((try? await shop.phone.all()) == nil)
      }
      return pattern
    }
    let (one, again, other) = (try await pattern(seed: 1), try await pattern(seed: 1), try await pattern(seed: 2))
    XCTAssertEqual(one, again)
    XCTAssertNotEqual(one, other)
    XCTAssertTrue((16...48).contains(one.count { $0 }), "\(one)")
  }

  func testCreditLagsBehindThePurchase() async throws {
    let shop = try SimulatedShop()
    let updates = Reader(shop.tablet.updates())
    try shop.store.inject(StoreFault(.delay(.seconds(30)), on: .purchase))
    let id = try await shop.phone.buy("gems").id
    var unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [])
    shop.clock.advance(by: .seconds(29))
    unfinished = try await shop.tablet.unfinishedIDs()
    XCTAssertEqual(unfinished, [])
    shop.clock.advance(by: .seconds(1))
    unfinished = try await shop.tablet.unfinishedIDs()
    XCTAssertEqual(unfinished, [id])
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.id, id)
  }

  func testASyncBringsWhatIsHiddenOrHeldBack() async throws {
    let shop = try SimulatedShop()
    let updates = Reader(shop.phone.updates())
    try shop.store.inject([
      StoreFault(.delay(.seconds(30)), on: .purchase), StoreFault(.reportsPending, on: .purchase),
    ])
    let result = try await shop.phone.purchase(gems)
    XCTAssertEqual(result, .pending)
    try await shop.phone.sync()
    let update = await updates.next()
    let unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [try XCTUnwrap(update).transaction.id])
  }

  func testUpdatesComeLateTwiceOrInAnotherOrder() async throws {
    let shop = try SimulatedShop()
    let account = shop.store.account("alice")
    shop.store.repurchaseReturnsUnfinished = false
    let updates = Reader(shop.phone.updates())
    try shop.store.inject([
      StoreFault(.delay(.seconds(10)), on: .updates, .nth(1)), StoreFault(.duplicate, on: .updates, .nth(2)),
      StoreFault(.reorder, on: .updates, .nth(3)), StoreFault(.networkCutBefore, on: .updates, .nth(5)),
    ])
    var bought: [StoreTransactionID] = []
    for _ in 0..<5 { bought.append(try account.buyProduct(identifier: "gems").identifier) }
    shop.clock.advance(by: .seconds(10))
    var seen: [StoreTransactionID?] = []
    for _ in 0..<5 { seen.append(await updates.next()?.transaction.id) }
    XCTAssertEqual(seen, [bought[1], bought[1], bought[3], bought[2], bought[0]])
    let unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, bought, "the lost update is in the list")
  }

  func testNoticesComeLateTwiceInAnotherOrderOrNever() throws {
    let eventLog = RetainedEventLog()
    let first = try SimulatedShop(eventLog: eventLog)
    first.store.repurchaseReturnsUnfinished = false
    first.store.sendsOneTimeChargeNotices = true
    try first.store.inject([
      StoreFault(.delay(.seconds(10)), on: .notices, .nth(1)), StoreFault(.duplicate, on: .notices, .nth(2)),
      StoreFault(.reorder, on: .notices, .nth(3)), StoreFault(.networkCutBefore, on: .notices, .nth(5)),
    ])
    var bought: [StoreTransactionID] = []
    for _ in 0..<3 { bought.append(try first.store.buyProduct(identifier: "gems").identifier) }
    let store = try SimulatedShop(clock: first.clock, eventLog: eventLog).store
    for _ in 3..<5 { bought.append(try store.buyProduct(identifier: "gems").identifier) }
    store.clock.advance(by: .seconds(10))
    let sent = store.pendingNotices()
    XCTAssertEqual(sent.map(\.id), [1, 2, 3, 4, 5])
    let told = sent.map { numbered -> StoreTransactionID? in
      if case .oneTimeCharge(let evidence) = numbered.notice { evidence.transaction.id } else { nil }
    }
    XCTAssertEqual(told, [bought[1], bought[1], bought[3], bought[2], bought[0]])
    for effect in [StoreFault.Effect.networkCutAfter, .failure(.systemError), .slow(.seconds(1))] {
      assertRefused(.invalidRequest) { try store.inject(StoreFault(effect, on: .notices)) }
    }
    assertRefused(.invalidRequest) { try store.inject(StoreFault(.duplicate, on: .notices, device: "phone")) }
  }

  func testOnAClockThatGoesByItselfTheStoreActsInTime() async throws {
    let base = VirtualClock()
    let shop = try SimulatedShop(clock: VirtualClock(following: base.storeClock))
    let updates = Reader(shop.phone.updates())
    try shop.store.inject(StoreFault(.delay(.seconds(10)), on: .updates))
    let id = try shop.store.buyProduct(identifier: "gems", account: "alice").identifier
    while base.sleeperCount == 0 { await Task.yield() }
    base.advance(by: .seconds(10))
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.id, id)
  }

  func testASlowAnswerWaitsForTheClock() async throws {
    let shop = try SimulatedShop()
    try shop.store.inject(StoreFault(.slow(.seconds(20)), on: .purchase))
    let started = shop.clock.now
    let (phone, clock) = (shop.phone, shop.clock)
    let purchase = Task {
      let id = try await phone.buy("gems").id
      return (id, clock.now)
    }
    while shop.clock.sleeperCount == 0 { await Task.yield() }
    XCTAssertEqual(shop.store.allTransactions().count, 1, "it is paid for while the app waits")
    shop.clock.advance(by: .seconds(20))
    let (_, answered) = try await purchase.value
    XCTAssertEqual(answered.milliseconds - started.milliseconds, 20_000)
  }

  func testOneShotFaultsReplaceTheSwitches() async throws {
    let shop = try SimulatedShop()
    try shop.store.inject([
      StoreFault(.cancel, on: .purchase, .nth(1)), StoreFault(.askToBuy, on: .purchase, .nth(2)),
      StoreFault(.interrupt, on: .purchase, .nth(3)),
    ])
    var results: [StorePaymentResult] = []
    for _ in 0..<3 { results.append(try await shop.phone.purchase(gems)) }
    XCTAssertEqual(results, [.userCancelled, .pending, .userCancelled])
    let all = shop.store.allTransactions()
    XCTAssertEqual(all.map(\.pendingAskToBuyConfirmation), [true, false])
    XCTAssertEqual(all.map(\.hasPurchaseIssue), [false, true])
    try await shop.phone.buy("gems")
  }

  func testClearedFaultsStrikeNoMore() async throws {
    let shop = try SimulatedShop()
    try shop.store.inject(StoreFault(.failure(.networkError), on: .purchase, .always))
    await assertFails(.networkError) { try await shop.phone.purchase(self.gems) }
    await assertFails(.networkError) { try await shop.phone.purchase(self.gems) }
    try shop.store.clearFaults()
    try await shop.phone.buy("gems")
  }
}
