import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import XCTest

/// Subscriptions under the virtual clock, as a client's user sees them.
final class AppleSubscriptionControlsTests: XCTestCase {
  private let month = Duration.seconds(31 * 86_400)

  private func subscribed(_ product: String = "monthly") async throws -> (ControlScene, StoreTransactionID) {
    let scene = try ControlScene()
    let outcome = try await scene.client.outcome(ofPurchasing: product)
    XCTAssertNotNil(outcome.result.customerInfo)
    return (scene, try XCTUnwrap(outcome.storeTransactionID))
  }

  /// A month later, when the app comes to the foreground.
  private func assertAfterAMonth(
    _ gems: Int, isPremium: Bool, _ scene: ControlScene, _ message: String = "", line: UInt = #line
  ) async throws {
    scene.clock.advance(by: month)
    let shown = try await scene.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, gems, message, line: line)
    let isShown = try await scene.client.isPremium()
    XCTAssertEqual(isShown, isPremium, message, line: line)
  }

  func testEveryTimeRateRenewsAtItsPace() async throws {
    var periods: Set<Int64> = []
    for rate in TimeRate.allCases {
      let scene = try ControlScene()
      scene.store.timeRate = rate
      let outcome = try await scene.client.outcome(ofPurchasing: "monthly")
      let end = try XCTUnwrap(outcome.transaction?.expiresAt)
      periods.insert(end.milliseconds - scene.clock.now.milliseconds)
      scene.clock.advance(to: Timestamp(milliseconds: end.milliseconds - 1))
      await scene.client.syncPurchases()
      try await assertSees(300, scene.client, "\(rate)")
      scene.clock.advance(by: .milliseconds(1))
      await scene.client.syncPurchases()
      try await assertSees(600, scene.client, "\(rate)")
    }
    XCTAssertEqual(periods.max(), month.components.seconds * 1000)
    XCTAssertEqual(periods.min(), 2000)
  }

  /// A subscription that runs out while there is no purchase is not shown as active.
  func testWhatRunsOutIsNotShownAsRunning() async throws {
    let (scene, id) = try await subscribed()
    try scene.store.disableAutoRenewForTransaction(identifier: id)
    let before = try await scene.client.isPremium()
    XCTAssertTrue(before)
    scene.clock.advance(by: month)
    let after = try await scene.client.isPremium()
    XCTAssertFalse(after, "its period has ended")
  }

  func testAutoRenewalIsTurnedOffAndOn() async throws {
    let (scene, id) = try await subscribed()
    try scene.store.disableAutoRenewForTransaction(identifier: id)
    try scene.store.enableAutoRenewForTransaction(identifier: id)
    try await assertAfterAMonth(600, isPremium: true, scene)
    try scene.store.disableAutoRenewForTransaction(identifier: id)
    try await assertAfterAMonth(600, isPremium: false, scene)
  }

  func testTheSheetOfSubscriptionsEndsOne() async throws {
    let (scene, _) = try await subscribed()
    try await scene.world.phone.manageSubscriptions(cancelling: "monthly")
    try await assertAfterAMonth(300, isPremium: false, scene)
  }

  func testAnExpiredSubscriptionCanBeBoughtAgain() async throws {
    let (scene, first) = try await subscribed()
    let again = try await scene.client.outcome(ofPurchasing: "monthly")
    XCTAssertEqual(again.storeTransactionID, first, "it runs")
    try await assertSees(300, scene.client)
    try scene.store.expireSubscription(productIdentifier: "monthly")
    let anew = try await scene.client.outcome(ofPurchasing: "monthly")
    XCTAssertNotEqual(anew.storeTransactionID, first)
    try await assertSees(600, scene.client)
    let status = try await scene.world.phone.subscriptionStatus(of: "monthly")
    XCTAssertEqual(status?.latestTransactionID, anew.storeTransactionID)
  }

  /// The update of an expiry reaches a listening client and is no news of money; the books keep the period that was
  /// paid for, and the right with it.
  func testAnExpiryIsNoNewsToTheBooks() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let finished = Collector<StoreTransactionID>()
    scene.client.onReceiptPipelineEvent = { event in
      if case .finished(let item) = event { finished.add(item.storeTransactionID) }
    }
    _ = try await scene.client.buy("monthly")
    try await until { finished.all.count >= 1 && scene.client.pendingReceiptCount == 0 }
    scene.clock.advance(by: .seconds(86_400))
    try scene.store.expireSubscription(productIdentifier: "monthly", account: "family")
    try await until { finished.all.count >= 2 }
    try await assertSees(300, scene.client)
    let isPremium = try await scene.client.isPremium()
    XCTAssertTrue(isPremium)
    scene.clock.advance(by: month)
    try await assertSees(300, scene.client, "it does not go on")
    let after = try await scene.client.isPremium()
    XCTAssertFalse(after)
  }

  func testAForcedRenewalIsCreditedAtOnce() async throws {
    let scene = try ControlScene(isAutomatic: true)
    _ = try await scene.client.buy("monthly")
    let end = Timestamp(milliseconds: 1_772_323_200_000)
    XCTAssertEqual(end.description, "2026-03-01T00:00:00.000Z")
    scene.clock.advance(by: .seconds(60))
    try scene.store.forceRenewalOfSubscription(productIdentifier: "monthly", account: "family")
    try await scene.client.comes(to: 600)
    try await scene.client.comes(to: end, \.self) {
      try await scene.client.customerInfo().entitlements["premium"]?.expiresAt
    }
  }

  func testAPriceIncreaseNeedsConsent() async throws {
    for (answer, gems) in [("none", 300), ("consent", 600), ("decline", 300)] {
      let (scene, id) = try await subscribed()
      try scene.store.requestPriceIncreaseConsentForTransaction(identifier: id)
      if answer == "consent" { try scene.store.consentToPriceIncreaseForTransaction(identifier: id) }
      if answer == "decline" { try scene.store.declinePriceIncreaseForTransaction(identifier: id) }
      try await assertAfterAMonth(gems, isPremium: gems == 600, scene, answer)
    }
  }

  func testARenewalThatCannotBePaidForComesOnceItsIssueIsResolved() async throws {
    let (scene, id) = try await subscribed()
    scene.store.shouldEnterBillingRetryOnRenewal = true
    try await assertAfterAMonth(300, isPremium: false, scene)
    try scene.store.resolveIssueForTransaction(identifier: id)
    let shown = try await scene.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, 600)
    let isPremium = try await scene.client.isPremium()
    XCTAssertTrue(isPremium)
  }

  /// In grace the subscription runs on at the store, which gives it again; without grace it is bought anew.
  func testWithGraceASubscriptionIsNotBoughtTwice() async throws {
    for hasGrace in [true, false] {
      let (scene, first) = try await subscribed()
      scene.store.shouldEnterBillingRetryOnRenewal = true
      scene.store.billingGracePeriodIsEnabled = hasGrace
      scene.clock.advance(by: month)
      let outcome = try await scene.client.outcome(ofPurchasing: "monthly")
      XCTAssertEqual(outcome.storeTransactionID == first, hasGrace)
      try await assertSees(hasGrace ? 300 : 600, scene.client, "\(hasGrace)")
    }
  }

  func testARenewalCostsWhatTheStoreAsksThen() async throws {
    let (scene, _) = try await subscribed()
    try scene.store.setCatalog(ControlScene.catalog(monthlyPrice: "6.99"))
    try await assertAfterAMonth(600, isPremium: true, scene)
    let history = try await scene.client.purchaseHistory(page: 1)
    XCTAssertEqual(history.map(\.price?.minorUnits), [699, 599])
  }

  func testANoticeOfARenewalCreditsItBeforeTheClientDoes() async throws {
    let (scene, _) = try await subscribed()
    scene.clock.advance(by: month)
    try await scene.deliverNotices()
    try await assertSees(600, scene.client)
    await scene.client.syncPurchases()
    try await assertSees(600, scene.client)
  }
}
