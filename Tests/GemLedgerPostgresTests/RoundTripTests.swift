#if PostgreSQL
@testable import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A group costs two round trips, however many commands it has: one that begins it and fetches, one that writes and
/// commits.
final class RoundTripTests: XCTestCase {
  private let sizes = [1, 32, 256, 1024]
  private var ledger: Ledger?
  private var url = ""

  private func open() throws -> (Ledger, [CustomerID]) {
    url = try PostgresServer.shared().createDatabase()
    // One lane, so that the commands that are handed in together are one group.
    let ledger = try Ledger.createPostgres(at: url + "?lanes=1")
    try ledger.apply(Make.catalog())
    let customers = try (0..<1024).map { try Make.customer("customer \($0)") }
    let grants = try customers.map { LedgerCommand.grant([try Make.amount("GEM", 100)], customer: $0) }
    for answer in ledger.submit(grants) { _ = try answer.get() }
    self.ledger = ledger
    return (ledger, customers)
  }

  override func tearDownWithError() throws {
    try ledger.map { try assertBooksAddUp($0) }
    ledger?.close()
    ledger = nil
  }

  /// How many round trips each group takes.
  private func roundTrips(of groups: [[LedgerCommand]]) throws -> [Int] {
    let ledger = try XCTUnwrap(ledger)
    let storage = try XCTUnwrap(ledger.storage as? PostgresStorage)
    return try groups.map { group in
      let before = storage.roundTrips
      for answer in ledger.submit(group) { _ = try answer.get() }
      return storage.roundTrips - before
    }
  }

  func testPlainSpends() throws {
    let (_, customers) = try open()
    let spread = try sizes.map { size in
      try customers.prefix(size).map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0) }
    }
    XCTAssertEqual(try roundTrips(of: spread), [2, 2, 2, 2])
    let keyed = try sizes.map { size in
      try (0..<size).map { number in
        try LedgerCommand.spend(
          [Make.amount("GEM", 1)], customer: customers[number % 300], key: Make.key("\(size) \(number)"))
      }
    }
    XCTAssertEqual(try roundTrips(of: keyed), [2, 2, 2, 2])
    let oneCustomers = try sizes.map { size in
      try (0..<size).map { _ in try LedgerCommand.spend([Make.amount("GEM", 1)], customer: customers[1000]) }
    }
    try ledger?.grant([Make.amount("GEM", 2000)], customer: customers[1000])
    XCTAssertEqual(try roundTrips(of: oneCustomers), [2, 2, 2, 2])
  }

  /// Commands that come while a group waits for its lane go with it, at one round trip more.
  func testLatecomersGoWithTheGroup() async throws {
    let (ledger, customers) = try open()
    let storage = try XCTUnwrap(ledger.storage as? PostgresStorage)
    let before = storage.roundTrips
    let gate = try PostgresConnection(PostgresTarget(url: url))
    try gate.execute(["BEGIN", "SELECT 1 FROM lanes FOR UPDATE"])
    func spend(_ address: Int) throws -> Task<Booking, any Error> {
      let command = try LedgerCommand.spend([Make.amount("GEM", 1)], customer: customers[address], key: Make.key("k"))
      return Task { try await ledger.book(command) }
    }
    var tasks = [try spend(0)]
    let isWaiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
    while try PostgresServer.shared().execute(isWaiting, on: url) == ["0"] { await Task.yield() }
    tasks += try (1..<40).map(spend)
    while ledger.lanes[0].waitingCount < 39 { await Task.yield() }
    try gate.execute(["COMMIT"])
    for task in tasks {
      let booking = try await task.value
      XCTAssertEqual(booking.entries.map(\.balance), [99])
    }
    XCTAssertEqual(storage.roundTrips - before, 3)
  }

  /// Currency of another source than an account's usual one has a lot of its own, which is looked for.
  func testCreditsOfAnotherSource() throws {
    let (_, customers) = try open()
    for _ in 0..<2 {
      let credits = try sizes.map { size in
        try customers.prefix(size).map { LedgerCommand.adjust([try Make.amount("GEM", 1)], customer: $0) }
      }
      XCTAssertEqual(try roundTrips(of: credits), [3, 3, 3, 3])
    }
  }

  func testPurchasesAndSpendsOverTheirLots() throws {
    let (_, customers) = try open()
    func purchases(_ name: String) throws -> [[LedgerCommand]] {
      try sizes.map { size in
        try customers.prefix(size).enumerated().map { number, customer in
          .creditPurchase(try Make.purchase("\(name) \(size) \(number)"), customer: customer)
        }
      }
    }
    // Only the first purchase of a product looks up its frozen definition and writes it.
    let first = try roundTrips(of: purchases("first"))
    XCTAssertLessThanOrEqual(first[0], 4)
    XCTAssertEqual(first.dropFirst(), [2, 2, 2])
    XCTAssertEqual(try roundTrips(of: purchases("second")), [2, 2, 2, 2])
    let spends = try sizes.map { size in
      try customers.prefix(size).map { try LedgerCommand.spend([Make.amount("GEM", 1250)], customer: $0) }
    }
    XCTAssertEqual(try roundTrips(of: spends), [2, 2, 2, 2])
  }

  /// A ledger without lots of their own is not asked for any after a while; one that another process makes is found.
  func testLotsThatComeLaterAreFetched() throws {
    let (ledger, customers) = try open()
    let spends = try customers.prefix(2).map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0) }
    for _ in 0..<80 { XCTAssertEqual(try roundTrips(of: [spends]), [2]) }
    let other = try PostgresStorage(url: url)
    let second = Ledger(storage: other)
    for customer in customers.prefix(2) {
      try second.creditPurchase(Make.purchase("of \(customer)"), customer: customer)
    }
    second.close()
    // 20 of the 1,200 paid ones are burned behind the 20 free ones.
    let big = try customers.prefix(2).map { try LedgerCommand.spend([Make.amount("GEM", 40)], customer: $0) }
    XCTAssertEqual(try roundTrips(of: [big, big]), [3, 2])
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: customers[0]).balance, 1140)
  }

  func testNewCustomers() throws {
    _ = try open()
    let grants = try sizes.map { size in
      try (0..<size).map {
        LedgerCommand.grant([try Make.amount("GEM", 1)], customer: try Make.customer("\(size) \($0)"))
      }
    }
    XCTAssertEqual(try roundTrips(of: grants), [2, 2, 2, 2])
  }
}
#endif
