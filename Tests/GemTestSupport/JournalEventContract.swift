package import GemLedger
internal import XCTest

/// How a storage keeps effects, holds and counts; part of ``StorageContract``.
package struct JournalEventContract {
  private let make: (LedgerClock) throws -> Ledger
  private let time = ManualClock()

  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testEffectsAreFound", testEffectsAreFound)
    run.step("testEffectsAreScannedInOrder", testEffectsAreScannedInOrder)
    run.step("testHoldsComeAndGo", testHoldsComeAndGo)
    run.step("testCountsAreWrittenOver", testCountsAreWrittenOver)
    run.step("testAccountsKnowWhatIsHeldAndDue", testAccountsKnowWhatIsHeldAndDue)
    run.step("testLotsKnowTheirOrigin", testLotsKnowTheirOrigin)
  }

  // MARK: Effects

  /// Two transactions of alice's and one of bob's, with effects of every kind.
  private struct Fixture {
    let ledger: Ledger
    let alice: CustomerNumber
    let bob: CustomerNumber
    let first: TransactionNumber
    let second: TransactionNumber
    let bobs: TransactionNumber
    let events: [JournalEventRow]

    /// In the order in which a scan gives them.
    var inOrder: [JournalEventRow] { events.sorted { ($0.transaction, $0.position) < ($1.transaction, $1.position) } }
  }

  private func fixture() throws -> Fixture {
    let ledger = try make(time.clock)
    try ledger.apply(Make.catalog())
    let bobs = try ledger.newTransaction("bob")
    let first = try ledger.newTransaction("alice")
    let second = try ledger.newTransaction("alice")
    let (alice, bob) = (try ledger.number(of: "alice"), try ledger.number(of: "bob"))
    let now = time.now
    let composed = CountKey(.bought, "caf\u{E9}")
    let decomposed = CountKey(.bought, "cafe\u{301}")
    func event(
      _ transaction: TransactionNumber, _ position: Int64, _ kind: JournalEventRow.Kind, target: TransactionNumber = 0,
      amount: Int64 = 0, value: Int64 = 0, count: CountKey? = nil, period: Int64 = 0, heldAfter: Int64 = 0
    ) -> JournalEventRow {
      let isOfLot = amount != 0
      return JournalEventRow(
        transaction: transaction, position: position, customer: transaction == bobs ? bob : alice, kind: kind,
        target: target, currency: isOfLot ? 1 : 0, lot: isOfLot ? 7 : 0, amount: amount, value: value, count: count,
        period: period, createdAt: now, heldAfter: heldAfter)
    }
    let events = [
      event(first, 1, .deadline, target: first, value: now.milliseconds + 1000),
      event(first, 2, .held, target: first, amount: 30, heldAfter: 30),
      event(first, 3, .counted, value: 3, count: composed, period: 86_400_000),
      event(first, 4, .counted, value: -3, count: decomposed),
      event(second, 1, .captured, target: first, amount: 20, heldAfter: 10),
      event(second, 2, .released, target: first, amount: 10),
      event(second, 3, .reversal, target: bobs),
      event(second, 4, .late, target: first),
      event(bobs, 1, .linked, target: second, value: alice),
      event(
        bobs, 2, .counted, value: RowBounds.instant, count: CountKey(.recharged, "GEM"),
        period: -RowBounds.instant),
    ]
    try ledger.write { $0.events = Array(events[8...]) }
    try ledger.write { $0.events = Array(events[..<8]) }
    return Fixture(ledger: ledger, alice: alice, bob: bob, first: first, second: second, bobs: bobs, events: events)
  }

  func testEffectsAreFound() throws {
    let fixture = try fixture()
    let (alices, bobs) = (Array(fixture.events[..<8]), Array(fixture.events[8...]))
    let owners = [fixture.alice, fixture.bob]
    try fixture.ledger.storage.read { (snapshot) throws(LedgerError) in
      XCTAssertEqual(try snapshot.events(of: fixture.first, ofAny: owners), Array(alices[..<4]))
      XCTAssertEqual(try snapshot.events(of: fixture.bobs, ofAny: owners), bobs)
      XCTAssertEqual(try snapshot.events(of: fixture.bobs, ofAny: [fixture.bob]), bobs)
      XCTAssertEqual(try snapshot.events(of: fixture.second + 1_000_000, ofAny: owners), [])
      let about = alices.filter { $0.target == fixture.first }
      XCTAssertEqual(try snapshot.events(about: fixture.first, ofAny: owners), about)
      XCTAssertEqual(try snapshot.events(about: fixture.first, ofAny: [fixture.alice]), about)
      XCTAssertEqual(try snapshot.events(about: fixture.second, ofAny: owners), [bobs[0]])
      XCTAssertEqual(try snapshot.events(about: fixture.second + 1_000_000, ofAny: owners), [])
      // Holds and counts, newest first; the last transaction is given whole.
      let (first, second) = (
        Array(alices[..<4].reversed().filter(\.kind.isAskedByCustomer)),
        Array(alices[4...].reversed().filter(\.kind.isAskedByCustomer))
      )
      XCTAssertEqual(try snapshot.events(of: fixture.alice, below: .max, limit: 100), second + first)
      XCTAssertEqual(try snapshot.events(of: fixture.alice, below: .max, limit: 3), second + first)
      for limit in 1...2 {
        let page = try snapshot.events(of: fixture.alice, below: .max, limit: limit)
        XCTAssertEqual(page, second, "limit \(limit)")
      }
      XCTAssertEqual(try snapshot.events(of: fixture.alice, below: fixture.second, limit: 1), first)
      XCTAssertEqual(try snapshot.events(of: fixture.alice, below: fixture.first, limit: 1), [])
      XCTAssertEqual(
        try snapshot.events(of: fixture.bob, below: .max, limit: 9), bobs.reversed().filter(\.kind.isAskedByCustomer))
    }
    fixture.ledger.close()
  }

  func testEffectsAreScannedInOrder() throws {
    let fixture = try fixture()
    let holds = [
      HoldRow(number: fixture.first, customer: fixture.alice, deadline: time.now),
      HoldRow(number: fixture.bobs, customer: fixture.bob, deadline: time.now),
    ]
    let counts = [
      CountRow(customer: fixture.bob, key: CountKey(.sold, "b"), period: 1, value: 1),
      CountRow(customer: fixture.alice, key: CountKey(.sold, "a"), period: 2, value: 2),
      CountRow(customer: fixture.alice, key: CountKey(.bought, "z"), period: 3, value: 3),
      CountRow(customer: fixture.alice, key: CountKey(.bought, "b"), period: 4, value: 4),
    ]
    try fixture.ledger.write {
      $0.holds = holds
      $0.counts = counts
    }
    for limit in [1, 3, 100] {
      let found = try fixture.ledger.scanned(limit: limit)
      XCTAssertEqual(found.events, fixture.inOrder, "limit \(limit)")
      XCTAssertEqual(found.holds, holds.sorted { $0.number < $1.number }, "limit \(limit)")
      XCTAssertEqual(
        found.counts, counts.sorted { ($0.customer, $0.key) < ($1.customer, $1.key) }, "limit \(limit)")
    }
    fixture.ledger.close()
  }

  // MARK: Holds and counts

  func testHoldsComeAndGo() throws {
    let fixture = try fixture()
    let (ledger, alice, bob) = (fixture.ledger, fixture.alice, fixture.bob)
    func assertHolds(_ ofAlice: [HoldRow], _ ofBob: [HoldRow], line: UInt = #line) throws {
      try ledger.storage.read { (snapshot) throws(LedgerError) in
        XCTAssertEqual(try snapshot.holds(of: alice), ofAlice, line: line)
        XCTAssertEqual(try snapshot.holds(of: bob), ofBob, line: line)
        for number in [fixture.first, fixture.second, fixture.bobs] {
          let known = (ofAlice + ofBob).first { $0.number == number }
          XCTAssertEqual(try snapshot.hold(number, ofAny: [alice, bob]), known, line: line)
        }
      }
    }
    try assertHolds([], [])
    var early = HoldRow(number: fixture.second, customer: alice, deadline: Timestamp(milliseconds: 5))
    var late = HoldRow(number: fixture.first, customer: alice, deadline: Timestamp(milliseconds: 9))
    let bobs = HoldRow(number: fixture.bobs, customer: bob, deadline: Timestamp(milliseconds: 7))
    try ledger.write { $0.holds = [early, late, bobs] }
    try assertHolds([early, late], [bobs])
    // Extended: now both end at once, and the one that began first comes first.
    early.deadline = late.deadline
    try ledger.write { $0.holds = [early] }
    try assertHolds([late, early], [bobs])
    try ledger.write { $0.endedHolds = [early] }
    try assertHolds([late], [bobs])
    // A merged customer takes holds along.
    late.customer = bob
    try ledger.write { $0.holds = [late] }
    try assertHolds([], [bobs, late])
    // One that began and ended in the same group never was.
    try ledger.write {
      $0.holds = [early]
      $0.endedHolds = [early, late, bobs]
    }
    try assertHolds([], [])
    ledger.close()
  }

  func testCountsAreWrittenOver() throws {
    let fixture = try fixture()
    let (ledger, alice) = (fixture.ledger, fixture.alice)
    func row(_ kind: CountKey.Kind, _ subject: String, _ period: Int64, _ value: Int64) -> CountRow {
      CountRow(customer: alice, key: CountKey(kind, subject), period: period, value: value)
    }
    let composed = row(.bought, "caf\u{E9}", 1, 1)
    let decomposed = row(.bought, "cafe\u{301}", 2, 2)
    var spent = row(.spent, "GEM", 0, 10)
    let bobs = CountRow(customer: fixture.bob, key: spent.key, period: 5, value: 50)
    try ledger.write { $0.counts = [spent, composed, decomposed, bobs] }
    spent.period = -RowBounds.instant
    spent.value = RowBounds.instant
    let granted = row(.granted, "GEM", 0, -1)
    try ledger.write { $0.counts = [spent, granted] }
    func counts(of customer: CustomerNumber) throws -> [CountRow] {
      try ledger.storage.read { (snapshot) throws(LedgerError) -> [CountRow] in try snapshot.counts(of: customer) }
    }
    func count(_ key: CountKey) throws -> CountRow? {
      try ledger.storage.read { (snapshot) throws(LedgerError) -> CountRow? in
        try snapshot.row(CountRow.byKey, IndexKey(alice, key.kind.rawValue, text: key.subject))
      }
    }
    XCTAssertEqual(try counts(of: alice), [decomposed, composed, spent, granted])
    XCTAssertEqual(try counts(of: fixture.bob), [bobs])
    XCTAssertEqual(try count(composed.key), composed)
    XCTAssertEqual(try count(decomposed.key), decomposed)
    XCTAssertEqual(try count(spent.key), spent)
    XCTAssertNil(try count(CountKey(.spent, "gem")))
    try ledger.write { $0.endedCounts = [spent, composed] }
    XCTAssertEqual(try counts(of: alice), [decomposed, granted])
    XCTAssertNil(try count(spent.key))
    XCTAssertEqual(try counts(of: fixture.bob), [bobs])
    ledger.close()
  }

  // MARK: Columns of older tables

  func testAccountsKnowWhatIsHeldAndDue() throws {
    let fixture = try fixture()
    let number = AccountNumber(customer: fixture.alice, currency: 1)
    func account() throws -> AccountRow {
      let row = try fixture.ledger.storage.read { (snapshot) throws(LedgerError) -> AccountRow? in
        let row = try snapshot.account(number)
        XCTAssertEqual(row, try snapshot.accounts(of: fixture.alice).first)
        XCTAssertEqual(
          row, try snapshot.scan().accounts(after: AccountNumber(rawValue: 0), limit: 9).first { $0.number == number })
        return row
      }
      return try XCTUnwrap(row)
    }
    var row = try account()
    XCTAssertEqual(row.nextDue, .max)
    for due in [0, 1_767_225_600_000, Int64.max] {
      row.held += 1
      row.nextDue = due
      try fixture.ledger.writeAll { $0.changedAccounts = [row] }
      XCTAssertEqual(try account(), row)
    }
    fixture.ledger.close()
  }

  func testLotsKnowTheirOrigin() throws {
    let fixture = try fixture()
    let account = AccountNumber(customer: fixture.alice, currency: 1)
    let numbers = try fixture.ledger.storage.read { (snapshot) throws(LedgerError) -> [LotNumber] in
      let first = try snapshot.number(after: snapshot.last(.lot), in: .lot)
      return [first, try snapshot.number(after: first, in: .lot)]
    }
    let rows = numbers.map {
      LotRow(
        number: $0, account: account, source: .paid, environment: 1, granted: 5, remaining: 5, price: nil,
        purchase: nil, expiresAt: .max)
    }
    let attributes = [LotAttributesRow(of: rows[0]), LotAttributesRow(of: rows[1], originalLot: 77)]
    try fixture.ledger.writeAll {
      $0.newLots = rows
      $0.lastLot = numbers[1]
      var cold = ColdChanges()
      cold.lotAttributes = attributes
      $0.cold = cold
    }
    try fixture.ledger.storage.read { (snapshot) throws(LedgerError) in
      XCTAssertEqual(try snapshot.lotAttributes(numbers[0]), attributes[0])
      XCTAssertEqual(try snapshot.lotAttributes(numbers[1]), attributes[1])
      XCTAssertEqual(
        try snapshot.lotAttributes(numbers.map { RowAddress($0, of: fixture.alice) })[numbers[1]]?.originalLot, 77)
      XCTAssertEqual(try snapshot.scan().lotAttributes(after: numbers[1] - 1, limit: 1), [attributes[1]])
    }
    fixture.ledger.close()
  }
}
