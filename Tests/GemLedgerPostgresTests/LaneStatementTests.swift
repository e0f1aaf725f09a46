#if PostgreSQL
import GemLedger
@testable import GemLedgerPostgres
import PostgresTestSupport
import XCTest

/// What statements become on a distributed engine.
final class LaneStatementTests: XCTestCase {
  private let cluster = Cluster(keys: [2, 5, 9])
  private lazy var lanes = LaneStatements(cluster)

  /// Customers of the lane, in ascending order.
  private func customers(_ lane: Int, _ count: Int = 1) -> [CustomerNumber] {
    let all = (0..<10_000).map { CustomerNumber($0) }
    return Array(all.filter { cluster.lane(of: $0) == lane }.prefix(count))
  }

  private func naming(_ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in }) -> [PostgresRequest] {
    lanes.batch([PostgresRequest(sql, add)]).statements
  }

  private func beginGroup(_ lane: Int) {
    _ = naming("BEGIN")
    _ = naming("SELECT last FROM lanes WHERE customer = $1 FOR UPDATE") { $0.add(CustomerNumber(-1 - lane)) }
  }

  func testOneCustomerIsOfOneLane() {
    let named = naming("SELECT id FROM customers WHERE customer = $1 AND id <> $2") {
      $0.add(self.customers(1)[0])
      $0.add("x")
    }
    XCTAssertEqual(named.map(\.sql), ["SELECT id FROM customers WHERE lane = $3 AND customer = $1 AND id <> $2"])
    XCTAssertEqual(named[0].parameters.types.last, 23)
    XCTAssertEqual(Array(named[0].parameters.buffer.suffix(4)), [0, 0, 0, 5])
  }

  func testAListIsOfTheLanesOfItsCustomers() {
    let sql = "DELETE FROM notes WHERE customer = ANY($1)"
    func named(_ customers: [CustomerNumber]) -> [String] {
      naming(sql) { $0.add(customers) { $0 } }.map(\.sql)
    }
    XCTAssertEqual(named(customers(2, 4)), ["DELETE FROM notes WHERE lane = $2 AND customer = ANY($1)"])
    XCTAssertEqual(
      named(customers(2, 4) + customers(0)), ["DELETE FROM notes WHERE lane = ANY($2) AND customer = ANY($1)"])
    XCTAssertEqual(named([]), ["DELETE FROM notes WHERE lane = ANY($2) AND customer = ANY($1)"])
  }

  /// A lane's own row lies with its customers, by a number below theirs.
  func testALaneIsLockedOnItsShard() {
    let named = naming("SELECT last FROM lanes WHERE customer = $1 FOR UPDATE") { $0.add(Int64(-3)) }
    XCTAssertEqual(named[0].sql, "SELECT last FROM lanes WHERE lane = $2 AND customer = $1 FOR UPDATE")
    XCTAssertEqual(named[0].parameters.buffer.last, 9)
  }

  func testJoinsStayWithinAShard() {
    XCTAssertEqual(
      naming(
        "SELECT h.hold FROM open_holds h JOIN journal_events e ON e.customer = h.customer WHERE h.customer = ANY($1)"
      ) { $0.add(self.customers(0, 2)) { $0 } }[0].sql,
      "SELECT h.hold FROM open_holds h JOIN journal_events e ON e.lane = h.lane AND e.customer = h.customer "
        + "WHERE h.lane = $2 AND h.customer = ANY($1)")
    // Without a customer it goes to all shards, and joins within each.
    XCTAssertEqual(
      naming("SELECT t.number FROM transactions t LEFT JOIN customers c ON c.customer = t.customer WHERE t.number = $1")
      { $0.add(Int64(5)) }[0].sql,
      "SELECT t.number FROM transactions t LEFT JOIN customers c ON c.lane = t.lane AND c.customer = t.customer "
        + "WHERE t.number = $1")
  }

  /// A query that stands for a table shows the lane behind its other columns.
  func testSubqueriesShowTheirLane() {
    XCTAssertEqual(
      naming(
        "SELECT lot FROM (SELECT customer, lot FROM lots UNION ALL SELECT customer, lot FROM refunds) parts "
          + "WHERE customer = $1"
      ) { $0.add(self.customers(0)[0]) }[0].sql,
      "SELECT lot FROM (SELECT customer, lot , lane FROM lots UNION ALL SELECT customer, lot , lane FROM refunds) "
        + "parts WHERE lane = $2 AND customer = $1")
    // Of joined tables the first shows it.
    XCTAssertEqual(
      naming(
        "SELECT purchase FROM (SELECT p.purchase FROM purchases p LEFT JOIN refunds r ON r.customer = p.customer) all "
          + "WHERE customer = $1"
      ) { $0.add(self.customers(0)[0]) }[0].sql,
      "SELECT purchase FROM (SELECT p.purchase , p.lane FROM purchases p LEFT JOIN refunds r ON r.lane = p.lane AND "
        + "r.customer = p.customer) all WHERE lane = $2 AND customer = $1")
    // One that stands for a value does not.
    XCTAssertEqual(
      naming(
        "SELECT number FROM entries WHERE customer = $1 AND number > coalesce((SELECT entry FROM checkpoints "
          + "WHERE customer = $1), 0)"
      ) { $0.add(self.customers(0)[0]) }[0].sql,
      "SELECT number FROM entries WHERE lane = $2 AND customer = $1 AND number > coalesce((SELECT entry FROM "
        + "checkpoints WHERE lane = $2 AND customer = $1), 0)")
  }

  /// All keys of a lane are one question.
  func testKeysAreOneQuestionALane() throws {
    let keys = try customers(1, 300).map { GroupRows.KeyAddress(customer: $0, key: try IdempotencyKey("k")) }
    let layout = LaneLayout(count: 3, version: 1, cluster: cluster)
    let requests = KeyStatements.requests(keys, layout)
    XCTAssertEqual(requests.count, 1)
    let named = lanes.batch(requests).statements
    XCTAssertEqual(named.count, 1)
    XCTAssertTrue(
      named[0].sql.contains("FROM keys WHERE lane = $3 AND customer = owner AND key = wanted"), named[0].sql)
    let both = try keys + customers(2).map { GroupRows.KeyAddress(customer: $0, key: try IdempotencyKey("k")) }
    XCTAssertEqual(KeyStatements.requests(both, layout).count, 2)
  }

  // MARK: Rows that are written

  func testRowsOfTheGroupsLaneAreWrittenAsLists() {
    func write(_ conflict: String, _ customers: [CustomerNumber]) -> [String] {
      naming("INSERT INTO keys (customer, refusal) SELECT unnest($1), unnest($2) \(conflict)") {
        $0.add(customers) { $0 }
        $0.add(customers, text: { "\($0)" })
      }.map(\.sql)
    }
    beginGroup(1)
    let lists = "INSERT INTO keys (lane, customer, refusal) SELECT $3, u.* FROM unnest($1, $2) u"
    XCTAssertEqual(write("", customers(1, 5)), [lists])
    // Another lane's rows, and those of several lanes, are in the form of which the engine takes note.
    XCTAssertEqual(
      write("", customers(2, 5)).map { $0.contains("lane) VALUES ($1, $2, $3), ($4, $5, $6), ") }, [true])
    XCTAssertEqual(
      write("", customers(1) + customers(2)),
      ["INSERT INTO keys (customer, refusal, lane) VALUES ($1, $2, $3), ($4, $5, $6)"])
    // It takes note of those that may meet a row.
    XCTAssertEqual(
      write("ON CONFLICT (customer, key) DO NOTHING", customers(2, 5)),
      [lists + " ON CONFLICT (lane, customer, key) DO NOTHING"])
    XCTAssertEqual(
      write("ON CONFLICT DO NOTHING", customers(1) + customers(2)),
      ["INSERT INTO keys (customer, refusal, lane) SELECT unnest($1), unnest($2), unnest($3) ON CONFLICT DO NOTHING"])
    // A few rows are one small statement, also where they may meet others.
    XCTAssertEqual(
      write("ON CONFLICT (customer, key) DO NOTHING", customers(1)),
      [
        "INSERT INTO keys (customer, refusal, lane) VALUES ($1, $2, $3) ON CONFLICT (lane, customer, key) DO NOTHING"
      ])
    // The next transaction holds nothing yet.
    _ = naming("BEGIN")
    XCTAssertTrue(write("", customers(1, 5))[0].contains(" VALUES "))
  }

  func testOneRowIsWrittenWithItsLane() {
    let named = naming(
      "INSERT INTO commit_tokens (customer, token) VALUES ($1, $2) ON CONFLICT (customer, writer) DO NOTHING"
    ) {
      $0.add(Int64(-1))
      $0.add(Int64(4))
    }
    XCTAssertEqual(
      named[0].sql,
      "INSERT INTO commit_tokens (lane, customer, token) VALUES ($3, $1, $2) "
        + "ON CONFLICT (lane, customer, writer) DO NOTHING")
  }

  // MARK: What stays

  /// What is unique across customers lies by itself, whomever it names.
  func testValuesHaveNoLane() {
    for sql in [
      "DELETE FROM aliases WHERE id = ANY($1) AND customer = ANY($2)", "SELECT max(number) FROM transactions",
      "SELECT code FROM catalog WHERE kind = $1", "COMMIT",
    ] {
      XCTAssertEqual(naming(sql).map(\.sql), [sql])
    }
    let aliases = naming("INSERT INTO aliases (id, customer) SELECT unnest($1), unnest($2)") {
      $0.add(["a"], text: \.self)
      $0.add(self.customers(0)) { $0 }
    }
    XCTAssertEqual(aliases.map(\.sql), ["INSERT INTO aliases (id, customer) VALUES ($1, $2)"])
  }

  /// The server gives rows the lane that the ledger looks for them in.
  func testTheServerSpreadsAsTheLedgerDoes() throws {
    let server = try PostgresServer.shared()
    let numbers = (0..<62).map { CustomerNumber(1) << $0 | $0 } + [-1, -2, -3]
    for cluster in [cluster, Cluster(keys: Array(0..<64))] {
      let values = numbers.map { "(\($0)::bigint)" }.joined(separator: ", ")
      let lanes = try server.execute(
        "SELECT \(LaneHash.sql(cluster.keys.count)) FROM (VALUES \(values)) AS rows (customer)",
        on: server.createDatabase())
      XCTAssertEqual(lanes, numbers.map { "\(cluster.lane(of: $0))" })
    }
  }

  // MARK: The check itself

  /// Control: a statement of a group that names no lane, or another one, is found.
  func testAStatementWithoutTheGroupsLaneIsFound() {
    func found(_ sql: String, _ parameters: String) -> Int {
      let group = [
        ("BEGIN", ""),
        ("SELECT last FROM lanes WHERE lane = $2 AND customer = $1 FOR UPDATE", "$1 = '-1', $2 = '7'"),
        (sql, parameters), ("COMMIT", ""),
      ]
      return AskedStatement.strayStatements(in: group.map { AskedStatement($0.0, $0.1, session: "1") }).count
    }
    XCTAssertEqual(found("SELECT id FROM customers WHERE lane = $2 AND customer = $1", "$1 = '5', $2 = '7'"), 0)
    XCTAssertEqual(found("SELECT id FROM customers WHERE lane = $2 AND customer = $1", "$1 = '5', $2 = '8'"), 1)
    XCTAssertEqual(found("SELECT id FROM customers WHERE lane = ANY($2) AND customer = $1", "$1 = '5', $2 = '{7}'"), 1)
    XCTAssertEqual(found("SELECT id FROM customers WHERE customer = $1", "$1 = '5'"), 1)
    let rows = "INSERT INTO keys (lane, customer) SELECT $2, u.* FROM unnest($1) u"
    XCTAssertEqual(found(rows, "$1 = '{5}', $2 = '7'"), 0)
    XCTAssertEqual(found(rows, "$1 = '{5}', $2 = '8'"), 1)
    let few = "INSERT INTO keys (customer, lane) VALUES ($1, $2), ($3, $4)"
    XCTAssertEqual(found(few, "$1 = '5', $2 = '7', $3 = '6', $4 = '7'"), 0)
    XCTAssertEqual(found(few, "$1 = '5', $2 = '7', $3 = '6', $4 = '8'"), 1)
    XCTAssertEqual(found("INSERT INTO keys (customer) SELECT unnest($1)", "$1 = '{5}'"), 1)
    XCTAssertEqual(found("SELECT id FROM aliases WHERE id = $1", "$1 = 'a'"), 0)
  }

  /// Control: what is in a function or a union is found too.
  func testAPartWithoutTheGroupsLaneIsFound() {
    let name = "write_group_1a"
    func found(_ sql: String, _ parameters: String, body: String = "") -> [String] {
      let group = [
        ("BEGIN", ""),
        ("SELECT last FROM lanes WHERE lane = $2 AND customer = $1 FOR UPDATE", "$1 = '-1', $2 = '7'"),
        (sql, parameters), ("COMMIT", ""),
      ]
      let parts = group.flatMap { AskedStatement($0.0, $0.1, session: "1").parts([name: body]) }
      return (AskedStatement.strayStatements(in: parts) + AskedStatement.losableWrites(in: parts)).map(\.sql)
    }
    let rows = "INSERT INTO keys (lane, customer) SELECT $1, u.* FROM unnest($2) u"
    let update = "UPDATE lanes SET last = $3 WHERE lane = $1 AND customer = $4"
    func call(_ statements: String..., lane: Int = 7) -> [String] {
      let body = "BEGIN\nIF cardinality($2) > 1 THEN \(statements.joined(separator: "; END IF;\n"));\nEND"
      return found("SELECT \(name)($1, $2, $3, $4)", "$1 = '\(lane)', $2 = '{5}', $3 = '9', $4 = '-1'", body: body)
    }
    XCTAssertEqual(call(rows, update), [])
    XCTAssertEqual(call(rows, update, lane: 8), [rows, update])
    let withoutLane = "INSERT INTO keys (customer) SELECT unnest($2)"
    XCTAssertEqual(call(withoutLane, update), [withoutLane, withoutLane])
    // Without the lane's update the engine does not note the rows.
    XCTAssertEqual(call(rows), [rows])
    XCTAssertEqual(AskedStatement("SELECT \(name)($1)").parts([:]).map(\.nameOfWriteFunction), [name])

    let one = "SELECT 0 AS query, record_send(q) AS record FROM ("
    let two = ") q UNION ALL SELECT 1 AS query, record_send(q) AS record FROM ("
    let (ids, keys) = ("SELECT id FROM customers WHERE lane = $1", "SELECT key FROM (SELECT 1) q, keys WHERE lane = $2")
    func union(_ first: String, _ second: String) -> [String] {
      found("\(one)\(first)\(two)\(second)) q", "$1 = '7', $2 = '7', $3 = '8'")
    }
    XCTAssertEqual(AskedStatement("\(one)\(ids)\(two)\(keys)) q").parts([:]).map(\.sql), [ids, keys])
    XCTAssertEqual(union(ids, keys), [])
    let other = "SELECT key FROM keys WHERE lane = $3"
    XCTAssertEqual(union(ids, other), [other])
    let none = "SELECT id FROM customers WHERE customer = $1"
    XCTAssertEqual(union(none, keys), [none])
  }
}
#endif
