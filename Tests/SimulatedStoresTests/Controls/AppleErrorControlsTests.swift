import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Simulated errors as a client's user sees them, API by API.
final class AppleErrorControlsTests: XCTestCase {
  func testEveryErrorOfAPurchaseReachesItsCaller() async throws {
    let fixture = try ControlFixture()
    _ = try await fixture.client.offerings()
    for failure in StoreFailure.allCases {
      try fixture.store.setSimulatedError(.store(failure), forAPI: .purchase)
      XCTAssertEqual(fixture.store.simulatedError(forAPI: .purchase), .store(failure))
      for _ in 0..<2 {
        if failure == .userCancelled {
          let result = try await fixture.client.buy("gems")
          XCTAssertEqual(result, .cancelled)
        } else {
          await assertStoreFails(failure) { try await fixture.client.buy("gems") }
        }
      }
    }
    try fixture.store.setSimulatedError(nil, forAPI: .purchase)
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, fixture.client)
  }

  func testWithoutProductsThereIsNoWindowUnlessOneIsKnown() async throws {
    let fixture = try ControlFixture()
    try fixture.store.setSimulatedError(.store(.networkError), forAPI: .loadProducts)
    await assertStoreFails(.networkError) { try await fixture.client.offerings() }
    try fixture.store.setSimulatedError(nil, forAPI: .loadProducts)
    let first = try await fixture.client.window(fixture.clock)
    try fixture.store.setSimulatedError(.store(.systemError), forAPI: .loadProducts)
    let old = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(old, first, "the last known one")
  }

  func testARestoreFailsWithItsCalls() async throws {
    let fixture = try ControlFixture()
    _ = try await fixture.client.buy("vip")
    for api in [StoreAPI.appStoreSync, .all] {
      try fixture.store.setSimulatedError(.store(.systemError), forAPI: api)
      await assertStoreFails(.systemError) { try await fixture.client.restorePurchases() }
      try fixture.store.setSimulatedError(nil, forAPI: api)
    }
    let info = try await fixture.client.restorePurchases()
    XCTAssertTrue(info.hasActiveEntitlement("premium"))
  }

  func testWhatCannotBeFinishedIsCreditedAndStaysInTheQueue() async throws {
    let fixture = try ControlFixture()
    try fixture.store.setSimulatedError(.store(.systemError), forAPI: .finish)
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, fixture.client, pending: 1)
    XCTAssertEqual(fixture.client.queueItems.map(\.status), [.finishOnly])
    try fixture.store.setSimulatedError(nil, forAPI: .finish)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
  }

  func testWhatCannotBeListedIsFoundLater() async throws {
    let fixture = try ControlFixture()
    try fixture.store.setSimulatedError(.store(.networkError), forAPI: .unfinished)
    try fixture.family.buyProduct(identifier: "gems")
    await fixture.client.syncPurchases()
    try await assertSees(0, fixture.client)
    try fixture.store.setSimulatedError(nil, forAPI: .unfinished)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
  }

  func testWhatTheDeviceDoesNotTrustIsNotCreditedUntilItDoes() async throws {
    for failure in VerificationFailure.allCases {
      let fixture = try ControlFixture()
      try fixture.store.setSimulatedError(.verification(failure), forAPI: .verification)
      let outcome = try await fixture.client.outcome(ofPurchasing: "gems")
      guard case .failedServerValidation(let code, let message, _) = outcome.result else {
        return XCTFail("\(outcome.result)")
      }
      XCTAssertEqual(code, LedgerError.Code.receiptUnverified.description)
      XCTAssertTrue(message.contains(failure.rawValue), message)
      XCTAssertEqual(fixture.client.queueCounts.deadLettered, 1)
      let gems = try await fixture.client.gems()
      XCTAssertEqual(gems, 0)
      try fixture.store.setSimulatedError(nil, forAPI: .verification)
      await fixture.client.syncPurchases()
      try await assertSees(300, fixture.client, "\(failure)")
    }
  }

  /// The sheets are the system's, and the app only sees their results.
  func testASheetThatFailsChangesNothing() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let (store, phone) = (fixture.store, fixture.world.phone)
    let outcome = try await fixture.client.outcome(ofPurchasing: "monthly")
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
    try await assertSees(300, fixture.client)
    fixture.clock.advance(by: .seconds(31 * 86_400))
    try await fixture.client.comes(to: 600, "nothing was cancelled")
  }

  /// A client of a gem store asks for none of these.
  func testWhatTheClientNeverAsksForMayFail() async throws {
    let fixture = try ControlFixture()
    for api in [StoreAPI.currentEntitlements, .subscriptionStatus, .appTransaction] {
      try fixture.store.setSimulatedError(.store(.systemError), forAPI: api)
    }
    await assertFails(.systemError) { try await fixture.world.phone.currentEntitlements() }
    await assertFails(.systemError) { try await fixture.world.phone.subscriptionStatus(of: "monthly") }
    await assertFails(.systemError) { try await fixture.world.phone.appTransaction() }
    let result = try await fixture.client.buy("monthly")
    XCTAssertEqual(result.customerInfo?.hasActiveEntitlement("premium"), true)
    let info = try await fixture.client.restorePurchases()
    XCTAssertTrue(info.hasActiveEntitlement("premium"))
    try await assertSees(300, fixture.client)
  }

  func testAnErrorFitsItsAPI() async throws {
    let fixture = try ControlFixture()
    for api in StoreAPI.allCases {
      let error: SimulatedError = api == .verification ? .store(.unknown) : .verification(.invalidEncoding)
      assertRefused(.invalidRequest) { try fixture.store.setSimulatedError(error, forAPI: api) }
      XCTAssertNil(fixture.store.simulatedError(forAPI: api))
    }
    // The stream of updates cannot fail: a lost update is a fault.
    assertRefused(.invalidRequest) { try fixture.store.setSimulatedError(.store(.unknown), forAPI: .updates) }
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
  }
}
