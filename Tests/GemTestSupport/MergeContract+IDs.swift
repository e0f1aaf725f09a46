internal import GemLedger
internal import GemLedgerAudit
import XCTest

// The ids of customers.
extension MergeContract {
  func testBothIDsNameTheSurvivor() throws {
    let ledger = try ledger()
    let (alice, bob, _) = try people()
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    try ledger.createCustomer(bob)
    time.advance(seconds: 5)
    let merge = try ledger.merge(from: alice, into: bob)
    XCTAssertEqual(merge.entries.map(\.balance), [10])
    XCTAssertEqual(try ledger.customerIDs(of: alice), [bob, alice])
    XCTAssertEqual(try ledger.customers().customers.map(\.id), [bob])
    XCTAssertEqual(try ledger.verify().customers, 1)
    let summary = try ledger.customer(alice)
    XCTAssertEqual(summary.id, alice)
    XCTAssertEqual(summary.originalID, bob)
    XCTAssertEqual(summary.ids, [bob, alice])
    XCTAssertEqual(summary.balances.map(\.balance), [10])
    XCTAssertFalse(try ledger.createCustomer(alice))
    try ledger.spend([Make.amount("GEM", 4)], customer: alice)
    try ledger.grant([Make.amount("GEM", 1)], customer: bob)
    XCTAssertEqual(try balance(ledger, "GEM", alice), 7)
    try check(ledger)
  }

  func testAnUnknownIDBecomesOneMore() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    let first = try ledger.merge(from: bob, into: alice, key: Make.key("k"))
    XCTAssertTrue(first.entries.isEmpty)
    XCTAssertNotNil(first.transactionID)
    XCTAssertEqual(try ledger.merge(from: bob, into: alice, key: Make.key("k")).transactionID, first.transactionID)
    // Signing in under a new id: the existing customer keeps everything and gets the id.
    let second = try ledger.merge(from: alice, into: carol, key: Make.key("l"))
    XCTAssertEqual(try ledger.merge(from: alice, into: carol, key: Make.key("l")).transactionID, second.transactionID)
    for id in [alice, bob, carol] {
      XCTAssertEqual(try balance(ledger, "GEM", id), 10)
      XCTAssertEqual(try ledger.customerIDs(of: id), [alice, bob, carol])
    }
    XCTAssertEqual(try ledger.history(of: carol).transactions.map(\.booking.kind), [.merge, .merge, .grant])
    try check(ledger)
  }

  func testAliases() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = try people()
    assertRefused(.customerNotFound) { try ledger.createAlias(bob, of: alice) }
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    XCTAssertFalse(try ledger.createAlias(bob, of: alice).isReplayed)
    XCTAssertTrue(try ledger.createAlias(bob, of: alice).isReplayed)
    XCTAssertTrue(try ledger.createAlias(alice, of: bob).isReplayed)
    try ledger.grant([Make.amount("GEM", 5)], customer: carol)
    XCTAssertEqual(try ledger.createAlias(carol, of: bob).entries.map(\.balance), [15])
    XCTAssertEqual(try ledger.customerIDs(of: carol), [alice, bob, carol])
    // Whenever they came: an import gets them in another order than the ledger that was exported.
    let abe = try Make.customer("abe")
    try ledger.createAlias(abe, of: alice)
    XCTAssertEqual(try ledger.customerIDs(of: carol), [alice, abe, bob, carol])
    XCTAssertEqual(try ledger.verify().customers, 1)
    try check(ledger)
  }
}
