import GemTestSupport
import XCTest

@testable import GemLedger

final class FingerprintTests: XCTestCase {
  func testNamesTheFieldThatDiffers() throws {
    let alice = try Make.customer("alice")
    let (gem, coin) = (try Make.amount("GEM", 1), try Make.amount("COIN", 2))
    let adjust = LedgerCommand.adjust([gem], customer: alice)
    var conditional = adjust
    conditional.conditions = [.version(gem.currency, 1)]
    var referring = adjust
    referring.reference = try Reference("order 1")
    var chatty = adjust
    (chatty.reason, chatty.actor, chatty.key) = (try Reason("why"), try ActorName("who"), try Make.key("k"))
    let life = LedgerCommand.buyItem(try ItemID("life"), customer: alice)
    let until = { LedgerCommand.grant([gem], customer: alice, expiresAt: Timestamp(milliseconds: $0)) }
    let rows: [(line: UInt, one: LedgerCommand, other: LedgerCommand, field: String?)] = [
      (#line, adjust, adjust, nil), (#line, adjust, chatty, nil),
      (#line, .adjust([gem, coin], customer: alice), .adjust([coin, gem], customer: alice), nil),
      (#line, adjust, .adjust([gem], customer: alice, source: .bonus), nil),
      (#line, adjust, .adjust([coin], customer: alice), "adjustments"),
      (#line, adjust, .adjust([gem, coin], customer: alice), "adjustments"),
      (#line, adjust, .grant([gem], customer: alice), "kind"), (#line, adjust, life, "kind"),
      (#line, until(1), until(2), "adjustments"), (#line, until(1), .grant([gem], customer: alice), "adjustments"),
      (#line, life, .buyItem(try ItemID("life"), quantity: 2, customer: alice), "quantity"),
      (#line, life, .buyItem(try ItemID("lif"), customer: alice), "item"),
      (#line, adjust, conditional, "conditions"), (#line, adjust, referring, "reference"),
      (#line, conditional, referring, "conditions"),
      (
        #line, .creditPurchase(try Make.purchase("a"), customer: alice),
        .creditPurchase(try Make.purchase("b"), customer: alice), "purchase"
      ),
      (
        #line, .creditPurchase(try Make.purchase("a"), customer: alice),
        .creditPurchase(try Make.purchase("a", environment: .sandbox), customer: alice), "purchase"
      ),
    ]
    for row in rows {
      let (one, other) = (Fingerprint(of: row.one), Fingerprint(of: row.other))
      XCTAssertEqual(one.differingField(from: other), row.field, line: row.line)
      XCTAssertEqual(other.differingField(from: one), row.field, line: row.line)
    }
  }

  /// Fingerprints are kept for ever, so they may never change.
  func testIsTheSameForAllTime() throws {
    let alice = try Make.customer("alice")
    var adjust = LedgerCommand.adjust([try Make.amount("GEM", -50)], customer: alice)
    XCTAssertEqual(Fingerprint(of: adjust).qualifiers, 0)
    let asked = Fingerprint(of: adjust).asked
    adjust.key = try Make.key("k")
    XCTAssertEqual(Fingerprint(of: adjust).asked, asked)
    XCTAssertEqual(asked, 995_309_989_430_968_738)
  }
}
