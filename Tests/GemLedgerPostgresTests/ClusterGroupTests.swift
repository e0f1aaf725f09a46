#if PostgreSQL
@testable import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import Synchronization
import XCTest

/// Groups of one lane on a distributed engine: a group's cost there is in its statements, so callers share groups.
final class ClusterGroupTests: XCTestCase {
  private func open() throws -> (SpreadSchemas, Ledger, PostgresStorage) {
    let schemas = try SpreadSchemas()
    let ledger = try schemas.create()
    try ledger.apply(Make.catalog())
    return (schemas, ledger, try XCTUnwrap(ledger.storage as? PostgresStorage))
  }

  private func spend(_ customer: CustomerID, _ key: String? = nil) throws -> LedgerCommand {
    try .spend([Make.amount("GEM", 1)], customer: customer, key: key.map { try Make.key($0) })
  }

  /// Makes customers with 100 GEM each, and returns those of the first lane.
  private func customersOfOneLane(_ ledger: Ledger, of count: Int) throws -> [CustomerID] {
    let all = try (0..<count).map { try Make.customer("customer \($0)") }
    for answer in ledger.submit(try all.map { .grant([try Make.amount("GEM", 100)], customer: $0) }) {
      _ = try answer.get()
    }
    let lanes = try ledger.storage.lanes(of: all.map { try spend($0) })
    return zip(all, lanes).filter { $1 == [0] }.map(\.0)
  }

  // MARK: Statements

  private static let writes = ["INSERT transactions", "INSERT entries", "INSERT accounts", "UPDATE lanes"]
  private static let withKey = ["INSERT keys"] + writes + ["INSERT commit_tokens", "COMMIT"]

  /// Returns the verb and the table of each statement of the commands.
  private func statements(_ schemas: SpreadSchemas, of body: () throws -> Void) throws -> [String] {
    _ = try schemas.server.takeStatements()
    try body()
    let asked = try schemas.server.takeStatements()
    try assertAccepted(asked)
    XCTAssertEqual(AskedStatement.strayStatements(in: asked).map(\.sql), [])
    // Commits are announced now and then, by another connection.
    return asked.filter { !$0.sql.contains("pg_notify(") }.map { statement in
      let verb = statement.sql.prefix { $0 != " " }
      return ([String(verb)] + statement.tableNames.prefix(1)).joined(separator: " ")
    }
  }

  /// The coordinator plans each statement, and one more for each group is a tenth of the cost of a command alone.
  func testTheStatementsOfAGroup() throws {
    let (schemas, ledger, storage) = try open()
    let customers = try customersOfOneLane(ledger, of: 1_100)
    XCTAssertGreaterThanOrEqual(customers.count, 256, "their numbers are spread over the lanes")
    // The first groups of a process also guess that there are lots.
    storage.memory.lotDemand.store(0, ordering: .relaxed)
    let known = ["BEGIN", "SELECT lanes", "SELECT customers"]
    XCTAssertEqual(
      try statements(schemas) { try ledger.book(spend(customers[0])) },
      known + Self.writes + ["INSERT commit_tokens", "COMMIT"])
    XCTAssertEqual(
      try statements(schemas) { try ledger.book(spend(customers[0], "k")) }, known + ["SELECT keys"] + Self.withKey)
    let spends = try customers.prefix(256).map { try spend($0, "group") }
    XCTAssertEqual(
      try statements(schemas) { for answer in ledger.submit(spends) { _ = try answer.get() } },
      known + ["SELECT keys"] + Self.withKey)
    // A customer that the process does not know costs one look-up more.
    storage.memory.directory.forgetAll()
    XCTAssertEqual(
      try statements(schemas) { try ledger.book(spend(customers[0], "unknown")) },
      ["SELECT aliases"] + known + ["SELECT keys"] + Self.withKey)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  // MARK: Callers

  /// While a group of a lane is under way, the lane's callers form the next group; other lanes' callers do not wait.
  func testCallersOfALaneFormItsNextGroup() async throws {
    let (schemas, ledger, storage) = try open()
    let customers = try customersOfOneLane(ledger, of: 80)
    let before = storage.groupCount
    let gate = try PostgresConnection(PostgresTarget(url: schemas.current))
    try gate.execute(["BEGIN", "SELECT 1 FROM lanes WHERE customer = \(storage.layout.heads[0]) FOR UPDATE"])
    func book(_ customer: CustomerID) throws -> Task<Booking, any Error> {
      let command = try spend(customer)
      return Task { try await ledger.book(command) }
    }
    var tasks = [try book(customers[0])]
    let isWaiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
    while try schemas.server.execute(isWaiting, on: schemas.database) == ["0"] { await Task.yield() }
    tasks += try (1...7).map { try book(customers[$0]) }
    while ledger.lanes[0].waitingCount < 7 { await Task.yield() }
    let elsewhere = try XCTUnwrap(
      (0..<80).lazy.map { "customer \($0)" }.first { id in
        !customers.contains { $0.text == id }
      })
    _ = try await book(Make.customer(elsewhere)).value
    try gate.execute(["COMMIT"])
    for task in tasks { _ = try await task.value }
    // The seven join the group that waited; otherwise they would be the next group.
    XCTAssertEqual(storage.groupCount - before, 2)
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
#endif
