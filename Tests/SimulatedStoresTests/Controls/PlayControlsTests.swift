import GemLedger
import GemLedgerAudit
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Payments, products and purchases at Google Play, as a client's user sees them.
final class PlayControlsTests: XCTestCase {
  private let day = Duration.seconds(86_400)

  // MARK: Payments

  func testEveryPaymentInstrumentEndsAsItSays() async throws {
    let expected: [PaymentInstrument: (first: PurchaseResult?, gems: Int)] = [
      .approves: (nil, 300), .declines: (.cancelled, 0), .slowApproves: (.pending, 300), .slowDeclines: (.pending, 0),
      .cash: (.pending, 0),
    ]
    for instrument in PaymentInstrument.allCases {
      let fixture = try PlayFixture()
      fixture.store.paymentInstrument = instrument
      let result = try await fixture.client.buy("gems")
      let wanted = try XCTUnwrap(expected[instrument])
      if let first = wanted.first { XCTAssertEqual(result, first, "\(instrument)") }
      XCTAssertEqual(result.customerInfo != nil, instrument == .approves, "\(instrument)")
      fixture.clock.advance(by: .seconds(300))
      await fixture.client.syncPurchases()
      try await assertSees(wanted.gems, fixture.client, "\(instrument)")
    }
  }

  func testAPriceThatTheStoreRaisedIsShownAndPaid() async throws {
    let fixture = try PlayFixture(policy: BackendPolicy(checksPrice: false))
    let usa = StorefrontCode.unitedStates
    try fixture.store.setPrice(try Price("3.49", in: usa.currency), ofProduct: "gems", in: usa)
    let window = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(window["gems"], "$3.49")
    _ = try await fixture.client.buy("gems")
    try await assertSees(300, fixture.client)
    let paid = try fixture.world.ledger.purchases(of: CustomerID(PlayFixture.alice)).purchases.map(\.price?.minorUnits)
    XCTAssertEqual(paid, [349])
  }

  func testAPromoCodeIsCreditedAndCostsNothing() async throws {
    let fixture = try PlayFixture(isAutomatic: true)
    try fixture.store.addOfferCode("GIFT", forProduct: "gems", identifier: "gift", price: nil)
    try await assertSees(0, fixture.client)
    try await fixture.pixel.redeemPromoCode("GIFT")
    try await fixture.client.comes(to: 300)
    let unspent = try fixture.world.ledger.unspent()
    XCTAssertEqual(unspent.parts.map(\.paid), [0])
    XCTAssertEqual(unspent.parts.map(\.free), [300])
  }

  func testAPaymentInAShopComesThroughTheUpdates() async throws {
    let fixture = try PlayFixture(isAutomatic: true)
    let listener = await PurchaseListener(fixture.client)
    fixture.store.paymentInstrument = .cash
    let result = try await fixture.client.buy("gems", quantity: 2)
    XCTAssertEqual(result, .pending)
    fixture.clock.advance(by: day * 5)
    try await assertSees(0, fixture.client)
    let again = try await fixture.client.buy("gems")
    XCTAssertEqual(again, .pending, "it waits, and cannot be bought twice")
    try fixture.store.approvePendingPurchase(token: try XCTUnwrap(fixture.store.purchases().first).purchaseToken)
    try await fixture.client.comes(to: 600)
    try await until { listener.bought.all.map(\.quantity) == [2] && fixture.client.queueCounts.pending == 0 }
    fixture.clock.advance(by: day * 5)
    try await fixture.deliverNotices()
    try await assertSees(600, fixture.client, "credited in time, so it is kept")
  }

  func testAPaymentThatDoesNotComeSetsTheProductFree() async throws {
    let fixture = try PlayFixture(isAutomatic: true)
    fixture.store.paymentInstrument = .cash
    _ = try await fixture.client.buy("gems")
    try fixture.store.declinePendingPurchase(token: try XCTUnwrap(fixture.store.purchases().first).purchaseToken)
    fixture.store.paymentInstrument = .approves
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
  }

  func testACustomerTurnsBackAtTheSheet() async throws {
    let fixture = try PlayFixture()
    fixture.store.customerCancelsSheets = true
    let turned = try await fixture.client.buy("gems")
    XCTAssertTrue(turned.userCancelled)
    fixture.store.customerCancelsSheets = false
    let paid = try await fixture.client.buy("gems")
    XCTAssertNotNil(paid.customerInfo)
    try await assertSees(300, fixture.client)
  }

  func testAPurchaseWithoutAnOrderIsCreditedByItsToken() async throws {
    let fixture = try PlayFixture()
    var orders: [Bool] = []
    for omits in [true, false] {
      fixture.store.omitsOrderIDs = omits
      let outcome = try await fixture.client.outcome(ofPurchasing: "gems")
      XCTAssertNotNil(outcome.result.customerInfo)
      orders.append(outcome.transaction?.orderID != nil)
      let history = try await fixture.client.purchaseHistory(page: 1)
      XCTAssertEqual(history.first?.storeTransactionID, outcome.storeTransactionID)
    }
    XCTAssertEqual(orders, [false, true])
    try await assertSees(600, fixture.client)
  }

  func testNinetyNineUnitsAreSoldAndAHundredAreNot() async throws {
    let fixture = try PlayFixture()
    await assertStoreFails(.invalidQuantity) { try await fixture.client.buy("gems", quantity: 100) }
    let result = try await fixture.client.buy("gems", quantity: 99)
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(29_700, fixture.client)
  }

  // MARK: Products

  func testWhatIsNotSoldIsNeitherShownNorSold() async throws {
    let fixture = try PlayFixture()
    for state in ProductState.allCases where state != .clearedForSale {
      try fixture.store.setState(state, ofProduct: "gems")
      let window = try await fixture.client.window(fixture.clock)
      XCTAssertNil(window["gems"], "\(state)")
      await assertStoreFails(.productUnavailable) { try await fixture.client.buy("gems") }
    }
    try fixture.store.setState(.clearedForSale, ofProduct: "gems")
    let window = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(window["gems"], "$2.99")
  }

  func testStorefrontLocaleAndCatalogChooseWhatTheWindowShows() async throws {
    let fixture = try PlayFixture()
    fixture.store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    fixture.store.locale = "ja_JP"
    let japanese = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(Set(japanese.keys), ["gems", "monthly"])
    let gems = try await fixture.client.offerings().current?["gems"]
    XCTAssertEqual(gems?.storeProduct.localizedTitle, "gems 日本語")
    let result = try await fixture.client.purchase(package: try XCTUnwrap(gems))
    XCTAssertEqual(result.customerInfo?.nonSubscriptions.first?.price, Money(minorUnits: 450, currency: "JPY"))
    fixture.store.storefront = .unitedStates
    try fixture.store.setCatalog(ControlFixture.catalog(gemPrice: "3.49"))
    let dearer = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(dearer["gems"]?.contains("3.49"), true, "\(dearer)")
  }

  // MARK: Owning

  func testWhatIsOwnedIsGivenAgainUntilItIsConsumed() async throws {
    let fixture = try PlayFixture()
    try fixture.store.inject(StoreFault(.networkCutBefore, on: .finish))
    let first = try await fixture.client.outcome(ofPurchasing: "gems")
    let again = try await fixture.client.outcome(ofPurchasing: "gems")
    XCTAssertEqual(again.storeTransactionID, first.storeTransactionID)
    try await fixture.pixel.consume(try XCTUnwrap(first.storeTransactionID))
    let anew = try await fixture.client.outcome(ofPurchasing: "gems")
    XCTAssertNotEqual(anew.storeTransactionID, first.storeTransactionID)
    await fixture.client.syncPurchases()
    try await assertSees(600, fixture.client)
  }

  /// The billing client of another part of the app bought; the client credits and consumes it.
  func testWhatTheBillingClientBoughtIsFoundAndConsumed() async throws {
    let fixture = try PlayFixture()
    let token = AccountToken(of: try CustomerID(PlayFixture.bob))
    let other = try fixture.fresh(PlayFixture.bob, on: fixture.tablet)
    _ = try await other.customerInfo()
    let bought = try await fixture.pixel.launchBillingFlow(productID: "gems", quantity: 3, obfuscatedAccountID: token)
    await fixture.client.syncPurchases()
    try await assertSees(900, other)
    try await assertSees(0, fixture.client)
    XCTAssertEqual(fixture.store.purchase(token: bought.purchaseToken)?.isConsumed, true)
    let owned = try await fixture.pixel.queryPurchases()
    XCTAssertEqual(owned, [])
  }

  func testWhatSomebodyElseConsumedIsNotFoundAgain() async throws {
    let fixture = try PlayFixture()
    let byDevice = try await fixture.pixel.launchBillingFlow(productID: "gems").purchaseToken
    try await fixture.pixel.consume(byDevice)
    let byBackend = try await fixture.pixel.launchBillingFlow(productID: "chest").purchaseToken
    try fixture.store.consume(byBackend)
    await fixture.client.syncPurchases()
    try await assertSees(0, fixture.client, "consumed without a credit")
    let next = try await fixture.client.buy("gems")
    XCTAssertNotNil(next.customerInfo)
    try await assertSees(300, fixture.client)
  }

  func testClearedPurchasesReachNoClientAnyMore() async throws {
    let fixture = try PlayFixture()
    _ = try await fixture.pixel.launchBillingFlow(productID: "gems")
    _ = try await fixture.client.buy("vip")
    try fixture.store.clearPurchases()
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
    let next = try fixture.fresh(PlayFixture.bob)
    let restored = try await next.restorePurchases()
    XCTAssertEqual(restored.nonSubscriptions, [])
    XCTAssertEqual(restored.entitlements.all, [:])
  }

  func testAnotherDeviceOrANewInstallationFindsWhatIsPaidFor() async throws {
    for isReinstalled in [false, true] {
      let fixture = try PlayFixture()
      _ = try await fixture.client.offerings()
      fixture.backend.fail(.post, with: .networkLostBeforeEffect, .always)
      let result = try await fixture.client.buy("gems")
      XCTAssertEqual(result, .pendingServerValidation)
      fixture.backend.heal()
      if isReinstalled { fixture.pixel.reinstall() }
      let next = try fixture.fresh(on: isReinstalled ? fixture.pixel : fixture.tablet, isAutomatic: true)
      try await next.comes(to: 300)
    }
  }

  /// The updates bring unfinished purchases once after the app's start, and not with every stream.
  func testAStartOfTheAppBringsWhatIsUnfinished() async throws {
    let fixture = try PlayFixture(isAutomatic: true)
    try fixture.store.inject(StoreFault(.failure(.systemError), on: .unfinished, .always))
    _ = try await fixture.pixel.launchBillingFlow(productID: "gems")
    try await assertSees(0, fixture.client, "Google tells a running app nothing")
    fixture.pixel.relaunch()
    let next = try fixture.fresh(isAutomatic: true)
    try await next.comes(to: 300)
  }

  // MARK: Subscriptions

  func testASubscriptionRenewsAtTheTimeRateUntilItIsCancelled() async throws {
    let fixture = try PlayFixture(isAutomatic: true)
    fixture.store.timeRate = .oneRealDayIsOneMinute
    let outcome = try await fixture.client.outcome(ofPurchasing: "monthly")
    fixture.clock.advance(by: .seconds(30 * 60))
    try await fixture.client.comes(to: 600)
    try fixture.store.cancelSubscription(token: try XCTUnwrap(outcome.storeTransactionID))
    fixture.clock.advance(by: .seconds(30 * 60))
    await fixture.client.syncPurchases()
    try await assertSees(600, fixture.client)
    let isPremium = try await fixture.client.isPremium()
    XCTAssertFalse(isPremium)
  }
}
