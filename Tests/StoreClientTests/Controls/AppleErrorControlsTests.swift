import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import XCTest

/// Simulated errors as a client's user sees them, API by API.
final class AppleErrorControlsTests: XCTestCase {
  func testEveryErrorOfAPurchaseReachesItsCaller() async throws {
    let scene = try ControlScene()
    _ = try await scene.client.offerings()
    for failure in StoreFailure.allCases {
      try scene.store.setSimulatedError(.store(failure), forAPI: .purchase)
      XCTAssertEqual(scene.store.simulatedError(forAPI: .purchase), .store(failure))
      for _ in 0..<2 {
        if failure == .userCancelled {
          let result = try await scene.client.buy("gems")
          XCTAssertEqual(result, .cancelled)
        } else {
          await assertStoreFails(failure) { try await scene.client.buy("gems") }
        }
      }
    }
    try scene.store.setSimulatedError(nil, forAPI: .purchase)
    let result = try await scene.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, scene.client)
  }

  func testWithoutProductsThereIsNoWindowUnlessOneIsKnown() async throws {
    let scene = try ControlScene()
    try scene.store.setSimulatedError(.store(.networkError), forAPI: .loadProducts)
    await assertStoreFails(.networkError) { try await scene.client.offerings() }
    try scene.store.setSimulatedError(nil, forAPI: .loadProducts)
    let first = try await scene.client.window(scene.clock)
    try scene.store.setSimulatedError(.store(.systemError), forAPI: .loadProducts)
    let old = try await scene.client.window(scene.clock)
    XCTAssertEqual(old, first, "the last known one")
  }

  func testARestoreFailsWithItsCalls() async throws {
    let scene = try ControlScene()
    _ = try await scene.client.buy("vip")
    for api in [StoreAPI.appStoreSync, .all] {
      try scene.store.setSimulatedError(.store(.systemError), forAPI: api)
      await assertStoreFails(.systemError) { try await scene.client.restorePurchases() }
      try scene.store.setSimulatedError(nil, forAPI: api)
    }
    let info = try await scene.client.restorePurchases()
    XCTAssertTrue(info.hasActiveEntitlement("premium"))
  }

  func testWhatCannotBeFinishedIsCreditedAndStaysInTheQueue() async throws {
    let scene = try ControlScene()
    try scene.store.setSimulatedError(.store(.systemError), forAPI: .finish)
    let result = try await scene.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, scene.client, pending: 1)
    XCTAssertEqual(scene.client.receiptQueueSnapshot().map(\.status), [.finishOnly])
    try scene.store.setSimulatedError(nil, forAPI: .finish)
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
  }

  func testWhatCannotBeListedIsFoundLater() async throws {
    let scene = try ControlScene()
    try scene.store.setSimulatedError(.store(.networkError), forAPI: .unfinished)
    try scene.family.buyProduct(identifier: "gems")
    await scene.client.syncPurchases()
    try await assertSees(0, scene.client)
    try scene.store.setSimulatedError(nil, forAPI: .unfinished)
    await scene.client.syncPurchases()
    try await assertSees(300, scene.client)
  }

  func testWhatTheDeviceDoesNotTrustIsNotCreditedUntilItDoes() async throws {
    for failure in VerificationFailure.allCases {
      let scene = try ControlScene()
      try scene.store.setSimulatedError(.verification(failure), forAPI: .verification)
      let outcome = try await scene.client.outcome(ofPurchasing: "gems")
      guard case .failedServerValidation(let code, let message, _) = outcome.result else {
        return XCTFail("\(outcome.result)")
      }
      XCTAssertEqual(code, LedgerError.Code.receiptUnverified.description)
      XCTAssertTrue(message.contains(failure.rawValue), message)
      XCTAssertEqual(scene.client.deadLetteredReceiptCount, 1)
      let gems = try await scene.client.gems()
      XCTAssertEqual(gems, 0)
      try scene.store.setSimulatedError(nil, forAPI: .verification)
      await scene.client.syncPurchases()
      try await assertSees(300, scene.client, "\(failure)")
    }
  }

  /// The sheets are the system's, and the app only sees their results.
  func testASheetThatFailsChangesNothing() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let (store, phone) = (scene.store, scene.world.phone)
    let outcome = try await scene.client.outcome(ofPurchasing: "monthly")
    let id = try XCTUnwrap(outcome.storeTransactionID)
    try store.addOfferCode("WELCOME", forProduct: "gems")
    for (api, sheet) in [
      (.offerCodeRedeem, { try await phone.redeemOfferCode("WELCOME") }),
      (.manageSubscriptions, { try await phone.manageSubscriptions(cancelling: "monthly") }),
    ] as [(StoreAPI, () async throws -> Void)] {
      try store.setSimulatedError(.store(.notEntitled), forAPI: api)
      await assertFails(.notEntitled) { try await sheet() }
    }
    for failure in RefundRequestFailure.allCases {
      try store.setSimulatedError(.refundRequest(failure), forAPI: .refundRequest)
      do {
        try await phone.beginRefundRequest(for: id)
        XCTFail("taken")
      } catch { XCTAssertEqual(error, failure) }
    }
    XCTAssertEqual(try store.takeNotices(), [], "the backend was asked nothing")
    try await assertSees(300, scene.client)
    scene.clock.advance(by: .seconds(31 * 86_400))
    try await scene.client.comes(to: 600, "nothing was cancelled")
  }

  /// A client of a gem store asks for none of these.
  func testWhatTheClientNeverAsksForMayFail() async throws {
    let scene = try ControlScene()
    for api in [StoreAPI.currentEntitlements, .subscriptionStatus, .appTransaction] {
      try scene.store.setSimulatedError(.store(.systemError), forAPI: api)
    }
    await assertFails(.systemError) { try await scene.world.phone.currentEntitlements() }
    await assertFails(.systemError) { try await scene.world.phone.subscriptionStatus(of: "monthly") }
    await assertFails(.systemError) { try await scene.world.phone.appTransaction() }
    let result = try await scene.client.buy("monthly")
    XCTAssertEqual(result.customerInfo?.hasActiveEntitlement("premium"), true)
    let info = try await scene.client.restorePurchases()
    XCTAssertTrue(info.hasActiveEntitlement("premium"))
    try await assertSees(300, scene.client)
  }

  func testAnErrorFitsItsAPI() async throws {
    let scene = try ControlScene()
    for api in StoreAPI.allCases {
      let error: SimulatedError = api == .verification ? .store(.unknown) : .verification(.invalidEncoding)
      assertRefused(.invalidRequest) { try scene.store.setSimulatedError(error, forAPI: api) }
      XCTAssertNil(scene.store.simulatedError(forAPI: api))
    }
    // The stream of updates cannot fail: a lost update is a fault.
    assertRefused(.invalidRequest) { try scene.store.setSimulatedError(.store(.unknown), forAPI: .updates) }
    let result = try await scene.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
  }
}
