import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Notices and refunds in the file: earlier evidence changes nothing, and newer evidence adds to it.
final class RefundRowTests: XCTestCase {
  private let time = ManualClock()

  func testRefundsAreReadAndGoneOnWith() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let alice = try Make.customer("alice")
    try book(path, alice)
    let (purchases, history) = try contents(path, alice)
    let raw = try RawSQLite(path)
    // One refund is of two lots; two notices booked none: one that was signed again, and one of an unknown purchase.
    XCTAssertEqual(raw.rows("SELECT count(*), count(lot) FROM refunds"), ["5|4"])
    XCTAssertEqual(raw.rows("SELECT count(*) FROM refund_parts"), ["2"])
    XCTAssertEqual(raw.rows("SELECT store_transaction FROM evidence WHERE kind < 3"), ["t2", "t9"])
    let (samePurchases, sameHistory) = try contents(path, alice)
    XCTAssertEqual(samePurchases, purchases)
    XCTAssertEqual(sameHistory, history)
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    XCTAssertTrue(try ledger.refund(Make.refund("t1")).isReplayed)
    XCTAssertTrue(try ledger.refund(Make.refund("t3", .milliPercent(50_000), revokedAt: 1, signedAt: 1)).isReplayed)
    XCTAssertEqual(try ledger.reverseRefund(Make.reversal("t1", signedAt: 1_000_000)).entries.map(\.amount), [120])
    XCTAssertEqual(try ledger.refund(Make.refund("t3", revokedAt: 9, signedAt: 9)).entries.map(\.amount), [-1200])
    XCTAssertEqual(try ledger.refund(Make.refund("t4")).entries.map(\.amount), [-1200])
    XCTAssertEqual(try ledger.creditPurchase(Make.purchase("t9"), customer: alice).entries.map(\.amount), [1200])
    XCTAssertEqual(try ledger.purchases(of: alice).purchases.first?.isRefunded, true)
    try assertBooksAddUp(ledger)
    ledger.close()
    XCTAssertEqual(raw.rows("SELECT store_transaction FROM evidence WHERE kind < 3"), ["t2", "t9"])
  }

  private func book(_ path: String, _ alice: CustomerID) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    try ledger.creditPurchase(Make.purchase("t1", product: "rubies"), customer: alice)
    try ledger.creditPurchase(Make.purchase("t2"), customer: alice)
    try ledger.creditPurchase(Make.purchase("t3"), customer: alice)
    try ledger.creditPurchase(Make.purchase("t4"), customer: alice)
    try ledger.refund(Make.refund("t1"))
    try ledger.refund(Make.refund("t2", .milliPercent(50_000), revokedAt: 1, signedAt: 1))
    try ledger.refund(Make.refund("t2", .milliPercent(50_000), revokedAt: 1, signedAt: 2))
    try ledger.reverseRefund(Make.reversal("t2", signedAt: 3))
    try ledger.refund(Make.refund("t3", .milliPercent(50_000), revokedAt: 1, signedAt: 1))
    try ledger.reverseRefund(Make.reversal("t3", signedAt: 2))
    try ledger.refund(Make.refund("t9"))
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func contents(_ path: String, _ alice: CustomerID) throws -> ([Purchase], [HistoryRecord]) {
    let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { ledger.close() }
    return (try ledger.purchases(of: alice).purchases, try ledger.history(of: alice).transactions)
  }
}
