internal import GemLedger
internal import XCTest

/// Attributes of customers, which lie in documents.
extension DocumentContract {
  private func set(
    _ ledger: Ledger, _ customer: CustomerID, _ attributes: [String: String?], at milliseconds: Int64 = 0
  ) throws {
    let instant = Timestamp(milliseconds: time.now.milliseconds + milliseconds)
    try ledger.attributes.change(
      attributes.sorted { $0.key < $1.key }.map { .init($0.key, $0.value, at: instant) }, of: customer)
  }

  private func attributes(_ ledger: Ledger, _ customer: CustomerID) throws -> [String: String] {
    Dictionary(uniqueKeysWithValues: try ledger.attributes.all(of: customer).list.map { ($0.name, $0.value) })
  }

  func testAttributesLastAsLongAsTheirCustomer() throws {
    let ledger = try make(time.clock)
    let (alice, bob, carol) = (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("carol"))
    for customer in [alice, bob, carol] { try ledger.createCustomer(customer) }
    XCTAssertEqual(try attributes(ledger, alice), [:])
    try set(ledger, alice, ["$email": "a@example.com", "level": "7"])
    try set(ledger, bob, ["$email": "b@example.com"])
    try set(ledger, carol, ["$email": "c@example.com", "team": "red"], at: 5)
    XCTAssertEqual(try ledger.attributes.all(of: alice).list.map(\.name), ["$email", "level"])
    // An older change comes too late; null and an empty text remove.
    try set(ledger, alice, ["level": "6"], at: -1)
    XCTAssertEqual(try attributes(ledger, alice)["level"], "7")
    try set(ledger, bob, ["$email": nil, "x": ""])
    XCTAssertEqual(try attributes(ledger, bob), [:])
    try ledger.merge(from: carol, into: alice)
    let merged = ["$email": "c@example.com", "level": "7", "team": "red"]
    XCTAssertEqual(try attributes(ledger, carol), merged)
    let other = try join(ledger, time.clock)
    try set(other, alice, ["level": "8"], at: 6)
    XCTAssertEqual(try attributes(ledger, alice), merged.merging(["level": "8"]) { $1 })
    try ledger.erase(alice)
    XCTAssertEqual(try ledger.documents.page(withPrefix: "customer/").count, 1)
    GemTestSupport.assertRefused(.customerNotFound) { try set(ledger, carol, ["level": "9"]) }
    try ledger.createCustomer(alice)
    XCTAssertEqual(try attributes(ledger, alice), [:])
    try check(ledger)
  }

  func testAttributesAreBounded() throws {
    let ledger = try make(time.clock)
    let alice = try Make.customer("alice")
    try ledger.createCustomer(alice)
    let most = Dictionary(uniqueKeysWithValues: (0..<50).map { ("a\($0)", Optional("x")) })
    try set(ledger, alice, most)
    try set(ledger, alice, Dictionary(uniqueKeysWithValues: (0..<50).map { ("$a\($0)", Optional("x")) }))
    let wrong: [[String: String?]] = [
      ["b": "x"], ["$b": "x"], [String(repeating: "n", count: 41): "x"], ["": "x"], ["a\u{0}": "x"],
      ["a1": String(repeating: "é", count: 251)],
    ]
    for attributes in wrong {
      GemTestSupport.assertRefused(.limitExceeded) { try set(ledger, alice, attributes) }
    }
    try set(ledger, alice, ["a1": nil, "b": String(repeating: "x", count: 500)])
    XCTAssertEqual(try ledger.attributes.all(of: alice).list.count, 100)
    try check(ledger)
  }

  func testCustomersAreFoundByAnAttribute() throws {
    let ledger = try make(time.clock)
    let customers = try (0..<1005).map { try Make.customer("c\($0)") }
    for answer in ledger.submit(customers.map { .createCustomer($0) }) { _ = try answer.get() }
    for customer in customers { try set(ledger, customer, ["$email": "somebody@example.com"]) }
    for index in [3, 1004] { try set(ledger, customers[index], ["$email": "x@example.com"]) }
    var (found, place): ([[CustomerID]], PageCursor?) = ([], nil)
    repeat {
      let page = try ledger.attributes.customerIDs(with: "$email", value: "x@example.com", after: place)
      found.append(page.ids)
      place = page.next
    } while place != nil
    // Customers of several lanes have no common order.
    XCTAssertEqual(Set(found.joined()), [customers[3], customers[1004]])
    XCTAssertEqual(found.count, 2)
    XCTAssertEqual(found.joined().count, 2)
    XCTAssertEqual(try ledger.attributes.customerIDs(with: "$email", value: "X@example.com", after: nil).ids, [])
    GemTestSupport.assertRefused(.invalidRequest) {
      _ = try ledger.attributes.customerIDs(with: "$email", value: "x", after: PageCursor("0"))
    }
    try check(ledger)
  }
}
