import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import XCTest

/// Refunds at Google Play, by a deadline or by an operator, as a client's user sees them.
final class PlayRefundControlsTests: XCTestCase {
  private let day = Duration.seconds(86_400)

  /// The purchase could not be credited for three days: the store gives the money back, and no gems remain.
  func testWhatIsNotCreditedInThreeDaysIsGivenBack() async throws {
    for hearsOfItFirst in [false, true] {
      let scene = try PlayScene()
      _ = try await scene.client.offerings()
      scene.backend.fail(.post, with: .networkLostBeforeEffect, .always)
      let outcome = try await scene.client.outcome(ofPurchasing: "gems", quantity: 2)
      XCTAssertEqual(outcome.result, .pendingServerValidation)
      let token = try XCTUnwrap(outcome.storeTransactionID)
      scene.clock.advance(by: day * 3)
      XCTAssertEqual(scene.store.purchase(token: token)?.state, .canceled)
      XCTAssertEqual(try scene.store.voidedPurchases().purchases.map(\.reason), [.unacknowledged])
      scene.backend.heal()
      if hearsOfItFirst { try await scene.deliverNotices() }
      await scene.client.syncPurchases()
      if !hearsOfItFirst { try await scene.deliverNotices() }
      try await assertSees(0, scene.client)
      let next = try await scene.client.buy("gems")
      XCTAssertNotNil(next.customerInfo, "it can be bought again")
      try await assertSees(300, scene.client)
    }
  }

  func testAnAcknowledgementInTimeKeepsWhatIsNotCreditedYet() async throws {
    for isByDevice in [false, true] {
      let scene = try PlayScene()
      _ = try await scene.client.offerings()
      scene.backend.fail(.post, with: .networkLostBeforeEffect, .always)
      let outcome = try await scene.client.outcome(ofPurchasing: "gems")
      let token = try XCTUnwrap(outcome.storeTransactionID)
      if isByDevice { try await scene.pixel.acknowledge(token) } else { try scene.store.acknowledge(token) }
      scene.clock.advance(by: day * 4)
      XCTAssertEqual(try scene.store.takeNotices(limit: 1), [])
      scene.backend.heal()
      await scene.client.syncPurchases()
      try await assertSees(300, scene.client)
    }
  }

  /// Devices are told nothing; the backend is, and the app sees it when it comes to the foreground.
  func testARefundComesToTheAppWithTheForeground() async throws {
    let scene = try PlayScene(isAutomatic: true)
    let outcome = try await scene.client.outcome(ofPurchasing: "gems")
    let token = try XCTUnwrap(outcome.storeTransactionID)
    scene.clock.advance(by: .seconds(60))
    try scene.store.refund(token: token, source: .google, reason: .chargeback)
    try await assertSees(300, scene.client)
    try await scene.deliverNotices()
    let shown = try await scene.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, 0)
    let info = try await scene.client.customerInfo()
    XCTAssertEqual(info.nonSubscriptions.map(\.isRefunded), [true])
    assertRefused(.alreadyRefunded) { try scene.store.refund(token: token) }
  }

  func testUnitsAreGivenBackOneByOne() async throws {
    let scene = try PlayScene()
    let outcome = try await scene.client.outcome(ofPurchasing: "gems", quantity: 5)
    let token = try XCTUnwrap(outcome.storeTransactionID)
    for (units, gems) in [(2, 900), (1, 600), (nil, 0)] as [(Int64?, Int)] {
      scene.clock.advance(by: .seconds(60))
      try scene.store.refund(token: token, quantity: units, source: .user, reason: .remorse)
      try await scene.deliverNotices()
      try await assertSees(gems, scene.client, "\(String(describing: units))")
    }
    scene.client.invalidateCustomerInfoCache()
    let info = try await scene.client.customerInfo()
    XCTAssertEqual(info.nonSubscriptions.map(\.isRefunded), [true])
  }

  /// A backend that heard no notice reads the list instead.
  func testTheListOfVoidedPurchasesBringsWhatANoticeDidNot() async throws {
    let scene = try PlayScene()
    for product in ["gems", "chest"] {
      let outcome = try await scene.client.outcome(ofPurchasing: product, quantity: 2)
      scene.clock.advance(by: .seconds(60))
      let isWhole = product == "gems"
      try scene.store.refund(token: try XCTUnwrap(outcome.storeTransactionID), quantity: isWhole ? nil : 1)
    }
    let pending = scene.store.pendingNotices(limit: 10)
    XCTAssertEqual(pending.count, 2)
    try scene.store.settleNotices(through: try XCTUnwrap(pending.last).id)
    try await assertSees(1200, scene.client, "the notices were thrown away")
    XCTAssertEqual(try scene.store.voidedPurchases().purchases.count, 1)
    var (page, pages): (String?, Int) = (nil, 0)
    repeat {
      let found = try scene.store.voidedPurchases(
        from: scene.clock.now.advanced(days: -1), until: scene.clock.now, limit: 1, token: page, includingPartial: true)
      for voided in found.purchases {
        let purchase = try XCTUnwrap(scene.store.purchase(token: voided.purchaseToken))
        _ = try await scene.world.backend.apply(purchase.transaction)
      }
      (page, pages) = (found.nextToken, pages + 1)
    } while page != nil
    XCTAssertEqual(pages, 2)
    try await assertSees(300, scene.client)
  }

  func testANoticeOfAPurchaseCreditsItBeforeTheClientDoes() async throws {
    let scene = try PlayScene()
    _ = try await scene.client.customerInfo()
    let told = Reader(scene.store.notices())
    scene.store.sendsPurchaseNotices = true
    let token = AccountToken(of: try CustomerID(PlayScene.alice))
    let bought = try await scene.pixel.launchBillingFlow(productID: "gems", obfuscatedAccountID: token)
    let notice = await told.next()
    XCTAssertEqual(notice, .oneTimePurchased(bought.purchaseToken))
    try await scene.deliverNotices()
    try await assertSees(300, scene.client)
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
    XCTAssertEqual(scene.store.purchase(token: bought.purchaseToken)?.isConsumed, true)
  }

  func testANoticeOfAPaymentThatNeverCameCreditsNothing() async throws {
    let scene = try PlayScene()
    scene.store.sendsPurchaseNotices = true
    scene.store.paymentInstrument = .slowDeclines
    let result = try await scene.client.buy("gems")
    XCTAssertEqual(result, .pending)
    scene.clock.advance(by: .seconds(300))
    let token = try XCTUnwrap(scene.store.purchases().first).purchaseToken
    XCTAssertEqual(scene.store.pendingNotices().map(\.notice), [.oneTimeCanceled(token)])
    try await scene.deliverNotices()
    await scene.client.syncPurchases()
    try await assertSees(0, scene.client)
  }
}
