import GemLedger
import XCTest

/// Refunds of purchases with currency that a hold has set aside.
extension HoldContract {
  func testARefundInMidHold() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let id = try hold(ledger, alice, 500)
    let refund = try ledger.refund(Make.refund("t"))
    XCTAssertEqual(refund.entries.map(\.amount), [-700])
    try assert(ledger, alice, balance: 500, held: 500)
    // Released currency goes to the part that the refund had to write off.
    let release = try ledger.release(id)
    XCTAssertEqual(release.reclaimed, [CurrencyAmount(currency: try CurrencyCode("GEM"), amount: 500)])
    try assert(ledger, alice, balance: 0, held: 0)
    // A reversed refund returns all that was taken.
    try ledger.reverseRefund(Make.reversal("t"))
    try assert(ledger, alice, balance: 1200, held: 0)
    try check(ledger)
  }

  func testARefundInMidHoldThatFroze() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t", product: "ore_pack"), customer: alice)
    let booking = try ledger.hold([Make.amount("ORE", 400)], customer: alice)
    let id = try XCTUnwrap(booking.hold?.id)
    try ledger.refund(Make.refund("t"))
    XCTAssertEqual(try ledger.customer(alice).isFrozen, true)
    // A part of it is spent all the same; the customer stays frozen for that.
    try ledger.capture(id, amounts: [Make.amount("ORE", 100)], keepsOpen: true)
    XCTAssertEqual(try ledger.customer(alice).isFrozen, true)
    let release = try ledger.release(id)
    XCTAssertEqual(release.reclaimed.map(\.amount), [300])
    XCTAssertEqual(try ledger.customer(alice).isFrozen, true)
    // The rest comes back with a reversal, and nothing is lost any more.
    let capture = try XCTUnwrap(
      try ledger.history(of: alice).transactions.first { $0.booking.kind == .capture }?.booking.transactionID)
    let reversal = try ledger.reverse(capture)
    XCTAssertEqual(reversal.reclaimed.map(\.amount), [100])
    XCTAssertEqual(try ledger.customer(alice).isFrozen, false)
    try assert(ledger, "ORE", alice, balance: 0, held: 0)
    try check(ledger)
  }
}
