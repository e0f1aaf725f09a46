internal import GemLedger
internal import GemLedgerAudit
import XCTest

// Policies that the catalog changes, and the worth of an account before and after.

extension PolicyContract {
  func runMoments(_ run: ContractRun) {
    run.step("testAPolicyIsInForceFromItsCatalogOn", testAPolicyIsInForceFromItsCatalogOn)
    run.step("testAHoldKeepsNoRechargeFromBeginning", testAHoldKeepsNoRechargeFromBeginning)
    run.step("testWhatExpiredLeavesRoom", testWhatExpiredLeavesRoom)
    run.step("testARefusedCaptureKeepsTheClock", testARefusedCaptureKeepsTheClock)
    run.step("testAnInstantThatIsOverKeepsItsCatalog", testAnInstantThatIsOverKeepsItsCatalog)
    run.step("testWhatComesByItselfRepaysADebt", testWhatComesByItselfRepaysADebt)
    run.step("testAReleaseAfterARefundIsReadAgain", testAReleaseAfterARefundIsReadAgain)
    run.step("testAMergeMeetsARunningClock", testAMergeMeetsARunningClock)
    run.step("testListsGiveWhatABalanceGives", testListsGiveWhatABalanceGives)
  }

  private func catalog(_ currencies: String) throws -> Catalog {
    let pack = #"{"code": "pack", "type": "consumable", "grants": [{"currency": "RUBY", "amount": 100}]}"#
    let products = currencies.contains("RUBY") ? pack : ""
    return try Catalog.load(Array(#"{"currencies": [\#(currencies)], "products": [\#(products)]}"#.utf8))
  }

  private func energy(_ policies: String = "") -> String { #"{"code": "NRG", "name": "Energy"\#(policies)}"# }
  private func rubies(_ policies: String = "") -> String {
    #"{"code": "RUBY", "name": "Rubies", "refund_policy": "debt"\#(policies)}"#
  }

  private var recharge: String { #", "recharge": {"amount": 2, "every": "5m", "up_to": 30}"# }
  private var monthly: String { #", "allowance": {"amount": 10, "per": "month", "rollover": 0}"# }

  private func ledger(_ currencies: String) throws -> (Ledger, CustomerID) {
    time.set(Timestamp(milliseconds: 1_767_225_600_000))
    let ledger = try make(time.clock)
    try ledger.apply(catalog(currencies))
    let alice = try Make.customer("alice")
    try ledger.createCustomer(alice)
    return (ledger, alice)
  }

  private func balance(
    _ ledger: Ledger, _ code: String, _ customer: CustomerID, at instant: Timestamp? = nil
  ) throws -> Int64 {
    try ledger.balance(of: CurrencyCode(code), customer: customer, at: instant).balance
  }

  /// A policy is in force from its catalog on, regardless of the account's expectations under the earlier catalog.
  func testAPolicyIsInForceFromItsCatalogOn() throws {
    let (ledger, alice) = try ledger(energy(monthly))
    try ledger.spend([Make.amount("NRG", 4)], customer: alice)
    time.advance(seconds: 100)
    try ledger.apply(catalog(energy(monthly + recharge)))
    let before = time.now
    time.advance(seconds: 300)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 8)
    let group = ledger.submit([
      try .spend([Make.amount("NRG", 1)], customer: alice), try .spend([Make.amount("NRG", 1)], customer: alice),
    ])
    XCTAssertEqual(try group.map { try $0.get().entries.map(\.balance) }, [[7], [6]])
    time.advance(seconds: 299)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 6)
    time.advance(seconds: 1)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 8)
    try ledger.apply(catalog(energy(monthly)))
    time.advance(seconds: 3600)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 8, "what came while the policy was in force stays")
    XCTAssertEqual(try ledger.sweep(), 1)
    XCTAssertEqual(try balance(ledger, "NRG", alice, at: before), 6)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testAHoldKeepsNoRechargeFromBeginning() throws {
    let (ledger, alice) = try ledger(energy())
    try ledger.grant([Make.amount("NRG", 10)], customer: alice)
    let hold = try XCTUnwrap(
      try ledger.hold([Make.amount("NRG", 5)], customer: alice, for: .seconds(20 * 86_400)).hold?.id)
    try ledger.release(hold)
    try ledger.apply(catalog(energy(recharge)))
    time.advance(seconds: 600)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 14)
    let spend = try ledger.spend([Make.amount("NRG", 1)], customer: alice)
    XCTAssertEqual(spend.entries.map(\.balance), [13])
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testWhatExpiredLeavesRoom() throws {
    for policy in [monthly, recharge] {
      let (ledger, alice) = try ledger(energy(#", "maximum_balance": 30"# + policy))
      let full = 30 - (try balance(ledger, "NRG", alice))
      let end = Timestamp(milliseconds: time.now.milliseconds + 1000)
      try ledger.grant([Make.amount("NRG", max(1, full))], customer: alice, expiresAt: end)
      time.advance(seconds: 40 * 86_400)
      let expected: Int64 = policy == monthly ? 10 : 30
      XCTAssertEqual(try balance(ledger, "NRG", alice), expected)
      let spend = try ledger.spend([Make.amount("NRG", 1)], customer: alice)
      XCTAssertEqual(spend.entries.map(\.balance), [expected - 1])
      try assertBooksAddUp(ledger)
      ledger.close()
    }
  }

  func testARefusedCaptureKeepsTheClock() throws {
    let (ledger, alice) = try ledger(energy(#", "initial_balance": 30"# + recharge))
    let end = Timestamp(milliseconds: time.now.milliseconds + 30_000)
    try ledger.grant([Make.amount("NRG", 10)], customer: alice, expiresAt: end)
    let hold = try XCTUnwrap(
      try ledger.hold([Make.amount("NRG", 20)], customer: alice, for: .seconds(60)).hold?.id)
    // Ten of it are gone with the deadline, since their lot ends before.
    try ledger.spend([Make.amount("NRG", 5)], customer: alice)
    time.advance(seconds: 200)
    assertRefused(.holdEnded) { try ledger.capture(hold) }
    time.advance(seconds: 159)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 25)
    time.advance(seconds: 1)
    XCTAssertEqual(try balance(ledger, "NRG", alice), 27, "the clock runs since the deadline")
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testAnInstantThatIsOverKeepsItsCatalog() throws {
    let (ledger, alice) = try ledger(energy(recharge))
    try ledger.grant([Make.amount("NRG", 1)], customer: alice)
    time.advance(seconds: 900)
    let at = time.now
    let before = try ledger.balances(of: alice)
    XCTAssertEqual(before.map(\.balance), [7])
    let statement = try ledger.statement(of: alice)
    time.advance(seconds: 1)
    let changed = #"{"code": "NRG", "name": "Power", "initial_balance": 500, "allowance": {"amount": 3, "per": "day"}}"#
    try ledger.apply(catalog("\(changed), \(rubies())"))
    XCTAssertEqual(try ledger.balances(of: alice).map(\.name), ["Power", "Rubies"])
    XCTAssertEqual(try ledger.balances(of: alice).map(\.balance), [10, 0])
    try ledger.spend([Make.amount("NRG", 1)], customer: alice)
    time.advance(seconds: 86_400)
    XCTAssertEqual(try ledger.balances(of: alice, at: at), before)
    let again = try ledger.statement(of: alice, until: Timestamp(milliseconds: at.milliseconds + 1))
    XCTAssertEqual(again, statement)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testWhatComesByItselfRepaysADebt() throws {
    let daily = #", "allowance": {"amount": 30, "per": "day", "rollover": 0}"#
    let (ledger, alice) = try ledger(rubies())
    try ledger.creditPurchase(Make.purchase("p", product: "pack"), customer: alice)
    try ledger.spend([Make.amount("RUBY", 100)], customer: alice)
    try ledger.refund(Make.refund("p"))
    try ledger.apply(catalog(rubies(daily)))
    var seen: [(Timestamp, [Balance])] = []
    for _ in 0..<5 {
      time.advance(seconds: 1)
      seen.append((time.now, try ledger.balances(of: alice)))
      time.advance(seconds: 86_399)
    }
    XCTAssertEqual(seen.map { $0.1[0].debt }, [70, 40, 10, 0, 0])
    XCTAssertEqual(seen.map { $0.1[0].balance }, [0, 0, 0, 20, 30])
    try ledger.sweep()
    time.advance(seconds: 1)
    for (at, balances) in seen { XCTAssertEqual(try ledger.balances(of: alice, at: at), balances, "\(at)") }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Currency that a refund wrote off comes back with the hold's deadline, in a read as in the booking.
  func testAReleaseAfterARefundIsReadAgain() throws {
    let (ledger, alice) = try ledger(rubies())
    try ledger.creditPurchase(Make.purchase("p", product: "pack"), customer: alice)
    try ledger.grant([Make.amount("RUBY", 7)], customer: alice)
    try ledger.hold([Make.amount("RUBY", 60)], customer: alice, for: .seconds(3600))
    time.advance(seconds: 10)
    try ledger.refund(Make.refund("p"))
    var seen: [(Timestamp, [Balance], Statement)] = []
    for _ in 0..<3 {
      time.advance(seconds: 3000)
      seen.append((time.now, try ledger.balances(of: alice), try ledger.statement(of: alice)))
      time.advance(seconds: 1)
    }
    try ledger.grant([Make.amount("RUBY", 1)], customer: alice)
    time.advance(seconds: 1)
    for (at, balances, statement) in seen {
      XCTAssertEqual(try ledger.balances(of: alice, at: at), balances, "\(at)")
      let until = Timestamp(milliseconds: at.milliseconds + 1)
      XCTAssertEqual(try ledger.statement(of: alice, until: until), statement, "\(at)")
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// The recharge of the surviving customer's clock is booked before the merge, which brings a clock and no energy.
  func testAMergeMeetsARunningClock() throws {
    let (ledger, alice) = try ledger(energy(#", "initial_balance": 20"# + recharge))
    let bob = try Make.customer("bob")
    let end = Timestamp(milliseconds: time.now.milliseconds + 60_000)
    try ledger.grant([Make.amount("NRG", 15)], customer: bob, expiresAt: end)
    try ledger.spend([Make.amount("NRG", 20)], customer: alice)
    time.advance(seconds: 310)
    try ledger.spend([Make.amount("NRG", 2)], customer: alice)
    time.advance(seconds: 90)
    try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(try balance(ledger, "NRG", bob), 22)
    XCTAssertEqual(try ledger.verify().problems.map(\.description), [])
    time.advance(seconds: 259)
    XCTAssertEqual(try balance(ledger, "NRG", bob), 22)
    time.advance(seconds: 1)
    XCTAssertEqual(try balance(ledger, "NRG", bob), 24, "the clock is the survivor's")
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testListsGiveWhatABalanceGives() throws {
    let (ledger, alice) = try ledger(#"\#(energy(#", "initial_balance": 9"# + recharge)), \#(rubies(monthly))"#)
    func check(_ expected: [Int64]) throws {
      XCTAssertEqual(try ledger.balances(of: alice).map(\.balance), expected)
      XCTAssertEqual(try ledger.customer(alice).balances, try ledger.balances(of: alice))
      XCTAssertEqual(try ledger.customers().customers.map(\.balances), [try ledger.balances(of: alice)])
      XCTAssertEqual(try ledger.split(of: alice).map { $0.paid + $0.free }, expected)
      let lots = try ["NRG", "RUBY"].map { code in
        try ledger.explain(CurrencyCode(code), customer: alice).lots.reduce(0) { $0 + $1.remaining }
      }
      XCTAssertEqual(lots, expected)
    }
    try check([9, 10])
    time.advance(seconds: 600)
    try check([13, 10])
    try ledger.spend([Make.amount("NRG", 3), Make.amount("RUBY", 4)], customer: alice)
    try check([10, 6])
    time.advance(seconds: 40 * 86_400)
    try check([30, 10])
    try ledger.sweep()
    try check([30, 10])
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
