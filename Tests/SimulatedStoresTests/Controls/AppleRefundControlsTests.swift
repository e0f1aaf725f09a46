import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Refunds as a client's user sees them.
final class AppleRefundControlsTests: XCTestCase {
  private func bought(
    _ product: String, quantity: Int64 = 1, in fixture: ControlFixture
  ) async throws -> StoreTransactionID {
    let outcome = try await fixture.client.outcome(ofPurchasing: product, quantity: quantity)
    let id = try XCTUnwrap(outcome.storeTransactionID)
    fixture.clock.advance(by: .seconds(60))
    return id
  }

  func testARefundTakesTheGemsAndSaysSo() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let listener = await PurchaseListener(fixture.client)
    let id = try await bought("gems", in: fixture)
    try fixture.store.refundTransaction(identifier: id)
    try await fixture.client.comes(to: 0)
    try await fixture.client.comes(to: [true], \.self) {
      try await fixture.client.customerInfo().nonSubscriptions.map(\.isRefunded)
    }
    try await until { listener.infos.all.last?.nonSubscriptions.map(\.isRefunded) == [true] }
    await listener.heardAll()
    XCTAssertEqual(listener.bought.all.count, 1, "a refund is no purchase")
    // The backend hears it as well, and takes nothing twice.
    try await fixture.deliverNotices()
    try await assertSees(0, fixture.client)
    assertRefused(.alreadyRefunded) { try fixture.store.refundTransaction(identifier: id) }
  }

  func testARefundTakesTheEntitlement() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let id = try await bought("vip", in: fixture)
    let before = try await fixture.client.isPremium()
    XCTAssertTrue(before)
    try fixture.store.refundTransaction(identifier: id)
    try await fixture.client.comes(to: false, \.self) { try await fixture.client.isPremium() }
    try fixture.store.reverseRefund(identifier: id)
    try await fixture.client.comes(to: true, \.self) { try await fixture.client.isPremium() }
  }

  func testAPartialRefundTakesItsShareRoundedUp() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let id = try await bought("gems", quantity: 3, in: fixture)
    for (extent, left) in [(.quantity(1), 600), (.milliPercent(50_000), 450), (.quantity(3), 0)]
      as [(StoreTransaction.Revocation.Extent, Int)]
    {
      try fixture.store.refundTransaction(identifier: id, extent: extent, isAppIssue: true)
      try await fixture.client.comes(to: left, "\(extent)")
      fixture.clock.advance(by: .seconds(60))
    }
    try await fixture.client.comes(to: [true], \.self) {
      try await fixture.client.customerInfo().nonSubscriptions.map(\.isRefunded)
    }
  }

  func testAReversedRefundGivesTheGemsBack() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let listener = await PurchaseListener(fixture.client)
    let id = try await bought("gems", quantity: 2, in: fixture)
    try fixture.store.refundTransaction(identifier: id)
    try await fixture.client.comes(to: 0)
    fixture.clock.advance(by: .seconds(60))
    try fixture.store.reverseRefund(identifier: id)
    try await fixture.client.comes(to: 600)
    try await fixture.client.comes(to: [false], \.self) {
      try await fixture.client.customerInfo().nonSubscriptions.map(\.isRefunded)
    }
    try await until { fixture.client.queueCounts.pending == 0 }
    await listener.heardAll()
    XCTAssertEqual(listener.bought.all.count, 1, "a refund taken back is no purchase")
    try await fixture.deliverNotices()
    try await assertSees(600, fixture.client)
  }

  /// The app is closed, so that no update comes: the backend's notice brings it all the same.
  func testARefundWhileTheAppIsClosedComesByTheNotice() async throws {
    let fixture = try ControlFixture()
    let listener = await PurchaseListener(fixture.client)
    let id = try await bought("gems", in: fixture)
    try fixture.store.refundTransaction(identifier: id)
    try await assertSees(300, fixture.client, "nobody was told")
    try await fixture.deliverNotices()
    try await assertSees(0, fixture.client, "before the app looked by itself")
    let shown = try await fixture.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, 0)
    let info = try await fixture.client.customerInfo()
    XCTAssertEqual(info.nonSubscriptions.map(\.isRefunded), [true], "known since the app came to the foreground")
    await listener.heardAll()
    XCTAssertEqual(listener.infos.all.last, info, "and the delegate was told then")
  }

  /// The history shows refunded consumables, and a restore reads it.
  func testARefundWhileTheAppIsClosedComesByARestore() async throws {
    let fixture = try ControlFixture()
    let id = try await bought("gems", in: fixture)
    try fixture.store.refundTransaction(identifier: id)
    let info = try await fixture.client.restorePurchases()
    XCTAssertEqual(info.nonSubscriptions.map(\.isRefunded), [true])
    try await assertSees(0, fixture.client)
  }

  func testALostNoticeLeavesTheRefundToTheRestore() async throws {
    let fixture = try ControlFixture()
    _ = try await fixture.client.buy("gems")
    let id = try XCTUnwrap(fixture.store.allTransactions().first).identifier
    fixture.clock.advance(by: .seconds(60))
    try fixture.store.inject(StoreFault(.networkCutBefore, on: .notices))
    try fixture.store.refundTransaction(identifier: id)
    try await fixture.deliverNotices()
    try await assertSees(300, fixture.client)
    _ = try await fixture.client.restorePurchases()
    try await assertSees(0, fixture.client)
  }

  func testARequestForARefundTakesNothingBeforeItIsGranted() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let declined = try await bought("gems", in: fixture)
    let granted = try await bought("chest", in: fixture)
    for id in [declined, granted] { try await fixture.world.phone.beginRefundRequest(for: id) }
    try fixture.store.declineRefundRequest(identifier: declined)
    try await fixture.deliverNotices()
    try await assertSees(600, fixture.client)
    try fixture.store.refundTransaction(identifier: granted)
    try await fixture.client.comes(to: 300)
    try await fixture.client.comes(to: [granted.text], \.self) {
      try await fixture.client.customerInfo().nonSubscriptions.filter(\.isRefunded).map(\.storeTransactionIdentifier)
    }
    assertRefused(.invalidRequest) { try fixture.store.declineRefundRequest(identifier: granted) }
  }

  func testTheHistoryShowsFinishedConsumablesWhereTheAppAsksForThem() async throws {
    for isIncluded in [false, true] {
      let fixture = try ControlFixture()
      fixture.store.includesFinishedConsumables = isIncluded
      _ = try await fixture.client.buy("gems")
      // A backend that has lost everything, and a customer who restores.
      let other = try World(catalog: ControlFixture.catalog())
      let client = try other.client(ControlFixture.alice, on: fixture.world.phone)
      let restored = try await client.restorePurchases()
      XCTAssertEqual(restored.nonSubscriptions.map(\.productIdentifier), isIncluded ? ["gems"] : [])
      try await assertSees(isIncluded ? 300 : 0, client)
    }
  }
}
