#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// What support does on a customer's page.
final class CustomerPageTests: XCTestCase {
  private func gem(_ amount: Int64) throws -> [Adjustment] { [Adjustment(try CurrencyCode("GEM"), amount)] }

  private func balance(_ world: ConsoleWorld, _ customer: String = "alice") throws -> Int64 {
    try world.ledger.balance(of: "GEM", customer: customer).balance
  }

  func testAGrantIsPreviewedAndBookedOnceWithKeyReasonAndActor() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant(gem(10), customer: CustomerID("alice"))
    let browser = try await world.browser()
    let form = try await browser.open("/console/customers/alice/grant")
    let preview = try await browser.submit(form, nil, ["amount": "90", "reason": "lost sword"], step: "preview")
    XCTAssertTrue(preview.words.contains("Nothing has changed yet") && preview.words.contains("+90"), preview.words)
    XCTAssertEqual(try balance(world), 10)
    let done = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(done.title, "Transaction")
    XCTAssertTrue(done.words.contains("Booked.") && done.words.contains("lost sword"), done.words)
    XCTAssertEqual(try balance(world), 100)
    // A double click: the same form again.
    let again = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertTrue(again.words.contains("nothing was booked twice"), again.words)
    XCTAssertEqual(try balance(world), 100)
    let record = try XCTUnwrap(try world.ledger.history(of: CustomerID("alice")).transactions.first)
    XCTAssertEqual(record.reason?.text, "lost sword")
    XCTAssertTrue(record.actor?.text.hasPrefix("key:") ?? false)
  }

  func testAStalePageIsRefused() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant(gem(10), customer: CustomerID("alice"))
    let browser = try await world.browser()
    let form = try await browser.open("/console/customers/alice/spend")
    let preview = try await browser.submit(form, nil, ["amount": "5", "reason": "r"], step: "preview")
    try world.ledger.grant(gem(1), customer: CustomerID("alice"))
    let refused = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(refused.status, 412)
    XCTAssertTrue(refused.words.contains("condition_failed"), refused.words)
    XCTAssertEqual(try balance(world), 11)
  }

  func testAReasonIsNeededAndAmountsArePlainDigits() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant(gem(10), customer: CustomerID("alice"))
    let browser = try await world.browser()
    let form = try await browser.open("/console/customers/alice/grant")
    for (values, message) in [
      (["amount": "5", "reason": ""], "reason is missing"), (["amount": "5.0", "reason": "r"], "plain digits"),
      (["amount": "-5", "reason": "r"], "plain digits"), (["amount": "１２", "reason": "r"], "plain digits"),
      (["amount": "9223372036854775807", "reason": "r"], "amount_out_of_range"),
    ] {
      let refused = try await browser.submit(form, nil, values, step: "confirm")
      XCTAssertEqual(refused.status, 400, "\(values)")
      XCTAssertTrue(refused.words.contains(message), "\(values): \(refused.words)")
      XCTAssertTrue(
        refused.forms.contains { $0.fields.contains { $0.name == "amount" && $0.value == values["amount"] } })
    }
    XCTAssertEqual(try balance(world), 10)
  }

  func testHoldsAreCapturedAndReleased() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant(gem(100), customer: CustomerID("alice"))
    let first = try await world.ledger.book(.hold(gem(30), customer: CustomerID("alice")))
    let second = try await world.ledger.book(.hold(gem(20), customer: CustomerID("alice")))
    let browser = try await world.browser()
    for (hold, action, left) in [(first, "capture", 70), (second, "release", 70)] as [(Booking, String, Int64)] {
      let id = try XCTUnwrap(hold.hold?.id)
      let form = try await browser.open("/console/holds/\(id)/\(action)")
      let preview = try await browser.submit(form, nil, ["reason": "r"], step: "preview")
      let done = try await browser.submit(preview, nil, step: "confirm")
      XCTAssertEqual(done.status, 200, done.text)
      XCTAssertEqual(try balance(world), left)
    }
    XCTAssertTrue(try world.ledger.holds(of: CustomerID("alice")).isEmpty)
  }

  func testASpendIsReversedIntoItsLots() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant(gem(100), customer: CustomerID("alice"))
    let spend = try await world.ledger.book(.spend(gem(40), customer: CustomerID("alice")))
    let id = try XCTUnwrap(spend.transactionID)
    let browser = try await world.browser()
    let page = try await browser.open("/console/transactions/\(id)")
    XCTAssertTrue(page.links.contains("/console/transactions/\(id)/reverse"))
    let form = try await browser.open("/console/transactions/\(id)/reverse")
    let preview = try await browser.submit(form, nil, ["reason": "bug"], step: "preview")
    try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(try balance(world), 100)
  }

  func testMergeUnmergeAndErase() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant(gem(10), customer: CustomerID("alice"))
    try world.ledger.grant(gem(5), customer: CustomerID("bob"))
    let browser = try await world.browser()
    var form = try await browser.open("/console/customers/bob/merge")
    var preview = try await browser.submit(form, nil, ["into": "alice", "reason": "same person"], step: "preview")
    try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(try balance(world), 15)
    form = try await browser.open("/console/customers/alice/unmerge")
    preview = try await browser.submit(form, nil, ["id": "bob", "reason": "not the same"], step: "preview")
    try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(try balance(world), 10)
    XCTAssertEqual(try balance(world, "bob"), 5)

    form = try await browser.open("/console/customers/bob/erase")
    let wrong = try await browser.submit(form, nil, ["typed": "bo", "reason": "asked"], step: "confirm")
    XCTAssertEqual(wrong.status, 400)
    XCTAssertEqual(try balance(world, "bob"), 5)
    preview = try await browser.submit(form, nil, ["typed": "bob", "reason": "asked"], step: "preview")
    XCTAssertEqual(try balance(world, "bob"), 5)
    let erased = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(erased.status, 200, erased.text)
    XCTAssertThrowsError(try balance(world, "bob"))
    let search = try await browser.open("/console/customers?q=bob")
    XCTAssertTrue(search.words.contains("No customer"), search.words)
  }

  private func device(_ digit: Int) throws -> CustomerID {
    try CustomerID("$RCAnonymousID:0123456789abcdef0123456789abcde\(digit)")
  }

  func testMergedIDsHaveTheirProof() async throws {
    let world = try ConsoleWorld()
    let (device, phone, alice) = (try device(1), try device(2), try CustomerID("alice"))
    for id in [device, phone, alice] { try world.ledger.grant(gem(10), customer: id) }
    try await world.ledger.book(.mergeAnonymous(from: device, into: alice, isProven: false))
    try await world.ledger.book(.mergeAnonymous(from: phone, into: alice, isProven: true))
    let browser = try await world.browser()
    var page = try await browser.open("/console/customers/alice")
    let words = page.words
    XCTAssertTrue(words.contains("not proven: a login with a public key"), words)
    XCTAssertTrue(words.contains(" proven "), words)
    try world.ledger.unmerge(device)
    page = try await browser.open("/console/customers/alice")
    XCTAssertFalse(page.words.contains("not proven"), page.words)
  }

  func testARequestIsFoundByItsKey() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant(gem(10), customer: CustomerID("alice"), key: IdempotencyKey("g1"))
    XCTAssertThrowsError(
      try world.ledger.spend(gem(50), customer: CustomerID("alice"), key: IdempotencyKey("tap 7")))
    let browser = try await world.browser()
    let booked = try await browser.open("/console/customers/alice?key=g1")
    XCTAssertTrue(booked.words.contains("Booked as"), booked.words)
    let refused = try await browser.open("/console/customers/alice?key=tap+7")
    XCTAssertTrue(refused.words.contains("Refused, and the key keeps it: Not enough GEM"), refused.words)
    let unknown = try await browser.open("/console/customers/alice?key=g2")
    XCTAssertTrue(unknown.words.contains("No request of this customer has this key"), unknown.words)
  }

  func testTheHistoryIsFilteredAndPaged() async throws {
    let world = try ConsoleWorld()
    for index in 1...120 {
      try world.ledger.grant(gem(1), customer: CustomerID("alice"), key: IdempotencyKey("g\(index)"))
    }
    for _ in 1...3 { try await world.ledger.book(.spend(gem(2), customer: CustomerID("alice"))) }
    let browser = try await world.browser()
    let spends = try await browser.open("/console/customers/alice/history?kind=spend")
    XCTAssertEqual(spends.text.matches(of: /<tr>/).count, 4)
    var page = try await browser.open("/console/customers/alice/history?kind=grant")
    var count = page.text.matches(of: /<tr>/).count - 1
    while let next = page.links.first(where: { $0.contains("after=") }) {
      page = try await browser.open(next)
      count += page.text.matches(of: /<tr>/).count - 1
    }
    XCTAssertEqual(count, 120)
  }
}
#endif
