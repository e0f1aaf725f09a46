import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
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
      let scene = try PlayScene()
      scene.store.paymentInstrument = instrument
      let result = try await scene.client.buy("gems")
      let wanted = try XCTUnwrap(expected[instrument])
      if let first = wanted.first { XCTAssertEqual(result, first, "\(instrument)") }
      XCTAssertEqual(result.customerInfo != nil, instrument == .approves, "\(instrument)")
      scene.clock.advance(by: .seconds(300))
      await scene.client.syncPurchases()
      try await assertSees(wanted.gems, scene.client, "\(instrument)")
    }
  }

  func testAPaymentInAShopComesThroughTheUpdates() async throws {
    let scene = try PlayScene(isAutomatic: true)
    let listener = PurchaseListener(scene.client)
    scene.store.paymentInstrument = .cash
    let result = try await scene.client.buy("gems", quantity: 2)
    XCTAssertEqual(result, .pending)
    scene.clock.advance(by: day * 5)
    try await assertSees(0, scene.client)
    let again = try await scene.client.buy("gems")
    XCTAssertEqual(again, .pending, "it waits, and cannot be bought twice")
    try scene.store.approvePendingPurchase(token: try XCTUnwrap(scene.store.purchases().first).purchaseToken)
    try await scene.client.comes(to: 600)
    try await until { listener.bought.all.map(\.quantity) == [2] && scene.client.pendingReceiptCount == 0 }
    scene.clock.advance(by: day * 5)
    try await scene.deliverNotices()
    try await assertSees(600, scene.client, "credited in time, so it is kept")
  }

  func testAPaymentThatDoesNotComeSetsTheProductFree() async throws {
    let scene = try PlayScene(isAutomatic: true)
    scene.store.paymentInstrument = .cash
    _ = try await scene.client.buy("gems")
    try scene.store.declinePendingPurchase(token: try XCTUnwrap(scene.store.purchases().first).purchaseToken)
    scene.store.paymentInstrument = .approves
    let result = try await scene.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
  }

  func testACustomerTurnsBackAtTheSheet() async throws {
    let scene = try PlayScene()
    scene.store.customerCancelsSheets = true
    let turned = try await scene.client.buy("gems")
    XCTAssertTrue(turned.userCancelled)
    scene.store.customerCancelsSheets = false
    let paid = try await scene.client.buy("gems")
    XCTAssertNotNil(paid.customerInfo)
    try await assertSees(300, scene.client)
  }

  func testAPurchaseWithoutAnOrderIsCreditedByItsToken() async throws {
    let scene = try PlayScene()
    var orders: [Bool] = []
    for omits in [true, false] {
      scene.store.omitsOrderIDs = omits
      let outcome = try await scene.client.outcome(ofPurchasing: "gems")
      XCTAssertNotNil(outcome.result.customerInfo)
      orders.append(outcome.transaction?.orderID != nil)
      let history = try await scene.client.purchaseHistory(page: 1)
      XCTAssertEqual(history.first?.storeTransactionID, outcome.storeTransactionID)
    }
    XCTAssertEqual(orders, [false, true])
    try await assertSees(600, scene.client)
  }

  func testNinetyNineUnitsAreSoldAndAHundredAreNot() async throws {
    let scene = try PlayScene()
    await assertStoreFails(.invalidQuantity) { try await scene.client.buy("gems", quantity: 100) }
    let result = try await scene.client.buy("gems", quantity: 99)
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(29_700, scene.client)
  }

  // MARK: Products

  func testWhatIsNotSoldIsNeitherShownNorSold() async throws {
    let scene = try PlayScene()
    for state in ProductState.allCases where state != .clearedForSale {
      try scene.store.setState(state, ofProduct: "gems")
      let window = try await scene.client.window(scene.clock)
      XCTAssertNil(window["gems"], "\(state)")
      await assertStoreFails(.productUnavailable) { try await scene.client.buy("gems") }
    }
    try scene.store.setState(.clearedForSale, ofProduct: "gems")
    let window = try await scene.client.window(scene.clock)
    XCTAssertEqual(window["gems"], "$2.99")
  }

  func testStorefrontLocaleAndCatalogChooseWhatTheWindowShows() async throws {
    let scene = try PlayScene()
    scene.store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    scene.store.locale = "ja_JP"
    let japanese = try await scene.client.window(scene.clock)
    XCTAssertEqual(Set(japanese.keys), ["gems", "monthly"])
    let gems = try await scene.client.offerings().current?["gems"]
    XCTAssertEqual(gems?.storeProduct.localizedTitle, "gems 日本語")
    let result = try await scene.client.purchase(package: try XCTUnwrap(gems))
    XCTAssertEqual(result.customerInfo?.nonSubscriptions.first?.price, Money(minorUnits: 450, currency: "JPY"))
    scene.store.storefront = .unitedStates
    try scene.store.setCatalog(ControlScene.catalog(gemPrice: "3.49"))
    let dearer = try await scene.client.window(scene.clock)
    XCTAssertEqual(dearer["gems"]?.contains("3.49"), true, "\(dearer)")
  }

  // MARK: Owning

  func testWhatIsOwnedIsGivenAgainUntilItIsConsumed() async throws {
    let scene = try PlayScene()
    try scene.store.inject(StoreFault(.networkCutBefore, on: .finish))
    let first = try await scene.client.outcome(ofPurchasing: "gems")
    let again = try await scene.client.outcome(ofPurchasing: "gems")
    XCTAssertEqual(again.storeTransactionID, first.storeTransactionID)
    try await scene.pixel.consume(try XCTUnwrap(first.storeTransactionID))
    let anew = try await scene.client.outcome(ofPurchasing: "gems")
    XCTAssertNotEqual(anew.storeTransactionID, first.storeTransactionID)
    await scene.client.syncPurchases()
    try await assertSees(600, scene.client)
  }

  /// The billing client of another part of the app bought; the client credits and consumes it.
  func testWhatTheBillingClientBoughtIsFoundAndConsumed() async throws {
    let scene = try PlayScene()
    let token = AccountToken(of: try CustomerID(PlayScene.bob))
    let other = try scene.fresh(PlayScene.bob, on: scene.tablet)
    _ = try await other.customerInfo()
    let bought = try await scene.pixel.launchBillingFlow(productID: "gems", quantity: 3, obfuscatedAccountID: token)
    await scene.client.syncPurchases()
    try await assertSees(900, other)
    try await assertSees(0, scene.client)
    XCTAssertEqual(scene.store.purchase(token: bought.purchaseToken)?.isConsumed, true)
    let owned = try await scene.pixel.queryPurchases()
    XCTAssertEqual(owned, [])
  }

  func testWhatSomebodyElseConsumedIsNotFoundAgain() async throws {
    let scene = try PlayScene()
    let byDevice = try await scene.pixel.launchBillingFlow(productID: "gems").purchaseToken
    try await scene.pixel.consume(byDevice)
    let byBackend = try await scene.pixel.launchBillingFlow(productID: "chest").purchaseToken
    try scene.store.consume(byBackend)
    await scene.client.syncPurchases()
    try await assertSees(0, scene.client, "consumed without a credit")
    let next = try await scene.client.buy("gems")
    XCTAssertNotNil(next.customerInfo)
    try await assertSees(300, scene.client)
  }

  func testClearedPurchasesReachNoClientAnyMore() async throws {
    let scene = try PlayScene()
    _ = try await scene.pixel.launchBillingFlow(productID: "gems")
    _ = try await scene.client.buy("vip")
    try scene.store.clearPurchases()
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
    let next = try scene.fresh(PlayScene.bob)
    let restored = try await next.restorePurchases()
    XCTAssertEqual(restored.nonSubscriptions, [])
    XCTAssertEqual(restored.entitlements.all, [])
  }

  func testAnotherDeviceOrANewInstallationFindsWhatIsPaidFor() async throws {
    for isReinstalled in [false, true] {
      let scene = try PlayScene()
      _ = try await scene.client.offerings()
      scene.backend.fail(.post, with: .networkLostBeforeEffect, .always)
      let result = try await scene.client.buy("gems")
      XCTAssertEqual(result, .pendingServerValidation)
      scene.backend.heal()
      if isReinstalled { scene.pixel.reinstall() }
      let next = try scene.fresh(on: isReinstalled ? scene.pixel : scene.tablet, isAutomatic: true)
      try await next.comes(to: 300)
    }
  }

  /// The updates bring unfinished purchases once after the app's start, and not with every stream.
  func testAStartOfTheAppBringsWhatIsUnfinished() async throws {
    let scene = try PlayScene(isAutomatic: true)
    try scene.store.inject(StoreFault(.failure(.systemError), on: .unfinished, .always))
    _ = try await scene.pixel.launchBillingFlow(productID: "gems")
    try await assertSees(0, scene.client, "Google tells a running app nothing")
    scene.pixel.relaunch()
    let next = try scene.fresh(isAutomatic: true)
    try await next.comes(to: 300)
  }

  // MARK: Subscriptions

  func testASubscriptionRenewsAtTheTimeRateUntilItIsCancelled() async throws {
    let scene = try PlayScene(isAutomatic: true)
    scene.store.timeRate = .oneRealDayIsOneMinute
    let outcome = try await scene.client.outcome(ofPurchasing: "monthly")
    scene.clock.advance(by: .seconds(30 * 60))
    try await scene.client.comes(to: 600)
    try scene.store.cancelSubscription(token: try XCTUnwrap(outcome.storeTransactionID))
    scene.clock.advance(by: .seconds(30 * 60))
    await scene.client.syncPurchases()
    try await assertSees(600, scene.client)
    let isPremium = try await scene.client.isPremium()
    XCTAssertFalse(isPremium)
  }
}
