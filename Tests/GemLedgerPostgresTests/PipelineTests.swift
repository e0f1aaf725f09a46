#if PostgreSQL
import Foundation
import GemLedger
@testable import GemLedgerPostgres
import PostgresTestSupport
import XCTest

/// The ends of transactions, as a connection reports them.
final class PipelineTests: XCTestCase {
  private static let quotient = "SELECT 1 / count(*) FROM numbers"

  /// - Returns: A connection on which the statement ``quotient`` is prepared, and fails from now on.
  private func connect() throws -> (server: PostgresServer, connection: PostgresConnection) {
    let server = try PostgresServer.shared()
    let connection = try PostgresConnection(PostgresTarget(url: server.createDatabase()))
    try connection.execute([
      "CREATE SCHEMA gemledger", "CREATE TABLE gemledger.numbers (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED)",
    ])
    try connection.execute(["INSERT INTO numbers VALUES (1)"])
    _ = try connection.ask(PostgresRequest(Self.quotient))
    try connection.execute(["DELETE FROM numbers"])
    return (server, connection)
  }

  private func assertIsLost(_ connection: PostgresConnection, _ sql: String, line: UInt = #line) {
    XCTAssertThrowsError(try connection.ask(PostgresRequest(sql)), line: line) { error in
      XCTAssertEqual((error as? PostgresFailure)?.isConnectionLost, true, "\(error)", line: line)
    }
    XCTAssertFalse(connection.isOpen, line: line)
  }

  /// The transaction of a statement outside of a block ends after the statement's result was sent.
  func testAFailureAtTheEndOfAnImplicitTransactionIsSeen() throws {
    assertIsLost(try connect().connection, "INSERT INTO numbers VALUES (1), (1)")
  }

  /// Its outcome does not matter, and the server has ended its transaction.
  func testAFailedStatementThatWasSentAheadDoesNotCloseTheConnection() throws {
    let (server, connection) = try connect()
    try connection.sendAhead(Self.quotient)
    XCTAssertEqual(try connection.ask(PostgresRequest("SELECT 2::bigint")).integer(0, 0), 2)
    let process = try connection.serverProcess()
    try connection.sendAhead(Self.quotient)
    try server.execute("SELECT pg_terminate_backend(\(process), 5000)", on: server.superuserURL())
    assertIsLost(connection, "SELECT 2::bigint")
  }

  func testAFailedStatementInABlockThatWasSentAheadClosesTheConnection() throws {
    let (_, connection) = try connect()
    _ = try connection.ask(PostgresRequest("BEGIN"))
    try connection.sendAhead(Self.quotient)
    assertIsLost(connection, "SELECT 2::bigint")
  }
}
#endif
