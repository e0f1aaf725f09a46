import GemLedger
import GemTestSupport
import XCTest

/// Baskets as JSON documents.
final class BasketDocumentTests: XCTestCase {
  private func read(_ text: String) throws -> BasketDocument { try BasketDocument(Array(text.utf8)) }

  func testReadsEveryKindOfLeg() throws {
    let document = try read(
      #"""
      {"payer": "alice", "legs": [
        {"transfer": {"GEM": 20, "COIN": 3}, "from": "alice", "to": "bob"},
        {"item": "sword", "from": "bob", "to": "alice"},
        {"item": "shield", "quantity": 2, "from": "bob", "to": "alice"},
        {"spend": {"COIN": 5}, "customer": "bob"},
        {"grant": {"COIN": 1}, "customer": "carol"},
        {"grant": {"COIN": 2}, "customer": "carol", "source": "promotional"}]}
      """#)
    let (alice, bob, carol) = (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("carol"))
    XCTAssertEqual(document.payer, alice)
    XCTAssertEqual(
      document.legs,
      [
        .transfer([try Make.amount("GEM", 20), try Make.amount("COIN", 3)], from: alice, to: bob),
        .item(try ItemID("sword"), quantity: 1, from: bob, to: alice),
        .item(try ItemID("shield"), quantity: 2, from: bob, to: alice),
        .spend([try Make.amount("COIN", 5)], customer: bob),
        .grant([try Make.amount("COIN", 1)], customer: carol, source: .earned),
        .grant([try Make.amount("COIN", 2)], customer: carol, source: .promotional),
      ])
  }

  func testNamesEveryProblemAtOnce() throws {
    let refusal = assertRefused(.invalidRequest) {
      try read(
        #"""
        {"payer": "", "legs": [
          {"transfer": {"GEM": 0}, "from": "alice"},
          {"transfer": {"GEM": 1}, "spend": {"GEM": 1}, "customer": "alice"},
          {"spend": {"G-M": 1}, "customer": 7},
          {"grant": {"GEM": 1}, "customer": "alice", "source": "paid", "form": "bob"},
          "gift", {}]}
        """#)
    }
    XCTAssertEqual(
      refusal?.message,
      #"""
      The basket has 10 problems:
      $.payer: The customer id is empty.
      $.legs[0].transfer.GEM: This should be from 1 to 9007199254740991, but is 0.
      $.legs[0].to: The field is missing.
      $.legs[1]: A leg has exactly one of "transfer", "item", "spend", "grant"; this has 2.
      $.legs[2].spend['G-M']: \#(try message(ofCode: "G-M"))
      $.legs[2].customer: This should be a text, but is a whole number.
      $.legs[3].form: There is no such field.
      $.legs[3].source: This should be one of "bonus", "earned", "promotional", "admin", but is "paid".
      $.legs[4]: This should be an object, but is a text.
      $.legs[5]: A leg has exactly one of "transfer", "item", "spend", "grant"; this has 0.
      """#)
  }

  func testWhatIsNoSuchDocument() throws {
    for text in ["", "[]", "{}", #"{"payer": "a", "payer": "b", "legs": []}"#, #"{"payer": "a", "legs": [], "x": 1}"#] {
      assertRefused(.invalidRequest) { try read(text) }
    }
    let legs = Array(repeating: #"{"spend": {"GEM": 1}, "customer": "a"}"#, count: Limits.legsPerBasket + 1)
    assertRefused(.invalidRequest) { try read(#"{"payer": "a", "legs": [\#(legs.joined(separator: ","))]}"#) }
  }

  private func message(ofCode text: String) throws -> String {
    do { _ = try CurrencyCode(text) } catch { return error.message }
    return ""
  }
}
