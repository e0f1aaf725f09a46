package import GemLedger
import XCTest

/// Currencies that are made inactive or removed, on any storage.
package struct InactiveCurrencyContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testNothingIsGrantedSpentOrMoved", testNothingIsGrantedSpentOrMoved)
    run.step("testPaidPurchasesAndCorrectionsGoOn", testPaidPurchasesAndCorrectionsGoOn)
    run.step("testAnActiveCurrencyIsUsedAgain", testAnActiveCurrencyIsUsedAgain)
    run.step("testAnUnusedCurrencyIsRemoved", testAnUnusedCurrencyIsRemoved)
    run.step("testAUsedCurrencyStays", testAUsedCurrencyStays)
  }

  private func set(_ code: String, active isActive: Bool, in ledger: Ledger) throws {
    let code = try CurrencyCode(code)
    try ledger.catalogEditor.change { (old) throws(LedgerError) in
      try old.edited { (draft) in
        for index in draft.currencies.indices where draft.currencies[index].code == code {
          draft.currencies[index].isActive = isActive
        }
      }
    }
  }

  // MARK: Inactive

  private func testNothingIsGrantedSpentOrMoved() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for customer in [alice, bob] {
      try ledger.grant([Make.amount("GEM", 500), Make.amount("COIN", 500)], customer: customer)
    }
    try set("GEM", active: false, in: ledger)
    let (gem, coin) = (try CurrencyCode("GEM"), try CurrencyCode("COIN"))
    let commands: [LedgerCommand] = [
      try .adjust(["GEM": 5], customer: "alice"), try .adjust(["GEM": -5], customer: "alice"),
      try .adjust(["COIN": 5, "GEM": -5], customer: "alice"), try .grant(["GEM": 5], customer: "alice"),
      try .grant(["GEM": 5], customer: "carol"), .buyItem(try ItemID("extra_life"), customer: alice),
      .hold([try Make.amount("GEM", 5)], customer: alice), .transfer([try Make.amount("GEM", 5)], from: alice, to: bob),
      .exchange(try Make.amount("GEM", 5), into: coin, rate: ExchangeRate(1, for: 1), customer: alice),
      .exchange(try Make.amount("COIN", 5), into: gem, rate: ExchangeRate(1, for: 1), customer: alice),
    ]
    for command in commands {
      let refusal = assertRefused(.notAvailable) { try ledger.book(command) }
      XCTAssertEqual(refusal?.text("currency"), "GEM")
    }
    assertRefused(.customerNotFound) { try ledger.customer(Make.customer("carol")) }
    try ledger.spend([Make.amount("COIN", 5)], customer: alice)
    let balance = try ledger.balance(of: gem, customer: alice)
    XCTAssertEqual(balance.balance, 500)
    XCTAssertFalse(balance.isActive)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func testPaidPurchasesAndCorrectionsGoOn() throws {
    let ledger = try ledger()
    let (alice, gem) = (try Make.customer("alice"), try CurrencyCode("GEM"))
    try ledger.creditPurchase(Make.purchase("before"), customer: alice)
    let spent = try ledger.spend([Make.amount("GEM", 100)], customer: alice)
    let hold = try ledger.hold([Make.amount("GEM", 50)], customer: alice)
    try set("GEM", active: false, in: ledger)
    try ledger.creditPurchase(Make.purchase("after"), customer: alice)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 2300)
    try ledger.capture(XCTUnwrap(hold.hold?.id), amounts: [Make.amount("GEM", 20)])
    try ledger.reverse(XCTUnwrap(spent.transactionID))
    try ledger.refund(Make.refund("after"))
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 1180)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func testAnActiveCurrencyIsUsedAgain() throws {
    let ledger = try ledger()
    let (alice, key) = (try Make.customer("alice"), try Make.key("k"))
    try ledger.grant([Make.amount("GEM", 500)], customer: alice)
    try set("GEM", active: false, in: ledger)
    assertRefused(.notAvailable) { try ledger.spend([Make.amount("GEM", 5)], customer: alice, key: key) }
    XCTAssertEqual(try ledger.currentCatalog().currency(CurrencyCode("GEM"))?.isActive, false)
    try set("GEM", active: true, in: ledger)
    // The refusal was that key's answer.
    let again = assertRefused(.notAvailable) { try ledger.spend([Make.amount("GEM", 5)], customer: alice, key: key) }
    XCTAssertEqual(again?.isReplayed, true)
    try ledger.spend([Make.amount("GEM", 5)], customer: alice)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 495)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  // MARK: Removed

  private func testAnUnusedCurrencyIsRemoved() throws {
    let ledger = try ledger()
    let (alice, ruby) = (try Make.customer("alice"), try CurrencyCode("RUBY"))
    try ledger.grant([Make.amount("GEM", 500)], customer: alice)
    try ledger.catalogEditor.removeCurrency(ruby)
    XCTAssertNil(try ledger.currentCatalog().currency(ruby))
    XCTAssertEqual(try ledger.currentCatalog().product(ProductCode("rubies"))?.grants, [])
    assertRefused(.unknownCurrency) { try ledger.adjust([Make.amount("RUBY", 5)], customer: alice) }
    assertRefused(.unknownCurrency) { try ledger.catalogEditor.removeCurrency(ruby) }
    // Another currency, which has the code and perhaps the number of the removed one.
    try ledger.define(Currency(code: ruby, name: "Second"))
    try ledger.grant([Make.amount("RUBY", 7)], customer: alice)
    XCTAssertEqual(try ledger.balance(of: ruby, customer: alice).name, "Second")
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 500)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func testAUsedCurrencyStays() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("RUBY", 5)], customer: alice)
    try ledger.spend([Make.amount("RUBY", 5)], customer: alice)
    assertRefused(.notAvailable) { try ledger.catalogEditor.removeCurrency(CurrencyCode("RUBY")) }
    // Nobody has any, and an item costs some.
    assertRefused(.notAvailable) { try ledger.catalogEditor.removeCurrency(CurrencyCode("GEM")) }
    XCTAssertEqual(try ledger.currentCatalog(), try Make.catalog())
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
