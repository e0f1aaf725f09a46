internal import Dispatch
package import GemLedger
internal import GemLedgerAudit
import XCTest

/// Instants and lengths of time, on any storage.
package struct TimeContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testAGroupReadsTheTimeWhenItIsItsTurn", testAGroupReadsTheTimeWhenItIsItsTurn)
    run.step("testAnInstantInTheFutureIsRefused", testAnInstantInTheFutureIsRefused)
    run.step("testACycleThatEndedBefore1970", testACycleThatEndedBefore1970)
    run.step("testDatesAtTheirEnds", testDatesAtTheirEnds)
    run.step("testLengthsOfTimeAtTheirEnds", testLengthsOfTimeAtTheirEnds)
    run.step("testAPreviewNamesNothingThatItWouldMake", testAPreviewNamesNothingThatItWouldMake)
    run.step("testAClockFarAheadBooksNothing", testAClockFarAheadBooksNothing)
    run.step("testALedgerThatWasIdleForAYearGoesOn", testALedgerThatWasIdleForAYearGoesOn)
    run.step("testAClockFarBehindBooksNothing", testAClockFarBehindBooksNothing)
    run.step("testAnAcceptedClockGoesOn", testAnAcceptedClockGoesOn)
  }

  // MARK: At the lock

  /// A group that waits for another writer is dated after its wait: an instant that was over stays as it was.
  func testAGroupReadsTheTimeWhenItIsItsTurn() throws {
    let inner = try ledger()
    let storage = GatedStorage(inner.storage)
    let ledger = Ledger(storage: storage, clock: time.clock)
    let alice = try Make.customer("alice")
    let gem = try CurrencyCode("GEM")
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    time.advance(seconds: 1)
    storage.armEntry()
    let command = try LedgerCommand.spend([Make.amount("GEM", 40)], customer: alice)
    let (group, queue) = (DispatchGroup(), DispatchQueue(label: "writer"))
    queue.async(group: group) { _ = ledger.submit([command]) }
    storage.waitUntilEntered()
    time.advance(seconds: 3)
    let over = time.now
    time.advance(seconds: 3)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: over).balance, 100)
    storage.open()
    group.wait()
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: over).balance, 100)
    let spend = try XCTUnwrap(ledger.history(of: alice).transactions.first)
    XCTAssertEqual(spend.booking.kind, .spend)
    XCTAssertEqual(spend.booking.createdAt, time.now)
    try check(ledger)
  }

  /// An answer about the future would change with the next command.
  func testAnInstantInTheFutureIsRefused() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let gem = try CurrencyCode("GEM")
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice, at: time.now).balance, 100)
    let future = time.now.after
    assertRefused(.invalidRequest) { try ledger.balance(of: gem, customer: alice, at: future) }
    assertRefused(.invalidRequest) { try ledger.balances(of: alice, at: future) }
    assertRefused(.invalidRequest) { try ledger.unspent(at: future) }
    assertRefused(.invalidRequest) { try ledger.withdrawable(at: future) }
    try check(ledger)
  }

  // MARK: At the ends

  /// A store's date of long ago makes a lot that has expired, and hides no other.
  func testACycleThatEndedBefore1970() throws {
    for milliseconds in [-1, -86_400_000, Int64.min] {
      let ledger = try make(time.clock)
      try ledger.apply(Catalog.load(Array(Self.subscriptions.utf8)))
      let alice = try Make.customer("alice")
      var purchase = try Make.purchase("t", product: "monthly")
      purchase.cycleEndsAt = Timestamp(milliseconds: milliseconds)
      let credited = try ledger.creditPurchase(purchase, customer: alice)
      let code = try XCTUnwrap(credited.entries.first?.currency)
      XCTAssertEqual(try ledger.balance(of: code, customer: alice).balance, 0, "\(milliseconds)")
      try ledger.grant([Adjustment(code, 30)], customer: alice)
      try ledger.spend([Adjustment(code, 20)], customer: alice)
      XCTAssertEqual(try ledger.balance(of: code, customer: alice).balance, 10, "\(milliseconds)")
      XCTAssertEqual(try ledger.purchases(of: alice, limit: 5).purchases.map(\.expiresAt), [purchase.cycleEndsAt])
      try check(ledger)
    }
  }

  private static let subscriptions = """
    {
      "currencies": [{"code": "GEM", "name": "Gems"}],
      "products": [
        {"code": "monthly", "type": "auto_renewable_subscription", "period": "P1M",
         "grants": [{"currency": "GEM", "amount": 100, "bonus": 10, "expires_at_cycle_end": true}]}
      ]
    }
    """

  func testDatesAtTheirEnds() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    for (index, milliseconds) in [Int64.min, -1, 0, .max].enumerated() {
      let date = Timestamp(milliseconds: milliseconds)
      var purchase = try Make.purchase("t\(index)")
      purchase.purchasedAt = date
      purchase.cycleEndsAt = date
      try ledger.creditPurchase(purchase, customer: alice)
      var refund = try Make.refund("t\(index)", .milliPercent(50_000))
      refund.revokedAt = date
      refund.signedAt = date
      try ledger.refund(refund)
      XCTAssertEqual(Timestamp(date.description), date)
    }
    XCTAssertEqual(
      try ledger.purchases(of: alice, limit: 5).purchases.map(\.purchasedAt.milliseconds), [.max, 0, -1, .min])
    try check(ledger)
  }

  func testLengthsOfTimeAtTheirEnds() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    let gems = [try Make.amount("GEM", 1)]
    let hold = try XCTUnwrap(try ledger.hold(gems, customer: alice, for: .seconds(60)).hold?.id)
    let ends: [Duration] = [
      .seconds(Int64.max), .seconds(Int64.min), .milliseconds(Int64.max), .milliseconds(Int64.min),
      .seconds(Int64.max / 1000) + .milliseconds(999), .seconds(Int64.max) * 10, .seconds(Int64.min) * 10,
    ]
    for duration in ends {
      assertRefused(.amountOutOfRange) { try ledger.hold(gems, customer: alice, for: duration) }
      assertRefused(.amountOutOfRange) { try ledger.extend(hold, for: duration) }
    }
    try check(ledger)
  }

  // MARK: Clocks that are wrong

  private static let day: Int64 = 86_400

  /// Ten years ahead for an hour, and right again: nothing of it is left in the books.
  func testAClockFarAheadBooksNothing() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let gems = [try Make.amount("GEM", 10)]
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    try ledger.grant(
      [Make.amount("GEM", 5)], customer: alice, expiresAt: time.now.advanced(by: .seconds(30 * Self.day)))
    let begin = time.now
    time.advance(seconds: 3653 * Self.day)
    let key = try Make.key("k")
    let command = try LedgerCommand.spend(gems, customer: alice, key: key)
    let refusal = assertRefused(.clockImplausible) { try ledger.book(command) }
    XCTAssertEqual(refusal?.details, [.text("clock", time.now.description), .text("newest", begin.description)])
    assertRefused(.clockImplausible) { try ledger.preview(command) }
    assertRefused(.clockImplausible) { try ledger.sweep() }
    assertRefused(.clockImplausible) { try ledger.creditPurchase(Make.purchase("t"), customer: alice) }
    time.set(begin.advanced(by: .seconds(3600)))
    // The key was not used up, and nothing has expired.
    XCTAssertFalse(try ledger.book(command).isReplayed)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 95)
    let hold = try XCTUnwrap(try ledger.hold(gems, customer: alice, for: .seconds(3600)).hold)
    XCTAssertEqual(hold.expiresAt, begin.advanced(by: .seconds(7200)))
    time.advance(seconds: 3600)
    try assertHeld(0, alice, ledger)
    try check(ledger)
  }

  private func assertHeld(_ held: Int64, _ customer: CustomerID, _ ledger: Ledger, line: UInt = #line) throws {
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: customer).held, held, line: line)
  }

  func testALedgerThatWasIdleForAYearGoesOn() throws {
    let ledger = try ledger()
    let customers = try (0..<8).map { try Make.customer("customer \($0)") }
    for customer in customers { try ledger.grant([Make.amount("GEM", 10)], customer: customer) }
    time.advance(seconds: 400 * Self.day)
    try ledger.spend([Make.amount("GEM", 1)], customer: customers[0])
    // Lanes of other customers were idle all the time; the ledger was not.
    time.advance(seconds: 400 * Self.day)
    for customer in customers { try ledger.spend([Make.amount("GEM", 1)], customer: customer) }
    try check(ledger)
  }

  func testAClockFarBehindBooksNothing() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let gems = [try Make.amount("GEM", 10)]
    try ledger.grant([Make.amount("GEM", 100)], customer: alice)
    let newest = time.now
    time.set(newest.advanced(by: .seconds(-Self.day)))
    XCTAssertEqual(try ledger.spend(gems, customer: alice).createdAt, newest)
    time.set(newest.advanced(by: .seconds(-Self.day - 1)))
    let refusal = assertRefused(.clockImplausible) { try ledger.spend(gems, customer: alice) }
    XCTAssertEqual(refusal?.details, [.text("clock", time.now.description), .text("newest", newest.description)])
    // The existing rows can be read.
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 90)
    time.set(newest)
    try ledger.spend(gems, customer: alice)
    try check(ledger)
  }

  /// After an operator has accepted the clock, bookings go by it: deadlines keep their length, in either direction.
  func testAnAcceptedClockGoesOn() throws {
    for days in [-3653, 3653] as [Int64] {
      let ledger = try ledger()
      let alice = try Make.customer("alice")
      try ledger.grant([Make.amount("GEM", 100)], customer: alice)
      let newest = time.now
      time.advance(seconds: days * Self.day)
      let accepted = Ledger(storage: ledger.storage, clock: time.clock.accepted)
      let gems = [try Make.amount("GEM", 10)]
      let booking = try accepted.hold(gems, customer: alice, for: .seconds(3600))
      let start = max(newest, time.now)
      XCTAssertEqual(booking.createdAt, start)
      XCTAssertEqual(booking.hold?.expiresAt, start.advanced(by: .seconds(3600)))
      time.advance(seconds: 3599)
      try assertHeld(10, alice, accepted)
      time.advance(seconds: 1)
      try assertHeld(0, alice, accepted)
      XCTAssertEqual(try accepted.spend(gems, customer: alice).createdAt, start.advanced(by: .seconds(3600)))
      // Where the ledger was idle, the one booking is enough for all others.
      if days > 0 { try ledger.spend(gems, customer: alice) }
      try check(ledger)
    }
  }

  // MARK: Previews

  /// Another hold would get the previewed id, and a capture by that id would take another customer's currency.
  func testAPreviewNamesNothingThatItWouldMake() throws {
    let ledger = try ledger()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for customer in [alice, bob] { try ledger.grant([Make.amount("GEM", 100)], customer: customer) }
    let gems = [try Make.amount("GEM", 10)]
    let preview = try ledger.preview(.hold(gems, customer: alice))
    XCTAssertNil(preview.transactionID)
    XCTAssertNil(preview.hold?.id)
    XCTAssertEqual(preview.hold?.amounts.map(\.amount), [10])
    let transfer = try ledger.preview(.transfer(gems, from: alice, to: bob))
    XCTAssertEqual(transfer.parties.map(\.customer), [bob])
    XCTAssertEqual(transfer.parties.map(\.transactionID), [nil])
    // A hold that is there has its name in the preview of its capture, and in that of a command that was booked.
    let key = try Make.key("k")
    let hold = try XCTUnwrap(try ledger.hold(gems, customer: alice, key: key).hold?.id)
    XCTAssertEqual(try ledger.preview(.capture(hold)).hold?.id, hold)
    XCTAssertEqual(try ledger.preview(.hold(gems, customer: alice, key: key)).hold?.id, hold)
    try check(ledger)
  }
}
