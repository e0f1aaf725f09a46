import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Subscriptions under the virtual clock.
final class SubscriptionTests: XCTestCase {
  private let month = Duration.seconds(31 * 86_400)

  func testARenewalIsATransactionOfItsOwn() async throws {
    let shop = try SimulatedShop()
    let updates = Reader(shop.phone.updates())
    let first = try await shop.phone.buy("monthly")
    XCTAssertEqual(first.expiresAt?.description, "2026-02-01T00:00:00.000Z")
    shop.clock.advance(by: month)
    let renewal = await updates.next()
    let transaction = try XCTUnwrap(renewal).transaction
    XCTAssertNotEqual(transaction.id, first.id)
    XCTAssertEqual(transaction.originalID, first.id)
    XCTAssertEqual(transaction.reason, .renewal)
    XCTAssertEqual(transaction.purchasedAt, first.expiresAt)
    XCTAssertEqual(transaction.expiresAt?.description, "2026-03-01T00:00:00.000Z")
    let unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [first.id, transaction.id], "each cycle is credited by itself")
    let entitled = try await shop.phone.currentEntitlements().map(\.transaction.id)
    XCTAssertEqual(entitled, [transaction.id])
    guard case .renewed(let evidence)? = try shop.store.takeNotices().first else { return XCTFail("no notice") }
    XCTAssertEqual(evidence.transaction.id, transaction.id)
  }

  func testALongMoveOfTheClockRenewsAtEachInstant() async throws {
    let shop = try SimulatedShop()
    try await shop.phone.buy("weekly")
    shop.clock.advance(by: .seconds(70 * 86_400))
    let days = shop.store.allTransactions().map { $0.purchaseDate.milliseconds / 86_400_000 }
    XCTAssertEqual(days, (0...10).map { days[0] + 7 * $0 })
  }

  func testBuyingAgainWhileItRunsGivesTheSame() async throws {
    let shop = try SimulatedShop()
    let first = try await shop.phone.buy("monthly").id
    try await shop.phone.finish(first)
    let again = try await shop.tablet.buy("monthly").id
    XCTAssertEqual(again, first)
    try shop.store.expireSubscription(productIdentifier: "monthly")
    let anew = try await shop.tablet.buy("monthly")
    XCTAssertNotEqual(anew.id, first)
    XCTAssertEqual(anew.originalID, first, "the same subscription goes on")
  }

  func testEveryTimeRateHasItsCycle() async throws {
    let monthly: [TimeRate: Int64] = [
      .realTime: 31 * 86_400, .oneRealDayIsOneHour: 30 * 3600, .oneRealDayIsThirtyMinutes: 30 * 1800,
      .oneRealDayIsFiveMinutes: 30 * 300, .oneRealDayIsOneMinute: 30 * 60, .oneRealDayIsThirtySeconds: 30 * 30,
      .oneRealDayIsOneSecond: 30, .monthlyRenewalEveryOneHour: 3600, .monthlyRenewalEveryThirtyMinutes: 1800,
      .monthlyRenewalEveryFifteenMinutes: 900, .monthlyRenewalEveryFiveMinutes: 300,
      .monthlyRenewalEveryThirtySeconds: 30, .anyRenewalEveryFifteenMinutes: 900, .anyRenewalEveryFiveMinutes: 300,
      .anyRenewalEveryOneMinute: 60, .anyRenewalEveryThirtySeconds: 30, .anyRenewalEveryTenSeconds: 10,
      .anyRenewalEveryTwoSeconds: 2,
    ]
    for rate in TimeRate.allCases {
      let shop = try SimulatedShop()
      shop.store.timeRate = rate
      let bought = try await shop.phone.buy("monthly")
      let length = try XCTUnwrap(bought.expiresAt).milliseconds - bought.purchasedAt.milliseconds
      XCTAssertEqual(length, monthly[rate].map { $0 * 1000 }, "\(rate)")
      shop.clock.advance(by: .milliseconds(length - 1))
      XCTAssertEqual(shop.store.allTransactions().count, 1, "\(rate)")
      shop.clock.advance(by: .milliseconds(1))
      XCTAssertEqual(shop.store.allTransactions().count, 2, "\(rate)")
    }
  }

  func testACancelledSubscriptionEndsWithItsPeriod() async throws {
    let shop = try SimulatedShop()
    let id = try await shop.phone.buy("monthly").id
    try await shop.phone.manageSubscriptions(cancelling: "monthly")
    XCTAssertEqual(shop.store.transaction(identifier: id)?.autoRenewingEnabled, false)
    try shop.store.enableAutoRenewForTransaction(identifier: id)
    XCTAssertEqual(shop.store.transaction(identifier: id)?.autoRenewingEnabled, true)
    try shop.store.disableAutoRenewForTransaction(identifier: id)
    var entitled = try await shop.phone.currentEntitlements().count
    XCTAssertEqual(entitled, 1)
    shop.clock.advance(by: month)
    entitled = try await shop.phone.currentEntitlements().count
    XCTAssertEqual(entitled, 0)
    let status = try await shop.phone.subscriptionStatus(of: "monthly")
    XCTAssertEqual(status?.state, .expired)
    XCTAssertEqual(shop.store.allTransactions().count, 1)
  }

  func testAFailedRenewalRunsOnInGraceThenIsRetriedThenEnds() async throws {
    let shop = try SimulatedShop()
    shop.store.shouldEnterBillingRetryOnRenewal = true
    shop.store.billingGracePeriodIsEnabled = true
    try await shop.phone.buy("monthly")
    var states: [SubscriptionStatus.State?] = []
    var entitled: [Int] = []
    for days in [31, 15, 1, 44] as [Int64] {
      shop.clock.advance(by: .seconds(days * 86_400))
      states.append(try await shop.phone.subscriptionStatus(of: "monthly")?.state)
      entitled.append(try await shop.phone.currentEntitlements().count)
    }
    XCTAssertEqual(states, [.inGracePeriod, .inGracePeriod, .inBillingRetryPeriod, .expired])
    XCTAssertEqual(entitled, [1, 1, 0, 0])
  }

  /// Where a time rate makes every period five minutes, the grace period and the retries last one each.
  func testGraceAndRetriesFollowEachOtherAtEveryTimeRate() async throws {
    let shop = try SimulatedShop()
    shop.store.timeRate = .anyRenewalEveryFiveMinutes
    shop.store.shouldEnterBillingRetryOnRenewal = true
    shop.store.billingGracePeriodIsEnabled = true
    try await shop.phone.buy("monthly")
    var states: [SubscriptionStatus.State?] = []
    for _ in 0..<3 {
      shop.clock.advance(by: .seconds(301))
      states.append(try await shop.phone.subscriptionStatus(of: "monthly")?.state)
    }
    XCTAssertEqual(states, [.inGracePeriod, .inBillingRetryPeriod, .expired])
  }

  func testAResolvedIssueRenewsFromThenOn() async throws {
    let shop = try SimulatedShop()
    shop.store.shouldEnterBillingRetryOnRenewal = true
    let id = try await shop.phone.buy("monthly").id
    let updates = Reader(shop.tablet.updates())
    shop.clock.advance(by: .seconds(40 * 86_400))
    XCTAssertEqual(shop.store.transaction(identifier: id)?.hasPurchaseIssue, true)
    try shop.store.resolveIssueForTransaction(identifier: id)
    _ = await updates.next()
    let renewal = await updates.next()
    XCTAssertEqual(renewal?.transaction.purchasedAt, shop.clock.now)
    let state = try await shop.phone.subscriptionStatus(of: "monthly")?.state
    XCTAssertEqual(state, .subscribed)
  }

  func testAForcedRenewalMakesThePeriodLonger() async throws {
    let shop = try SimulatedShop()
    let first = try await shop.phone.buy("weekly")
    try shop.store.forceRenewalOfSubscription(productIdentifier: "weekly")
    let renewal = try XCTUnwrap(shop.store.allTransactions().last).transaction
    XCTAssertEqual(renewal.reason, .renewal)
    XCTAssertEqual(
      try XCTUnwrap(renewal.expiresAt).milliseconds - XCTUnwrap(first.expiresAt).milliseconds, 7 * 86_400_000)
    shop.clock.advance(by: .seconds(7 * 86_400))
    XCTAssertEqual(shop.store.allTransactions().count, 2, "the first period's end means nothing any more")
    assertRefused(.purchaseNotFound) { try shop.store.forceRenewalOfSubscription(productIdentifier: "monthly") }
  }

  func testARefundedSubscriptionIsRevoked() async throws {
    let shop = try SimulatedShop()
    let id = try await shop.phone.buy("monthly").id
    try shop.store.refundTransaction(identifier: id)
    var state = try await shop.phone.subscriptionStatus(of: "monthly")?.state
    XCTAssertEqual(state, .revoked)
    let entitled = try await shop.phone.currentEntitlements()
    XCTAssertEqual(entitled, [])
    try shop.store.reverseRefund(identifier: id)
    state = try await shop.phone.subscriptionStatus(of: "monthly")?.state
    XCTAssertEqual(state, .subscribed)
    shop.clock.advance(by: month)
    XCTAssertEqual(shop.store.allTransactions().count, 1, "it runs out and does not go on")
  }

  func testAPriceIncreaseNeedsConsent() async throws {
    for (answer, count) in [("none", 1), ("consent", 2), ("decline", 1)] {
      let shop = try SimulatedShop()
      let id = try await shop.phone.buy("monthly").id
      try shop.store.requestPriceIncreaseConsentForTransaction(identifier: id)
      XCTAssertEqual(shop.store.transaction(identifier: id)?.pendingPriceIncreaseConsent, true)
      let asked = try await shop.phone.subscriptionStatus(of: "monthly")?.priceIncrease
      XCTAssertEqual(asked, .pending)
      if answer == "consent" { try shop.store.consentToPriceIncreaseForTransaction(identifier: id) }
      if answer == "decline" { try shop.store.declinePriceIncreaseForTransaction(identifier: id) }
      shop.clock.advance(by: month)
      XCTAssertEqual(shop.store.allTransactions().count, count, answer)
    }
  }

  func testARenewalCostsWhatTheCatalogSaysThen() async throws {
    let shop = try SimulatedShop()
    try await shop.phone.buy("monthly")
    shop.store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    shop.clock.advance(by: month)
    XCTAssertEqual(
      shop.store.allTransactions().map(\.transaction.price),
      [Money(minorUnits: 599, currency: "USD"), Money(minorUnits: 900, currency: "JPY")])
  }

  func testANewCatalogSetsThePriceOfTheNextRenewal() async throws {
    let shop = try SimulatedShop()
    try await shop.phone.buy("monthly")
    try shop.store.setCatalog(SimulatedShop.catalog(gemPrice: "3.49", monthlyPrice: "6.99"))
    let listed = try await shop.phone.products(for: ["gems"]).map(\.displayPrice)
    XCTAssertEqual(listed, ["$3.49"])
    shop.clock.advance(by: month)
    XCTAssertEqual(shop.store.allTransactions().map(\.transaction.price?.minorUnits), [599, 699])
  }

  func testRenewalsAreBounded() async throws {
    let shop = try SimulatedShop()
    shop.store.timeRate = .anyRenewalEveryTwoSeconds
    try await shop.phone.buy("monthly")
    shop.clock.advance(by: .seconds(86_400 * 365))
    XCTAssertEqual(shop.store.allTransactions().count, 10_001)
    let state = try await shop.phone.subscriptionStatus(of: "monthly")?.state
    XCTAssertEqual(state, .expired)
  }
}
