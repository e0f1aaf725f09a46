#if PostgreSQL
import Foundation
import GemLedger
@testable import GemLedgerPostgres
import PostgresTestSupport
import XCTest

/// The ends of transactions, as a connection reports them.
final class PipelineTests: XCTestCase {
  /// The transaction of a statement outside of a block ends after the statement's result was sent.
  func testAFailureAtTheEndOfAnImplicitTransactionIsSeen() throws {
    let connection = try PostgresConnection(PostgresTarget(url: PostgresServer.shared().createDatabase()))
    try connection.execute([
      "CREATE SCHEMA gemledger", "CREATE TABLE gemledger.numbers (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED)",
    ])
    XCTAssertThrowsError(try connection.ask(PostgresRequest("INSERT INTO numbers VALUES (1), (1)"))) { error in
      XCTAssertEqual((error as? PostgresFailure)?.isConnectionLost, true, "\(error)")
    }
    XCTAssertFalse(connection.isOpen)
  }
}
#endif
