import GemLedger
import GemLedgerAudit
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Events outside of a purchase, as a client's user sees them: elsewhere, again, on other devices, or never.
final class AppleDeliveryControlsTests: XCTestCase {
  private let alice = ControlFixture.alice
  private let bob = ControlFixture.bob

  func testWhatIsBoughtElsewhereIsCreditedToWhomItNames() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    // Bob was here once, so the backend knows the customer of his token.
    let other = try fixture.fresh(bob, on: fixture.world.tablet)
    _ = try await other.customerInfo()
    try fixture.family.buyProduct(
      identifier: "gems", options: [.quantity(4), .appAccountToken(AccountToken(of: try CustomerID(bob)))])
    try await other.comes(to: 1200)
    try fixture.store.buyProduct(identifier: "chest", account: "family")
    try await fixture.client.comes(to: 300)
    try await assertSees(1200, other)
    try fixture.store.buyProduct(identifier: "gems", account: "another family")
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client, "another account's purchase is nobody's here")
  }

  func testWhatIsBoughtElsewhereMayNeedSomebodysConsent() async throws {
    let fixture = try ControlFixture()
    let asked = try fixture.family.buyProduct(identifier: "gems", options: [.simulatesAskToBuyInSandbox(true)])
    await fixture.client.syncPurchases()
    try await assertSees(0, fixture.client)
    try fixture.store.approveAskToBuyTransaction(identifier: asked.identifier)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
  }

  func testTheStoresListsAgreeWithTheClients() async throws {
    let fixture = try ControlFixture()
    for product in ["gems", "chest", "gems"] { _ = try await fixture.client.buy(product) }
    let history = try await fixture.client.purchaseHistory(page: 1)
    let ids = Array(history.map(\.storeTransactionID).reversed())
    XCTAssertEqual(fixture.store.allTransactions().map(\.identifier), ids)
    XCTAssertEqual(fixture.family.transactions().map(\.identifier), ids)
    XCTAssertEqual(fixture.store.accounts(), ["family"])
    XCTAssertEqual(ids.compactMap { fixture.store.transaction(identifier: $0)?.isFinished }, [true, true, true])
    XCTAssertEqual(fixture.store.account("nobody").transactions(), [])
  }

  func testDeletedAndClearedPurchasesReachNoClientAnyMore() async throws {
    let fixture = try ControlFixture()
    let first = try fixture.family.buyProduct(identifier: "gems")
    try fixture.family.buyProduct(identifier: "chest")
    try fixture.store.deleteTransaction(identifier: first.identifier)
    await fixture.client.syncPurchases()
    let products = try await fixture.client.products()
    XCTAssertEqual(products, ["chest"])
    try fixture.family.buyProduct(identifier: "gems")
    _ = try await fixture.client.buy("vip")
    try fixture.store.clearTransactions()
    let next = try fixture.fresh(bob)
    let restored = try await next.restorePurchases()
    XCTAssertEqual(restored.nonSubscriptions, [], "nothing is there to be restored")
    try await assertSees(0, next)
    try await assertSees(600, fixture.client, "what was credited stays")
    let again = try await fixture.client.buy("vip")
    XCTAssertNotNil(again.customerInfo, "it is for sale as if it had never been bought")
    try await assertSees(900, fixture.client)
  }

  func testAPurchaseDeliveredAgainIsCreditedOnceAndToldOnce() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let (listener, posted) = (await PurchaseListener(fixture.client), Collector<StoreTransactionID>())
    fixture.client.onReceiptPipelineEvent = { event in
      if case .finished(let item) = event { posted.add(item.storeTransactionID) }
    }
    let outcome = try await fixture.client.outcome(ofPurchasing: "gems")
    let id = try XCTUnwrap(outcome.storeTransactionID)
    for count in 1...3 {
      try await until { posted.all.count >= count }
      if count < 3 { try fixture.store.redeliverTransaction(identifier: id) }
    }
    XCTAssertEqual(Set(posted.all), [id])
    await listener.heardAll()
    XCTAssertEqual(listener.bought.all.map(\.storeTransactionID), [id])
    try await assertSees(300, fixture.client)
  }

  /// The updates bring unfinished purchases once after the app's start, and not with every stream.
  func testAStartOfTheAppBringsWhatIsUnfinished() async throws {
    let fixture = try ControlFixture()
    // The client finds nothing by itself.
    try fixture.store.inject(StoreFault(.failure(.systemError), on: .unfinished, .always))
    let first = Reader(fixture.world.phone.updates())
    try fixture.family.buyProduct(identifier: "gems")
    _ = await first.next()
    let second = try fixture.fresh(isAutomatic: true)
    try fixture.family.buyProduct(identifier: "chest")
    try await second.comes(to: 300)
    let seen = try await second.products()
    XCTAssertEqual(seen, ["chest"], "the app was not started anew")
    fixture.world.phone.relaunch()
    let third = try fixture.fresh(isAutomatic: true)
    try await third.comes(to: 600)
    let listed = try await third.products().sorted()
    XCTAssertEqual(listed, ["chest", "gems"])
  }

  func testANewInstallationFindsWhatWasPaidForAndNotCredited() async throws {
    let fixture = try ControlFixture()
    _ = try await fixture.client.offerings()
    fixture.backend.fail(.post, with: .networkLostBeforeEffect, .always)
    let result = try await fixture.client.buy("gems")
    XCTAssertEqual(result, .pendingServerValidation)
    XCTAssertEqual(fixture.client.queueCounts.pending, 1)
    fixture.world.phone.reinstall()
    fixture.backend.heal()
    let next = try fixture.fresh(isAutomatic: true)
    try await next.comes(to: 300)
    let (info, _) = try await next.logIn(alice)
    XCTAssertEqual(info.nonSubscriptions.map(\.productIdentifier), ["gems"])
    // The old installation's queue comes late, and is told that it is credited.
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
  }

  func testASecondDeviceOfTheAccountCreditsWhatTheFirstCouldNot() async throws {
    let fixture = try ControlFixture()
    try fixture.store.inject(StoreFault(.networkCutAfter, on: .purchase, device: "phone"))
    await assertStoreFails(.networkError) { try await fixture.client.buy("gems") }
    let tablet = try fixture.fresh(on: fixture.family.device("tablet"))
    await tablet.syncPurchases()
    try await assertSees(300, tablet)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
  }

  func testTwoCustomersOnOneAccountEachHaveTheirOwn() async throws {
    let fixture = try ControlFixture()
    let other = try fixture.fresh(bob)
    _ = try await other.customerInfo()
    try fixture.store.inject(StoreFault(.networkCutAfter, on: .purchase))
    await assertStoreFails(.networkError) { try await fixture.client.buy("gems", quantity: 2) }
    _ = try await other.buy("chest")
    // His client finds her purchase; it names her.
    await other.syncPurchases()
    try await assertSees(300, other)
    try await assertSees(600, fixture.client)
  }

  func testAnOfferCodeIsCreditedThroughTheUpdates() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    try fixture.store.addOfferCode("WELCOME", forProduct: "gems", identifier: "welcome", price: nil)
    await assertFails(.invalidOfferIdentifier) { try await fixture.world.phone.redeemOfferCode("WRONG") }
    try await assertSees(0, fixture.client)
    try await fixture.world.phone.redeemOfferCode("WELCOME")
    try await fixture.client.comes(to: 300)
    try await until { fixture.client.queueCounts.pending == 0 }
  }

  func testAFamilyMembersShareIsCreditedAndEndsWithTheRefund() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let bought = try fixture.store.buyProduct(identifier: "vip", account: "parent").identifier
    try fixture.store.shareWithFamily(identifier: bought, account: "family")
    try await fixture.client.comes(to: true, \.self) { try await fixture.client.isPremium() }
    let unspent = try fixture.world.ledger.unspent()
    XCTAssertEqual(unspent.parts.map(\.paid), [0])
    try fixture.store.refundTransaction(identifier: bought)
    try await fixture.client.comes(to: false, \.self) { try await fixture.client.isPremium() }
  }

  /// The backend hears of the purchase first, and the client finds it credited.
  func testANoticeOfAPurchaseCreditsItBeforeTheClientDoes() async throws {
    let fixture = try ControlFixture()
    _ = try await fixture.client.customerInfo()
    let token = AccountToken(of: try CustomerID(alice))
    try fixture.family.buyProduct(identifier: "chest", options: [.appAccountToken(token)])
    XCTAssertEqual(fixture.store.pendingNotices(), [], "nothing is told before it is switched on")
    let told = Reader(fixture.store.notices())
    fixture.store.sendsOneTimeChargeNotices = true
    try fixture.family.buyProduct(identifier: "gems", options: [.appAccountToken(token)])
    let pending = fixture.store.pendingNotices(limit: 10)
    let streamed = await told.next()
    XCTAssertEqual(streamed, pending.first?.notice)
    for numbered in pending { try await fixture.world.take(numbered.notice) }
    try await assertSees(300, fixture.client, "by the notice alone")
    try fixture.store.acknowledgeNotices(through: try XCTUnwrap(pending.last).id)
    XCTAssertEqual(try fixture.store.takeNotices(limit: 10), [], "each is taken once")
    await fixture.client.syncPurchases()
    try await assertSees(600, fixture.client, "the other one by its receipt, and none twice")
  }

  func testTheEnvironmentKeepsTestMoneyOutOfProduction() async throws {
    let fixture = try ControlFixture(policy: BackendPolicy(sandboxReceipts: .nobody))
    let result = try await fixture.client.buy("gems")
    guard case .failedServerValidation(let code, _, _) = result else { return XCTFail("\(result)") }
    XCTAssertEqual(code, LedgerError.Code.environmentNotAllowed.description)
    let item = try XCTUnwrap(fixture.client.queueItems.first)
    XCTAssertEqual(fixture.store.environment.session, World.session)
    XCTAssertTrue(item.id.contains("\(fixture.store.environment)"), item.id)
    try await fixture.client.comes(to: 0)
  }

  func testTheClockIsTheOneThatPurchasesAreDatedBy() async throws {
    let fixture = try ControlFixture()
    XCTAssertTrue(fixture.store.clock === fixture.clock)
    let target = fixture.clock.now.advanced(days: 40)
    fixture.store.clock.advance(to: target)
    let result = try await fixture.client.buy("gems")
    XCTAssertEqual(result.customerInfo?.nonSubscriptions.map(\.purchasedAt), [target])
    XCTAssertEqual(result.customerInfo?.asOf, target)
  }
}

extension Timestamp {
  func advanced(days: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds + days * 86_400_000) }
}
