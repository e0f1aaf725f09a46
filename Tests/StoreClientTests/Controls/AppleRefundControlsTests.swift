import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import XCTest

/// Refunds as a client's user sees them.
final class AppleRefundControlsTests: XCTestCase {
  private func bought(
    _ product: String, quantity: Int64 = 1, in scene: ControlScene
  ) async throws -> StoreTransactionID {
    let outcome = try await scene.client.outcome(ofPurchasing: product, quantity: quantity)
    let id = try XCTUnwrap(outcome.storeTransactionID)
    scene.clock.advance(by: .seconds(60))
    return id
  }

  func testARefundTakesTheGemsAndSaysSo() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let listener = PurchaseListener(scene.client)
    let id = try await bought("gems", in: scene)
    try scene.store.refundTransaction(identifier: id)
    try await scene.client.comes(to: 0)
    try await scene.client.comes(to: [true], \.self) {
      try await scene.client.customerInfo().nonSubscriptions.map(\.isRefunded)
    }
    try await until { listener.infos.all.last?.nonSubscriptions.map(\.isRefunded) == [true] }
    XCTAssertEqual(listener.bought.all.count, 1, "a refund is no purchase")
    // The backend hears it as well, and takes nothing twice.
    try await scene.deliverNotices()
    try await assertSees(0, scene.client)
    assertRefused(.alreadyRefunded) { try scene.store.refundTransaction(identifier: id) }
  }

  func testARefundTakesTheEntitlement() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let id = try await bought("vip", in: scene)
    let before = try await scene.client.isPremium()
    XCTAssertTrue(before)
    try scene.store.refundTransaction(identifier: id)
    try await scene.client.comes(to: false, \.self) { try await scene.client.isPremium() }
    try scene.store.reverseRefund(identifier: id)
    try await scene.client.comes(to: true, \.self) { try await scene.client.isPremium() }
  }

  func testAPartialRefundTakesItsShareRoundedUp() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let id = try await bought("gems", quantity: 3, in: scene)
    for (extent, left) in [(.quantity(1), 599), (.milliPercent(50_000), 450), (.quantity(3), 0)]
      as [(StoreTransaction.Revocation.Extent, Int)]
    {
      try scene.store.refundTransaction(identifier: id, extent: extent, isAppIssue: true)
      try await scene.client.comes(to: left, "\(extent)")
      scene.clock.advance(by: .seconds(60))
    }
    try await scene.client.comes(to: [true], \.self) {
      try await scene.client.customerInfo().nonSubscriptions.map(\.isRefunded)
    }
  }

  func testAReversedRefundGivesTheGemsBack() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let listener = PurchaseListener(scene.client)
    let id = try await bought("gems", quantity: 2, in: scene)
    try scene.store.refundTransaction(identifier: id)
    try await scene.client.comes(to: 0)
    scene.clock.advance(by: .seconds(60))
    try scene.store.reverseRefund(identifier: id)
    try await scene.client.comes(to: 600)
    try await scene.client.comes(to: [false], \.self) {
      try await scene.client.customerInfo().nonSubscriptions.map(\.isRefunded)
    }
    try await until { scene.client.pendingReceiptCount == 0 }
    XCTAssertEqual(listener.bought.all.count, 1, "a refund taken back is no purchase")
    try await scene.deliverNotices()
    try await assertSees(600, scene.client)
  }

  /// The app is closed, so that no update comes: the backend's notice brings it all the same.
  func testARefundWhileTheAppIsClosedComesByTheNotice() async throws {
    let scene = try ControlScene()
    let listener = PurchaseListener(scene.client)
    let id = try await bought("gems", in: scene)
    try scene.store.refundTransaction(identifier: id)
    try await assertSees(300, scene.client, "nobody was told")
    try await scene.deliverNotices()
    try await assertSees(0, scene.client, "before the app looked by itself")
    let shown = try await scene.client.appDidBecomeActive()
    XCTAssertEqual(shown["GEM"]?.balance, 0)
    let info = try await scene.client.customerInfo()
    XCTAssertEqual(info.nonSubscriptions.map(\.isRefunded), [true], "known since the app came to the foreground")
    XCTAssertEqual(listener.infos.all.last, info, "and the delegate was told then")
  }

  /// The history shows refunded consumables, and a restore reads it.
  func testARefundWhileTheAppIsClosedComesByARestore() async throws {
    let scene = try ControlScene()
    let id = try await bought("gems", in: scene)
    try scene.store.refundTransaction(identifier: id)
    let info = try await scene.client.restorePurchases()
    XCTAssertEqual(info.nonSubscriptions.map(\.isRefunded), [true])
    try await assertSees(0, scene.client)
  }

  func testARequestForARefundTakesNothingBeforeItIsGranted() async throws {
    let scene = try ControlScene(isAutomatic: true)
    let declined = try await bought("gems", in: scene)
    let granted = try await bought("chest", in: scene)
    for id in [declined, granted] { try await scene.world.phone.beginRefundRequest(for: id) }
    try scene.store.declineRefundRequest(identifier: declined)
    try await scene.deliverNotices()
    try await assertSees(600, scene.client)
    try scene.store.refundTransaction(identifier: granted)
    try await scene.client.comes(to: 300)
    try await scene.client.comes(to: [granted.text], \.self) {
      try await scene.client.customerInfo().nonSubscriptions.filter(\.isRefunded).map(\.storeTransactionIdentifier)
    }
    assertRefused(.invalidRequest) { try scene.store.declineRefundRequest(identifier: granted) }
  }

  func testTheHistoryShowsFinishedConsumablesWhereTheAppAsksForThem() async throws {
    for isIncluded in [false, true] {
      let scene = try ControlScene()
      scene.store.includesFinishedConsumables = isIncluded
      _ = try await scene.client.buy("gems")
      // A backend that has lost everything, and a customer who restores.
      let other = try World(catalog: ControlScene.catalog())
      let client = try other.client(ControlScene.alice, on: scene.world.phone)
      let restored = try await client.restorePurchases()
      XCTAssertEqual(restored.nonSubscriptions.map(\.productIdentifier), isIncluded ? ["gems"] : [])
      try await assertSees(isIncluded ? 300 : 0, client)
    }
  }
}
