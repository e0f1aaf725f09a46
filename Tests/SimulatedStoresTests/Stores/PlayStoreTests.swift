import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// The promises of Google Play, seen from a device and from the backend.
final class PlayStoreTests: XCTestCase {
  private let clock = VirtualClock()
  private let day = Duration.seconds(86_400)

  private func store(seed: UInt64 = 7, eventLog: RetainedEventLog? = nil) throws -> SimulatedPlayStore {
    try SimulatedPlayStore(
      catalog: SimulatedShop.catalog(), session: "test", seed: seed, clock: clock, signer: PlainSigner(),
      eventLog: eventLog)
  }

  private func assertCode(
    _ code: BillingResponseCode, file: StaticString = #filePath, line: UInt = #line,
    _ body: () async throws(BillingResponseCode) -> some Any
  ) async {
    do throws(BillingResponseCode) {
      let value = try await body()
      XCTFail("expected \(code), got \(value)", file: file, line: line)
    } catch {
      XCTAssertEqual(error, code, file: file, line: line)
    }
  }

  func testAPurchaseIsItsTokenAndMayHaveNoOrder() async throws {
    let store = try store()
    let phone = store.account("alice").device("pixel")
    let token = AccountToken(of: try CustomerID("alice"))
    let first = try await phone.launchBillingFlow(productID: "gems", quantity: 3, obfuscatedAccountID: token)
    XCTAssertEqual(first.transaction.id, first.purchaseToken)
    XCTAssertGreaterThan(first.purchaseToken.text.count, 100)
    XCTAssertTrue(try XCTUnwrap(first.orderID).hasPrefix("GPA."))
    XCTAssertEqual(first.transaction.price, Money(minorUnits: 897, currency: "USD"))
    XCTAssertEqual(first.obfuscatedAccountID, token)
    XCTAssertEqual(first.regionCode, "US")
    XCTAssertEqual(first.transaction.store, .google)
    store.omitsOrderIDs = true
    let second = try await phone.launchBillingFlow(productID: "chest")
    XCTAssertNil(second.orderID)
    XCTAssertNil(store.purchase(token: second.purchaseToken)?.transaction.orderID)
  }

  func testASubscriptionThatWasPendingRenewsAsEveryOther() async throws {
    let store = try store()
    store.paymentInstrument = .cash
    let phone = store.account("alice").device("pixel")
    let token = try await phone.launchBillingFlow(productID: "monthly").purchaseToken
    try store.approvePendingPurchase(token: token)
    try await phone.acknowledge(token)
    let end = try XCTUnwrap(store.purchase(token: token)?.transaction.expiresAt)
    clock.advance(by: day * 32)
    XCTAssertGreaterThan(try XCTUnwrap(store.purchase(token: token)?.transaction.expiresAt), end)
  }

  func testAnOwnedConsumableHasToBeConsumedBeforeItIsBoughtAgain() async throws {
    let store = try store()
    let phone = store.account("alice").device("pixel")
    let first = try await phone.launchBillingFlow(productID: "gems")
    await assertCode(.itemAlreadyOwned) { () throws(BillingResponseCode) in
      try await phone.launchBillingFlow(productID: "gems")
    }
    try await phone.acknowledge(first.purchaseToken)
    await assertCode(.itemAlreadyOwned) { () throws(BillingResponseCode) in
      try await phone.launchBillingFlow(productID: "gems")
    }
    let given = try await phone.buy("gems").id
    XCTAssertEqual(given, first.purchaseToken, "a client of either store gets the owned one")
    try await phone.consume(first.purchaseToken)
    let second = try await phone.launchBillingFlow(productID: "gems")
    XCTAssertNotEqual(second.purchaseToken, first.purchaseToken)
    await assertCode(.itemNotOwned) { () throws(BillingResponseCode) in
      try await phone.consume(first.purchaseToken)
    }
  }

  func testAnUnacknowledgedPurchaseIsRefundedAfterThreeDays() async throws {
    let store = try store()
    let phone = store.account("alice").device("pixel")
    let bought = try await phone.launchBillingFlow(productID: "gems", quantity: 2)
    XCTAssertEqual(bought.acknowledgeBy, clock.now.advancedDays(3))
    clock.advance(by: .milliseconds(3 * 86_400_000 - 1))
    var owned = try await phone.queryPurchases().count
    XCTAssertEqual(owned, 1)
    clock.advance(by: .milliseconds(1))
    owned = try await phone.queryPurchases().count
    XCTAssertEqual(owned, 0)
    let unfinished = try await phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [])
    await assertCode(.itemNotOwned) { () throws(BillingResponseCode) in try await phone.consume(bought.purchaseToken) }
    try await phone.finish(bought.purchaseToken)
    let page = try store.voidedPurchases()
    XCTAssertEqual(page.purchases.map(\.reason), [.unacknowledged])
    XCTAssertEqual(page.purchases.map(\.source), [.google])
    XCTAssertEqual(page.purchases.map(\.voidedQuantity), [2])
    guard case .voided(let voided, let evidence)? = try store.takeNotices().first else { return XCTFail("no notice") }
    XCTAssertEqual(voided, page.purchases[0])
    XCTAssertEqual(evidence.transaction.revocation?.extent, .full)
    XCTAssertEqual(store.purchase(token: bought.purchaseToken)?.state, .canceled)
    let next = try await phone.launchBillingFlow(productID: "gems")
    XCTAssertEqual(next.state, .purchased)
  }

  func testConsumingOrAcknowledgingInTimeKeepsThePurchase() async throws {
    let store = try store()
    let phone = store.account("alice").device("pixel")
    let gems = try await phone.launchBillingFlow(productID: "gems")
    let vip = try await phone.launchBillingFlow(productID: "vip")
    let chest = try await phone.launchBillingFlow(productID: "chest")
    clock.advance(by: day * 2)
    try await phone.finish(gems.purchaseToken)
    try await phone.finish(vip.purchaseToken)
    try store.acknowledge(chest.purchaseToken)
    clock.advance(by: day * 10)
    XCTAssertEqual(try store.voidedPurchases().purchases, [])
    XCTAssertEqual(store.purchase(token: gems.purchaseToken)?.isConsumed, true)
    XCTAssertEqual(store.purchase(token: gems.purchaseToken)?.isAcknowledged, true)
    let owned = try await phone.queryPurchases().map(\.productID)
    XCTAssertEqual(owned, ["vip", "chest"])
    let unfinished = try await phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [chest.purchaseToken], "acknowledged, and still to be consumed")
    let entitled = try await phone.currentEntitlements().map(\.transaction.storeProductID)
    XCTAssertEqual(entitled, ["vip"])
    let history = try await phone.all().map(\.transaction.id)
    XCTAssertEqual(history, [vip.purchaseToken, chest.purchaseToken])
  }

  func testTheThreeDaysBeginWhenAPendingPaymentArrives() async throws {
    let store = try store()
    store.paymentInstrument = .cash
    let phone = store.account("alice").device("pixel")
    let updates = Reader(phone.updates())
    let result = try await phone.purchase(StorePaymentRequest(productID: "gems", quantity: 2))
    XCTAssertEqual(result, .pending)
    let again = try await phone.purchase(StorePaymentRequest(productID: "gems"))
    XCTAssertEqual(again, .pending, "it waits, and cannot be bought twice")
    let pending = try XCTUnwrap(store.purchases().first)
    XCTAssertEqual(pending.state, .pending)
    XCTAssertNil(pending.acknowledgeBy)
    await assertCode(.developerError) { () throws(BillingResponseCode) in
      try await phone.consume(pending.purchaseToken)
    }
    clock.advance(by: day * 5)
    let unfinished = try await phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [], "nothing may be given for it")
    try store.approvePendingPurchase(token: pending.purchaseToken)
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.id, pending.purchaseToken)
    XCTAssertEqual(update?.transaction.purchasedAt, clock.now)
    clock.advance(by: day * 2)
    XCTAssertEqual(store.purchase(token: pending.purchaseToken)?.state, .purchased)
    clock.advance(by: day)
    XCTAssertEqual(store.purchase(token: pending.purchaseToken)?.state, .canceled)
    assertRefused(.invalidRequest) { try store.approvePendingPurchase(token: pending.purchaseToken) }
  }

  func testEveryPaymentInstrumentEndsAsItSays() async throws {
    let expected: [PaymentInstrument: (StorePaymentResult?, PlayPurchase.State?)] = [
      .approves: (nil, .purchased), .declines: (.userCancelled, nil), .slowApproves: (.pending, .purchased),
      .slowDeclines: (.pending, .canceled), .cash: (.pending, .pending),
    ]
    for instrument in PaymentInstrument.allCases {
      let store = try store()
      store.paymentInstrument = instrument
      store.sendsPurchaseNotices = true
      let phone = store.account("alice").device("pixel")
      let result = try await phone.purchase(StorePaymentRequest(productID: "gems"))
      if let wanted = expected[instrument]?.0 { XCTAssertEqual(result, wanted, "\(instrument)") }
      clock.advance(by: .seconds(300))
      XCTAssertEqual(store.purchases().first?.state, expected[instrument]?.1, "\(instrument)")
      let notices = try store.takeNotices()
      switch store.purchases().first?.state {
      case .purchased?: XCTAssertEqual(notices, store.purchases().map { .oneTimePurchased($0.purchaseToken) })
      case .canceled?: XCTAssertEqual(notices, store.purchases().map { .oneTimeCanceled($0.purchaseToken) })
      default: XCTAssertEqual(notices, [])
      }
    }
  }

  func testADeclinedPaymentSetsTheProductFree() async throws {
    let store = try store()
    store.paymentInstrument = .cash
    let phone = store.account("alice").device("pixel")
    _ = try await phone.purchase(StorePaymentRequest(productID: "gems"))
    try store.declinePendingPurchase(token: try XCTUnwrap(store.purchases().first).purchaseToken)
    store.paymentInstrument = .approves
    try await phone.buy("gems")
  }

  func testUnitsAreGivenBackOneByOneUntilThePurchaseIsGone() async throws {
    let store = try store()
    let phone = store.account("alice").device("pixel")
    let token = try await phone.launchBillingFlow(productID: "gems", quantity: 5).purchaseToken
    try await phone.consume(token)
    try store.refund(token: token, quantity: 2, source: .user, reason: .remorse)
    var purchase = try XCTUnwrap(store.purchase(token: token))
    XCTAssertEqual(purchase.refundableQuantity, 3)
    XCTAssertEqual(purchase.state, .purchased)
    XCTAssertEqual(purchase.transaction.revocation?.extent, .totalQuantity(2))
    assertRefused(.invalidRequest) { try store.refund(token: token, quantity: 4) }
    assertRefused(.invalidRequest) { try store.refund(token: token, quantity: 0) }
    try store.refund(token: token, quantity: 1)
    try store.refund(token: token)
    purchase = try XCTUnwrap(store.purchase(token: token))
    XCTAssertEqual(purchase.state, .canceled)
    XCTAssertEqual(purchase.transaction.revocation?.extent, .full)
    assertRefused(.alreadyRefunded) { try store.refund(token: token) }
    let voided = try store.takeNotices().compactMap { notice -> VoidedPurchase? in
      if case .voided(let voided, _) = notice { voided } else { nil }
    }
    XCTAssertEqual(voided.map(\.voidedQuantity), [2, 1, 2])
    XCTAssertEqual(voided.map(\.isPartial), [true, true, false])
    XCTAssertEqual(Set(voided.map(\.voidedAt)).count, 3, "each has its own date")
    XCTAssertEqual(try store.voidedPurchases().purchases.map(\.voidedQuantity), [2])
    XCTAssertEqual(try store.voidedPurchases(includingPartial: true).purchases, voided)
  }

  func testRefundsReachDevicesOnlyWhenTheyAsk() async throws {
    let store = try store()
    let phone = store.account("alice").device("pixel")
    let updates = Reader(phone.updates())
    let token = try await phone.launchBillingFlow(productID: "vip").purchaseToken
    try store.refund(token: token)
    store.paymentInstrument = .slowApproves
    _ = try await phone.purchase(StorePaymentRequest(productID: "gems"))
    clock.advance(by: .seconds(300))
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.storeProductID, "gems", "no update said that anything was refunded")
    let owned = try await phone.queryPurchases().map(\.productID)
    XCTAssertEqual(owned, ["gems"])
  }

  func testVoidedPurchasesComeInPagesAndFadeAfterThirtyDays() async throws {
    let store = try store()
    for index in 0..<5 {
      let phone = store.account("customer \(index)").device("pixel")
      try store.refund(token: try await phone.launchBillingFlow(productID: "gems").purchaseToken)
      clock.advance(by: day * 7)
    }
    var seen: [VoidedPurchase] = []
    var token: String?
    repeat {
      let page = try store.voidedPurchases(limit: 2, token: token)
      seen += page.purchases
      token = page.nextToken
    } while token != nil
    XCTAssertEqual(seen.count, 4, "the first was voided 35 days ago")
    XCTAssertEqual(seen, seen.sorted { $0.voidedAt < $1.voidedAt })
    assertRefused(.invalidRequest) { try store.voidedPurchases(limit: 0) }
    assertRefused(.invalidRequest) { try store.voidedPurchases(token: "x") }
  }

  func testAnotherDeviceFindsAPurchaseWhenItAsks() async throws {
    let store = try store()
    let (phone, tablet) = (store.account("alice").device("pixel"), store.account("alice").device("tablet"))
    let token = try await phone.launchBillingFlow(productID: "gems").purchaseToken
    let found = try await tablet.queryPurchases().map(\.purchaseToken)
    XCTAssertEqual(found, [token])
    let launch = await Reader(tablet.updates()).next()
    XCTAssertEqual(launch?.transaction.id, token)
    try await store.account("bob").device("pixel").finish(token)
    let unfinished = try await tablet.unfinishedIDs()
    XCTAssertEqual(unfinished, [token], "nobody consumes for another account")
  }

  func testASubscriptionRenewsUnderItsTokenWithTheNextOrder() async throws {
    let store = try store()
    let phone = store.account("alice").device("pixel")
    let updates = Reader(phone.updates())
    let first = try await phone.launchBillingFlow(productID: "monthly")
    try await phone.finish(first.purchaseToken)
    clock.advance(by: day * 31)
    let renewal = await updates.next()
    XCTAssertEqual(renewal?.transaction.id, first.purchaseToken)
    XCTAssertEqual(renewal?.transaction.orderID, first.orderID.map { "\($0)..0" })
    XCTAssertEqual(renewal?.transaction.reason, .renewal)
    XCTAssertEqual(first.orderIDs, [first.orderID].compactMap(\.self))
    let orders = [first.orderID, renewal?.transaction.orderID].compactMap(\.self)
    XCTAssertEqual(store.purchase(token: first.purchaseToken)?.orderIDs, orders)
    guard case .renewed? = try store.takeNotices().first else { return XCTFail("no notice") }
    try store.cancelSubscription(token: first.purchaseToken)
    clock.advance(by: day * 31)
    XCTAssertEqual(store.purchase(token: first.purchaseToken)?.state, .expired)
    let entitled = try await phone.currentEntitlements()
    XCTAssertEqual(entitled, [])
  }

  func testFaultsAndSimulatedErrorsStrikeHereToo() async throws {
    let store = try store()
    let phone = store.account("alice").device("pixel")
    let updates = Reader(phone.updates())
    try store.inject([
      StoreFault(.failure(.systemError), on: .purchase, .nth(1)), StoreFault(.networkCutAfter, on: .purchase, .nth(2)),
      StoreFault(.networkCutAfter, on: .finish),
    ])
    await assertCode(.error) { () throws(BillingResponseCode) in try await phone.launchBillingFlow(productID: "gems") }
    await assertCode(.networkError) { () throws(BillingResponseCode) in
      try await phone.launchBillingFlow(productID: "gems")
    }
    let update = await updates.next()
    let token = try XCTUnwrap(update).transaction.id
    await assertCode(.networkError) { () throws(BillingResponseCode) in try await phone.consume(token) }
    XCTAssertEqual(store.purchase(token: token)?.isConsumed, true)
    try store.setSimulatedError(.store(.unsupported), forAPI: .unfinished)
    await assertCode(.featureNotSupported) { () throws(BillingResponseCode) in try await phone.queryPurchases() }
    assertRefused(.invalidRequest) { try store.inject(StoreFault(.interrupt, on: .purchase)) }
    try store.inject(StoreFault(.cancel, on: .purchase))
    await assertCode(.userCanceled) { () throws(BillingResponseCode) in
      try await phone.launchBillingFlow(productID: "gems")
    }
    await assertCode(.itemUnavailable) { () throws(BillingResponseCode) in
      try await phone.launchBillingFlow(productID: "nothing")
    }
    await assertCode(.developerError) { () throws(BillingResponseCode) in
      try await phone.launchBillingFlow(productID: "gems", quantity: 100)
    }
  }

  func testItSurvivesTheProcess() async throws {
    let eventLog = RetainedEventLog()
    let first = try store(eventLog: eventLog)
    let phone = first.account("alice").device("pixel")
    let kept = try await phone.launchBillingFlow(productID: "gems", quantity: 4)
    try await phone.consume(kept.purchaseToken)
    try first.refund(token: kept.purchaseToken, quantity: 1)
    first.paymentInstrument = .slowApproves
    let slow = try await phone.launchBillingFlow(productID: "chest")
    _ = try await phone.launchBillingFlow(productID: "monthly")
    let again = try store(eventLog: eventLog)
    XCTAssertEqual(again.purchases(), first.purchases())
    XCTAssertEqual(again.pendingNotices(), first.pendingNotices())
    XCTAssertEqual(
      try again.voidedPurchases(includingPartial: true), try first.voidedPurchases(includingPartial: true))
    XCTAssertEqual(again.paymentInstrument, .slowApproves)
    clock.advance(by: .seconds(300))
    XCTAssertEqual(again.purchase(token: slow.purchaseToken)?.state, .purchased)
    clock.advance(by: day * 3)
    XCTAssertEqual(again.purchase(token: slow.purchaseToken)?.state, .canceled, "the deadline survives too")
  }

  func testTokensDependOnTheSeedAlone() async throws {
    func token(_ seed: UInt64) async throws -> StoreTransactionID {
      try await store(seed: seed).account("alice").device("pixel").buy("gems").id
    }
    let (one, again, other) = (try await token(1), try await token(1), try await token(2))
    XCTAssertEqual(one, again)
    XCTAssertNotEqual(one, other)
  }
}

extension Timestamp {
  fileprivate func advancedDays(_ days: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds + days * 86_400_000)
  }
}
