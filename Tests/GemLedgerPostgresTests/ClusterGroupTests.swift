#if PostgreSQL
import Foundation
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
  private static let lock = ["BEGIN", "SELECT lanes"]
  private static let call = ["SELECT write_group", "COMMIT"]

  /// Returns the verb and the tables of each statement of the commands, with all tables of a union.
  private func statements(_ schemas: SpreadSchemas, of body: () throws -> Void) throws -> [String] {
    _ = try schemas.takeStatements()
    try body()
    let asked = try schemas.server.takeStatements()
    let bodies = try schemas.server.bodiesOfWriteFunctions(in: schemas.database)
    let parts = asked.flatMap { $0.parts(bodies) }
    try assertAccepted(parts)
    XCTAssertEqual(AskedStatement.strayStatements(in: parts).map(\.sql), [])
    // Commits are announced now and then, by another connection, which may be new.
    let ofAnother = ["pg_notify(", "current_setting('transaction_read_only')"]
    return asked.filter { statement in
      !statement.sql.hasPrefix("SET ") && !ofAnother.contains { statement.sql.contains($0) }
    }.map { statement in
      let verb = String(statement.sql.prefix { $0 != " " })
      if let name = statement.nameOfWriteFunction { return "\(verb) \(name.prefix(11))" }
      let tables = statement.parts(bodies).compactMap(\.tableNames.first)
      return ([verb] + [tables.joined(separator: " + ")]).filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  /// The coordinator plans each statement, and one more for each group is a good part of the cost of a command alone.
  func testTheStatementsOfAGroup() throws {
    let (schemas, ledger, storage) = try open()
    let customers = try customersOfOneLane(ledger, of: 1_100)
    XCTAssertGreaterThanOrEqual(customers.count, 256, "their numbers are spread over the lanes")
    // The first groups of a process also guess that there are lots.
    storage.memory.lotDemand.store(0, ordering: .relaxed)
    XCTAssertEqual(
      try statements(schemas) { try ledger.book(spend(customers[0])) }, Self.lock + ["SELECT customers"] + Self.call)
    // The columns of a query are known once it was sent alone.
    XCTAssertEqual(
      try statements(schemas) { try ledger.book(spend(customers[0], "first")) },
      Self.lock + ["SELECT keys", "SELECT customers"] + Self.call)
    let withKey = Self.lock + ["SELECT customers + keys"] + Self.call
    XCTAssertEqual(try statements(schemas) { try ledger.book(spend(customers[0], "k")) }, withKey)
    let spends = try customers.prefix(256).map { try spend($0, "group") }
    XCTAssertEqual(
      try statements(schemas) { for answer in ledger.submit(spends) { _ = try answer.get() } }, withKey)
    // A customer that the process does not know costs one look-up more.
    storage.memory.directory.forgetAll()
    XCTAssertEqual(
      try statements(schemas) { try ledger.book(spend(customers[0], "unknown")) }, ["SELECT aliases"] + withKey)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A new customer's id is on the node of its value.
  func testTheStatementsOfANewCustomer() throws {
    let (schemas, ledger, storage) = try open()
    _ = try customersOfOneLane(ledger, of: 80)
    storage.memory.lotDemand.store(0, ordering: .relaxed)
    let grant = try LedgerCommand.grant([Make.amount("GEM", 1)], customer: Make.customer("new"), key: Make.key("k"))
    XCTAssertEqual(
      try statements(schemas) { try ledger.book(grant) },
      ["SELECT aliases"] + Self.lock + ["SELECT aliases", "INSERT aliases", "INSERT customers"]
        + ["SELECT write_group", "INSERT lot_attributes", "COMMIT"])
    XCTAssertTrue(try ledger.book(grant).isReplayed)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Queries whose columns are known are sent in unions, with the same answers.
  func testUnionsGiveTheSameRows() throws {
    let (schemas, ledger, _) = try open()
    let customers = try customersOfOneLane(ledger, of: 400)
    let spends = try customers.prefix(80).map { try spend($0, "k") }
    let bookings = try ledger.submit(spends).map { try $0.get() }
    XCTAssertEqual(bookings.count, 80)
    var counts: [Int] = []
    for _ in 0..<3 {
      let asked = try statements(schemas) {
        // A replay reads its transaction with all that belongs to it.
        let replays = try ledger.submit(spends).map { try $0.get() }
        XCTAssertTrue(replays.allSatisfy(\.isReplayed))
        XCTAssertEqual(replays.map(\.transactionID), bookings.map(\.transactionID))
        XCTAssertEqual(replays.map(\.entries), bookings.map(\.entries))
      }
      counts.append(asked.count)
      for statement in asked {
        XCTAssertLessThanOrEqual(statement.split(separator: "+").count, LaneBatch.queryCountMax)
      }
    }
    // The first round finds out the columns.
    XCTAssertLessThan(counts[1], counts[0] / 2, "\(counts)")
    XCTAssertEqual(counts[2], counts[1])
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A query has the same cells alone and in a union: nulls, empty values, lists, and no rows.
  func testAUnionHasTheCellsOfItsQueries() throws {
    let (schemas, ledger, storage) = try open()
    let customers = try customersOfOneLane(ledger, of: 80)
    for key in ["a", "b", "c"] { try ledger.book(spend(customers[0], key)) }
    assertRefused(.insufficientBalance) {
      try ledger.book(.spend([Make.amount("GEM", 1_000_000)], customer: customers[0], key: Make.key("refused")))
    }
    let (cluster, head) = (try XCTUnwrap(storage.layout.cluster), storage.layout.heads[0])
    let number = try XCTUnwrap(storage.memory.directory.addresses(of: [customers[0]])[0]).original
    let queries = [
      PostgresRequest("SELECT sums, early, lane, '' AS empty FROM lanes WHERE customer = $1", head),
      PostgresRequest(
        "SELECT customer, key, refusal, transaction_number FROM keys WHERE customer = $1 ORDER BY key DESC", number),
      PostgresRequest("SELECT customer, key FROM keys WHERE customer = $1 AND refusal = $2", number, "none"),
    ]
    let lock = PostgresRequest("SELECT last FROM lanes WHERE customer = $1 FOR UPDATE", head)
    let connection = try PostgresConnection(PostgresTarget(url: schemas.current))
    connection.lanes = LaneStatements(cluster)
    func cells() throws -> [[[String]]] {
      let requests = [PostgresRequest("BEGIN"), lock] + queries + [PostgresRequest("ROLLBACK")]
      return try connection.ask(requests)[2..<5].map { rows in
        let names = (0..<rows.columnCount).map { "\(rows.name($0)) \(rows.isInteger($0))" }
        return [names]
          + (0..<rows.count).map { row in
            (0..<rows.columnCount).map { column in
              rows.isNull(row, column) ? "null" : rows.withBytes(row, column) { "\(Array($0))" }
            }
          }
      }
    }
    _ = try schemas.takeStatements()
    let alone = try cells()
    XCTAssertEqual(alone.map(\.count), [2, 5, 1])
    XCTAssertEqual(Set(alone[1].dropFirst().map { $0[2] == "null" }), [true, false])
    XCTAssertEqual(try schemas.server.takeStatements().count { $0.sql.contains("UNION ALL") }, 0)
    XCTAssertEqual(try cells(), alone)
    XCTAssertEqual(try schemas.server.takeStatements().count { $0.sql.contains("UNION ALL") }, 1)
    ledger.close()
  }

  /// Numbers that are out of bounds are found in unions too.
  func testDamageIsFoundInAUnion() throws {
    let (schemas, ledger, _) = try open()
    let customers = try customersOfOneLane(ledger, of: 80)
    try ledger.book(spend(customers[0], "first"))
    let schema = String(schemas.current.split(separator: "=").last ?? "")
    try schemas.server.execute("UPDATE \(schema).accounts SET version = -1", on: schemas.database)
    let asked = try statements(schemas) {
      assertRefused(.storageDamaged) { try ledger.book(spend(customers[0], "second")) }
    }
    XCTAssertTrue(asked.contains { $0.contains("customers + ") }, "\(asked)")
    ledger.close()
  }

  // MARK: The function

  /// The server has a statement for one row of each table, and one for several.
  func testTheFunctionHasTheStatementsOfEachTable() throws {
    let (schemas, ledger, _) = try open()
    ledger.close()
    let bodies = try schemas.server.bodiesOfWriteFunctions(in: schemas.database)
    XCTAssertEqual(Array(bodies.keys), [WriteFunction.name])
    let parts = AskedStatement(WriteFunction.call).parts(bodies)
    let forms = parts.map { "\($0.sql.prefix { $0 != " " }) \($0.tableNames[0])" }
    let lists = ["keys", "transactions", "entries", "accounts"].flatMap { ["INSERT \($0)", "INSERT \($0)"] }
    XCTAssertEqual(forms, lists + ["UPDATE lanes", "INSERT commit_tokens"])
    XCTAssertEqual(
      parts.prefix(8).map { $0.sql.contains(" VALUES ($1, ($") }, (0..<8).map { $0.isMultiple(of: 2) })
    XCTAssertEqual(parts.filter { $0.sql.contains(", lane") || !$0.sql.contains("lane") }.map(\.sql), [])
  }

  /// A ledger that an earlier version distributed has no function until it is distributed again.
  func testWithoutTheFunctionAGroupHasAStatementForEachTable() throws {
    let (schemas, first, _) = try open()
    let customers = try customersOfOneLane(first, of: 80)
    first.close()
    let schema = String(schemas.current.split(separator: "=").last ?? "")
    try schemas.server.execute("DROP FUNCTION \(schema).\(WriteFunction.name)", on: schemas.database)
    func check(_ key: String, _ ends: [String]) throws {
      let ledger = try Ledger.openPostgres(at: schemas.current)
      let storage = try XCTUnwrap(ledger.storage as? PostgresStorage)
      try ledger.book(spend(customers[0], key + " first"))
      storage.memory.lotDemand.store(0, ordering: .relaxed)
      let asked = try statements(schemas) { try ledger.book(spend(customers[0], key)) }
      XCTAssertEqual(asked, Self.lock + ["SELECT customers + keys"] + ends)
      try assertBooksAddUp(ledger)
      ledger.close()
    }
    try check("without", Self.withKey)
    // An owner who may not create it learns that, and the rest of the verb is done.
    try schemas.server.execute("REVOKE CREATE ON SCHEMA \(schema) FROM CURRENT_USER", on: schemas.database)
    let refused = try LaneChange(url: schemas.current).distribute(shards: nil)
    XCTAssertEqual(refused.functionProblem?.contains("permission denied"), true, "\(refused)")
    XCTAssertFalse(refused.isFunctionNew)
    try schemas.server.execute("GRANT CREATE ON SCHEMA \(schema) TO CURRENT_USER", on: schemas.database)
    let added = try LaneChange(url: schemas.current).distribute(shards: nil)
    XCTAssertEqual(added, LaneChange.Outcome(lanes: SpreadSchemas.shards, isChanged: false, isFunctionNew: true))
    try check("with", Self.call)
    XCTAssertFalse(try LaneChange(url: schemas.current).distribute(shards: nil).isFunctionNew)
  }

  /// A role that may not call it sends the statements; the rights on the ledger include it.
  func testARoleCallsTheFunctionWithItsRight() throws {
    let (schemas, owner, _) = try open()
    let customers = try customersOfOneLane(owner, of: 80)
    owner.close()
    let superuser = try XCTUnwrap(schemas.server.superuserURL())
    try schemas.server.execute("CREATE ROLE caller LOGIN PASSWORD 'caller'", on: superuser)
    var parts = try XCTUnwrap(URLComponents(string: schemas.current))
    (parts.user, parts.password) = ("caller", "caller")
    let url = try XCTUnwrap(parts.string)
    let schema = String(schemas.current.split(separator: "=").last ?? "")
    let function = "\(schema).\(WriteFunction.name)"
    try SchemaRights(url: schemas.current).grant(to: "caller")
    func check(_ key: String, calls: Bool, line: UInt = #line) throws {
      let ledger = try Ledger.openPostgres(at: url)
      let asked = try statements(schemas) { try ledger.book(spend(customers[0], key)) }
      XCTAssertEqual(asked.contains("SELECT write_group"), calls, "\(asked)", line: line)
      try assertBooksAddUp(ledger)
      ledger.close()
    }
    try check("granted", calls: true)
    let everyone = "REVOKE EXECUTE ON FUNCTION \(function) FROM PUBLIC"
    try schemas.server.execute("\(everyone), caller", on: schemas.database)
    try check("revoked", calls: false)
    try SchemaRights(url: schemas.current).grant(to: "caller")
    try check("granted again", calls: true)
    // A new function is for the roles that may write, also if functions are not for everyone.
    try schemas.server.execute("DROP FUNCTION \(function)", on: schemas.database)
    try schemas.server.execute(
      "ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC", on: schemas.database)
    XCTAssertTrue(try LaneChange(url: schemas.current).distribute(shards: nil).isFunctionNew)
    let rights = try schemas.server.execute(
      "SELECT proacl::text FROM pg_proc WHERE proname = '\(WriteFunction.name)' "
        + "AND pronamespace = '\(schema)'::regnamespace", on: schemas.database)
    XCTAssertEqual(rights.map { $0.contains("caller=X") && !$0.contains("{=X") && !$0.contains(",=X") }, [true])
    try check("created", calls: true)
  }

  /// The rows of other lanes' customers are written by statements, which name their lanes.
  func testRowsOfOtherLanesAreNotForTheFunction() throws {
    let (schemas, ledger, storage) = try open()
    let all = try (0..<80).map { try Make.customer("customer \($0)") }
    _ = try customersOfOneLane(ledger, of: 80)
    let lanes = try storage.lanes(of: all.map { try spend($0) })
    let other = try XCTUnwrap(lanes.firstIndex { $0 != lanes[0] })
    let transfer = try LedgerCommand.transfer([Make.amount("GEM", 1)], from: all[0], to: all[other])
    let asked = try statements(schemas) { try ledger.book(transfer) }
    XCTAssertFalse(asked.contains("SELECT write_group"), "\(asked)")
    XCTAssertTrue(asked.contains("INSERT entries"), "\(asked)")
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A failure within the function is the same as that of a statement.
  func testFailuresInTheFunctionHaveTheirCode() throws {
    let (schemas, ledger, _) = try open()
    let customers = try customersOfOneLane(ledger, of: 80)
    let schema = String(schemas.current.split(separator: "=").last ?? "")
    for (state, code) in [("53100", LedgerError.Code.inputOutput), ("57014", .storageUnavailable)] {
      try schemas.server.execute(
        """
        CREATE OR REPLACE FUNCTION \(schema).fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$;
        CREATE OR REPLACE TRIGGER fails BEFORE INSERT ON \(schema).entries
          FOR EACH ROW EXECUTE FUNCTION \(schema).fail();
        """, on: schemas.database)
      let error = assertRefused(code) { try ledger.book(spend(customers[0])) }
      XCTAssertEqual(error?.text("sqlstate"), state)
    }
    try schemas.server.execute("DROP TRIGGER fails ON \(schema).entries", on: schemas.database)
    try ledger.book(spend(customers[0]))
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
