import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// A closed file in which everything occurs, for tests that change some of its rows together.
///
/// Currencies, in the order of the catalog: COIN is 1, GEM 2, RUBY 3. Customers: alice is 1, bob 2, carol 3, dave 4,
/// erin 5, frank 6, gina 7, hugo 8, zoe 9, ivan 10. Carol was merged into dave, and zoe was erased. Erin gave frank the
/// same as gina gave hugo.
enum ConsistentFixture {
  static func make(at path: String, _ time: ManualClock) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(catalog())
    let names = try ["alice", "bob", "carol", "dave", "erin", "frank", "gina", "hugo", "zoe", "ivan"].map(Make.customer)
    for name in names { try book(ledger, time) { try $0.createCustomer(name) } }
    try fillPurchases(ledger, time, alice: names[0], bob: names[1])
    try fillSpends(ledger, time, alice: names[0], bob: names[1])
    try fillPairs(ledger, time, names)
    try fillRest(ledger, time, names)
    // Nothing is due in a file that is compared with itself.
    try book(ledger, time) { try $0.sweep() }
    ledger.close()
  }

  /// Every booking has an instant of its own.
  @discardableResult
  private static func book<R>(_ ledger: Ledger, _ time: ManualClock, _ body: (Ledger) throws -> R) throws -> R {
    time.advance(seconds: 10)
    return try body(ledger)
  }

  private static func fillPurchases(
    _ ledger: Ledger, _ time: ManualClock, alice: CustomerID, bob: CustomerID
  ) throws {
    try book(ledger, time) { try $0.grant([Make.amount("GEM", 1000)], customer: alice, reason: Reason("gift")) }
    try book(ledger, time) { try $0.grant([Make.amount("GEM", 1000)], customer: bob) }
    try book(ledger, time) { try $0.creditPurchase(Make.purchase("t1"), customer: alice, key: Make.key("p1")) }
    let price = Money(minorUnits: 899, currency: "EUR")
    try book(ledger, time) { try $0.creditPurchase(Make.purchase("t2", price: price), customer: alice) }
    try book(ledger, time) {
      try $0.creditPurchase(Make.purchase("t3", product: "gems_300", environment: .sandbox), customer: bob)
    }
    try book(ledger, time) { try $0.creditPurchase(Make.purchase("t4", product: "rubies"), customer: alice) }
    try book(ledger, time) {
      try $0.creditPurchase(Make.purchase("t5", product: "bundle", quantity: 2), customer: alice)
    }
    var month = try Make.purchase("t6", product: "monthly")
    month.cycleEndsAt = Timestamp(milliseconds: time.now.milliseconds + 2_592_000_000)
    try book(ledger, time) { try $0.creditPurchase(month, customer: alice) }
    try book(ledger, time) { try $0.creditPurchase(Make.purchase("t7", quantity: 1), customer: bob) }
  }

  private static func fillSpends(_ ledger: Ledger, _ time: ManualClock, alice: CustomerID, bob: CustomerID) throws {
    let soon = Timestamp(milliseconds: time.now.milliseconds + 600_000)
    try book(ledger, time) {
      try $0.grant([Make.amount("GEM", 50)], customer: alice, source: .promotional, expiresAt: soon)
    }
    try book(ledger, time) {
      try $0.grant([Make.amount("RUBY", 25)], customer: bob, source: .bonus, expiresAt: soon)
    }
    // All promotional currency and some of the subscription's.
    try book(ledger, time) { try $0.spend([Make.amount("GEM", 60)], customer: alice, key: Make.key("s1")) }
    try book(ledger, time) { try $0.spend([Make.amount("COIN", 6)], customer: alice) }
    try book(ledger, time) { try $0.buyItem(ItemID("life"), customer: alice) }
    try book(ledger, time) {
      var command = try LedgerCommand.spend([Make.amount("GEM", 3)], customer: bob, key: Make.key("b1"))
      command.reference = try Reference("order-7")
      command.actor = try ActorName("shop")
      return try $0.book(command)
    }
    try book(ledger, time) {
      _ = try? $0.spend([Make.amount("GEM", 9_000_000)], customer: bob, key: Make.key("refused"))
    }
    let hold = try book(ledger, time) { try $0.hold([Make.amount("GEM", 20)], customer: alice, for: .seconds(90_000)) }
    try book(ledger, time) {
      try $0.capture(HoldID(XCTUnwrap(hold.transactionID)), amounts: [Make.amount("GEM", 5)], keepsOpen: true)
    }
    try book(ledger, time) { try $0.transfer([Make.amount("GEM", 600)], from: alice, to: bob) }
    try book(ledger, time) {
      try $0.exchange(Make.amount("GEM", 100), into: CurrencyCode("COIN"), rate: ExchangeRate(1, for: 2), customer: bob)
    }
    try book(ledger, time) { try $0.refund(Make.refund("t2", .milliPercent(50_000))) }
    try book(ledger, time) { try $0.spend([Make.amount("RUBY", 110)], customer: alice) }
    try book(ledger, time) { try $0.refund(Make.refund("t4")) }
    try book(ledger, time) { try $0.refund(Make.refund("still-to-come")) }
    time.advance(seconds: 1000)
    try book(ledger, time) { try $0.sweep() }
  }

  private static func fillPairs(_ ledger: Ledger, _ time: ManualClock, _ names: [CustomerID]) throws {
    for (giver, taker) in [(names[4], names[5]), (names[6], names[7])] {
      try book(ledger, time) { try $0.grant([Make.amount("GEM", 100)], customer: giver) }
      try book(ledger, time) { try $0.transfer([Make.amount("GEM", 40)], from: giver, to: taker) }
    }
    try book(ledger, time) { try $0.grant([Make.amount("GEM", 70)], customer: names[2]) }
    try book(ledger, time) { try $0.grant([Make.amount("GEM", 5)], customer: names[3]) }
    try book(ledger, time) { try $0.merge(from: names[2], into: names[3]) }
  }

  private static func fillRest(_ ledger: Ledger, _ time: ManualClock, _ names: [CustomerID]) throws {
    let (alice, bob, zoe) = (names[0], names[1], names[8])
    try book(ledger, time) { try $0.createAlias(Make.customer("ally"), of: alice) }
    try book(ledger, time) { try $0.book(.registerToken(TokenNumber(high: 1, low: 1), customer: alice)) }
    try book(ledger, time) { try $0.book(.registerToken(TokenNumber(high: 2, low: 2), customer: bob)) }
    try book(ledger, time) { try $0.book(.openOrder(RichJournal.opening("ORDER-1", key: "order-key"), customer: bob)) }
    try book(ledger, time) { try $0.apply(catalog(priceOfLife: 60, burnsPaidFirst: true)) }
    let gift = BasketLeg.item(try ItemID("life"), quantity: 1, from: alice, to: bob)
    try book(ledger, time) { try $0.basket([gift], payer: alice) }
    // Paid currency burns before the currency granted now.
    try book(ledger, time) { try $0.spend([Make.amount("GEM", 1990)], customer: alice) }
    try book(ledger, time) { try $0.freeze(names[7], reason: Reason("chargeback")) }
    try book(ledger, time) { try $0.grant([Make.amount("GEM", 7)], customer: zoe, key: Make.key("z1")) }
    try book(ledger, time) { try $0.erase(zoe) }
    try book(ledger, time) { try $0.grant([Make.amount("GEM", 30)], customer: names[9], source: .earned) }
    try book(ledger, time) { try $0.spend([Make.amount("GEM", 1)], customer: names[9], key: Make.key("last")) }
  }

  private static func catalog(priceOfLife: Int = 50, burnsPaidFirst: Bool = false) throws -> Catalog {
    let order = burnsPaidFirst ? "paid_first" : "free_first"
    return try Catalog.load(
      Array(
        """
        {
          "currencies": [
            {"code": "COIN", "name": "Coins"}, {"code": "GEM", "name": "Gems", "burn_order": "\(order)"},
            {"code": "RUBY", "name": "Rubies", "burn_order": "paid_first", "refund_policy": "debt"}
          ],
          "products": [
            {"code": "gems_1200", "type": "consumable", "grants": [{"currency": "GEM", "amount": 1200}]},
            {"code": "gems_300", "type": "consumable", "grants": [{"currency": "GEM", "amount": 300}]},
            {"code": "rubies", "type": "consumable", "grants": [{"currency": "RUBY", "amount": 100, "bonus": 20}]},
            {"code": "bundle", "type": "consumable",
             "grants": [{"currency": "COIN", "amount": 300, "bonus": 30}, {"currency": "RUBY", "amount": 70}],
             "item_grants": [{"item": "life", "quantity": 2}]},
            {"code": "monthly", "type": "auto_renewable_subscription", "period": "P1M", "entitlement": "premium",
             "grants": [{"currency": "GEM", "amount": 400, "bonus": 9, "expires_at_cycle_end": true}]}
          ],
          "items": [{"id": "life", "name": "Life", "price": {"GEM": \(priceOfLife)}}]
        }
        """.utf8))
  }
}
