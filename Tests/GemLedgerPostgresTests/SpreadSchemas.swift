#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import PostgresTestSupport
import XCTest

/// Ledgers in schemas of one database with a stand-in for a distributed engine, each spread while it is empty.
final class SpreadSchemas {
  static let shards = 4

  /// One cluster for all tests of a process; it goes with the process.
  private static let loggingServer = Result {
    try PostgresServer(settings: ["log_statement": "all", "log_line_prefix": "%p "])
  }

  let server: PostgresServer
  let database: String
  private var count = 0

  init() throws {
    server = try Self.loggingServer.get()
    database = try server.createDatabase()
    try server.standInForAnEngine(in: database)
  }

  /// The URL of the newest one.
  var current: String { "\(database)?schema=spread_\(count)" }

  func create(clock: LedgerClock = .system) throws -> Ledger {
    count += 1
    try Ledger.createPostgres(at: current, clock: clock, salt: 1).close()
    XCTAssertTrue(try LaneChange(url: current).distribute(shards: Self.shards).isChanged)
    _ = try server.takeStatements()
    return try Ledger.openPostgres(at: current, clock: clock)
  }

  /// Returns the statements since the last call, with those in functions and unions in place of the statements.
  func takeStatements() throws -> [AskedStatement] {
    let bodies = try server.bodiesOfWriteFunctions(in: database)
    return try server.takeStatements().flatMap { $0.parts(bodies) }
  }

  func reopen(_ ledger: Ledger, clock: LedgerClock) throws -> Ledger {
    ledger.close()
    return try Ledger.openPostgres(at: current, clock: clock)
  }
}

/// Fails for each statement that a distributed engine refuses, executes slowly, or may lose.
func assertAccepted(
  _ statements: [AskedStatement], file: StaticString = #filePath, line: UInt = #line
) throws {
  XCTAssertFalse(statements.isEmpty, "the server logged nothing", file: file, line: line)
  for call in statements where call.nameOfWriteFunction != nil {
    XCTFail("the function's statements are unknown: \(call.sql)", file: file, line: line)
  }
  for statement in statements where statement.isOfLedger {
    if let refusal = statement.refusal { XCTFail("\(refusal): \(statement.sql)", file: file, line: line) }
  }
  for statement in AskedStatement.losableWrites(in: statements) {
    XCTFail("may be lost by half a commit: \(statement.sql)", file: file, line: line)
  }
}
#endif
