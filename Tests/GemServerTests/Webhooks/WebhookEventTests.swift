#if Server
import GemLedger
import GemTestSupport
import StoreReceipts
import XCTest

@testable import GemServer

final class WebhookEventTests: XCTestCase {
  private let documented = [
    "type", "id", "event_timestamp_ms", "app_id", "app_user_id", "original_app_user_id", "aliases", "adjustments",
    "virtual_currency_transaction_id", "transaction_id", "product_id", "product_display_name", "purchase_environment",
    "source", "store", "country_code", "subscriber_attributes", "experiments",
  ]

  private func message(_ world: WebhookWorld) async throws -> Receivers.Message {
    try await world.deliver()
    return try XCTUnwrap(world.receivers.messages.last)
  }

  func testAPurchaseHasAllDocumentedFields() async throws {
    let world = try WebhookWorld()
    _ = try world.first.create(url: WebhookWorld.url, authorization: "Bearer hush")
    try world.ledger.creditPurchase(
      Make.purchase("store-1", environment: .sandbox), customer: Make.customer("alice"))
    let message = try await message(world)
    let event = message.event
    for name in documented { XCTAssertNotNil(event[name], name) }
    XCTAssertEqual(event["type"], "VIRTUAL_CURRENCY_TRANSACTION")
    XCTAssertEqual(event["source"], "in_app_purchase")
    XCTAssertEqual(event["kind"], "purchase")
    XCTAssertEqual(event["store"], "APP_STORE")
    XCTAssertEqual(event["purchase_environment"], "SANDBOX")
    XCTAssertEqual(event["transaction_id"], "store-1")
    XCTAssertEqual(event["product_id"], "gems_1200")
    XCTAssertEqual(
      event["adjustments"], [["amount": 1200, "currency": ["code": "GEM", "name": "Gems", "description": .null]]])
    XCTAssertEqual(event["virtual_currencies"], ["GEM": ["balance": 1200, "debt": 0]])
    XCTAssertEqual(event["aliases"], ["alice"])
    XCTAssertEqual(event["event_timestamp_ms"]?.integer, world.time.now.milliseconds)
    XCTAssertEqual(event["id"], event["virtual_currency_transaction_id"])
    XCTAssertEqual(message.headers["Authorization"], "Bearer hush")
    let body = try JSONValue.parse(message.body)
    XCTAssertEqual(body["api_version"], "1.0")
    XCTAssertEqual(body.object?.members.count, 2)
  }

  func testAChangeOfTheAPIAndAnExpiryAreSentToo() async throws {
    let world = try WebhookWorld()
    _ = try world.first.create(url: WebhookWorld.url)
    try world.ledger.grant(
      [Make.amount("GEM", 5)], customer: Make.customer("alice"),
      expiresAt: world.time.now.advanced(milliseconds: 1000))
    let grant = try await message(world).event
    XCTAssertEqual(grant["source"], "admin_api")
    XCTAssertEqual(grant["kind"], "grant")
    XCTAssertEqual(grant["store"], .null)
    XCTAssertEqual(grant["transaction_id"], .null)
    world.time.advance(seconds: 2)
    try world.ledger.sweep()
    let expiry = try await message(world).event
    XCTAssertEqual(expiry["kind"], "expiry")
    XCTAssertEqual(expiry["virtual_currencies"]?["GEM"]?["balance"], 0)
  }

  func testAHoldIsNotSentAndItsCaptureIs() async throws {
    let world = try WebhookWorld()
    _ = try world.first.create(url: WebhookWorld.url)
    let alice = try Make.customer("alice")
    try world.grant("alice", 10)
    let hold = try world.ledger.hold([Make.amount("GEM", 4)], customer: alice)
    try world.ledger.capture(XCTUnwrap(hold.hold?.id))
    try await world.deliver()
    XCTAssertEqual(world.receivers.messages.map { $0.event["kind"] }, ["grant", "capture"])
  }

  func testMessagesAreSignedAnewForEachAttempt() async throws {
    let world = try WebhookWorld()
    let endpoint = try world.first.create(url: WebhookWorld.url)
    try world.grant("alice")
    world.receivers.answer { _, _ in .status(500) }
    try await world.deliver()
    world.time.advance(seconds: 5)
    try await world.deliver()
    let messages = world.receivers.messages
    XCTAssertEqual(messages.count, 2)
    XCTAssertEqual(messages[0].body, messages[1].body)
    XCTAssertNotEqual(messages[0].headers["webhook-timestamp"], messages[1].headers["webhook-timestamp"])
    for message in messages {
      let signature = WebhookSignature(
        id: message.headers["webhook-id"] ?? "", timestamp: message.headers["webhook-timestamp"] ?? "",
        signatures: message.headers["webhook-signature"] ?? "")
      XCTAssertEqual(signature.id, message.id)
      try signature.check(message.body, secrets: [WebhookSecret(endpoint.secret)], now: world.time.now)
      XCTAssertThrowsError(
        try signature.check(message.body + [0x20], secrets: [WebhookSecret(endpoint.secret)], now: world.time.now))
    }
  }

  func testAnErasedCustomersEventIsSentWithoutTheOldID() async throws {
    let world = try WebhookWorld()
    _ = try world.first.create(url: WebhookWorld.url)
    try world.grant("alice@example.com")
    try world.ledger.erase(Make.customer("alice@example.com"))
    try await world.deliver()
    XCTAssertEqual(world.receivers.messages.count, 1)
    XCTAssertFalse(String(decoding: world.receivers.messages[0].body, as: UTF8.self).contains("alice@"))
  }
}
#endif
