import GemLedger
import XCTest

/// Logins that the surviving customer did not prove to want.
extension MergeContract {
  private func device(_ digit: Int = 0) throws -> CustomerID {
    try CustomerID("$RCAnonymousID:0123456789abcdef0123456789abcde\(digit)")
  }

  private func logIn(
    _ ledger: Ledger, _ device: CustomerID, _ customer: CustomerID, isProven: Bool = false
  ) throws {
    try ledger.book(.mergeAnonymous(from: device, into: customer, isProven: isProven))
  }

  /// A debt, a freeze or an open hold stays with the customer that has it; a proven login moves them.
  func testAnUnprovenMergeMovesNoBurden() throws {
    let device = try device()
    let (alice, _, _) = try people()
    let burdens: [(Ledger) throws -> Void] = [
      { ledger in
        try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: device)
        try ledger.spend([Make.amount("RUBY", 100)], customer: device)
        try ledger.refund(Make.refund("t"))
      }, { ledger in try ledger.freeze(device) },
      { ledger in try ledger.hold([Make.amount("GEM", 1)], customer: device) },
    ]
    for burden in burdens {
      let ledger = try ledger()
      for customer in [alice, device] { try ledger.grant([Make.amount("GEM", 10)], customer: customer) }
      try burden(ledger)
      let error = try assertRefusedWithoutTrace(.conditionFailed, ledger) { try logIn(ledger, device, alice) }
      XCTAssertEqual(error?.text("condition"), "movable")
      XCTAssertEqual(try ledger.customerIDs(of: alice), [alice])
      try logIn(ledger, device, alice, isProven: true)
      XCTAssertEqual(try balance(ledger, "GEM", alice), 20)
      try check(ledger)
    }
  }

  /// Somebody buys, spends, logs in as another person, and has the store refund the purchase.
  func testARefundAfterAnUnprovenMerge() throws {
    let device = try device()
    let (alice, _, _) = try people()
    typealias Row = (line: UInt, product: String, code: String, spent: Int64, isProven: Bool, balance: Int64)
    let rows: [Row] = [
      (#line, "gems_1200", "GEM", 700, false, 5000),
      (#line, "gems_1200", "GEM", 700, true, 4300),
      (#line, "gems_1200", "GEM", 1200, false, 5000),
      (#line, "gems_1200", "GEM", 0, false, 5000),
      (#line, "rubies", "RUBY", 100, false, 5000),
      (#line, "ore_pack", "ORE", 100, false, 50),
    ]
    let ledger = try ledger()
    for row in rows {
      let (name, id) = (try Make.customer("alice \(row.line)"), "t\(row.line)")
      try ledger.grant([Make.amount(row.code, row.isProven ? 5000 : row.balance)], customer: name)
      try ledger.creditPurchase(Make.purchase(id, product: row.product), customer: device)
      if row.spent > 0 { try ledger.spend([Make.amount(row.code, row.spent)], customer: device) }
      try logIn(ledger, device, name, isProven: row.isProven)
      try ledger.refund(Make.refund(id))
      let account = try ledger.balance(of: CurrencyCode(row.code), customer: name)
      XCTAssertEqual([account.balance, account.debt], [row.balance, 0], line: row.line)
      XCTAssertFalse(try ledger.customer(name).isFrozen, line: row.line)
      // What was taken comes back, and the written-off part does not.
      let before = try balance(ledger, row.code, name)
      let reversal = try ledger.reverseRefund(Make.reversal(id))
      XCTAssertEqual(
        try balance(ledger, row.code, name), before + reversal.entries.reduce(0) { $0 + $1.amount }, line: row.line)
      try assertBooksAddUp(ledger, line: row.line)
      try ledger.erase(name)
    }
    // Items: what was used up before the login is not taken from those of the other customer.
    try ledger.creditPurchase(Make.purchase("a", product: "starter"), customer: alice)
    try ledger.creditPurchase(Make.purchase("d", product: "starter"), customer: device)
    try logIn(ledger, device, alice)
    XCTAssertEqual(try ledger.refund(Make.refund("d")).items.map(\.owned), [1])
    try check(ledger)
  }

  /// The mark is found through later merges, and by purchases from before it alone.
  func testRefundsAfterSeveralMerges() throws {
    let (first, second) = (try device(1), try device(2))
    let (alice, bob, _) = try people()
    let ledger = try ledger()
    for customer in [alice, bob] { try ledger.grant([Make.amount("GEM", 2000)], customer: customer) }
    for (id, device) in [("1", first), ("2", second)] {
      try ledger.creditPurchase(Make.purchase(id), customer: device)
      try ledger.spend([Make.amount("GEM", 1200)], customer: device)
    }
    // A proven join of two devices, an unproven login, and a merge of two people by an operator.
    try logIn(ledger, first, second, isProven: true)
    try logIn(ledger, second, alice)
    try ledger.creditPurchase(Make.purchase("3"), customer: first)
    try ledger.spend([Make.amount("GEM", 1200)], customer: alice)
    try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(try balance(ledger, "GEM", bob), 4000)
    for id in ["1", "2"] {
      try ledger.refund(Make.refund(id))
      XCTAssertEqual(try balance(ledger, "GEM", bob), 4000, id)
    }
    // This one was bought after the login, by the person.
    try ledger.refund(Make.refund("3"))
    XCTAssertEqual(try balance(ledger, "GEM", bob), 2800)
    try check(ledger)
  }

  /// After an unmerge the purchase is its buyer's own again, and so is its refund.
  func testARefundOfWhatAnUnmergeTookAway() throws {
    let device = try device()
    let (alice, bob, _) = try people()
    let ledger = try ledger()
    for customer in [alice, bob] { try ledger.grant([Make.amount("GEM", 2000)], customer: customer) }
    try ledger.creditPurchase(Make.purchase("t"), customer: device)
    try ledger.spend([Make.amount("GEM", 1000)], customer: device)
    try logIn(ledger, device, alice)
    try ledger.unmerge(device)
    try ledger.grant([Make.amount("GEM", 500)], customer: device)
    try ledger.refund(Make.refund("t", .milliPercent(50_000), revokedAt: 1, signedAt: 1))
    XCTAssertEqual(try balance(ledger, "GEM", device), 100)
    try logIn(ledger, device, bob, isProven: true)
    try ledger.refund(Make.refund("t", revokedAt: 2, signedAt: 2))
    XCTAssertEqual(try balance(ledger, "GEM", bob), 1500)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 2000)
    try check(ledger)
  }
}
