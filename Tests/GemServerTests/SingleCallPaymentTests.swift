#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import XCTest

@testable import GemServer

final class SingleCallPaymentTests: XCTestCase {
  private func purchase(_ world: APIWorld, _ body: JSONObject, path: String = "apple") async throws -> APIWorld.Answer {
    try await world.send("POST", "/api/v1/client/purchase/\(path)", .object(body), key: world.session("alice"))
  }

  func testAReceiptIsCreditedOnceAndTheAnswerSaysThatThePathIsDeprecated() async throws {
    let world = try APIWorld()
    let body: JSONObject = [
      "receiptData": .string(try world.receipt("t1")), "externalTransactionId": "t1", "productId": "gems_1200",
      "bundleId": "com.example.gems", "roleId": "char-1", "amount": 249_000,
    ]
    let answer = try await purchase(world, body)
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(answer.header("Deprecation"), "@1777852800")
    XCTAssertEqual(answer.body.only("statusCode", "paymentStatus"), ["statusCode": 0, "paymentStatus": "success"])
    XCTAssertTrue(answer.body["message"]?.text?.contains("deprecated") == true)
    let again = try await purchase(world, body)
    XCTAssertEqual(again.body["statusCode"], 1050)
    XCTAssertEqual(again.body["purchaseCode"], answer.body["purchaseCode"])
    XCTAssertEqual(try world.balance(of: "alice"), 1200)
    let history = try await world.send("GET", "/api/v1/client/purchase/", key: world.session("alice"))
    XCTAssertEqual(history.body["data"]?.array?.map { $0["roleId"] }, ["char-1"])
  }

  func testAReceiptWithoutAnyMoreIsCreditedToo() async throws {
    let world = try APIWorld()
    let body: JSONObject = ["receiptData": .string(try world.receipt("t1", store: .google))]
    let answer = try await purchase(world, body, path: "google")
    XCTAssertEqual(answer.body["statusCode"], 0)
    XCTAssertTrue(answer.body["purchaseCode"]?.text?.hasPrefix("GG") == true)
    let again = try await purchase(world, body, path: "google")
    XCTAssertEqual(again.body["statusCode"], 1050)
    XCTAssertEqual(try world.balance(of: "alice"), 1200)
  }

  func testAnOrderThatCannotBeAnnouncedDoesNotLoseThePurchase() async throws {
    let world = try APIWorld()
    let receipt = JSONValue.string(try world.receipt("t1"))
    let answer = try await purchase(
      world,
      [
        "receiptData": receipt, "externalTransactionId": "t1", "productId": "unknown", "bundleId": "com.example.gems",
      ])
    XCTAssertEqual(answer.body["statusCode"], 0)
    // Another context under the same transaction is a conflict of the announcement, not of the receipt.
    let other = try await purchase(
      world,
      [
        "receiptData": receipt, "externalTransactionId": "t1", "productId": "gems_1200",
        "bundleId": "com.example.gems", "roleId": "char-2",
      ])
    XCTAssertEqual(other.body["statusCode"], 1050)
    XCTAssertEqual(try world.balance(of: "alice"), 1200)
  }

  func testAForgedReceiptIsRefused() async throws {
    let world = try APIWorld()
    let answer = try await purchase(world, ["receiptData": "abc"])
    XCTAssertEqual(answer.status, 422)
    XCTAssertEqual(answer.body["code"], "receipt_malformed")
  }
}
#endif
