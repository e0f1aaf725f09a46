#if PostgreSQL
import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import Synchronization
import XCTest

/// Two ledgers on one schema, asked for the same thing in the same instant.
final class ManyLedgersTests: XCTestCase {
  private var url = ""
  private var ledgers: [Ledger] = []

  override func setUpWithError() throws {
    url = try PostgresServer.shared().createDatabase()
    ledgers = [try Ledger.createPostgres(at: url + "?lanes=4"), try Ledger.openPostgres(at: url)]
    try ledgers[0].apply(Make.catalog())
  }

  override func tearDownWithError() throws {
    for ledger in ledgers {
      try assertBooksAddUp(ledger)
      ledger.close()
    }
    ledgers = []
  }

  /// Books one command on each ledger at once, again and again; returns the results of each pair.
  private func race(
    _ rounds: Int, _ commands: (Int) throws -> [LedgerCommand]
  ) throws -> [[Result<Booking, LedgerError>]] {
    try (0..<rounds).map { round in
      let pair = try commands(round)
      let ledgers = ledgers
      let answers = Mutex<[Int: Result<Booking, LedgerError>]>([:])
      atOnce(pair.count) { index in
        let answer = ledgers[index % ledgers.count].submit([pair[index]])[0]
        answers.withLock { $0[index] = answer }
      }
      return answers.withLock { answers in pair.indices.compactMap { answers[$0] } }
    }
  }

  private func balance(_ customer: CustomerID, _ code: String = "GEM") throws -> Int64 {
    try ledgers[0].balance(of: CurrencyCode(code), customer: customer).balance
  }

  func testOneKeyFromBothIsBookedOnce() throws {
    let alice = try Make.customer("alice")
    try ledgers[0].grant([Make.amount("GEM", 1000)], customer: alice)
    let rounds = try race(30) { round in
      let spend = try LedgerCommand.spend([Make.amount("GEM", 3)], customer: alice, key: Make.key("tap \(round)"))
      return [spend, spend]
    }
    for answers in rounds {
      let bookings = try answers.map { try $0.get() }
      XCTAssertEqual(bookings.map(\.isReplayed).sorted { !$0 && $1 }, [false, true])
      XCTAssertEqual(bookings[0].transactionID, bookings[1].transactionID)
      XCTAssertEqual(bookings[0].entries, bookings[1].entries)
    }
    XCTAssertEqual(try balance(alice), 910)
  }

  func testOneStoreTransactionForTwoCustomersHasOneOwner() throws {
    let people = [try Make.customer("alice"), try Make.customer("bob")]
    let session = try StoreEnvironment.xcode(session: "one")
    let rounds = try race(30) { round in
      // A session's first purchase also makes its environment.
      let purchase = try Make.purchase("t \(round)", environment: round % 2 == 0 ? .production : session)
      return people.map { .creditPurchase(purchase, customer: $0) }
    }
    for answers in rounds {
      let bookings = try answers.map { try $0.get() }
      XCTAssertEqual(bookings.map(\.isReplayed).sorted { !$0 && $1 }, [false, true])
      XCTAssertEqual(bookings[0].customer, bookings[1].customer)
    }
    XCTAssertEqual(try people.map { try ledgers[1].purchases(of: $0).purchases.count }.reduce(0, +), 30)
  }

  /// Two orders claim the same credited purchase of their customer: it pays for one of them.
  func testAPurchasePaysForOneOrder() throws {
    let people = [try Make.customer("alice"), try Make.customer("bob")]
    for round in 0..<30 { try ledgers[0].creditPurchase(Make.purchase("t \(round)"), customer: people[round % 2]) }
    let rounds = try race(30) { round in
      let payment = OrderOpening.PaidTransaction(environment: .production, id: try StoreTransactionID("t \(round)"))
      return try ["one", "other"].map { name in
        let opening = OrderOpening(
          code: try PurchaseCode("\(name) \(round)"), store: .apple, product: try ProductCode("gems_1200"),
          quantity: 1, request: "{}", key: nil, lifetimeMilliseconds: 1000, paidBy: payment)
        return .openOrder(opening, customer: people[round % 2])
      }
    }
    for answers in rounds {
      XCTAssertEqual(try answers.map { try $0.get().isReplayed }.sorted { !$0 && $1 }, [false, true])
    }
  }

  func testASessionsFirstPurchaseFromBoth() throws {
    let people = try (0..<4).map { try Make.customer("person \($0)") }
    let rounds = try race(10) { round in
      let purchase = try Make.purchase("t", environment: .xcode(session: "session \(round)"))
      return people.map { .creditPurchase(purchase, customer: $0) }
    }
    for answers in rounds {
      XCTAssertEqual(try answers.map { try $0.get() }.count { !$0.isReplayed }, 1)
    }
  }

  func testTheSameNewCustomerFromBoth() throws {
    let rounds = try race(30) { round in
      let newcomer = try Make.customer("new \(round)")
      return [
        .createCustomer(newcomer), .grant([try Make.amount("GEM", 5)], customer: newcomer),
        .createCustomer(newcomer), .creditPurchase(try Make.purchase("t \(round)"), customer: newcomer),
      ]
    }
    for (round, answers) in rounds.enumerated() {
      for answer in answers { _ = try answer.get() }
      XCTAssertEqual(try balance(Make.customer("new \(round)")), 1205)
    }
    XCTAssertEqual(try ledgers[1].everyCustomer().count, 30)
  }

  /// Merges a into b, b into c and c into a at once: in any order, all end as one customer, without a deadlock.
  func testMergesInACircle() throws {
    var refusals: [LedgerError.Code: Int] = [:]
    for round in 0..<12 {
      let people = try (0..<3).map { try Make.customer("\(round) \($0)") }
      for person in people { try ledgers[0].grant([Make.amount("GEM", 10)], customer: person) }
      let answers = try race(1) { _ in
        people.indices.map { .merge(from: people[$0], into: people[($0 + 1) % 3]) }
      }
      for case .failure(let error) in answers[0] { refusals[error.code, default: 0] += 1 }
      XCTAssertEqual(try people.map { try balance($0) }, [30, 30, 30])
      XCTAssertEqual(Set(try people.map { try ledgers[1].customer($0).originalID }).count, 1)
    }
    // The third of each circle finds one customer under both ids.
    XCTAssertEqual(refusals, [.sameCustomer: 12])
    XCTAssertEqual(try ledgers[1].everyCustomer().count, 12)
  }

  /// Threads of both ledgers spend from customers while these are merged.
  func testCommandsFindCustomersWhoAreMerged() throws {
    let people = try (0..<8).map { try Make.customer("person \($0)") }
    for person in people { try ledgers[0].grant([Make.amount("GEM", 100)], customer: person) }
    let ledgers = ledgers
    let failures = Mutex<[String]>([])
    atOnce(6) { thread in
      for number in 0..<(thread == 0 ? 7 : 20) {
        do {
          if thread == 0 {
            try ledgers[0].merge(from: people[number], into: people[number + 1])
          } else {
            try ledgers[thread % 2].spend([Make.amount("GEM", 1)], customer: people[(thread + number) % 8])
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    XCTAssertEqual(failures.withLock { $0 }, [])
    XCTAssertEqual(try balance(people[0]), 700)
  }

  /// One process merges customers and undoes it, in either direction; the other remembers each state before.
  func testCommandsFindCustomersThatWereMergedAndParted() throws {
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    var spends: [TransactionID] = []
    for person in [alice, bob] {
      try ledgers[0].grant([Make.amount("GEM", 100)], customer: person)
      spends.append(try XCTUnwrap(ledgers[1].spend([Make.amount("GEM", 1)], customer: person).transactionID))
    }
    for round in 0..<4 {
      let (part, survivor) = round % 2 == 0 ? (alice, bob) : (bob, alice)
      try ledgers[0].merge(from: part, into: survivor)
      for person in [alice, bob] { try ledgers[1].spend([Make.amount("GEM", 1)], customer: person) }
      XCTAssertEqual(try balance(alice), try balance(bob))
      // The customers of transactions are remembered too.
      for spend in spends {
        let hold = try ledgers[1].hold([Make.amount("GEM", 1)], customer: part, for: .seconds(60))
        try ledgers[1].release(try XCTUnwrap(hold.hold?.id))
        let refusal = ledgers[1].submit([.reverse(spend, amounts: [try Make.amount("GEM", 2)])])[0]
        XCTAssertThrowsError(try refusal.get())
      }
      try ledgers[0].unmerge(part)
      let before = [try balance(alice), try balance(bob)]
      for person in [alice, bob] { try ledgers[1].grant([Make.amount("GEM", 3)], customer: person) }
      XCTAssertEqual([try balance(alice), try balance(bob)], before.map { $0 + 3 })
    }
  }

  /// Threads of both ledgers spend while customers are merged and parted.
  func testThreadsSpendWhileCustomersArePartedAgain() throws {
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for person in [alice, bob] { try ledgers[0].grant([Make.amount("GEM", 1000)], customer: person) }
    let ledgers = ledgers
    let failures = Mutex<[String]>([])
    atOnce(5) { thread in
      for number in 0..<(thread == 0 ? 6 : 20) {
        do {
          if thread == 0 {
            try ledgers[0].merge(from: alice, into: bob)
            try ledgers[1].unmerge(alice)
          } else {
            try ledgers[thread % 2].spend([Make.amount("GEM", 1)], customer: number % 2 == 0 ? alice : bob)
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    XCTAssertEqual(failures.withLock { $0 }, [])
    XCTAssertEqual(try balance(alice) + balance(bob), 2000 - 80)
  }

  func testARefundRacesItsPurchase() throws {
    let alice = try Make.customer("alice")
    try ledgers[0].createCustomer(alice)
    var kept = 0
    for answers in try race(
      40,
      { round in
        let purchase = LedgerCommand.creditPurchase(try Make.purchase("t \(round)"), customer: alice)
        let refund = LedgerCommand.refund(try Make.refund("t \(round)"))
        return round % 2 == 0 ? [purchase, refund] : [refund, purchase]
      })
    {
      let bookings = try answers.map { try $0.get() }
      kept += bookings.count { $0.isAwaitingPurchase }
    }
    XCTAssertEqual(try balance(alice), 0)
    let gem = try XCTUnwrap(ledgers[1].verify().currencies.first { $0.currency.description == "GEM" })
    XCTAssertEqual(gem.kinds[.purchase], 40 * 1200)
    XCTAssertEqual(gem.kinds[.refund], -40 * 1200)
    print("of 40 refunds \(kept) came before their purchases")
  }

  func testNobodyChangesTheJournal() throws {
    let server = try PostgresServer.shared()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledgers[0].creditPurchase(Make.purchase("t", product: "bundle"), customer: alice, key: Make.key("k"))
    try ledgers[0].creditPurchase(Make.purchase("u"), customer: alice)
    try ledgers[0].spend([Make.amount("GEM", 1600)], customer: alice)
    try ledgers[0].refund(Make.refund("t"))
    try ledgers[0].grant([Make.amount("GEM", 1600)], customer: bob)
    try ledgers[0].merge(from: alice, into: bob)
    // Goes with the change that is refused.
    let event = "INSERT INTO gemledger.journal_events VALUES (1, 1, 1, 7, 0, 0, 0, 0, 0, 0, '', 0, 0, 0);"
    for table in SchemaTable.appendOnly {
      let before = table == "journal_events" ? event : ""
      let table = "gemledger.\(table)"
      if before.isEmpty {
        XCTAssertNotEqual(try server.execute("SELECT count(*) FROM \(table)", on: url), ["0"], table)
      }
      let column = try server.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = '\(table)'::regclass AND attnum = 1", on: url)
      for change in ["UPDATE \(table) SET \(column[0]) = \(column[0])", "DELETE FROM \(table)"] {
        XCTAssertThrowsError(try server.execute(before + change, on: url), change) {
          XCTAssertTrue("\($0)".contains("is append-only"), "\($0)")
        }
      }
    }
  }
}

/// Runs the body so many times side by side, however few processors there are.
private func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<count { DispatchQueue(label: "\(index)").async(group: group) { body(index) } }
  group.wait()
}
#endif
