package import GemLedger
internal import XCTest

/// A journal that has something of everything: a random run, then rare combinations, then every kind of command.
package enum RichJournal {
  /// - Parameters:
  ///   - make: Makes an empty ledger, which is closed again.
  ///   - open: Opens it anew.
  package static func fill(
    _ generator: SeededRandom, _ time: ManualClock, make: (LedgerClock) throws -> Ledger,
    open: (LedgerClock) throws -> Ledger
  ) throws {
    var model = try ModelContract(generator: generator, hasManyLanes: true, make: make)
    _ = try model.run(Tier.current.length(120, thorough: 400))
    time.advance(seconds: 1_000_000)
    let ledger = try open(time.clock)
    let (zoe, yan) = (try Make.customer("zoe"), try Make.customer("yan"))
    try ledger.creditPurchase(Make.purchase("copied", quantity: 2), customer: zoe)
    try ledger.spend([Make.amount("GEM", 70)], customer: zoe, key: Make.key("copied-spend"))
    assertRefused(.insufficientBalance) {
      try ledger.spend([Make.amount("GEM", 10_000_000)], customer: zoe, key: Make.key("copied-refusal"))
    }
    try ledger.refund(Make.refund("copied", .quantity(1)))
    // Told before its purchase.
    try ledger.refund(Make.refund("still-to-come"))
    try ledger.creditPurchase(Make.purchase("yans"), customer: yan)
    try ledger.book(.registerToken(TokenNumber(high: .min, low: .min), customer: zoe))
    try ledger.book(.registerToken(TokenNumber(high: -1, low: 7), customer: yan))
    try ledger.book(.openOrder(opening("ORDER-1", key: "order-key"), customer: yan))
    try ledger.merge(from: yan, into: zoe)
    try ledger.spend([Make.amount("GEM", 1300)], customer: zoe)
    try ledger.freeze(zoe, reason: Reason("because"))
    try ledger.creditPurchase(
      Make.purchase("boxed", environment: StoreEnvironment.localTesting(session: "s")), customer: zoe)
    try fillEvents(ledger)
    try CommandContract.bookAll(in: ledger, at: time.now)
    ledger.close()
  }

  /// Books an open hold, a partly captured hold, a count, and a lot that came from another customer.
  private static func fillEvents(_ ledger: Ledger) throws {
    let holder = try Make.customer("holder")
    try ledger.grant([Make.amount("GEM", 50)], customer: holder)
    try ledger.hold([Make.amount("GEM", 7)], customer: holder, for: .seconds(1000))
    let hold = try ledger.hold([Make.amount("GEM", 30)], customer: holder, for: .seconds(2000))
    try ledger.capture(HoldID(XCTUnwrap(hold.transactionID)), amounts: [Make.amount("GEM", 10)], keepsOpen: true)
    try ledger.creditPurchase(Make.purchase("given"), customer: holder)
    try ledger.transfer([Make.amount("GEM", 20)], from: holder, to: Make.customer("zoe"))
    try JournalEventFixture.count(ledger, of: "holder", 5)
  }

  package static func opening(_ code: String, key: String) throws -> OrderOpening {
    OrderOpening(
      code: try PurchaseCode(code), store: .apple, product: try ProductCode("gems_1200"), quantity: 1,
      request: "{}", key: try IdempotencyKey(key), lifetimeMilliseconds: 1000, paidBy: nil)
  }
}
