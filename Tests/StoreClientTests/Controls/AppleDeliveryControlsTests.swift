import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import XCTest

/// Events outside of a purchase, as a client's user sees them: elsewhere, again, on other devices, or never.
final class AppleDeliveryControlsTests: XCTestCase {
  private let alice = ControlScene.alice
  private let bob = ControlScene.bob

  func testWhatIsBoughtElsewhereIsCreditedToWhomItNames() async throws {
    let scene = try ControlScene(isAutomatic: true)
    // Bob was here once, so the backend knows the customer of his token.
    let other = try scene.fresh(bob, on: scene.world.tablet)
    _ = try await other.customerInfo()
    try scene.family.buyProduct(
      identifier: "gems", options: [.quantity(4), .appAccountToken(AccountToken(of: try CustomerID(bob)))])
    try await other.comes(to: 1200)
    try scene.store.buyProduct(identifier: "chest", account: "family")
    try await scene.client.comes(to: 300)
    try await assertSees(1200, other)
    try scene.store.buyProduct(identifier: "gems", account: "another family")
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client, "another account's purchase is nobody's here")
  }

  func testWhatIsBoughtElsewhereMayNeedSomebodysConsent() async throws {
    let scene = try ControlScene()
    let asked = try scene.family.buyProduct(identifier: "gems", options: [.simulatesAskToBuyInSandbox(true)])
    await scene.client.syncPurchases()
    try await assertSees(0, scene.client)
    try scene.store.approveAskToBuyTransaction(identifier: asked.identifier)
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
  }

  func testTheStoresListsAgreeWithTheClients() async throws {
    let scene = try ControlScene()
    for product in ["gems", "chest", "gems"] { _ = try await scene.client.buy(product) }
    let history = try await scene.client.purchaseHistory(page: 1)
    let ids = Array(history.map(\.storeTransactionID).reversed())
    XCTAssertEqual(scene.store.allTransactions().map(\.identifier), ids)
    XCTAssertEqual(scene.family.transactions().map(\.identifier), ids)
    XCTAssertEqual(scene.store.accounts(), ["family"])
    XCTAssertEqual(ids.compactMap { scene.store.transaction(identifier: $0)?.isFinished }, [true, true, true])
    XCTAssertEqual(scene.store.account("nobody").transactions(), [])
  }

  func testDeletedAndClearedPurchasesReachNoClientAnyMore() async throws {
    let scene = try ControlScene()
    let first = try scene.family.buyProduct(identifier: "gems")
    try scene.family.buyProduct(identifier: "chest")
    try scene.store.deleteTransaction(identifier: first.identifier)
    await scene.client.syncPurchases()
    let products = try await scene.client.products()
    XCTAssertEqual(products, ["chest"])
    try scene.family.buyProduct(identifier: "gems")
    _ = try await scene.client.buy("vip")
    try scene.store.clearTransactions()
    let next = try scene.fresh(bob)
    let restored = try await next.restorePurchases()
    XCTAssertEqual(restored.nonSubscriptions, [], "nothing is there to be restored")
    try await assertSees(0, next)
    try await assertSees(600, scene.client, "what was credited stays")
    let again = try await scene.client.buy("vip")
    XCTAssertNotNil(again.customerInfo, "it is for sale as if it had never been bought")
    try await assertSees(900, scene.client)
  }

  func testAPurchaseDeliveredAgainIsCreditedOnceAndToldOnce() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let (listener, posted) = (PurchaseListener(scene.client), Collector<StoreTransactionID>())
    scene.client.onReceiptPipelineEvent = { event in
      if case .finished(let item) = event { posted.add(item.storeTransactionID) }
    }
    let outcome = try await scene.client.outcome(ofPurchasing: "gems")
    let id = try XCTUnwrap(outcome.storeTransactionID)
    for count in 1...3 {
      try await until { posted.all.count >= count }
      if count < 3 { try scene.store.redeliverTransaction(identifier: id) }
    }
    XCTAssertEqual(Set(posted.all), [id])
    XCTAssertEqual(listener.bought.all.map(\.storeTransactionID), [id])
    try await assertSees(300, scene.client)
  }

  /// The updates bring unfinished purchases once after the app's start, and not with every stream.
  func testAStartOfTheAppBringsWhatIsUnfinished() async throws {
    let scene = try ControlScene()
    // The client finds nothing by itself.
    try scene.store.inject(StoreFault(.failure(.systemError), on: .unfinished, .always))
    let first = Reader(scene.world.phone.updates())
    try scene.family.buyProduct(identifier: "gems")
    _ = await first.next()
    let second = try scene.fresh(isAutomatic: true)
    try scene.family.buyProduct(identifier: "chest")
    try await second.comes(to: 300)
    let seen = try await second.products()
    XCTAssertEqual(seen, ["chest"], "the app was not started anew")
    scene.world.phone.relaunch()
    let third = try scene.fresh(isAutomatic: true)
    try await third.comes(to: 600)
    let listed = try await third.products().sorted()
    XCTAssertEqual(listed, ["chest", "gems"])
  }

  func testANewInstallationFindsWhatWasPaidForAndNotCredited() async throws {
    let scene = try ControlScene()
    _ = try await scene.client.offerings()
    scene.backend.fail(.post, with: .networkLostBeforeEffect, .always)
    let result = try await scene.client.buy("gems")
    XCTAssertEqual(result, .pendingServerValidation)
    XCTAssertEqual(scene.client.pendingReceiptCount, 1)
    scene.world.phone.reinstall()
    scene.backend.heal()
    let next = try scene.fresh(isAutomatic: true)
    try await next.comes(to: 300)
    let (info, _) = try await next.logIn(alice)
    XCTAssertEqual(info.nonSubscriptions.map(\.productIdentifier), ["gems"])
    // The old installation's queue comes late, and is told that it is credited.
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
  }

  func testASecondDeviceOfTheAccountCreditsWhatTheFirstCouldNot() async throws {
    let scene = try ControlScene()
    try scene.store.inject(StoreFault(.networkCutAfter, on: .purchase, device: "phone"))
    await assertStoreFails(.networkError) { try await scene.client.buy("gems") }
    let tablet = try scene.fresh(on: scene.family.device("tablet"))
    await tablet.syncPurchases()
    try await assertSees(300, tablet)
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
  }

  func testTwoCustomersOnOneAccountEachHaveTheirOwn() async throws {
    let scene = try ControlScene()
    let other = try scene.fresh(bob)
    _ = try await other.customerInfo()
    try scene.store.inject(StoreFault(.networkCutAfter, on: .purchase))
    await assertStoreFails(.networkError) { try await scene.client.buy("gems", quantity: 2) }
    _ = try await other.buy("chest")
    // His client finds her purchase; it names her.
    await other.syncPurchases()
    try await assertSees(300, other)
    try await assertSees(600, scene.client)
  }

  func testAnOfferCodeIsCreditedThroughTheUpdates() async throws {
    let scene = try ControlScene(isAutomatic: true)
    try scene.store.addOfferCode("WELCOME", forProduct: "gems")
    await assertFails(.invalidOfferIdentifier) { try await scene.world.phone.redeemOfferCode("WRONG") }
    try await assertSees(0, scene.client)
    try await scene.world.phone.redeemOfferCode("WELCOME")
    try await scene.client.comes(to: 300)
    try await until { scene.client.pendingReceiptCount == 0 }
  }

  /// The backend hears of the purchase first, and the client finds it credited.
  func testANoticeOfAPurchaseCreditsItBeforeTheClientDoes() async throws {
    let scene = try ControlScene()
    _ = try await scene.client.customerInfo()
    let token = AccountToken(of: try CustomerID(alice))
    try scene.family.buyProduct(identifier: "chest", options: [.appAccountToken(token)])
    XCTAssertEqual(scene.store.pendingNotices(), [], "nothing is told before it is switched on")
    let told = Reader(scene.store.notices())
    scene.store.sendsOneTimeChargeNotices = true
    try scene.family.buyProduct(identifier: "gems", options: [.appAccountToken(token)])
    let pending = scene.store.pendingNotices(limit: 10)
    let streamed = await told.next()
    XCTAssertEqual(streamed, pending.first?.notice)
    for numbered in pending { try await scene.world.take(numbered.notice) }
    try await assertSees(300, scene.client, "by the notice alone")
    try scene.store.settleNotices(through: try XCTUnwrap(pending.last).id)
    XCTAssertEqual(try scene.store.takeNotices(limit: 10), [], "each is taken once")
    await scene.client.syncPurchases()
    try await assertSees(600, scene.client, "the other one by its receipt, and none twice")
  }

  func testTheEnvironmentKeepsTestMoneyOutOfProduction() async throws {
    let scene = try ControlScene(policy: BackendPolicy(sandboxReceipts: .nobody))
    let result = try await scene.client.buy("gems")
    guard case .failedServerValidation(let code, _, _) = result else { return XCTFail("\(result)") }
    XCTAssertEqual(code, LedgerError.Code.environmentNotAllowed.description)
    let item = try XCTUnwrap(scene.client.receiptQueueSnapshot().first)
    XCTAssertEqual(scene.store.environment.session, World.session)
    XCTAssertTrue(item.id.contains("\(scene.store.environment)"), item.id)
    try await scene.client.comes(to: 0)
  }

  func testTheClockIsTheOneThatPurchasesAreDatedBy() async throws {
    let scene = try ControlScene()
    XCTAssertTrue(scene.store.clock === scene.clock)
    let target = scene.clock.now.advanced(days: 40)
    scene.store.clock.advance(to: target)
    let result = try await scene.client.buy("gems")
    XCTAssertEqual(result.customerInfo?.nonSubscriptions.map(\.purchaseDate), [target])
    XCTAssertEqual(result.customerInfo?.requestDate, target)
  }
}

extension Timestamp {
  func advanced(days: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds + days * 86_400_000) }
}
