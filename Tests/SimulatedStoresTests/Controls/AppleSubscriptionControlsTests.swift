import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Subscriptions under the virtual clock, as a client's user sees them.
final class AppleSubscriptionControlsTests: XCTestCase {
  private let month = Duration.seconds(31 * 86_400)

  private func subscribed(_ product: String = "monthly") async throws -> (ControlFixture, StoreTransactionID) {
    let fixture = try ControlFixture()
    let outcome = try await fixture.client.outcome(ofPurchasing: product)
    XCTAssertNotNil(outcome.result.customerInfo)
    return (fixture, try XCTUnwrap(outcome.storeTransactionID))
  }

  /// A month later, when the app comes to the foreground.
  private func assertAfterAMonth(
    _ gems: Int, isPremium: Bool, _ fixture: ControlFixture, _ message: String = "", line: UInt = #line
  ) async throws {
    fixture.clock.advance(by: month)
    let shown = try await fixture.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, gems, message, line: line)
    let isShown = try await fixture.client.isPremium()
    XCTAssertEqual(isShown, isPremium, message, line: line)
  }

  func testEveryTimeRateRenewsAtItsPace() async throws {
    var periods: Set<Int64> = []
    for rate in TimeRate.allCases {
      let fixture = try ControlFixture()
      fixture.store.timeRate = rate
      let outcome = try await fixture.client.outcome(ofPurchasing: "monthly")
      let end = try XCTUnwrap(outcome.transaction?.expiresAt)
      periods.insert(end.milliseconds - fixture.clock.now.milliseconds)
      fixture.clock.advance(to: Timestamp(milliseconds: end.milliseconds - 1))
      await fixture.client.syncPurchases()
      try await assertSees(300, fixture.client, "\(rate)")
      fixture.clock.advance(by: .milliseconds(1))
      await fixture.client.syncPurchases()
      try await assertSees(600, fixture.client, "\(rate)")
    }
    XCTAssertEqual(periods.max(), month.components.seconds * 1000)
    XCTAssertEqual(periods.min(), 2000)
  }

  /// A subscription that runs out while there is no purchase is not shown as active.
  func testWhatRunsOutIsNotShownAsRunning() async throws {
    let (fixture, id) = try await subscribed()
    try fixture.store.disableAutoRenewForTransaction(identifier: id)
    let before = try await fixture.client.isPremium()
    XCTAssertTrue(before)
    fixture.clock.advance(by: month)
    let after = try await fixture.client.isPremium()
    XCTAssertFalse(after, "its period has ended")
  }

  func testAutoRenewalIsTurnedOffAndOn() async throws {
    let (fixture, id) = try await subscribed()
    try fixture.store.disableAutoRenewForTransaction(identifier: id)
    try fixture.store.enableAutoRenewForTransaction(identifier: id)
    try await assertAfterAMonth(600, isPremium: true, fixture)
    try fixture.store.disableAutoRenewForTransaction(identifier: id)
    try await assertAfterAMonth(600, isPremium: false, fixture)
  }

  func testTheSheetOfSubscriptionsEndsOne() async throws {
    let (fixture, _) = try await subscribed()
    try await fixture.world.phone.manageSubscriptions(cancelling: "monthly")
    try await assertAfterAMonth(300, isPremium: false, fixture)
  }

  func testAnExpiredSubscriptionCanBeBoughtAgain() async throws {
    let (fixture, first) = try await subscribed()
    let again = try await fixture.client.outcome(ofPurchasing: "monthly")
    XCTAssertEqual(again.storeTransactionID, first, "it runs")
    try await assertSees(300, fixture.client)
    try fixture.store.expireSubscription(productIdentifier: "monthly")
    let anew = try await fixture.client.outcome(ofPurchasing: "monthly")
    XCTAssertNotEqual(anew.storeTransactionID, first)
    try await assertSees(600, fixture.client)
    let status = try await fixture.world.phone.subscriptionStatus(of: "monthly")
    XCTAssertEqual(status?.latestTransactionID, anew.storeTransactionID)
  }

  /// The update of an expiry reaches a listening client and is no news of money; the books keep the period that was
  /// paid for, and the right with it.
  func testAnExpiryIsNoNewsToTheBooks() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let finished = Collector<StoreTransactionID>()
    fixture.client.onReceiptPipelineEvent = { event in
      if case .finished(let item) = event { finished.add(item.storeTransactionID) }
    }
    _ = try await fixture.client.buy("monthly")
    try await until { finished.all.count >= 1 && fixture.client.queueCounts.pending == 0 }
    fixture.clock.advance(by: .seconds(86_400))
    try fixture.store.expireSubscription(productIdentifier: "monthly", account: "family")
    try await until { finished.all.count >= 2 }
    try await assertSees(300, fixture.client)
    let isPremium = try await fixture.client.isPremium()
    XCTAssertTrue(isPremium)
    fixture.clock.advance(by: month)
    try await assertSees(300, fixture.client, "it does not go on")
    let after = try await fixture.client.isPremium()
    XCTAssertFalse(after)
  }

  func testAForcedRenewalIsCreditedAtOnce() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    _ = try await fixture.client.buy("monthly")
    let end = Timestamp(milliseconds: 1_772_323_200_000)
    XCTAssertEqual(end.description, "2026-03-01T00:00:00.000Z")
    fixture.clock.advance(by: .seconds(60))
    try fixture.store.forceRenewalOfSubscription(productIdentifier: "monthly", account: "family")
    try await fixture.client.comes(to: 600)
    try await fixture.client.comes(to: end, \.self) {
      try await fixture.client.customerInfo().entitlements["premium"]?.expiresAt
    }
  }

  func testAPriceIncreaseNeedsConsent() async throws {
    for (answer, gems) in [("none", 300), ("consent", 600), ("decline", 300)] {
      let (fixture, id) = try await subscribed()
      try fixture.store.requestPriceIncreaseConsentForTransaction(identifier: id)
      if answer == "consent" { try fixture.store.consentToPriceIncreaseForTransaction(identifier: id) }
      if answer == "decline" { try fixture.store.declinePriceIncreaseForTransaction(identifier: id) }
      try await assertAfterAMonth(gems, isPremium: gems == 600, fixture, answer)
    }
  }

  func testARenewalThatCannotBePaidForComesOnceItsIssueIsResolved() async throws {
    let (fixture, id) = try await subscribed()
    fixture.store.shouldEnterBillingRetryOnRenewal = true
    try await assertAfterAMonth(300, isPremium: false, fixture)
    try fixture.store.resolveIssueForTransaction(identifier: id)
    let shown = try await fixture.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, 600)
    let isPremium = try await fixture.client.isPremium()
    XCTAssertTrue(isPremium)
  }

  /// In grace the subscription runs on at the store, which gives it again; without grace it is bought anew.
  func testWithGraceASubscriptionIsNotBoughtTwice() async throws {
    for hasGrace in [true, false] {
      let (fixture, first) = try await subscribed()
      fixture.store.shouldEnterBillingRetryOnRenewal = true
      fixture.store.billingGracePeriodIsEnabled = hasGrace
      fixture.clock.advance(by: month)
      let outcome = try await fixture.client.outcome(ofPurchasing: "monthly")
      XCTAssertEqual(outcome.storeTransactionID == first, hasGrace)
      try await assertSees(hasGrace ? 300 : 600, fixture.client, "\(hasGrace)")
    }
  }

  func testARenewalCostsWhatTheStoreAsksThen() async throws {
    let (fixture, _) = try await subscribed()
    try fixture.store.setCatalog(ControlFixture.catalog(monthlyPrice: "6.99"))
    try await assertAfterAMonth(600, isPremium: true, fixture)
    let history = try await fixture.client.purchaseHistory(page: 1)
    XCTAssertEqual(history.map(\.price?.minorUnits), [699, 599])
  }

  func testANoticeOfARenewalCreditsItBeforeTheClientDoes() async throws {
    let (fixture, _) = try await subscribed()
    fixture.clock.advance(by: month)
    try await fixture.deliverNotices()
    try await assertSees(600, fixture.client)
    await fixture.client.syncPurchases()
    try await assertSees(600, fixture.client)
  }
}
