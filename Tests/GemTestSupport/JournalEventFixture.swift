package import GemLedger
internal import XCTest

/// Books in which every kind of effect occurs, for tests that damage them.
package enum JournalEventFixture {
  /// Alice, bob, carol and dave, numbered so where numbers have no gaps.
  ///
  /// Carol became part of bob. GEM is currency 1.
  package static func fill(_ ledger: Ledger, _ time: ManualClock) throws {
    try ledger.apply(Make.catalog())
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    let (carol, dave) = (try Make.customer("carol"), try Make.customer("dave"))
    for (customer, amount) in [(alice, 1000), (bob, 500), (carol, 300), (dave, 40)] as [(CustomerID, Int64)] {
      try ledger.grant([Make.amount("GEM", amount), Make.amount("COIN", 50)], customer: customer)
    }
    try ledger.creditPurchase(Make.purchase("t1"), customer: alice)
    try reverse(ledger, of: alice)
    try hold(ledger, by: alice)
    try ledger.transfer([Make.amount("GEM", 25)], from: alice, to: bob)
    try ledger.basket(
      [
        .transfer([Make.amount("GEM", 10)], from: alice, to: bob),
        .transfer([Make.amount("COIN", 5)], from: bob, to: dave), .spend([Make.amount("COIN", 1)], customer: alice),
      ], payer: alice)
    try becomeOne(ledger, carol, bob)
    try giveBackTooLate(ledger, to: dave, time)
    try giveBackWhatWasRefunded(ledger, to: dave)
    for value in 1...2 as ClosedRange<Int64> {
      for customer in ["alice", "bob"] { try count(ledger, of: customer, value) }
    }
  }

  private static func reverse(_ ledger: Ledger, of customer: CustomerID) throws {
    let spend = try ledger.spend([Make.amount("GEM", 1100), Make.amount("COIN", 3)], customer: customer)
    let id = try XCTUnwrap(spend.transactionID)
    for amount in [40, 150] as [Int64] { try ledger.reverse(id, amounts: [Make.amount("GEM", amount)]) }
    try ledger.spend([Make.amount("GEM", 10)], customer: customer)
  }

  /// One that stays open, of which a part was captured, and one that was released.
  private static func hold(_ ledger: Ledger, by customer: CustomerID) throws {
    let open = try begin(ledger, [Make.amount("GEM", 200), Make.amount("COIN", 4)], customer)
    try ledger.capture(open, amounts: [Make.amount("GEM", 80)], keepsOpen: true)
    try ledger.extend(open, for: .seconds(10_000))
    try ledger.release(begin(ledger, [Make.amount("GEM", 60)], customer))
    try ledger.capture(begin(ledger, [Make.amount("GEM", 30)], customer), amounts: [Make.amount("GEM", 20)])
  }

  private static func begin(_ ledger: Ledger, _ amounts: [Adjustment], _ customer: CustomerID) throws -> HoldID {
    HoldID(try XCTUnwrap(ledger.hold(amounts, customer: customer, for: .seconds(9000)).transactionID))
  }

  private static func becomeOne(_ ledger: Ledger, _ one: CustomerID, _ other: CustomerID) throws {
    try ledger.creditPurchase(Make.purchase("t2"), customer: one)
    let spend = try ledger.spend([Make.amount("GEM", 10)], customer: one)
    _ = try begin(ledger, [Make.amount("GEM", 400)], one)
    _ = try begin(ledger, [Make.amount("GEM", 5)], other)
    try ledger.merge(from: one, into: other)
    try ledger.reverse(XCTUnwrap(spend.transactionID))
    try ledger.capture(begin(ledger, [Make.amount("GEM", 700)], other))
  }

  private static func giveBackTooLate(_ ledger: Ledger, to customer: CustomerID, _ time: ManualClock) throws {
    let expiry = Timestamp(milliseconds: time.now.milliseconds + 100_000)
    try ledger.grant([Make.amount("GEM", 30)], customer: customer, source: .promotional, expiresAt: expiry)
    let hold = try begin(ledger, [Make.amount("GEM", 35)], customer)
    time.advance(seconds: 200)
    try ledger.release(hold)
  }

  private static func giveBackWhatWasRefunded(_ ledger: Ledger, to customer: CustomerID) throws {
    try ledger.creditPurchase(Make.purchase("t3"), customer: customer)
    let hold = try begin(ledger, [Make.amount("GEM", 240)], customer)
    try ledger.refund(Make.refund("t3"))
    try ledger.release(hold)
  }

  /// Grants as much as brings the day's count of grants to the value.
  package static func count(_ ledger: Ledger, of customer: String, _ value: Int64) throws {
    let catalog = try ledger.currentCatalog()
    let gem = try XCTUnwrap(catalog.currencies.first { $0.code.description == "GEM" })
    try ledger.define(
      Currency(
        code: gem.code, name: gem.name, maximumBalance: gem.maximumBalance, burnOrder: gem.burnOrder,
        refundPolicy: gem.refundPolicy, grantLimit: WindowLimit(amount: 1_000_000, per: .day)))
    let number = try ledger.number(of: customer)
    let key = IndexKey(number, CountKey.Kind.granted.rawValue, text: "GEM")
    let known = try ledger.storage.read { (snapshot) throws(LedgerError) -> CountRow? in
      try snapshot.row(CountRow.byKey, key)
    }
    try ledger.grant([Make.amount("GEM", value - (known?.value ?? 0))], customer: Make.customer(customer))
    try ledger.apply(catalog)
  }
}
