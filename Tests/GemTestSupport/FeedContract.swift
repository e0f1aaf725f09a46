internal import Dispatch
package import GemLedger
internal import Synchronization
internal import XCTest

/// The guarantees to readers of the feed, on any storage.
package struct FeedContract {
  private let make: () throws -> Ledger

  /// The closure makes an empty ledger over the storage; all of them have salt 1.
  package init(make: @escaping () throws -> Ledger) { self.make = make }

  package func runAll() async throws {
    let run = ContractRun(Self.self)
    run.step("testEveryTransactionComesOnceAndInOrder", testEveryTransactionComesOnceAndInOrder)
    run.step("testAnEmptyPageGivesTheCursorBack", testAnEmptyPageGivesTheCursorBack)
    run.step("testAMergeTellsBothSides", testAMergeTellsBothSides)
    run.step("testNamesThePurchaseOfEachEvent", testNamesThePurchaseOfEachEvent)
    run.step("testAnEventKeepsThePurchaseAsItWas", testAnEventKeepsThePurchaseAsItWas)
    run.step("testFindsTheRefundedPurchaseOfAMergedCustomer", testFindsTheRefundedPurchaseOfAMergedCustomer)
    run.step("testRefusesWhatIsNoCursor", testRefusesWhatIsNoCursor)
    run.step("testNothingIsMissedWhileOthersWrite", testNothingIsMissedWhileOthersWrite)
    await run.step("testUpdatesComeAsTheyAreBooked", testUpdatesComeAsTheyAreBooked)
    await run.step("testUpdatesEndWithTheLedgerAndWithTheTask", testUpdatesEndWithTheLedgerAndWithTheTask)
  }

  private func ledger() throws -> Ledger {
    let ledger = try make()
    try ledger.apply(Make.catalog())
    return ledger
  }

  private func grant(_ amount: Int64, to customer: CustomerID, _ ledger: Ledger) throws {
    try ledger.grant([Make.amount("GEM", amount)], customer: customer)
  }

  func testEveryTransactionComesOnceAndInOrder() throws {
    let ledger = try ledger()
    let customers = try (0..<7).map { try Make.customer("customer \($0)") }
    for round in 0..<30 { try grant(100, to: customers[round % customers.count], ledger) }
    try ledger.creditPurchase(Make.purchase("p"), customer: customers[0])
    try ledger.buyItem(ItemID("extra_life"), customer: customers[0])
    try ledger.refund(Make.refund("p"))
    try ledger.freeze(customers[1], reason: Reason("looked odd"))
    var command = try LedgerCommand.spend([Make.amount("GEM", 1)], customer: customers[2])
    command.reference = try Reference("order 17")
    command.actor = try ActorName("shop")
    _ = try ledger.submit([command])[0].get()
    for limit in [1, 7, 35, 1000] {
      let events = try ledger.wholeFeed(pagesOf: limit)
      try assertTellsTheHistories(of: ledger, events, "pages of \(limit)")
    }
    ledger.close()
  }

  func testAnEmptyPageGivesTheCursorBack() throws {
    let ledger = try ledger()
    let start = try ledger.feed()
    XCTAssertEqual(start.events, [])
    XCTAssertEqual(try ledger.feed(after: start.next), start)
    try grant(5, to: Make.customer("alice"), ledger)
    let page = try ledger.feed(after: start.next)
    XCTAssertEqual(page.events.map(\.record.booking.customer.text), ["alice"])
    XCTAssertFalse(page.hasMore)
    let rest = try ledger.feed(after: page.next)
    XCTAssertEqual(rest.events, [])
    XCTAssertEqual(rest.next, page.next)
    ledger.close()
  }

  func testAMergeTellsBothSides() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try grant(5, to: alice, ledger)
    try grant(7, to: bob, ledger)
    try ledger.creditPurchase(Make.purchase("chest", product: "chest"), customer: bob)
    try ledger.merge(from: bob, into: alice)
    try grant(1, to: bob, ledger)
    let events = try ledger.wholeFeed(pagesOf: 2)
    let merge = try XCTUnwrap(events.first { $0.record.booking.kind == .merge })
    XCTAssertEqual(merge.record.booking.customer, alice)
    XCTAssertEqual(merge.record.booking.entries.map(\.balance), [12])
    let merged = try XCTUnwrap(merge.merged)
    XCTAssertEqual(merged.customer, bob)
    XCTAssertEqual(merged.entries.map(\.amount), [-7])
    XCTAssertEqual(merged.entries.map(\.balance), [0])
    XCTAssertEqual(merged.items.map(\.quantity).reduce(0, +), -3)
    // Before the merge bob's events are bob's; afterwards there is alice alone.
    let names = events.map(\.record.booking.customer)
    XCTAssertEqual(names.filter { $0 == bob }.count, 2)
    XCTAssertEqual(events.last?.record.booking.customer, alice)
    XCTAssertEqual(events.last?.record.booking.entries.map(\.balance), [13])
    XCTAssertEqual(events.filter { $0.merged != nil }.count, 1)
    ledger.close()
  }

  /// Every kind of event: with one lot, several lots, no currency, several units, and none.
  func testNamesThePurchaseOfEachEvent() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    let session = try StoreEnvironment.localTesting(session: "a session")
    try ledger.creditPurchase(Make.purchase("one"), customer: alice)
    try ledger.creditPurchase(
      Make.purchase("two", product: "bundle", quantity: 3, store: .google, environment: session), customer: bob)
    try ledger.creditPurchase(Make.purchase("three", product: "chest", environment: .sandbox), customer: alice)
    try ledger.spend([Make.amount("GEM", 7)], customer: alice)
    try ledger.refund(Make.refund("one", .milliPercent(25_000)))
    try ledger.refund(Make.refund("three", environment: .sandbox))
    try ledger.reverseRefund(Make.reversal("one"))
    for limit in [1, 3, 1000] {
      let found = try ledger.wholeFeed(pagesOf: limit)
      XCTAssertEqual(found.count, 7)
      let byKind = Dictionary(grouping: found, by: \.record.booking.kind)
      let bought = (byKind[.purchase] ?? []).compactMap(\.purchase).sorted { $0.product < $1.product }
      XCTAssertEqual(bought.map(\.product.text), ["bundle", "chest", "gems_1200"])
      XCTAssertEqual(bought.map(\.storeTransactionID.text), ["two", "three", "one"])
      XCTAssertEqual(bought.map(\.store), [.google, .apple, .apple])
      XCTAssertEqual(bought.map(\.environment), [session, .sandbox, .production])
      XCTAssertEqual(bought.map(\.quantity), [3, 1, 1])
      XCTAssertEqual(bought.map(\.refundedMilliPercent), [0, 0, 0])
      XCTAssertEqual(bought.map(\.price), [Money](repeating: Money(minorUnits: 999, currency: "USD"), count: 3))
      let refunds = (byKind[.refund] ?? []).compactMap(\.purchase).sorted { $0.product < $1.product }
      XCTAssertEqual(refunds.map(\.storeTransactionID.text), ["three", "one"])
      XCTAssertEqual(refunds.map(\.refundedMilliPercent), [100_000, 25_000])
      let undone = (byKind[.reversedRefund] ?? []).compactMap(\.purchase)
      XCTAssertEqual(undone.map(\.storeTransactionID.text), ["one"])
      XCTAssertEqual(undone.map(\.refundedMilliPercent), [0])
      XCTAssertEqual(byKind[.spend]?.map(\.source), [.api])
      XCTAssertEqual(found.filter { $0.source == .inAppPurchase }.count, 6)
    }
    ledger.close()
  }

  func testAnEventKeepsThePurchaseAsItWas() throws {
    let ledger = try ledger()
    try ledger.creditPurchase(Make.purchase("p"), customer: Make.customer("alice"))
    let event = try ledger.feed().events[0]
    try ledger.refund(Make.refund("p"))
    let catalog = try ledger.currentCatalog()
    let products = catalog.products.map {
      Product(
        code: $0.code, type: $0.type, localizations: [Localization(locale: "en_US", title: "Another name")],
        grants: $0.grants, itemGrants: $0.itemGrants)
    }
    try ledger.apply(Catalog(currencies: catalog.currencies, products: products, items: catalog.items))
    XCTAssertEqual(try ledger.feed().events[0], event)
    ledger.close()
  }

  /// The refund is booked for the surviving customer; the purchase stays with the merged one.
  func testFindsTheRefundedPurchaseOfAMergedCustomer() throws {
    let ledger = try ledger()
    let (alice, bob, carol) = (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("carol"))
    try ledger.creditPurchase(Make.purchase("of alice"), customer: alice)
    try ledger.creditPurchase(Make.purchase("of bob"), customer: bob)
    try ledger.creditPurchase(Make.purchase("of carol", product: "chest"), customer: carol)
    try ledger.merge(from: bob, into: alice)
    try ledger.merge(from: alice, into: carol)
    for id in ["of bob", "of carol", "of alice"] { try ledger.refund(Make.refund(id)) }
    func check() throws {
      let refunds = try ledger.wholeFeed(pagesOf: 2).filter { $0.record.booking.kind == .refund }
      XCTAssertEqual(refunds.map(\.record.booking.customer), [carol, carol, carol])
      XCTAssertEqual(
        refunds.compactMap(\.purchase?.storeTransactionID.text).sorted(), ["of alice", "of bob", "of carol"])
      XCTAssertEqual(refunds.compactMap(\.purchase?.refundedMilliPercent), [100_000, 100_000, 100_000])
    }
    try check()
    // The merges that led from carol to bob stay known after each of them was undone.
    try ledger.unmerge(alice)
    try check()
    try ledger.unmerge(bob)
    try check()
    ledger.close()
  }

  func testRefusesWhatIsNoCursor() throws {
    let ledger = try ledger()
    try grant(5, to: Make.customer("alice"), ledger)
    let cursor = try ledger.feed().next
    let other = Ledger.inMemory(salt: 2)
    try other.apply(Make.catalog())
    try grant(5, to: Make.customer("alice"), other)
    let foreign = try other.feed().next
    let history = PageCursor(String(repeating: "0", count: 24)).description
    for text in ["", "x", history, foreign.description, cursor.description + "A", "A" + cursor.description] {
      assertRefused(.invalidRequest) { try ledger.feed(after: FeedCursor(text)) }
    }
    XCTAssertNoThrow(try ledger.feed(after: FeedCursor(cursor.description)))
    for limit in [0, -1, 1001] { assertRefused(.limitExceeded) { try ledger.feed(limit: limit) } }
    ledger.close()
  }

  func testNothingIsMissedWhileOthersWrite() throws {
    let ledger = try ledger()
    let customers = try (0..<16).map { try Make.customer("customer \($0)") }
    let amount = try Make.amount("GEM", 1)
    let failures = Mutex<[String]>([])
    let writers = DispatchGroup()
    let booked = Atomic(0)
    for thread in 0..<4 {
      DispatchQueue.global().async(group: writers) {
        for round in 0..<100 {
          do {
            try ledger.grant([amount], customer: customers[(thread * 5 + round) % customers.count])
            booked.add(1, ordering: .relaxed)
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
        }
      }
    }
    var events: [FeedEvent] = []
    var cursor: FeedCursor?
    var isOver = false
    while true {
      let page = try ledger.feed(after: cursor, limit: 17)
      events += page.events
      cursor = page.next
      if page.events.isEmpty, isOver { break }
      isOver = writers.wait(timeout: .now()) == .success
    }
    XCTAssertEqual(failures.withLock { $0 }, [])
    XCTAssertEqual(events.count, booked.load(ordering: .relaxed))
    try assertTellsTheHistories(of: ledger, events, "while others wrote")
    ledger.close()
  }

  // MARK: Waiting

  /// With an hour between two polls, a reader that hears of a commit does not wait for the next poll.
  func testUpdatesComeAsTheyAreBooked() async throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try grant(1, to: alice, ledger)
    var balances: [Int64] = []
    for try await page in ledger.feedUpdates(polling: .seconds(3600)) {
      balances += page.events.compactMap { $0.record.booking.entries.first?.balance }
      guard let last = balances.last, last < 5 else { break }
      let amount = try Make.amount("GEM", 1)
      Task.detached { try ledger.grant([amount], customer: alice) }
    }
    XCTAssertEqual(balances, [1, 2, 3, 4, 5])
    ledger.close()
  }

  func testUpdatesEndWithTheLedgerAndWithTheTask() async throws {
    let ledger = try ledger()
    try grant(1, to: Make.customer("alice"), ledger)
    func reader(_ isReading: XCTestExpectation) -> Task<Int, any Error> {
      Task.detached {
        var pages = 0
        for try await _ in ledger.feedUpdates(polling: .seconds(3600)) {
          pages += 1
          isReading.fulfill()
        }
        return pages
      }
    }
    let areReading = [XCTestExpectation(description: "one reads"), XCTestExpectation(description: "another reads")]
    let readers = areReading.map(reader)
    await XCTWaiter().fulfillment(of: areReading, timeout: 60)
    readers[0].cancel()
    let cancelled = try await readers[0].value
    XCTAssertEqual(cancelled, 1)
    ledger.close()
    let closed = try await readers[1].value
    XCTAssertEqual(closed, 1)
    for try await _ in ledger.feedUpdates() { XCTFail("a closed ledger has no updates") }
  }
}

extension Ledger {
  package func wholeFeed(pagesOf limit: Int = 100) throws -> [FeedEvent] {
    var all: [FeedEvent] = []
    var cursor: FeedCursor?
    while true {
      let page = try feed(after: cursor, limit: limit)
      XCTAssertLessThanOrEqual(page.events.count, limit)
      all += page.events
      cursor = page.next
      if !page.hasMore { return all }
    }
  }
}

/// Fails unless the events are exactly those of the customers' histories, and each customer's in its order.
package func assertTellsTheHistories(
  of ledger: Ledger, _ events: [FeedEvent], _ message: String, file: StaticString = #filePath, line: UInt = #line
) throws {
  var told = 0
  for customer in try ledger.everyCustomer() {
    let history = try Array(ledger.wholeHistory(of: customer.id).reversed())
    XCTAssertEqual(
      events.map(\.record).filter { $0.booking.customer == customer.id }, history, message, file: file, line: line)
    told += history.count
  }
  XCTAssertEqual(events.count, told, message, file: file, line: line)
}
