#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// A confirmation makes the change that its preview showed, or none.
final class StaleFormTests: XCTestCase {
  private func gem(_ amount: Int64) throws -> [Adjustment] { [Adjustment(try CurrencyCode("GEM"), amount)] }

  func testTwoRefundsOfOneUnitAreNotBothBookedFromEqualPreviews() async throws {
    let world = try ConsoleWorld()
    try world.ledger.creditPurchase(Make.purchase("p1", quantity: 5), customer: CustomerID("alice"))
    let (first, second) = (try await world.browser(), try await world.browser())
    var previews: [Browser.Page] = []
    for browser in [first, second] {
      world.time.advance(seconds: 1)
      let form = try await browser.open("/console/purchases/apple/production/p1/refund")
      previews.append(
        try await browser.submit(form, nil, ["extent": "units", "amount": "1", "reason": "r"], step: "preview"))
    }
    world.time.advance(seconds: 1)
    let done = try await first.submit(previews[0], nil, step: "confirm")
    XCTAssertEqual(done.title, "Transaction", done.words)
    let stale = try await second.submit(previews[1], nil, step: "confirm")
    XCTAssertEqual(stale.status, 412, stale.words)
    XCTAssertTrue(stale.words.contains("condition_failed"), stale.words)
    let purchase = try world.ledger.purchase(
      store: .apple, environment: .production, transactionID: StoreTransactionID("p1"))
    XCTAssertEqual(purchase?.refundedMilliPercent, 20_000)
  }

  func testAnErasureTakesOnlyTheIdsOfItsPreview() async throws {
    let world = try ConsoleWorld()
    for id in ["alice", "bob"] { try world.ledger.grant(gem(5), customer: CustomerID(id)) }
    let browser = try await world.browser()
    let form = try await browser.open("/console/customers/alice/erase")
    let preview = try await browser.submit(form, nil, ["typed": "alice", "reason": "asked"], step: "preview")
    try await world.ledger.book(.merge(from: CustomerID("bob"), into: CustomerID("alice")))
    let refused = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(refused.status, 412, refused.words)
    XCTAssertEqual(try world.ledger.balance(of: "GEM", customer: "bob").balance, 10)
  }

  func testAMergeOfOtherAmountsIsRefused() async throws {
    let world = try ConsoleWorld()
    for id in ["alice", "bob"] { try world.ledger.grant(gem(5), customer: CustomerID(id)) }
    let browser = try await world.browser()
    let form = try await browser.open("/console/customers/bob/merge")
    let preview = try await browser.submit(form, nil, ["into": "alice", "reason": "r"], step: "preview")
    try world.ledger.grant(gem(1000), customer: CustomerID("bob"))
    let refused = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(refused.status, 412, refused.words)
  }

  func testAConfirmationWithOtherValuesOrWithoutAPreviewIsRefused() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant(gem(5), customer: CustomerID("alice"))
    let browser = try await world.browser()
    let form = try await browser.open("/console/customers/alice/grant")
    let values = ["amount": "7", "expires": "2027-01-31T00:00:00Z", "reason": "r"]
    let unseen = try await browser.submit(form, nil, values, step: "confirm")
    XCTAssertEqual(unseen.status, 412, unseen.words)
    let preview = try await browser.submit(form, nil, values, step: "preview")
    XCTAssertTrue(preview.words.contains("Expires 2027-01-31T00:00:00Z"), preview.words)
    for other in [["amount": "70"], ["reason": "s"], ["expires": "2028-01-31T00:00:00Z"], ["at": "0"]] {
      let refused = try await browser.submit(preview, nil, other, step: "confirm")
      XCTAssertEqual(refused.status, 412, refused.words)
    }
    XCTAssertEqual(try world.ledger.balance(of: "GEM", customer: "alice").balance, 5)
    try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(try world.ledger.balance(of: "GEM", customer: "alice").balance, 12)
  }

  func testTheKeyOfASentFormConfirmsNoOtherForm() async throws {
    let world = try ConsoleWorld()
    for id in ["alice", "bob"] { try world.ledger.grant(gem(5), customer: CustomerID(id)) }
    let browser = try await world.browser()
    let form = try await browser.open("/console/customers/alice/freeze")
    let preview = try await browser.submit(form, nil, ["reason": "r"], step: "preview")
    try await browser.submit(preview, nil, step: "confirm")
    let key = try XCTUnwrap(preview.forms.flatMap(\.fields).first { $0.name == "key" }?.value)
    let other = try await browser.open("/console/customers/bob/freeze")
    let refused = try await browser.submit(other, nil, ["reason": "r", "key": key], step: "confirm")
    XCTAssertEqual(refused.status, 412, refused.words)
    XCTAssertFalse(try world.ledger.customer(CustomerID("bob")).isFrozen)
  }

  func testARefusedFormDoesNotChooseAnotherCurrency() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant(gem(5), customer: CustomerID("alice"))
    let browser = try await world.browser()
    let form = try await browser.open("/console/customers/alice/grant")
    let version = try world.ledger.balance(of: "GEM", customer: "alice").version
    let preview = try await browser.submit(
      form, nil, ["currency": "GEM:\(version)", "amount": "1", "reason": "r"], step: "preview")
    try world.ledger.grant(gem(1), customer: CustomerID("alice"))
    let refused = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(refused.status, 412)
    let again = try await browser.submit(refused, nil, step: "preview")
    XCTAssertEqual(again.status, 400, again.words)
    XCTAssertTrue(again.words.contains("Choose a currency"), again.words)
  }
}
#endif
