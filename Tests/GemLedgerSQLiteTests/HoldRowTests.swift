import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// A hold's row has its amount where that is of one lot; else its events tell it.
final class HoldRowTests: XCTestCase {
  private let time = ManualClock()

  private func holds(_ raw: RawSQLite) -> [String] { raw.rows("SELECT amount FROM open_holds ORDER BY hold") }

  private func bobsHold(_ ledger: Ledger, _ amount: Int64) throws -> HoldID {
    try XCTUnwrap(try ledger.hold([Make.amount("GEM", amount)], customer: Make.customer("bob")).hold?.id)
  }

  /// One hold of a lot, one of two, one of two currencies, and one of which a part was captured.
  private func fill(_ ledger: Ledger) throws -> [HoldID] {
    let bob = try Make.customer("bob")
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 50), Make.amount("COIN", 50)], customer: bob)
    try ledger.creditPurchase(Make.purchase("t"), customer: bob)
    let first = try bobsHold(ledger, 30)
    let second = try bobsHold(ledger, 30)
    let both = [try Make.amount("GEM", 1), try Make.amount("COIN", 1)]
    let third = try XCTUnwrap(try ledger.hold(both, customer: bob).hold?.id)
    let fourth = try bobsHold(ledger, 40)
    try ledger.capture(fourth, amounts: [Make.amount("GEM", 15)], keepsOpen: true)
    return [first, second, third, fourth]
  }

  func testARowSaysWhatIsOfOneLot() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    let raw = try RawSQLite(path)
    let ids = try fill(ledger)
    XCTAssertEqual(holds(raw), ["30", "NULL", "NULL", "25"])
    // Once the first lot's part is captured the second one's is all there is.
    try ledger.capture(ids[1], amounts: [Make.amount("GEM", 20)], keepsOpen: true)
    XCTAssertEqual(holds(raw), ["30", "10", "NULL", "25"])
    try ledger.extend(ids[0], for: .seconds(3600))
    XCTAssertEqual(holds(raw), ["30", "10", "NULL", "25"])
    // A hold that a merge moves names the lot that it moved to.
    let (bob, alice) = (try Make.customer("bob"), try Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 5)], customer: alice)
    try ledger.merge(from: bob, into: alice)
    XCTAssertEqual(holds(raw), ["30", "10", "NULL", "25"])
    try assertBooksAddUp(ledger)
    for id in ids { try ledger.release(id) }
    XCTAssertEqual(try ledger.balances(of: alice).map(\.held), [0, 0, 0, 0])
    XCTAssertEqual(holds(raw), [])
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testEventsTellWhatARowDoesNot() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    let ids = try fill(ledger)
    let raw = try RawSQLite(path)
    XCTAssertNil(raw.run("UPDATE open_holds SET begun_at = NULL, currency = NULL, lot = NULL, amount = NULL"))
    try assertBooksAddUp(ledger)
    XCTAssertEqual(holds(raw), ["NULL", "NULL", "NULL", "NULL"])
    try ledger.capture(ids[0], amounts: [Make.amount("GEM", 10)], keepsOpen: true)
    try ledger.capture(ids[1])
    try ledger.extend(ids[2], for: .seconds(3600))
    XCTAssertEqual(holds(raw), ["20", "NULL", "NULL"])
    try assertBooksAddUp(ledger)
    try ledger.createCustomer(Make.customer("alice"))
    try ledger.merge(from: Make.customer("bob"), into: Make.customer("alice"))
    XCTAssertEqual(try ledger.release(ids[3]).hold?.amounts.count, 0)
    XCTAssertEqual(try ledger.capture(ids[0]).entries.map(\.amount), [-20])
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
