#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A group of one kind of command takes four round trips of reads at most, its beginning and three loads, and its
/// commit.
final class CommandRoundTripTests: XCTestCase {
  private let size = 64
  private let time = ManualClock()

  func testHowManyEachKindOfCommandTakes() throws {
    let url = try PostgresServer.shared().createDatabase()
    let ledger = try Ledger.createPostgres(at: url + "?lanes=1", clock: time.clock)
    try ledger.apply(Make.catalog())
    let storage = try XCTUnwrap(ledger.storage as? PostgresStorage)
    let customers = try (0..<2 * size).map { try Make.customer("customer \($0)") }
    @discardableResult
    func book(_ name: String, most: Int = 5, _ commands: [LedgerCommand]) throws -> [Booking] {
      let before = storage.roundTrips
      let answers = try ledger.submit(commands).map { try $0.get() }
      XCTAssertLessThanOrEqual(storage.roundTrips - before, most, name)
      return answers
    }
    try book("catalog", [.creditPurchase(try Make.purchase("first"), customer: customers[0])])
    try book("catalog of items", [.buyItem(try ItemID("extra_life"), customer: customers[0])])
    let halves = Array(zip(customers.prefix(size), customers.suffix(size)))
    try book("purchases", customers.enumerated().map { .creditPurchase(try Make.purchase("t\($0)"), customer: $1) })
    try book("grants", customers.map { .grant([try Make.amount("GEM", 50)], customer: $0, source: .promotional) })
    try book("openings", customers.map { .openOrder(try opening(Self.code($0)), customer: $0) })
    try book("completions", customers.map { .completeOrder(try completion(Self.code($0)), customer: $0) })
    try book("deliveries", customers.map { .advanceOrder(try PurchaseCode(Self.code($0)), .deliver, customer: $0) })
    try book(
      "tokens", customers.enumerated().map { .registerToken(TokenNumber(high: 1, low: Int64($0)), customer: $1) })
    // Each process reads the catalog again with the first group after a change, and its products and items too.
    try ledger.apply(Make.catalog(replacing: "\"amount\": 1200", with: "\"amount\": 1201"))
    try book("items after a change", customers.map { .buyItem(try ItemID("extra_life"), customer: $0) })
    try ledger.apply(Make.catalog(replacing: "\"amount\": 1200", with: "\"amount\": 1202"))
    try book(
      "purchases after a change",
      customers.enumerated().map { .creditPurchase(try Make.purchase("u\($0)"), customer: $1) })
    try book(
      "bundles",
      customers.enumerated().map {
        .creditPurchase(try Make.purchase("b\($0)", product: $0 % 2 == 0 ? "bundle" : "rubies"), customer: $1)
      })
    try book("refunds of bundles", customers.indices.map { .refund(try Make.refund("b\($0)")) })
    try book("their reversal", customers.indices.map { .reverseRefund(try Make.reversal("b\($0)")) })
    try book("freezes", customers.map { .freeze($0) })
    try book("unfreezes", customers.map { .unfreeze($0) })
    try book(
      "exchanges",
      customers.map {
        .exchange(
          try Make.amount("GEM", 30), into: try CurrencyCode("COIN"), rate: ExchangeRate(1, for: 1), customer: $0)
      })
    try book("due", customers.map { .bookDue($0) })
    try book("aliases", customers.map { .createAlias(try Make.customer("also \($0.text)"), of: $0) })
    let stocked = try book("items", customers.map { .buyItem(try ItemID("extra_life"), customer: $0) })
    try book("items back", stocked.map { .reverse(try XCTUnwrap($0.transactionID)) })
    try book("refunds", customers.indices.map { .refund(try Make.refund("t\($0)")) })
    try book("reversed refunds", customers.indices.map { .reverseRefund(try Make.reversal("t\($0)")) })
    try book("merges", halves.map { .merge(from: $0, into: $1, key: try Make.key("m")) })
    // An answer that is given again has the effects of its transaction too.
    try book("merges again", halves.map { .merge(from: $0, into: $1, key: try Make.key("m")) })
    try book("spends of merged", halves.map { try .spend([Make.amount("GEM", 1)], customer: $0.0, key: Make.key("s")) })
    try book("spends again", halves.map { try .spend([Make.amount("GEM", 1)], customer: $0.0, key: Make.key("s")) })
    // An unmerge follows the merges of both customers, and the entries since, 64 with each trip.
    try book("unmerges", halves.map { .unmerge($0.0) })
    // An erasure reads what stores stated about the customers' purchases.
    try book("erasures", most: 12, customers.map { .erase($0) })
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private static func code(_ customer: CustomerID) -> String { "A" + customer.text.split(separator: " ")[1] }

  private func opening(_ code: String) throws -> OrderOpening {
    OrderOpening(
      code: try PurchaseCode(code), store: .apple, product: try ProductCode("gems_1200"), quantity: 1, request: "{}",
      key: nil, lifetimeMilliseconds: 1_000_000, paidBy: nil)
  }

  private func completion(_ code: String) throws -> OrderCompletion {
    OrderCompletion(
      code: try PurchaseCode(code), purchase: try Make.purchase("of \(code)"), retryAfterMilliseconds: nil)
  }
}
#endif
