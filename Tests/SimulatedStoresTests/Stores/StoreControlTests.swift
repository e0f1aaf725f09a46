import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// The controls of `SKTestSession`, each by its effect on a client.
final class StoreControlTests: XCTestCase {
  private let gems = StorePaymentRequest(productID: "gems")

  func testAskToBuyIsPendingUntilApproved() async throws {
    let shop = try SimulatedShop()
    shop.store.askToBuyEnabled = true
    let updates = Reader(shop.phone.updates())
    let result = try await shop.phone.purchase(StorePaymentRequest(productID: "gems", quantity: 2))
    XCTAssertEqual(result, .pending)
    let waiting = try XCTUnwrap(shop.store.allTransactions().first)
    XCTAssertEqual(waiting.state, .deferred)
    XCTAssertTrue(waiting.pendingAskToBuyConfirmation)
    var unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [])
    shop.clock.advance(by: .seconds(3600))
    try shop.store.approveAskToBuyTransaction(identifier: waiting.identifier)
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.id, waiting.identifier)
    XCTAssertEqual(update?.transaction.quantity, 2)
    XCTAssertEqual(update?.transaction.purchasedAt, shop.clock.now, "bought when it was agreed to")
    unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [waiting.identifier])
    assertRefused(.invalidRequest) { try shop.store.approveAskToBuyTransaction(identifier: waiting.identifier) }
  }

  func testADeclinedPurchaseNeverComes() async throws {
    let shop = try SimulatedShop()
    shop.store.askToBuyEnabled = true
    let updates = Reader(shop.phone.updates())
    _ = try await shop.phone.purchase(gems)
    let waiting = try XCTUnwrap(shop.store.allTransactions().first).identifier
    try shop.store.declineAskToBuyTransaction(identifier: waiting)
    assertRefused(.invalidRequest) { try shop.store.approveAskToBuyTransaction(identifier: waiting) }
    XCTAssertEqual(shop.store.transaction(identifier: waiting)?.state, .failed)
    let other = try shop.store.account("alice").buyProduct(identifier: "chest").identifier
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.id, other, "nothing came before")
    let unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [other])
  }

  func testApprovalWhileTheAppIsClosedComesAtLaunch() async throws {
    let shop = try SimulatedShop()
    shop.store.askToBuyEnabled = true
    _ = try await shop.phone.purchase(gems)
    let waiting = try XCTUnwrap(shop.store.allTransactions().first).identifier
    try shop.store.approveAskToBuyTransaction(identifier: waiting)
    let update = await Reader(shop.phone.updates()).next()
    XCTAssertEqual(update?.transaction.id, waiting)
  }

  func testAnInterruptedPurchaseCompletesWhenItsIssueIsResolved() async throws {
    let shop = try SimulatedShop()
    shop.store.interruptedPurchasesEnabled = true
    let updates = Reader(shop.phone.updates())
    let result = try await shop.phone.purchase(gems)
    XCTAssertEqual(result, .userCancelled)
    let issue = try XCTUnwrap(shop.store.allTransactions().first)
    XCTAssertTrue(issue.hasPurchaseIssue)
    try shop.store.resolveIssueForTransaction(identifier: issue.identifier)
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.id, issue.identifier)
    XCTAssertEqual(shop.store.transaction(identifier: issue.identifier)?.hasPurchaseIssue, false)
    assertRefused(.invalidRequest) { try shop.store.resolveIssueForTransaction(identifier: issue.identifier) }
    shop.store.interruptedPurchasesEnabled = false
    let again = try await shop.phone.buy("gems").id
    XCTAssertEqual(again, issue.identifier, "it is unfinished")
  }

  func testFailingTransactionsFailWithTheErrorAndLeaveATrace() async throws {
    let shop = try SimulatedShop()
    shop.store.failTransactionsEnabled = true
    await assertFails(.unknown) { try await shop.phone.purchase(self.gems) }
    shop.store.failureError = .invalidOfferSignature
    await assertFails(.invalidOfferSignature) { try await shop.phone.purchase(self.gems) }
    XCTAssertEqual(shop.store.allTransactions().map(\.state), [.failed, .failed])
    shop.store.failTransactionsEnabled = false
    try await shop.phone.buy("gems")
  }

  func testACustomerTurnsBackOnlyAtASheet() async throws {
    let shop = try SimulatedShop()
    shop.store.customerCancelsDialogs = true
    try await shop.phone.buy("gems")
    shop.store.disableDialogs = false
    let result = try await shop.phone.purchase(StorePaymentRequest(productID: "chest"))
    XCTAssertEqual(result, .userCancelled)
    XCTAssertEqual(shop.store.allTransactions().count, 1, "nobody paid")
  }

  func testARefundReachesUpdatesHistoryAndBackend() async throws {
    let shop = try SimulatedShop()
    let updates = Reader(shop.phone.updates())
    let id = try await shop.phone.buy("gems").id
    try await shop.phone.finish(id)
    try shop.store.refundTransaction(identifier: id)
    let update = await updates.next()
    let revocation = try XCTUnwrap(update?.transaction.revocation)
    XCTAssertEqual(revocation.extent, .full)
    XCTAssertGreaterThan(revocation.revokedAt, try XCTUnwrap(update).transaction.purchasedAt)
    let history = try await shop.phone.all().map(\.transaction.revocation)
    XCTAssertEqual(history, [revocation], "a refunded consumable shows again")
    XCTAssertEqual(shop.store.transaction(identifier: id)?.cancelDate, revocation.revokedAt)
    let notices = try shop.store.takeNotices()
    guard case .refunded(let evidence)? = notices.first else { return XCTFail("\(notices)") }
    XCTAssertEqual(evidence.transaction.revocation, revocation)
    XCTAssertEqual(try shop.store.takeNotices(), [])
    assertRefused(.alreadyRefunded) { try shop.store.refundTransaction(identifier: id) }
  }

  func testAPartialRefundStatesItsShareAsApplesDocumentationDoes() async throws {
    let shop = try SimulatedShop()
    let id = try await shop.phone.buy("gems", quantity: 3).id
    for (extent, share) in [(.quantity(1), 33_333), (.quantity(2), 66_666), (.milliPercent(50_000), 50_000)]
      as [(StoreTransaction.Revocation.Extent, Int64)]
    {
      try shop.store.refundTransaction(identifier: id, extent: extent, isAppIssue: true)
      let history = try await shop.phone.all()
      XCTAssertEqual(history.first?.transaction.revocation?.extent, .milliPercent(share))
      XCTAssertEqual(history.first?.transaction.revocation?.isAppIssue, true)
    }
    for extent in [.quantity(0), .quantity(4), .milliPercent(0), .milliPercent(100_001)]
      as [StoreTransaction.Revocation.Extent]
    {
      assertRefused(.invalidRequest) { try shop.store.refundTransaction(identifier: id, extent: extent) }
    }
    try shop.store.refundTransaction(identifier: id, extent: .quantity(3))
    XCTAssertEqual(shop.store.transaction(identifier: id)?.transaction.revocation?.extent, .full)
  }

  func testAReversedRefundShowsNoRefundAndIsSignedLater() async throws {
    let shop = try SimulatedShop()
    let updates = Reader(shop.phone.updates())
    let id = try await shop.phone.buy("gems").id
    assertRefused(.invalidRequest) { try shop.store.reverseRefund(identifier: id) }
    try shop.store.refundTransaction(identifier: id)
    try shop.store.reverseRefund(identifier: id)
    try shop.store.refundTransaction(identifier: id)
    var seen: [StoreTransaction] = []
    for _ in 0..<3 {
      let update = await updates.next()
      seen.append(try XCTUnwrap(update).transaction)
    }
    XCTAssertEqual(seen.map { $0.revocation == nil }, [false, true, false])
    XCTAssertLessThan(seen[0].signedAt, seen[1].signedAt, "the clock stands still, the order is known all the same")
    XCTAssertNotEqual(seen[0].revocation?.revokedAt, seen[2].revocation?.revokedAt, "two refunds have two names")
    let kinds = try shop.store.takeNotices().map { notice in
      if case .refundReversed = notice { "reversed" } else { "refunded" }
    }
    XCTAssertEqual(kinds, ["refunded", "reversed", "refunded"])
  }

  func testARequestForARefundIsTakenOnce() async throws {
    let shop = try SimulatedShop()
    let id = try await shop.phone.buy("gems").id
    try await shop.phone.beginRefundRequest(for: id)
    guard case .consumptionRequest? = try shop.store.takeNotices().first else { return XCTFail("no request") }
    try shop.store.declineRefundRequest(identifier: id)
    guard case .refundDeclined? = try shop.store.takeNotices().first else { return XCTFail("not declined") }
    do {
      try await shop.phone.beginRefundRequest(for: id)
      XCTFail("taken twice")
    } catch { XCTAssertEqual(error, .duplicateRequest) }
    try shop.store.setSimulatedError(.refundRequest(.failed), forAPI: .refundRequest)
    do {
      try await shop.phone.beginRefundRequest(for: id)
      XCTFail("taken although it fails")
    } catch { XCTAssertEqual(error, .failed) }
  }

  func testDeletedAndClearedTransactionsAreInNoList() async throws {
    let shop = try SimulatedShop()
    let first = try await shop.phone.buy("gems").id
    let second = try await shop.phone.buy("vip").id
    try shop.store.deleteTransaction(identifier: first)
    var history = try await shop.phone.all().map(\.transaction.id)
    XCTAssertEqual(history, [second])
    try shop.store.clearTransactions()
    history = try await shop.phone.all().map(\.transaction.id)
    let entitlements = try await shop.phone.currentEntitlements()
    let unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(history, [])
    XCTAssertEqual(entitlements, [])
    XCTAssertEqual(unfinished, [])
    let third = try await shop.phone.buy("gems").id
    XCTAssertFalse([first, second].contains(third), "ids are not used again")
    assertRefused(.purchaseNotFound) { try shop.store.deleteTransaction(identifier: first) }
  }

  func testABoughtProductComesToEveryDevice() async throws {
    let shop = try SimulatedShop()
    let updates = Reader(shop.tablet.updates())
    let token = AccountToken(of: try CustomerID("alice"))
    let bought = try shop.store.buyProduct(
      identifier: "gems", options: [.quantity(4), .appAccountToken(token)], account: "alice")
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.id, bought.identifier)
    XCTAssertEqual(update?.transaction.quantity, 4)
    XCTAssertEqual(update?.transaction.accountToken, token)
    let asked = try shop.store.buyProduct(identifier: "chest", options: [.simulatesAskToBuyInSandbox(true)])
    XCTAssertTrue(asked.pendingAskToBuyConfirmation)
    let error = assertRefused(.storeError) { try shop.store.buyProduct(identifier: "nothing") }
    XCTAssertEqual(error?.text("failure"), "productUnavailable")
  }

  func testResettingLeavesTransactionsAndNothingElse() async throws {
    let shop = try SimulatedShop()
    try await shop.phone.buy("vip")
    shop.store.askToBuyEnabled = true
    shop.store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    try shop.store.setState(.inReview, ofProduct: "gems")
    try shop.store.setSimulatedError(.store(.networkError), forAPI: .loadProducts)
    try shop.store.inject(StoreFault(.networkCutBefore, on: .purchase, .always))
    try shop.store.resetToDefaultState()
    let listed = try await shop.phone.products(for: ["gems"])
    XCTAssertEqual(listed.first?.price.currency.code, "USD")
    try await shop.phone.buy("gems")
    XCTAssertEqual(shop.store.allTransactions().count, 2)
  }

  func testAnOfferCodeBuysThroughTheUpdates() async throws {
    let shop = try SimulatedShop()
    try shop.store.addOfferCode("WELCOME", forProduct: "gems")
    let updates = Reader(shop.tablet.updates())
    try await shop.phone.redeemOfferCode("WELCOME")
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.storeProductID, "gems")
    await assertFails(.invalidOfferIdentifier) { try await shop.phone.redeemOfferCode("WRONG") }
  }

  func testTheBackendIsToldOfPurchasesWhereItWantsToBe() async throws {
    let shop = try SimulatedShop()
    let stream = Reader(shop.store.notices())
    try await shop.phone.buy("gems")
    shop.store.sendsOneTimeChargeNotices = true
    let id = try await shop.phone.buy("chest").id
    guard case .oneTimeCharge(let evidence)? = await stream.next() else { return XCTFail("no notice") }
    XCTAssertEqual(evidence.transaction.id, id)
    let pending = shop.store.pendingNotices()
    XCTAssertEqual(pending.map(\.id), [1], "a stream takes nothing away")
    try shop.store.acknowledgeNotices(through: 1)
    XCTAssertEqual(shop.store.pendingNotices(), [])
  }

  func testStepsComeInOrderAndOnlyForWhatIsNew() async throws {
    let shop = try SimulatedShop()
    let steps = StepLog()
    shop.store.onStep = { steps.add($0) }
    let id = try await shop.phone.buy("gems").id
    try await shop.phone.buy("gems")
    try await shop.phone.finish(id)
    XCTAssertEqual(
      steps.all,
      [
        .asked("gems"), .paid(id), .delivered(id), .asked("gems"), .delivered(id), .finishing(id), .finished(id),
      ])
  }

  func testEverythingAskedForIsThereAtEachStep() async throws {
    let shop = try SimulatedShop()
    let (store, steps) = (shop.store, StepLog())
    store.onStep = { step in
      // As a process that ends here would leave it.
      if case .paid(let id) = step, store.transaction(identifier: id)?.isFinished == false { steps.add(step) }
      if case .finished(let id) = step, store.transaction(identifier: id)?.isFinished == true { steps.add(step) }
    }
    let id = try await shop.phone.buy("gems").id
    try await shop.phone.finish(id)
    XCTAssertEqual(steps.all, [.paid(id), .finished(id)])
  }

  func testTheAppsOwnReceiptNamesAppAndEnvironment() async throws {
    let shop = try SimulatedShop()
    let receipt = try await shop.phone.appTransaction()
    XCTAssertEqual(receipt.bundleID, "com.example.gems")
    XCTAssertEqual(receipt.environment, shop.store.environment)
  }

  func testARedeliveredTransactionComesAgainThoughFinished() async throws {
    let shop = try SimulatedShop()
    let id = try await shop.phone.buy("gems").id
    try await shop.phone.finish(id)
    let updates = Reader(shop.phone.updates())
    try shop.store.redeliverTransaction(identifier: id)
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.id, id)
  }
}
