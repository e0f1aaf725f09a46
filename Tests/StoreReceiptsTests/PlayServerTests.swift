import GemLedger
import XCTest

@testable import StoreBackend
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
        .subscription(token: token, productID: nil, type: 2)
      ),
      (
        #""subscriptionNotification":{"notificationType":4,"purchaseToken":"abc","subscriptionId":"monthly"}"#,
        .subscription(token: token, productID: "monthly", type: 4)
      ),
      (
        #""oneTimeProductNotification":{"notificationType":1,"purchaseToken":"abc"}"#,
        .oneTimePurchased(token: token, productID: nil)
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
    XCTAssertEqual(first.transactions, second.transactions)
    XCTAssertEqual(first.acknowledgeBy, second.acknowledgeBy)
    let bought = try XCTUnwrap(first.transactions.first)
    XCTAssertEqual(bought.quantity, 3)
    XCTAssertEqual(bought.environment, .production)
    XCTAssertEqual(bought.revocation?.extent, .totalQuantity(1))
    XCTAssertEqual(first.acknowledgeBy?.milliseconds, 1_790_000_000_123 + 3 * 86_400_000)
  }

  func testStates() throws {
    func state(_ rest: String) throws -> PlayProductPurchase {
      try purchase("{\"productId\":\"gems\",\"purchaseTimeMillis\":\"1790000000123\",\(rest)}")
    }
    XCTAssertEqual(try state("\"purchaseState\":2").transactions, [])
    let cancelled = try state("\"purchaseState\":1")
    XCTAssertEqual(cancelled.transactions.first?.revocation?.extent, .full)
    XCTAssertNil(cancelled.acknowledgeBy)
    XCTAssertEqual(try state("\"purchaseType\":0").transactions.first?.environment, .sandbox)
    XCTAssertNil(try state("\"consumptionState\":1").acknowledgeBy)
    XCTAssertNil(try state("\"acknowledgementState\":1").acknowledgeBy)
    XCTAssertEqual(try state("\"quantity\":2,\"refundableQuantity\":0").transactions.first?.revocation?.extent, .full)
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
    XCTAssertEqual(pending.transactions, [])
    XCTAssertEqual(pending.unpaid.map(\.storeProductID), ["a"])
  }

  // MARK: Several products

  func testEachProductOfATokenIsAPurchaseOfItsOwn() throws {
    let bought = try purchase(
      """
      {"productLineItem":[{"productId":"gems","productOfferDetails":{"quantity":2,"refundableQuantity":2}},\
      {"productId":"skin","productOfferDetails":{"consumptionState":"CONSUMPTION_STATE_CONSUMED"}},\
      {"productId":"gems","productOfferDetails":{"quantity":3,"refundableQuantity":1}}],\
      "purchaseStateContext":{"purchaseState":"PURCHASED"},"purchaseCompletionTime":"2026-09-21T14:13:20.123456789Z"}
      """)
    XCTAssertEqual(bought.transactions.map(\.creditID.text), ["abc/gems", "abc/skin"])
    XCTAssertEqual(bought.transactions.map(\.quantity), [5, 1])
    XCTAssertEqual(bought.transactions[0].revocation?.extent, .totalQuantity(2))
    XCTAssertEqual(bought.lines.map(\.isConsumed), [false, true])
    // What is kept of the evidence has the same identity.
    for transaction in bought.transactions {
      let kept = ReceiptFields(try XCTUnwrap(JSONValue.parse(ReceiptForm.payload(of: transaction)).object))
      XCTAssertEqual(try ReceiptForm.playTransaction(from: kept, environment: .production), transaction)
      XCTAssertEqual(
        transaction.creditID.purchaseToken(
          at: .google, isSubscription: false, storeProductID: transaction.storeProductID
        ).text, "abc")
    }
    let joined = PlayProductPurchase(
      joining: [
        try purchase("{\"purchaseTimeMillis\":\"1\"}", product: "gems"),
        try purchase("{\"purchaseTimeMillis\":\"1\"}", product: "skin"),
      ])
    XCTAssertEqual(joined.transactions.map(\.creditID.text), ["abc/gems", "abc/skin"])
  }

  // MARK: Subscriptions

  func testSubscriptionsAreKnownByTheirOrder() throws {
    func subscription(_ state: String, order: String, _ rest: String = "") throws -> PlayProductPurchase {
      try purchase(
        """
        {"kind":"androidpublisher#subscriptionPurchaseV2","startTime":"2026-08-21T14:13:20.123Z",\
        "subscriptionState":"SUBSCRIPTION_STATE_\(state)","acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING",\
        "externalAccountIdentifiers":{"obfuscatedExternalAccountId":"7e3fb20b-4cdb-47cc-936d-99d65f608138"},\
        "lineItems":[{"productId":"monthly","expiryTime":"2026-10-21T14:13:20.123Z",\
        "latestSuccessfulOrderId":"\(order)","offerDetails":{"basePlanId":"p1m"}}]\(rest)}
        """)
    }
    let first = try XCTUnwrap(subscription("ACTIVE", order: "GPA.1").transactions.first)
    XCTAssertEqual(first.creditID.text, "abc/GPA.1")
    XCTAssertEqual(first.storeProductID, "monthly:p1m")
    XCTAssertEqual(first.purchasedAt.description, "2026-08-21T14:13:20.123Z")
    XCTAssertEqual(first.accountToken?.description, "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    XCTAssertEqual(first.reason, .purchase)
    let renewal = try XCTUnwrap(subscription("CANCELED", order: "GPA.1..0", #","testPurchase":{}"#).transactions.first)
    XCTAssertEqual(renewal.creditID.text, "abc/GPA.1..0")
    XCTAssertEqual(renewal.reason, .renewal)
    XCTAssertEqual(renewal.environment, .sandbox)
    XCTAssertEqual(renewal.purchasedAt, fetchedAt)
    XCTAssertEqual(renewal.expiresAt?.description, "2026-10-21T14:13:20.123Z")
    XCTAssertEqual(
      renewal.creditID.purchaseToken(at: .google, isSubscription: true, storeProductID: "monthly").text, "abc")
    var line = renewal
    line.isLineItem = true
    XCTAssertEqual(line.creditID.text, "abc/GPA.1..0/monthly")
    XCTAssertEqual(
      line.creditID.purchaseToken(at: .google, isSubscription: true, storeProductID: "monthly:p1m").text, "abc")
    XCTAssertTrue(try subscription("PENDING", order: "GPA.1").transactions.isEmpty)
    XCTAssertTrue(try subscription("PENDING_PURCHASE_CANCELED", order: "GPA.1").isCancelled)
  }
}
