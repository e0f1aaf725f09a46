package import GemLedger
internal import XCTest

/// How a storage keeps effects, holds and counts; part of ``StorageContract``.
package struct EffectContract {
  private let make: (LedgerClock) throws -> Ledger
  private let time = ManualClock()

  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    try testEffectsAreFound()
    try testEffectsAreScannedInOrder()
    try testHoldsComeAndGo()
    try testCountsAreWrittenOver()
    try testAccountsKnowWhatIsHeldAndDue()
    try testLotsKnowTheirOrigin()
  }

  // MARK: Effects

  /// Two transactions of alice's and one of bob's, with effects of every kind.
  private struct Scene {
    let ledger: Ledger
    let alice: CustomerNumber
    let bob: CustomerNumber
    let first: TransactionNumber
    let second: TransactionNumber
    let bobs: TransactionNumber
    let effects: [EffectRow]

    /// In the order in which a scan gives them.
    var inOrder: [EffectRow] { effects.sorted { ($0.transaction, $0.position) < ($1.transaction, $1.position) } }
  }

  private func scene() throws -> Scene {
    let ledger = try make(time.clock)
    try ledger.apply(Make.catalog())
    let bobs = try ledger.newTransaction("bob")
    let first = try ledger.newTransaction("alice")
    let second = try ledger.newTransaction("alice")
    let (alice, bob) = (try ledger.number(of: "alice"), try ledger.number(of: "bob"))
    let now = time.now
    let composed = CountKey(.bought, "caf\u{E9}")
    let decomposed = CountKey(.bought, "cafe\u{301}")
    func effect(
      _ transaction: TransactionNumber, _ position: Int64, _ kind: EffectRow.Kind, target: TransactionNumber = 0,
      amount: Int64 = 0, value: Int64 = 0, count: CountKey? = nil, period: Int64 = 0, heldAfter: Int64 = 0
    ) -> EffectRow {
      let isOfLot = amount != 0
      return EffectRow(
        transaction: transaction, position: position, customer: transaction == bobs ? bob : alice, kind: kind,
        target: target, currency: isOfLot ? 1 : 0, lot: isOfLot ? 7 : 0, amount: amount, value: value, count: count,
        period: period, createdAt: now, heldAfter: heldAfter)
    }
    let effects = [
      effect(first, 1, .deadline, target: first, value: now.milliseconds + 1000),
      effect(first, 2, .held, target: first, amount: 30, heldAfter: 30),
      effect(first, 3, .counted, value: 3, count: composed, period: 86_400_000),
      effect(first, 4, .counted, value: -3, count: decomposed),
      effect(second, 1, .captured, target: first, amount: 20, heldAfter: 10),
      effect(second, 2, .released, target: first, amount: 10),
      effect(second, 3, .reversal, target: bobs),
      effect(second, 4, .late, target: first),
      effect(bobs, 1, .linked, target: second, value: alice),
      effect(
        bobs, 2, .counted, value: RowBounds.instant, count: CountKey(.recharged, "GEM"),
        period: -RowBounds.instant),
    ]
    try ledger.write { $0.effects = Array(effects[8...]) }
    try ledger.write { $0.effects = Array(effects[..<8]) }
    return Scene(ledger: ledger, alice: alice, bob: bob, first: first, second: second, bobs: bobs, effects: effects)
  }

  func testEffectsAreFound() throws {
    let scene = try scene()
    let (alices, bobs) = (Array(scene.effects[..<8]), Array(scene.effects[8...]))
    let owners = [scene.alice, scene.bob]
    try scene.ledger.storage.read { (snapshot) throws(LedgerError) in
      XCTAssertEqual(try snapshot.effects(of: scene.first, ofAny: owners), Array(alices[..<4]))
      XCTAssertEqual(try snapshot.effects(of: scene.bobs, ofAny: owners), bobs)
      XCTAssertEqual(try snapshot.effects(of: scene.bobs, ofAny: [scene.bob]), bobs)
      XCTAssertEqual(try snapshot.effects(of: scene.second + 1_000_000, ofAny: owners), [])
      let about = alices.filter { $0.target == scene.first }
      XCTAssertEqual(try snapshot.effects(about: scene.first, ofAny: owners), about)
      XCTAssertEqual(try snapshot.effects(about: scene.first, ofAny: [scene.alice]), about)
      XCTAssertEqual(try snapshot.effects(about: scene.second, ofAny: owners), [bobs[0]])
      XCTAssertEqual(try snapshot.effects(about: scene.second + 1_000_000, ofAny: owners), [])
      // Holds and counts, newest first; the last transaction is given whole.
      let (first, second) = (
        Array(alices[..<4].reversed().filter(\.kind.isAskedByCustomer)),
        Array(alices[4...].reversed().filter(\.kind.isAskedByCustomer))
      )
      XCTAssertEqual(try snapshot.effects(of: scene.alice, below: .max, limit: 100), second + first)
      XCTAssertEqual(try snapshot.effects(of: scene.alice, below: .max, limit: 3), second + first)
      for limit in 1...2 {
        let page = try snapshot.effects(of: scene.alice, below: .max, limit: limit)
        XCTAssertEqual(page, second, "limit \(limit)")
      }
      XCTAssertEqual(try snapshot.effects(of: scene.alice, below: scene.second, limit: 1), first)
      XCTAssertEqual(try snapshot.effects(of: scene.alice, below: scene.first, limit: 1), [])
      XCTAssertEqual(
        try snapshot.effects(of: scene.bob, below: .max, limit: 9), bobs.reversed().filter(\.kind.isAskedByCustomer))
    }
    scene.ledger.close()
  }

  func testEffectsAreScannedInOrder() throws {
    let scene = try scene()
    let holds = [
      HoldRow(number: scene.first, customer: scene.alice, deadline: time.now),
      HoldRow(number: scene.bobs, customer: scene.bob, deadline: time.now),
    ]
    let counts = [
      CountRow(customer: scene.bob, key: CountKey(.sold, "b"), period: 1, value: 1),
      CountRow(customer: scene.alice, key: CountKey(.sold, "a"), period: 2, value: 2),
      CountRow(customer: scene.alice, key: CountKey(.bought, "z"), period: 3, value: 3),
      CountRow(customer: scene.alice, key: CountKey(.bought, "b"), period: 4, value: 4),
    ]
    try scene.ledger.write {
      $0.holds = holds
      $0.counts = counts
    }
    for limit in [1, 3, 100] {
      let found = try scene.ledger.scanned(limit: limit)
      XCTAssertEqual(found.effects, scene.inOrder, "limit \(limit)")
      XCTAssertEqual(found.holds, holds.sorted { $0.number < $1.number }, "limit \(limit)")
      XCTAssertEqual(
        found.counts, counts.sorted { ($0.customer, $0.key) < ($1.customer, $1.key) }, "limit \(limit)")
    }
    scene.ledger.close()
  }

  // MARK: Holds and counts

  func testHoldsComeAndGo() throws {
    let scene = try scene()
    let (ledger, alice, bob) = (scene.ledger, scene.alice, scene.bob)
    func assertHolds(_ ofAlice: [HoldRow], _ ofBob: [HoldRow], line: UInt = #line) throws {
      try ledger.storage.read { (snapshot) throws(LedgerError) in
        XCTAssertEqual(try snapshot.holds(of: alice), ofAlice, line: line)
        XCTAssertEqual(try snapshot.holds(of: bob), ofBob, line: line)
        for number in [scene.first, scene.second, scene.bobs] {
          let known = (ofAlice + ofBob).first { $0.number == number }
          XCTAssertEqual(try snapshot.hold(number, ofAny: [alice, bob]), known, line: line)
        }
      }
    }
    try assertHolds([], [])
    var early = HoldRow(number: scene.second, customer: alice, deadline: Timestamp(milliseconds: 5))
    var late = HoldRow(number: scene.first, customer: alice, deadline: Timestamp(milliseconds: 9))
    let bobs = HoldRow(number: scene.bobs, customer: bob, deadline: Timestamp(milliseconds: 7))
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
    let scene = try scene()
    let (ledger, alice) = (scene.ledger, scene.alice)
    func row(_ kind: CountKey.Kind, _ subject: String, _ period: Int64, _ value: Int64) -> CountRow {
      CountRow(customer: alice, key: CountKey(kind, subject), period: period, value: value)
    }
    let composed = row(.bought, "caf\u{E9}", 1, 1)
    let decomposed = row(.bought, "cafe\u{301}", 2, 2)
    var spent = row(.spent, "GEM", 0, 10)
    let bobs = CountRow(customer: scene.bob, key: spent.key, period: 5, value: 50)
    try ledger.write { $0.counts = [spent, composed, decomposed, bobs] }
    spent.period = -RowBounds.instant
    spent.value = RowBounds.instant
    let granted = row(.granted, "GEM", 0, -1)
    try ledger.write { $0.counts = [spent, granted] }
    func counts(of customer: CustomerNumber) throws -> [CountRow] {
      try ledger.storage.read { (snapshot) throws(LedgerError) -> [CountRow] in try snapshot.counts(of: customer) }
    }
    func count(_ key: CountKey) throws -> CountRow? {
      try ledger.storage.read { (snapshot) throws(LedgerError) -> CountRow? in try snapshot.count(key, of: alice) }
    }
    XCTAssertEqual(try counts(of: alice), [decomposed, composed, spent, granted])
    XCTAssertEqual(try counts(of: scene.bob), [bobs])
    XCTAssertEqual(try count(composed.key), composed)
    XCTAssertEqual(try count(decomposed.key), decomposed)
    XCTAssertEqual(try count(spent.key), spent)
    XCTAssertNil(try count(CountKey(.spent, "gem")))
    try ledger.write { $0.endedCounts = [spent, composed] }
    XCTAssertEqual(try counts(of: alice), [decomposed, granted])
    XCTAssertNil(try count(spent.key))
    XCTAssertEqual(try counts(of: scene.bob), [bobs])
    ledger.close()
  }

  // MARK: Columns of older tables

  func testAccountsKnowWhatIsHeldAndDue() throws {
    let scene = try scene()
    let number = AccountNumber(customer: scene.alice, currency: 1)
    func account() throws -> AccountRow {
      let row = try scene.ledger.storage.read { (snapshot) throws(LedgerError) -> AccountRow? in
        let row = try snapshot.account(number)
        XCTAssertEqual(row, try snapshot.accounts(of: scene.alice).first)
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
      try scene.ledger.writeAll { $0.changedAccounts = [row] }
      XCTAssertEqual(try account(), row)
    }
    scene.ledger.close()
  }

  func testLotsKnowTheirOrigin() throws {
    let scene = try scene()
    let account = AccountNumber(customer: scene.alice, currency: 1)
    let numbers = try scene.ledger.storage.read { (snapshot) throws(LedgerError) -> [LotNumber] in
      let first = try snapshot.number(after: snapshot.last(.lot), in: .lot)
      return [first, try snapshot.number(after: first, in: .lot)]
    }
    let rows = numbers.map {
      LotRow(
        number: $0, account: account, source: .paid, environment: 1, granted: 5, remaining: 5, price: nil,
        purchase: nil, expiresAt: .max)
    }
    let terms = [LotTermsRow(of: rows[0]), LotTermsRow(of: rows[1], origin: 77)]
    try scene.ledger.writeAll {
      $0.newLots = rows
      $0.lastLot = numbers[1]
      var rare = RareChanges()
      rare.lotTerms = terms
      $0.rare = rare
    }
    try scene.ledger.storage.read { (snapshot) throws(LedgerError) in
      XCTAssertEqual(try snapshot.lotTerms(numbers[0]), terms[0])
      XCTAssertEqual(try snapshot.lotTerms(numbers[1]), terms[1])
      XCTAssertEqual(try snapshot.lotTerms(numbers.map { RowPlace($0, of: scene.alice) })[numbers[1]]?.origin, 77)
      XCTAssertEqual(try snapshot.scan().lotTerms(after: numbers[1] - 1, limit: 1), [terms[1]])
    }
    scene.ledger.close()
  }
}
