import GemLedger
import StoreBackend
import XCTest

@testable import StoreReceipts

/// What Google's server sends and answers: notifications, and purchases of both forms.
final class PlayServerTests: XCTestCase {
  // MARK: Notifications

  private func body(_ data: String, id: String = "\"messageId\":\"m-1\"") -> [UInt8] {
    let text = Base64.text(Array(data.utf8))
    return Array("{\"message\":{\(id),\"data\":\"\(text)\"},\"subscription\":\"projects/p/subscriptions/s\"}".utf8)
  }

  private func notification(_ part: String) throws -> PlayNotification {
    try PlayNotification(
      body: body(
        "{\"version\":\"1.0\",\"packageName\":\"com.example.app\",\"eventTimeMillis\":\"1790000000123\",\(part)}"))
  }

  func testNotificationsOfEveryKind() throws {
    let token = StoreTransactionID(unchecked: "abc")
    let kinds: [(String, PlayNotification.Event)] = [
      (
        #""oneTimeProductNotification":{"notificationType":1,"purchaseToken":"abc","sku":"gems"}"#,
        .oneTimePurchased(token: token, productID: "gems")
      ),
      (
        #""oneTimeProductNotification":{"notificationType":2,"purchaseToken":"abc","sku":"gems"}"#,
        .oneTimeCanceled(token: token, productID: "gems")
      ),
      (
        #""oneTimeProductNotification":{"notificationType":7,"purchaseToken":"abc","sku":"gems"}"#,
        .other("oneTimeProductNotification 7")
      ),
      (
        #""voidedPurchaseNotification":{"purchaseToken":"abc","orderId":"GPA.1","productType":2,"refundType":2}"#,
        .voided(token: token, orderID: "GPA.1", isSubscription: false, isPartial: true)
      ),
      (
        #""voidedPurchaseNotification":{"purchaseToken":"abc","orderId":"","productType":1,"refundType":1}"#,
        .voided(token: token, orderID: nil, isSubscription: true, isPartial: false)
      ),
      (
        #""pendingRefundReviewNotification":{"pendingRefundToken":"r","orderId":"GPA.1","refundReason":7}"#,
        .refundReview(reviewToken: "r", orderID: "GPA.1", reason: 7)
      ),
      (
        #""subscriptionNotification":{"notificationType":2,"purchaseToken":"abc"}"#,
        .subscription(token: token, type: 2)
      ),
      ("\"testNotification\":{\"version\":\"1.0\"}", .test), ("\"newNotification\":{}", .other("newNotification")),
    ]
    for (part, event) in kinds {
      let found = try notification(part)
      XCTAssertEqual(found.event, event, part)
      XCTAssertEqual(found.messageID, "m-1")
      XCTAssertEqual(found.packageName, "com.example.app")
      XCTAssertEqual(found.occurredAt.milliseconds, 1_790_000_000_123)
    }
  }

  func testBadNotifications() throws {
    func check(_ body: [UInt8]) -> String? {
      do throws(LedgerError) {
        _ = try PlayNotification(body: body)
        return nil
      } catch { return error.text("check") }
    }
    let good = "{\"packageName\":\"a\",\"eventTimeMillis\":\"1\",\"testNotification\":{}}"
    XCTAssertNil(check(body(good)))
    XCTAssertNil(check(body(good, id: "\"message_id\":\"1\"")))
    let structures = [
      [], Array("[]".utf8), Array("{}".utf8), Array("{\"message\":{\"messageId\":\"1\",\"data\":\"-_\"}}".utf8),
      body(good, id: "\"messageId\":\"\""), [UInt8](repeating: 0x5B, count: 10_000_000),
    ]
    for body in structures { XCTAssertEqual(check(body), "structure") }
    let payloads = [
      "", "[]", "{}", "{\"packageName\":\"a\"}", "{\"packageName\":\"a\",\"eventTimeMillis\":1}",
      "{\"packageName\":\"a\",\"eventTimeMillis\":\"1\",\"testNotification\":1}",
      "{\"packageName\":\"a\",\"packageName\":\"a\",\"eventTimeMillis\":\"1\"}",
      "{\"packageName\":\"a\",\"eventTimeMillis\":\"1\",\"voidedPurchaseNotification\":{}}",
    ]
    for data in payloads { XCTAssertEqual(check(body(data)), "payload", data) }
  }

  // MARK: Purchases

  private let fetchedAt = Timestamp(milliseconds: 1_790_000_900_000)

  private func purchase(_ json: String, product: String? = nil) throws -> PlayProductPurchase {
    let request = PlayProductPurchase.Request(
      packageName: "com.example.app", token: StoreTransactionID(unchecked: "abc"), productID: product,
      fetchedAt: fetchedAt)
    return try PlayProductPurchase(json: Array(json.utf8), for: request)
  }

  func testBothFormsSayTheSame() throws {
    let first = try purchase(
      """
      {"kind":"androidpublisher#productPurchase","purchaseTimeMillis":"1790000000123","purchaseState":0,\
      "consumptionState":0,"orderId":"GPA.1","acknowledgementState":0,"quantity":3,"refundableQuantity":2,\
      "regionCode":"US","obfuscatedExternalAccountId":"7e3fb20b-4cdb-47cc-936d-99d65f608138"}
      """, product: "gems")
    let second = try purchase(
      """
      {"kind":"androidpublisher#productPurchaseV2","productLineItem":[{"productId":"gems","productOfferDetails":\
      {"quantity":3,"refundableQuantity":2,"consumptionState":"CONSUMPTION_STATE_YET_TO_BE_CONSUMED"}}],\
      "purchaseStateContext":{"purchaseState":"PURCHASED"},"orderId":"GPA.1","regionCode":"US",\
      "purchaseCompletionTime":"2026-09-21T14:13:20.123Z","acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING",\
      "obfuscatedExternalAccountId":"7e3fb20b-4cdb-47cc-936d-99d65f608138"}
      """)
    XCTAssertEqual(first.transaction, second.transaction)
    XCTAssertEqual(first.acknowledgeBy, second.acknowledgeBy)
    let bought = try XCTUnwrap(first.transaction)
    XCTAssertEqual(bought.quantity, 3)
    XCTAssertEqual(bought.environment, .production)
    XCTAssertEqual(bought.revocation?.extent, .totalQuantity(1))
    XCTAssertEqual(first.acknowledgeBy?.milliseconds, 1_790_000_000_123 + 3 * 86_400_000)
  }

  func testStates() throws {
    func state(_ rest: String) throws -> PlayProductPurchase {
      try purchase("{\"productId\":\"gems\",\"purchaseTimeMillis\":\"1790000000123\",\(rest)}")
    }
    XCTAssertNil(try state("\"purchaseState\":2").transaction)
    let cancelled = try state("\"purchaseState\":1")
    XCTAssertEqual(cancelled.transaction?.revocation?.extent, .full)
    XCTAssertNil(cancelled.acknowledgeBy)
    XCTAssertEqual(try state("\"purchaseType\":0").transaction?.environment, .sandbox)
    XCTAssertNil(try state("\"consumptionState\":1").acknowledgeBy)
    XCTAssertNil(try state("\"acknowledgementState\":1").acknowledgeBy)
    XCTAssertEqual(try state("\"quantity\":2,\"refundableQuantity\":0").transaction?.revocation?.extent, .full)
    for rest in ["\"purchaseState\":3", "\"quantity\":0", "\"quantity\":\"1\""] {
      XCTAssertThrowsError(try state(rest), rest)
    }
    XCTAssertThrowsError(try purchase("{\"purchaseTimeMillis\":\"1\"}"))
    XCTAssertThrowsError(try purchase("{\"productId\":\"gems\"}"))
    for json in [
      "{\"productLineItem\":[]}", "{\"productLineItem\":[{\"productId\":\"a\"}]}", "{\"productLineItem\":{}}",
    ] {
      XCTAssertThrowsError(try purchase(json), json)
    }
    let pending = try purchase(
      "{\"productLineItem\":[{\"productId\":\"a\"}],\"purchaseStateContext\":{\"purchaseState\":\"PENDING\"}}")
    XCTAssertNil(pending.transaction)
  }
}
