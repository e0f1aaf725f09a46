#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import XCTest

@testable import GemServer

/// App Store Server Notifications, from the push to the ledger.
final class AppleNotificationTests: XCTestCase {
  private let path = "/v1/incoming-webhooks/apple/default"

  private func transaction(_ world: APIWorld, refunded: Bool) throws -> StoreTransaction {
    StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID("1"),
      bundleID: "com.example.gems", storeProductID: "gems_300", productType: .consumable,
      accountToken: AccountToken(of: try CustomerID("alice")), purchasedAt: world.time.now,
      revocation: refunded ? StoreTransaction.Revocation(revokedAt: world.time.now) : nil, signedAt: world.time.now)
  }

  func testAPurchaseIsCreditedAndItsRefundClawedBack() async throws {
    let receipts = try LocalReceipts(session: "s1")
    let world = try APIWorld(verifier: receipts)
    _ = try await world.backend.register(CustomerID("alice"))
    let steps: [(type: String, outcome: String, balance: Int64)] = [
      ("ONE_TIME_CHARGE", "credited", 300), ("ONE_TIME_CHARGE", "unchanged", 300), ("REFUND", "refunded", 0),
    ]
    for step in steps {
      world.time.advance(seconds: 60)
      let notice = receipts.notification(
        step.type, id: "n", about: try transaction(world, refunded: step.type == "REFUND"), at: world.time.now)
      let answer = try await world.send("POST", path, ["signedPayload": .string(notice)])
      XCTAssertEqual(answer.status, 200)
      XCTAssertEqual(answer.body["outcome"]?.text, step.outcome)
      XCTAssertEqual(
        try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, step.balance)
    }
  }

  func testANotificationUnderAnotherRootIsRefused() async throws {
    let world = try APIWorld(verifier: LocalReceipts(session: "s1"))
    let forged = try LocalReceipts(session: "s1").notification(
      "ONE_TIME_CHARGE", id: "n", about: try transaction(world, refunded: false), at: world.time.now)
    let answer = try await world.send("POST", path, ["signedPayload": .string(forged)])
    XCTAssertEqual(answer.status, 422)
    XCTAssertEqual(answer.body["code"]?.text, "receipt_unverified")
  }

  func testAServerWithoutARootKeepsTheNotification() async throws {
    let world = try APIWorld(verifier: StoreVerifiers(apple: nil, google: nil))
    let answer = try await world.send("POST", path, ["signedPayload": "x"])
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(answer.body["outcome"]?.text, "quarantined")
    XCTAssertEqual(world.project.quarantine.count, 1)
  }
}
#endif
