import GemLedger
import SimulatedStoreKit
import SimulatedStores
import XCTest

/// One subscription of a group runs at a time, as in the App Store.
final class SubscriptionGroupTests: XCTestCase {
  private let clock = VirtualClock(startingAt: Timestamp(milliseconds: 1_800_000_000_000))

  private func session() throws -> SKTestSession {
    func subscription(_ id: String, _ rank: Int) -> String {
      #"""
      {"productID":"\#(id)","type":"RecurringSubscription","displayPrice":"4.99","recurringSubscriptionPeriod":"P1M",
       "referenceName":"\#(id)","groupNumber":\#(rank),"subscriptionGroupID":"21"}
      """#
    }
    let text = #"""
      {"version":{"major":4,"minor":0},"subscriptionGroups":[
       {"id":"21","name":"Club","subscriptions":[\#(subscription("gold", 1)),\#(subscription("silver", 1))]},
       {"id":"22","name":"News","subscriptions":[\#(subscription("news", 1))]}]}
      """#
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).storekit")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }  // A file left behind harms no test.
    return try SKTestSession(contentsOf: file, clock: clock)
  }

  @discardableResult
  private func buy(_ id: String) async throws -> Transaction {
    let product = try await ShopFixture.product(id)
    guard case .success(.verified(let transaction)) = try await product.purchase() else {
      throw StoreKitError.unknown
    }
    await transaction.finish()
    return transaction
  }

  private func entitled() async -> [String] {
    await Transaction.currentEntitlements.collect().map(\.unsafePayloadValue.productID)
  }

  func testAPurchaseWithinTheGroupReplacesTheRunningOne() async throws {
    let session = try session()
    let gold = try await buy("gold")
    try await buy("news")
    let silver = try await buy("silver")
    var entitled = await entitled()
    XCTAssertEqual(entitled, ["news", "silver"])
    XCTAssertEqual(silver.originalID, gold.id, "a group has one original transaction")
    let status = try await Product.SubscriptionInfo.status(for: "21")
    XCTAssertEqual(status.map(\.state), [.subscribed])
    XCTAssertEqual(status.map(\.transaction.unsafePayloadValue.productID), ["silver"])

    // The replaced one renews no more, and the other group goes on.
    clock.advance(by: .seconds(32 * 86_400))
    let renewed = session.allTransactions().filter { $0.purchaseDate > silver.purchaseDate }
    XCTAssertEqual(Set(renewed.map(\.productIdentifier)), ["news", "silver"])
    // Back again.
    try await buy("gold")
    entitled = await self.entitled()
    XCTAssertEqual(entitled.sorted(), ["gold", "news"])
    let last = try await Product.SubscriptionInfo.status(for: "21")
    XCTAssertEqual(last.map(\.transaction.unsafePayloadValue.productID), ["gold"])
  }

  func testAReversedRefundDoesNotBringAReplacedSubscriptionBack() async throws {
    let session = try session()
    let gold = try await buy("gold")
    try session.refundTransaction(identifier: UInt(gold.id))
    var entitled = await entitled()
    XCTAssertEqual(entitled, [])
    try await buy("silver")
    try session.store.reverseRefund(identifier: StoreTransactionID("\(gold.id)"))
    entitled = await self.entitled()
    XCTAssertEqual(entitled, ["silver"])
  }

  func testAForcedRenewalOfAnEndedSubscriptionReplacesTheRunningOne() async throws {
    let session = try session()
    try await buy("gold")
    try await buy("silver")
    try session.forceRenewalOfSubscription(productIdentifier: "gold")
    let entitled = await entitled()
    XCTAssertEqual(entitled, ["gold"])
  }
}
