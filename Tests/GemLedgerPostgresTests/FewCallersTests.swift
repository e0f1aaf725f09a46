#if PostgreSQL
@testable import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Few callers gather in one group over all lanes, so that several processes with few callers each make fewer groups.
final class FewCallersTests: XCTestCase {
  private var ledgers: [Ledger] = []
  private var url = ""

  private func open(lanes: Int = 2) throws -> (Ledger, [CustomerID]) {
    url = try PostgresServer.shared().createDatabase()
    let ledger = try Ledger.createPostgres(at: url + "?lanes=\(lanes)")
    ledgers = [ledger]
    try ledger.apply(Make.catalog())
    let customers = try (0..<64).map { try Make.customer("customer \($0)") }
    let grants = try customers.map { LedgerCommand.grant([try Make.amount("GEM", 100)], customer: $0) }
    for answer in ledger.submit(grants) { _ = try answer.get() }
    return (ledger, customers)
  }

  /// As another process does.
  private func openAnew() throws -> (Ledger, PostgresStorage) {
    let ledger = try Ledger.openPostgres(at: url)
    ledgers.append(ledger)
    return (ledger, try XCTUnwrap(ledger.storage as? PostgresStorage))
  }

  override func tearDownWithError() throws {
    try ledgers.first.map { try assertBooksAddUp($0) }
    for ledger in ledgers { ledger.close() }
    ledgers = []
  }

  private func spends(_ customers: some Collection<CustomerID>, _ key: String) throws -> [LedgerCommand] {
    try customers.map { try LedgerCommand.spend([Make.amount("GEM", 1)], customer: $0, key: Make.key(key)) }
  }

  /// Also if the process does not know the customers: their rows are read by their ids.
  func testFewCommandsOfSeveralLanesAreOneGroupOfTwoRoundTrips() throws {
    let (_, customers) = try open()
    let (ledger, storage) = try openAnew()
    // The catalog is read with the first group.
    for answer in ledger.submit(try spends(customers[60...61], "first")) { _ = try answer.get() }
    for key in ["unknown", "known"] {
      let before = (storage.groupCount, storage.roundTrips)
      let answers = try ledger.submit(spends(customers.prefix(16), key)).map { try $0.get() }
      XCTAssertEqual(storage.groupCount - before.0, 1, key)
      XCTAssertEqual(storage.roundTrips - before.1, 2, key)
      XCTAssertEqual(Set(answers.map { $0.entries.map(\.balance) }), [[key == "unknown" ? 99 : 98]])
    }
    let lanes = Set(try storage.lanes(of: spends(customers.prefix(16), "lanes")).joined())
    XCTAssertEqual(lanes, [0, 1])
    // Their keys were looked up too.
    for answer in ledger.submit(try spends(customers.prefix(16), "unknown")) {
      XCTAssertTrue(try answer.get().isReplayed)
    }
    let (third, _) = try openAnew()
    for answer in third.submit(try spends(customers.prefix(16), "unknown")) {
      XCTAssertTrue(try answer.get().isReplayed)
    }
  }

  /// A long list goes to the lanes side by side, as before.
  func testManyCommandsGoByLanes() throws {
    let (ledger, customers) = try open()
    let storage = try XCTUnwrap(ledger.storage as? PostgresStorage)
    let before = storage.groupCount
    for answer in ledger.submit(try spends(customers, "all")) { _ = try answer.get() }
    XCTAssertEqual(storage.groupCount - before, 2)
  }

  /// One caller alone locks only the lane of its customer, so that the other lane may be held.
  func testOneCallerLeavesTheOtherLaneFree() throws {
    let (_, customers) = try open()
    let (ledger, storage) = try openAnew()
    let lanes = try storage.lanes(of: spends(customers, "lanes"))
    let customer = try XCTUnwrap(zip(customers, lanes).first { $1 == [1] }?.0)
    for number in 0..<3 {
      _ = try ledger.spend([Make.amount("GEM", 1)], customer: customer, key: Make.key("\(number)"))
    }
    let gate = try PostgresConnection(PostgresTarget(url: url))
    try gate.execute(["BEGIN"])
    _ = try gate.ask(
      PostgresRequest("SELECT 1 FROM lanes WHERE customer = $1 FOR UPDATE") { $0.add(storage.layout.heads[0]) })
    _ = try ledger.spend([Make.amount("GEM", 1)], customer: customer, key: Make.key("free"))
    try gate.execute(["ROLLBACK"])
  }

  /// A group over all lanes numbers new customers, and so their lane, by each lane in turn.
  func testNewCustomersAreSpreadOverTheLanes() throws {
    _ = try open()
    let (ledger, storage) = try openAnew()
    let new = try (0..<24).map { try Make.customer("new \($0)") }
    for start in stride(from: 0, to: new.count, by: 4) {
      let grants = try new[start..<start + 4].map { LedgerCommand.grant([try Make.amount("GEM", 1)], customer: $0) }
      for answer in ledger.submit(grants) { _ = try answer.get() }
    }
    let lanes = try storage.lanes(of: spends(new, "lanes")).joined()
    XCTAssertEqual(lanes.filter { $0 == 0 }.count, 12)
    XCTAssertEqual(lanes.filter { $0 == 1 }.count, 12)
  }

  /// Histories stay in order where groups over all lanes and groups of one lane take turns, in several processes.
  func testProcessesWithFewAndWithManyCallersKeepOneOrder() async throws {
    let (first, customers) = try open(lanes: 3)
    let (second, _) = try openAnew()
    let (third, _) = try openAnew()
    let perCaller = 12
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (ledger, callers) in [(first, 40), (second, 6), (third, 1)] {
        for caller in 0..<callers {
          group.addTask {
            for number in 0..<perCaller {
              // Some keys come from several ledgers, and are booked once.
              let key = try Make.key("\(caller) \(number)")
              let customer = customers[(caller * perCaller + number) % customers.count]
              _ = try await ledger.book(.spend([Make.amount("GEM", 1)], customer: customer, key: key))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    // 40 callers' keys; those of the other ledgers are among them.
    let spent = try customers.reduce(Int64(0)) { sum, customer in
      let balances = try first.history(of: customer).transactions.flatMap(\.booking.entries).map(\.balance)
      XCTAssertEqual(balances, balances.sorted(), "newest first, and each spends one")
      return sum + 100 - (try first.balance(of: try CurrencyCode("GEM"), customer: customer).balance)
    }
    XCTAssertEqual(spent, Int64(40 * perCaller))
  }
}
#endif
