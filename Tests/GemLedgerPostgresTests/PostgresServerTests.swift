#if PostgreSQL
import Foundation
import PostgresTestSupport
import XCTest

/// The properties of the server that the tests on PostgreSQL depend on.
final class PostgresServerTests: XCTestCase {
  /// Commits wait until the log is written, as in production; only its sync to the disk may be off.
  func testCommitsOfTheSharedServerWaitForTheLog() throws {
    let server = try PostgresServer.shared()
    XCTAssertEqual(try server.execute("SHOW synchronous_commit"), ["on"])
    XCTAssertEqual(try server.execute("SHOW full_page_writes"), ["on"])
  }

  func testEachDatabaseIsFresh() throws {
    let server = try PostgresServer.shared()
    let first = try server.createDatabase()
    let second = try server.createDatabase()
    try server.execute("CREATE TABLE t (n bigint)", on: first)
    try server.execute("CREATE TABLE t (n bigint)", on: second)
    try server.dropDatabase(first)
    XCTAssertThrowsError(try server.execute("SELECT 1", on: first))
    XCTAssertEqual(try server.execute("SELECT count(*) FROM t", on: second), ["0"])
    try server.dropDatabase(second)
  }

  func testWhatIsCommittedOutlivesAnImmediateStop() throws {
    let server = try PostgresServer(
      settings: ["application_name": "it's mine", "work_mem": "5MB", "fsync": "on"])
    XCTAssertEqual(try server.execute("SHOW fsync"), ["on"])
    XCTAssertEqual(try server.execute("SHOW work_mem"), ["5MB"])
    let database = try server.createDatabase()
    try server.execute("CREATE TABLE t AS SELECT 17 AS n", on: database)
    try server.stop(immediate: true)
    XCTAssertThrowsError(try server.execute("SELECT 1"))
    try server.start()
    XCTAssertEqual(try server.execute("SELECT n FROM t", on: database), ["17"])
    try server.stop()
    try server.start()
    XCTAssertEqual(try server.execute("SELECT n FROM t", on: database), ["17"])
  }

  func testTheRoleOfTheTestsLogsInWithItsPasswordAndIsNoSuperuser() throws {
    let server = try PostgresServer()
    let isSuperuser = "SELECT rolsuper::text FROM pg_roles WHERE rolname = current_user"
    XCTAssertEqual(try server.execute(isSuperuser), ["false"])
    XCTAssertEqual(try server.execute(isSuperuser, on: XCTUnwrap(server.superuserURL())), ["true"])
    var wrong = try XCTUnwrap(URLComponents(string: server.url))
    wrong.password = "wrong"
    XCTAssertThrowsError(try server.execute("SELECT 1", on: wrong.string))
    let kept = "SELECT left(rolpassword, 13) FROM pg_authid WHERE rolname = 'gem'"
    XCTAssertEqual(try server.execute(kept, on: server.superuserURL()), ["SCRAM-SHA-256"])
  }
}
#endif
