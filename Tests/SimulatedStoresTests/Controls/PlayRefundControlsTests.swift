import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Refunds at Google Play, by a deadline or by an operator, as a client's user sees them.
final class PlayRefundControlsTests: XCTestCase {
  private let day = Duration.seconds(86_400)

  /// The purchase could not be credited for three days: the store gives the money back, and no gems remain.
  func testWhatIsNotCreditedInThreeDaysIsGivenBack() async throws {
    for hearsOfItFirst in [false, true] {
      let fixture = try PlayFixture()
      _ = try await fixture.client.offerings()
      fixture.backend.fail(.post, with: .networkLostBeforeEffect, .always)
      let outcome = try await fixture.client.outcome(ofPurchasing: "gems", quantity: 2)
      XCTAssertEqual(outcome.result, .pendingServerValidation)
      let token = try XCTUnwrap(outcome.storeTransactionID)
      fixture.clock.advance(by: day * 3)
      XCTAssertEqual(fixture.store.purchase(token: token)?.state, .canceled)
      XCTAssertEqual(try fixture.store.voidedPurchases().purchases.map(\.reason), [.unacknowledged])
      fixture.backend.heal()
      if hearsOfItFirst { try await fixture.deliverNotices() }
      await fixture.client.syncPurchases()
      if !hearsOfItFirst { try await fixture.deliverNotices() }
      try await assertSees(0, fixture.client)
      let next = try await fixture.client.buy("gems")
      XCTAssertNotNil(next.customerInfo, "it can be bought again")
      try await assertSees(300, fixture.client)
    }
  }

  func testAnAcknowledgementInTimeKeepsWhatIsNotCreditedYet() async throws {
    for isByDevice in [false, true] {
      let fixture = try PlayFixture()
      _ = try await fixture.client.offerings()
      fixture.backend.fail(.post, with: .networkLostBeforeEffect, .always)
      let outcome = try await fixture.client.outcome(ofPurchasing: "gems")
      let token = try XCTUnwrap(outcome.storeTransactionID)
      if isByDevice { try await fixture.pixel.acknowledge(token) } else { try fixture.store.acknowledge(token) }
      fixture.clock.advance(by: day * 4)
      XCTAssertEqual(try fixture.store.takeNotices(limit: 1), [])
      fixture.backend.heal()
      await fixture.client.syncPurchases()
      try await assertSees(300, fixture.client)
    }
  }

  /// Devices are told nothing; the backend is, and the app sees it when it comes to the foreground.
  func testARefundComesToTheAppWithTheForeground() async throws {
    let fixture = try PlayFixture(isAutomatic: true)
    let outcome = try await fixture.client.outcome(ofPurchasing: "gems")
    let token = try XCTUnwrap(outcome.storeTransactionID)
    fixture.clock.advance(by: .seconds(60))
    try fixture.store.refund(token: token, source: .google, reason: .chargeback)
    try await assertSees(300, fixture.client)
    try await fixture.deliverNotices()
    let shown = try await fixture.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, 0)
    let info = try await fixture.client.customerInfo()
    XCTAssertEqual(info.nonSubscriptions.map(\.isRefunded), [true])
    assertRefused(.alreadyRefunded) { try fixture.store.refund(token: token) }
  }

  func testUnitsAreGivenBackOneByOne() async throws {
    let fixture = try PlayFixture()
    let outcome = try await fixture.client.outcome(ofPurchasing: "gems", quantity: 5)
    let token = try XCTUnwrap(outcome.storeTransactionID)
    for (units, gems) in [(2, 900), (1, 600), (nil, 0)] as [(Int64?, Int)] {
      fixture.clock.advance(by: .seconds(60))
      try fixture.store.refund(token: token, quantity: units, source: .user, reason: .remorse)
      try await fixture.deliverNotices()
      try await assertSees(gems, fixture.client, "\(String(describing: units))")
    }
    fixture.client.invalidateCustomerInfoCache()
    let info = try await fixture.client.customerInfo()
    XCTAssertEqual(info.nonSubscriptions.map(\.isRefunded), [true])
  }

  /// A backend that heard no notice reads the list instead.
  func testTheListOfVoidedPurchasesBringsWhatANoticeDidNot() async throws {
    let fixture = try PlayFixture()
    for product in ["gems", "chest"] {
      let outcome = try await fixture.client.outcome(ofPurchasing: product, quantity: 2)
      fixture.clock.advance(by: .seconds(60))
      let isWhole = product == "gems"
      try fixture.store.refund(token: try XCTUnwrap(outcome.storeTransactionID), quantity: isWhole ? nil : 1)
    }
    let pending = fixture.store.pendingNotices(limit: 10)
    XCTAssertEqual(pending.count, 2)
    try fixture.store.acknowledgeNotices(through: try XCTUnwrap(pending.last).id)
    try await assertSees(1200, fixture.client, "the notices were thrown away")
    XCTAssertEqual(try fixture.store.voidedPurchases().purchases.count, 1)
    var (page, pages): (String?, Int) = (nil, 0)
    repeat {
      let found = try fixture.store.voidedPurchases(
        from: fixture.clock.now.advanced(days: -1), until: fixture.clock.now, limit: 1, token: page,
        includingPartial: true)
      for voided in found.purchases {
        let purchase = try XCTUnwrap(fixture.store.purchase(token: voided.purchaseToken))
        _ = try await fixture.world.backend.apply(purchase.transaction)
      }
      (page, pages) = (found.nextToken, pages + 1)
    } while page != nil
    XCTAssertEqual(pages, 2)
    try await assertSees(300, fixture.client)
  }

  func testANoticeOfAPurchaseCreditsItBeforeTheClientDoes() async throws {
    let fixture = try PlayFixture()
    _ = try await fixture.client.customerInfo()
    let told = Reader(fixture.store.notices())
    fixture.store.sendsPurchaseNotices = true
    let token = AccountToken(of: try CustomerID(PlayFixture.alice))
    let bought = try await fixture.pixel.launchBillingFlow(productID: "gems", obfuscatedAccountID: token)
    let notice = await told.next()
    XCTAssertEqual(notice, .oneTimePurchased(bought.purchaseToken))
    try await fixture.deliverNotices()
    try await assertSees(300, fixture.client)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
    XCTAssertEqual(fixture.store.purchase(token: bought.purchaseToken)?.isConsumed, true)
  }

  func testANoticeOfAPaymentThatNeverCameCreditsNothing() async throws {
    let fixture = try PlayFixture()
    fixture.store.sendsPurchaseNotices = true
    fixture.store.paymentInstrument = .slowDeclines
    let result = try await fixture.client.buy("gems")
    XCTAssertEqual(result, .pending)
    fixture.clock.advance(by: .seconds(300))
    let token = try XCTUnwrap(fixture.store.purchases().first).purchaseToken
    XCTAssertEqual(fixture.store.pendingNotices().map(\.notice), [.oneTimeCanceled(token)])
    try await fixture.deliverNotices()
    await fixture.client.syncPurchases()
    try await assertSees(0, fixture.client)
  }
}
