package import GemLedger
internal import XCTest

/// Customers are found by ids, attributes, purchases and bookings, on any storage.
package struct SearchContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testFindsEachKind", testFindsEachKind)
    run.step("testFindsIDsByTheirBeginning", testFindsIDsByTheirBeginning)
    run.step("testFindsTheCurrentValueOfAnAttribute", testFindsTheCurrentValueOfAnAttribute)
    run.step("testFollowsMergesAndUnmerges", testFollowsMergesAndUnmerges)
    run.step("testAnErasureLeavesNothing", testAnErasureLeavesNothing)
    run.step("testIndexesTheAttributesOfAnEarlierVersion", testIndexesTheAttributesOfAnEarlierVersion)
  }

  /// The matches as `KIND CUSTOMER FOUND`.
  private func found(_ ledger: Ledger, _ text: String) throws -> [String] {
    try ledger.customerSearch.find(text).matches.map { match in
      let kind =
        switch match.kind {
        case .id: "id"
        case .idPrefix: "prefix"
        case .attribute(let name): name
        case .purchase(let store, let environment): "\(store) \(environment)"
        case .order: "order"
        case .transaction: "transaction"
        case .hold: "hold"
        }
      return "\(kind) \(match.customer) \(match.found)"
    }
  }

  private func set(_ ledger: Ledger, _ customer: CustomerID, _ name: String, _ value: String?) throws {
    time.advance(seconds: 1)
    try ledger.attributes.change([.init(name, value, at: time.now)], of: customer)
  }

  private func customers(_ ledger: Ledger, _ names: String...) throws -> [CustomerID] {
    let customers = try names.map { try Make.customer($0) }
    for customer in customers { try ledger.createCustomer(customer) }
    return customers
  }

  private func indexCount(_ ledger: Ledger) throws -> Int {
    try ledger.documents.page(withPrefix: "attribute_value/").count
  }

  func testFindsEachKind() throws {
    let ledger = try ledger()
    let names = try customers(ledger, "alice", "bob")
    let (alice, bob) = (names[0], names[1])
    try ledger.createAlias(Make.customer("al"), of: alice)
    let booking = try ledger.creditPurchase(Make.purchase("t1"), customer: alice)
    try ledger.creditPurchase(Make.purchase("t1", store: .google, environment: .xcode(session: "s")), customer: bob)
    let hold = try ledger.hold([Make.amount("GEM", 5)], customer: alice, for: .seconds(60))
    let opening = OrderOpening(
      code: try PurchaseCode("O-1"), store: .apple, product: try ProductCode("gems_1200"), quantity: 1,
      request: "{}", key: nil, lifetimeMilliseconds: 1000, paidBy: nil)
    try ledger.book(.openOrder(opening, customer: bob))
    XCTAssertEqual(try found(ledger, "al"), ["id alice al", "prefix alice alice"])
    XCTAssertEqual(try found(ledger, "bob"), ["id bob bob"])
    XCTAssertEqual(try found(ledger, "t1"), ["apple production alice t1", "google xcode bob t1"])
    XCTAssertEqual(try found(ledger, "O-1"), ["order bob O-1"])
    let id = try XCTUnwrap(booking.transactionID)
    XCTAssertEqual(try found(ledger, "\(id)".uppercased()), ["transaction alice \(id)"])
    let holdID = try XCTUnwrap(hold.hold?.id)
    let both = ["transaction alice \(holdID)", "hold alice \(holdID)"]
    XCTAssertEqual(try found(ledger, "\(holdID)"), both)
    try ledger.release(holdID)
    XCTAssertEqual(try found(ledger, "\(holdID)"), both)
    for text in ["", "nobody", "a\u{0}", "019aa3f2-6c1e-7000-8000-00000a51c7e4", String(repeating: "x", count: 5000)] {
      XCTAssertEqual(try found(ledger, text), [], text)
    }
    try check(ledger)
  }

  func testFindsIDsByTheirBeginning() throws {
    let ledger = try ledger()
    for number in 10..<31 { _ = try customers(ledger, "user-\(number)") }
    _ = try customers(ledger, "use", "user.", "User-1")
    let result = try ledger.customerSearch.find("user-")
    XCTAssertEqual(result.matches.map(\.found), (10..<30).map { "user-\($0)" })
    XCTAssertTrue(result.hasMoreIDs)
    XCTAssertFalse(try ledger.customerSearch.find("user-1").hasMoreIDs)
    XCTAssertEqual(try found(ledger, "user-30"), ["id user-30 user-30"])
    // The ids that the ledger makes are not found.
    try ledger.erase(Make.customer("user."))
    XCTAssertEqual(try found(ledger, "$"), [])
    try check(ledger)
  }

  func testFindsTheCurrentValueOfAnAttribute() throws {
    let ledger = try ledger()
    let alice = try customers(ledger, "alice")[0]
    XCTAssertTrue(try ledger.attributes.buildIndex())
    try set(ledger, alice, "$email", "Alice@Example.com")
    try set(ledger, alice, "$displayName", "Alice é")
    try set(ledger, alice, "$phoneNumber", "+1 555 0100")
    try set(ledger, alice, "level", "Alice é")
    XCTAssertEqual(try found(ledger, "aLICE@example.COM"), ["$email alice aLICE@example.COM"])
    XCTAssertEqual(try found(ledger, "Alice é"), ["$displayName alice Alice é"])
    XCTAssertEqual(try found(ledger, "alice é"), [])
    XCTAssertEqual(try found(ledger, "+1 555 0100"), ["$phoneNumber alice +1 555 0100"])
    XCTAssertEqual(try indexCount(ledger), 3)
    for document in try ledger.documents.page(withPrefix: "attribute_") {
      for text in ["lice", "xample", "555"] { XCTAssertFalse((document.name + document.content).contains(text)) }
    }
    try set(ledger, alice, "$email", "a@example.com")
    XCTAssertEqual(try found(ledger, "alice@example.com"), [])
    XCTAssertEqual(try found(ledger, "a@example.com"), ["$email alice a@example.com"])
    try set(ledger, alice, "$phoneNumber", nil)
    XCTAssertEqual(try found(ledger, "+1 555 0100"), [])
    XCTAssertEqual(try indexCount(ledger), 2)
    // The exact search has the same index.
    XCTAssertEqual(try ledger.attributes.customerIDs(with: "$email", value: "a@example.com", after: nil).ids, [alice])
    XCTAssertEqual(try ledger.attributes.customerIDs(with: "$email", value: "A@example.com", after: nil).ids, [])
    XCTAssertEqual(try ledger.attributes.customerIDs(with: "level", value: "Alice é", after: nil).ids, [alice])
    try check(ledger)
  }

  func testFollowsMergesAndUnmerges() throws {
    let ledger = try ledger()
    let names = try customers(ledger, "alice", "carol", "dora")
    XCTAssertTrue(try ledger.attributes.buildIndex())
    for name in names { try set(ledger, name, "$email", "\(name)@example.com") }
    let (alice, carol, dora) = (names[0], names[1], names[2])
    try ledger.merge(from: carol, into: alice)
    try ledger.merge(from: dora, into: alice)
    XCTAssertEqual(try found(ledger, "carol@example.com"), ["$email alice carol@example.com"])
    XCTAssertEqual(try found(ledger, "carol"), ["id alice carol"])
    try ledger.unmerge(dora)
    XCTAssertEqual(try found(ledger, "dora@example.com"), ["$email dora dora@example.com"])
    // The change makes one document of both: the newest address is the customer's.
    try set(ledger, carol, "level", "1")
    XCTAssertEqual(try found(ledger, "alice@example.com"), [])
    XCTAssertEqual(try found(ledger, "carol@example.com"), ["$email alice carol@example.com"])
    try ledger.unmerge(carol)
    XCTAssertEqual(try found(ledger, "carol@example.com"), ["$email alice carol@example.com"])
    XCTAssertEqual(try found(ledger, "carol"), ["id carol carol"])
    XCTAssertEqual(try indexCount(ledger), 2)
    try check(ledger)
  }

  func testAnErasureLeavesNothing() throws {
    let ledger = try ledger()
    let names = try customers(ledger, "alice", "carol", "dora")
    for name in names { try set(ledger, name, "$email", "\(name)@example.com") }
    try ledger.merge(from: names[1], into: names[0])
    try ledger.erase(names[1])
    XCTAssertTrue(try ledger.attributes.buildIndex())
    for name in ["alice", "carol"] {
      XCTAssertEqual(try found(ledger, name), [])
      XCTAssertEqual(try found(ledger, "\(name)@example.com"), [])
    }
    XCTAssertEqual(try indexCount(ledger), 1)
    // Nor does an edited document hinder it.
    let document = try XCTUnwrap(try ledger.documents.page(withPrefix: "customer/attributes/").first)
    try ledger.documents.save(document.name, content: "1", replacing: document.version)
    try ledger.erase(names[2])
    XCTAssertEqual(try ledger.documents.page(withPrefix: "customer/attributes/").count, 0)
    try check(ledger)
  }

  func testIndexesTheAttributesOfAnEarlierVersion() throws {
    let ledger = try ledger()
    let names = try (0..<1005).map { try Make.customer("c\($0)") }
    for answer in ledger.submit(names.map { .createCustomer($0) }) { _ = try answer.get() }
    for name in names { try set(ledger, name, "$email", "same@example.com") }
    try set(ledger, names[7], "$email", "x@example.com")
    // An earlier version wrote no index.
    while true {
      let page = try ledger.documents.page(withPrefix: "attribute_value/")
      if page.isEmpty { break }
      for document in page { try ledger.documents.remove(document.name, version: document.version) }
    }
    XCTAssertFalse(try ledger.customerSearch.find("same@example.com").hasAllAttributes)
    XCTAssertFalse(try ledger.attributes.buildIndex())
    // Changes while it is built: of a customer that was indexed already, and of others.
    for name in [names[0], names[500], names[1004]] { try set(ledger, name, "$email", "y@example.com") }
    try ledger.erase(names[7])
    var steps = 1
    while try !ledger.attributes.buildIndex(), steps < 100 { steps += 1 }
    XCTAssertEqual(steps, 10)
    XCTAssertTrue(try ledger.attributes.buildIndex())
    XCTAssertEqual(try found(ledger, "x@example.com"), [])
    let changed = try ledger.customerSearch.find("y@example.com")
    XCTAssertTrue(changed.hasAllAttributes)
    XCTAssertEqual(Set(changed.matches.map(\.customer)), [names[0], names[500], names[1004]])
    var (ids, place): ([CustomerID], PageCursor?) = ([], nil)
    repeat {
      let page = try ledger.attributes.customerIDs(with: "$email", value: "same@example.com", after: place)
      ids += page.ids
      place = page.next
    } while place != nil
    XCTAssertEqual(Set(ids).count, 1001)
    XCTAssertEqual(ids.count, 1001)
    try check(ledger)
  }
}
