import Foundation
import GemLedger
import GemTestSupport
import XCTest

/// The webhook event of the page about the feed, made of one event of the feed.
final class FeedWebhookTests: XCTestCase {
  private let appID = "app1a2b3c"

  /// A ledger in which alice bought 1,200 gems, spent 200, and got half of her money back.
  private func story() throws -> Ledger {
    let ledger = Ledger.inMemory()
    let catalog = try Catalog.load(Fixture.bytes("gems.json"))
    try ledger.apply(catalog)
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("2000000123456789", environment: .sandbox), customer: alice)
    try ledger.createAlias(CustomerID("player-7"), of: alice)
    try ledger.spend([Make.amount("GEM", 200)], customer: alice)
    try ledger.refund(Make.refund("2000000123456789", .milliPercent(50_000), environment: .sandbox))
    return ledger
  }

  private func webhook(_ event: FeedEvent, _ ledger: Ledger) throws -> NSDictionary {
    let currencies = Dictionary(uniqueKeysWithValues: try ledger.currentCatalog().currencies.map { ($0.code, $0) })
    let body = try GemLedgerTests.webhook(for: event, appID: appID, currencies: currencies, ledger: ledger)
    let data = try JSONSerialization.data(withJSONObject: Self.plain(body))
    return try XCTUnwrap(try JSONSerialization.jsonObject(with: data) as? NSDictionary)
  }

  /// `JSONSerialization` takes no optional values.
  private static func plain(_ value: Any?) -> Any {
    switch value {
    case let object as [String: Any?]: object.mapValues(plain)
    case let list as [Any?]: list.map(plain)
    case .some(let value): value
    case .none: NSNull()
    }
  }

  func testAPurchaseIsTheSeedsWebhookEvent() throws {
    let ledger = try story()
    let event = try XCTUnwrap(try ledger.feed().events.first { $0.record.booking.kind == .purchase })
    let id = try XCTUnwrap(event.record.booking.transactionID).description
    XCTAssertEqual(
      try webhook(event, ledger),
      [
        "type": "VIRTUAL_CURRENCY_TRANSACTION", "id": id,
        "event_timestamp_ms": event.record.booking.createdAt.milliseconds, "app_id": appID, "app_user_id": "alice",
        "aliases": ["alice", "player-7"],
        "adjustments": [
          ["amount": 1200, "currency": ["code": "GEM", "name": "Gems", "description": "Hard currency"]]
        ],
        "virtual_currency_transaction_id": id, "transaction_id": "2000000123456789", "product_id": "gems_1200",
        "product_display_name": "1,200 Gems", "purchase_environment": "SANDBOX", "source": "in_app_purchase",
        "store": "APP_STORE", "subscriber_attributes": [String: String](), "experiments": [String](),
      ])
  }

  func testARefundNamesItsPurchaseAndASpendNone() throws {
    let ledger = try story()
    let events = try ledger.feed().events
    let refund = try webhook(try XCTUnwrap(events.first { $0.record.booking.kind == .refund }), ledger)
    XCTAssertEqual(refund["transaction_id"] as? String, "2000000123456789")
    XCTAssertEqual(refund["source"] as? String, "in_app_purchase")
    let spend = try webhook(try XCTUnwrap(events.first { $0.record.booking.kind == .spend }), ledger)
    XCTAssertEqual(spend["source"] as? String, "admin_api")
    XCTAssertEqual(spend["transaction_id"] as? NSNull, NSNull())
  }

  private static func text(_ path: String) throws -> String {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return String(decoding: try Data(contentsOf: top.appending(path: path)), as: UTF8.self)
  }

  func testThePageShowsTheExpression() throws {
    let own = try Self.text("Tests/GemLedgerTests/FeedWebhookTests.swift")
    let page = try Self.text("Sources/GemLedger/GemLedger.docc/Feed.md")
    let lines = own.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0 != "// The example begins here." }.dropFirst().prefix { $0 != "// The example ends here." }
    XCTAssertGreaterThan(lines.count, 20)
    XCTAssertTrue(page.contains(lines.joined(separator: "\n")))
  }
}

// The example begins here.
func webhook(
  for event: FeedEvent, appID: String, currencies: [CurrencyCode: Currency], ledger: Ledger
) throws -> [String: Any?] {
  let booking = event.record.booking
  return [
    "type": "VIRTUAL_CURRENCY_TRANSACTION",
    "id": booking.transactionID?.description,
    "event_timestamp_ms": booking.createdAt.milliseconds,
    "app_id": appID,
    "app_user_id": booking.customer.text,
    "aliases": try ledger.customerIDs(of: booking.customer).map(\.text),
    "adjustments": booking.entries.map { entry in
      [
        "amount": entry.amount,
        "currency": [
          "code": entry.currency.description, "name": currencies[entry.currency]?.name,
          "description": currencies[entry.currency]?.description,
        ] as [String: Any?],
      ] as [String: Any]
    },
    "virtual_currency_transaction_id": booking.transactionID?.description,
    "transaction_id": event.purchase?.storeTransactionID.text,
    "product_id": event.purchase?.storeProductID,
    "product_display_name": event.purchase?.productName,
    "purchase_environment": event.purchase.map { $0.environment == .production ? "PRODUCTION" : "SANDBOX" },
    "source": event.source.rawValue,
    "store": event.purchase.flatMap {
      ["apple": "APP_STORE", "google": "PLAY_STORE", "amazon": "AMAZON", "test": "TEST_STORE"][$0.store.description]
    },
    "subscriber_attributes": [String: String](),
    "experiments": [String](),
  ]
}
// The example ends here.
