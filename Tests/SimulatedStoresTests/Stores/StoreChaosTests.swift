import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Under any fault, a paid purchase is credited once, by a client that only credits, then finishes.
final class StoreChaosTests: XCTestCase {
  func testEverythingPaidForIsCreditedOnceAtTheAppStore() async throws {
    var generator = SeededRandom()
    var count = 0
    for _ in 0..<10 {
      let shop = try SimulatedShop(seed: generator.next())
      try shop.store.inject(.chaos(percent: 15))
      var credited: Set<StoreTransactionID> = []
      for _ in 0..<100 {
        let device = generator.percent(50) ? shop.phone : shop.tablet
        await buyAndSweep(device, &credited)
        for waiting in shop.store.allTransactions() where waiting.pendingAskToBuyConfirmation {
          try shop.store.approveAskToBuyTransaction(identifier: waiting.identifier)
        }
        shop.clock.advance(by: .seconds(20))
      }
      try shop.store.clearFaults()
      try await shop.phone.sync()
      await buyAndSweep(shop.phone, &credited)
      let paid = shop.store.allTransactions().filter { $0.state == .purchased }
      XCTAssertEqual(Set(paid.map(\.identifier)), credited)
      XCTAssertTrue(paid.allSatisfy(\.isFinished))
      count += paid.count
    }
    // Of a thousand tries most fail somewhere.
    XCTAssertGreaterThan(count, 200)
  }

  func testEverythingPaidForIsCreditedOnceAtGooglePlay() async throws {
    var generator = SeededRandom()
    var count = 0
    for _ in 0..<10 {
      let clock = VirtualClock()
      let store = try SimulatedPlayStore(
        catalog: SimulatedShop.catalog(), seed: generator.next(), clock: clock, signer: PlainSigner())
      try store.inject(.chaos(percent: 15))
      var credited: Set<StoreTransactionID> = []
      let phone = store.account("alice").device("pixel")
      for _ in 0..<100 {
        await buyAndSweep(phone, &credited)
        for waiting in store.purchases() where waiting.state == .pending {
          try store.approvePendingPurchase(token: waiting.purchaseToken)
        }
        clock.advance(by: .seconds(20))
      }
      try store.clearFaults()
      try await phone.sync()
      await buyAndSweep(phone, &credited)
      clock.advance(by: .seconds(4 * 86_400))
      let paid = store.purchases().filter { $0.state == .purchased }
      XCTAssertEqual(Set(paid.map(\.purchaseToken)), credited)
      XCTAssertTrue(paid.allSatisfy(\.isConsumed))
      count += paid.count
    }
    // Of a thousand tries most fail somewhere.
    XCTAssertGreaterThan(count, 200)
  }

  /// Asks for a purchase, then credits and finishes all listed ones; a failing call is tried again next time.
  private func buyAndSweep(_ device: some Storefront, _ credited: inout Set<StoreTransactionID>) async {
    _ = try? await device.purchase(StorePaymentRequest(productID: "gems"))
    guard let listed = try? await device.unfinished(after: nil, limit: 100) else { return }
    for evidence in listed {
      credited.insert(evidence.transaction.id)
      try? await device.finish(evidence.transaction.id)
    }
  }
}
