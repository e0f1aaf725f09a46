#if PostgreSQL
import Foundation
import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A ledger over PgBouncer: each connection has a session, or the ledger is refused.
final class PoolerTests: XCTestCase {
  private static let remedy = "Set pool_mode=session"

  private func assertRefusedForItsPooler(line: UInt = #line, _ body: () throws -> Void) {
    let error = assertRefused(.storageUnavailable, line: line, body)
    XCTAssertEqual(error?.code.exitStatus, 69, line: line)
    XCTAssertEqual(error?.message.contains(Self.remedy), true, "\(error as Any)", line: line)
  }

  private func schemas(_ server: PostgresServer, _ url: String) throws -> [String] {
    try server.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'gem%'", on: url)
  }

  func testAPoolerThatSharesSessionsIsNamed() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    let modes = [
      ["pool_mode=transaction"], ["pool_mode=statement"], ["pool_mode=transaction", "default_pool_size=1"],
      ["pool_mode=transaction", "server_round_robin=1"],
    ]
    for mode in modes {
      let pooled = try server.pooler(before: url, mode[0], mode.last ?? "")
      for _ in 0..<3 {
        assertRefusedForItsPooler { _ = try Ledger.createPostgres(at: pooled) }
        XCTAssertEqual(try schemas(server, url), [], "nothing is left behind")
      }
      // Another client of the pooler finds none of the ledger's settings.
      for _ in 0..<4 {
        XCTAssertEqual(try server.execute("SHOW search_path", on: pooled), ["\"$user\", public"])
      }
    }
    try Ledger.createPostgres(at: url).close()
    let pooled = try server.pooler(before: url, "pool_mode=transaction")
    assertRefusedForItsPooler { _ = try Ledger.openPostgres(at: pooled) }
    assertRefusedForItsPooler { try SchemaRights(url: pooled).grant(to: "gem") }
    assertRefusedForItsPooler { _ = try LaneChange(url: pooled).setLanes(4) }
    server.remove()
  }

  func testAPoolerIsNamedWhileOtherClientsUseIt() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    let pooled = try server.pooler(before: url, "pool_mode=transaction", "server_round_robin=1")
    let clients = DispatchGroup()
    let hasEnded = DispatchSemaphore(value: 0)
    for _ in 0..<3 {
      DispatchQueue.global().async(group: clients) {
        while hasEnded.wait(timeout: .now()) == .timedOut {
          do { try server.execute("SELECT pg_sleep(0.002)", on: pooled) } catch { return XCTFail("\(error)") }
        }
      }
    }
    for _ in 0..<20 { assertRefusedForItsPooler { _ = try Ledger.createPostgres(at: pooled) } }
    for _ in 0..<3 { hasEnded.signal() }
    clients.wait()
    XCTAssertEqual(try schemas(server, url), [])
    server.remove()
  }

  func testALedgerWorksOverSessionPooling() async throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    let pooled = try server.pooler(before: url, "pool_mode=session")
    let ledger = try Ledger.createPostgres(at: pooled)
    try ledger.apply(Make.catalog())
    let customers = try (0..<4).map { try Make.customer("customer \($0)") }
    DispatchQueue.concurrentPerform(iterations: customers.count) { number in
      for _ in 0..<25 {
        do {
          try ledger.grant([Make.amount("GEM", 1)], customer: customers[number])
          _ = try ledger.history(of: customers[number], limit: 5)
        } catch { XCTFail("\(error)") }
      }
    }
    for customer in customers {
      XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: customer).balance, 25)
    }
    try assertBooksAddUp(ledger)
    ledger.close()
    server.remove()
  }

  /// A pooler with one session for all clients of the database: the second connection of the check gets none.
  func testTheCheckEndsWhereThePoolerHasNoOtherSession() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    let pooled = try server.pooler(before: url, "pool_mode=session", "default_pool_size=1")
    let target = try PostgresTarget(url: pooled)
    let start = ContinuousClock.now
    let connection = try PostgresConnection(target)
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(10))
    XCTAssertNotEqual(try connection.serverProcess(), connection.announcedProcess)
    connection.close()
    server.remove()
  }

  /// Without a pooler the check asks nothing of a second connection.
  func testTheServerItselfAnnouncesTheProcessThatAnswers() throws {
    let connection = try PostgresConnection(PostgresTarget(url: PostgresServer.shared().createDatabase()))
    XCTAssertEqual(try connection.serverProcess(), connection.announcedProcess)
  }

  /// A pooler whose mode is changed while processes run.
  func testErrorsOfSharedSessionsNameTheRemedy() throws {
    for state in ["42P05", "26000"] {
      let error = PostgresFailure(state: state, message: "prepared statement \"gem_1\" already exists")
        .ledgerError("postgres://host/db")
      XCTAssertEqual(error.code, .storageUnavailable)
      XCTAssertTrue(error.message.contains(Self.remedy), error.message)
      XCTAssertTrue(error.message.contains("gem_1"), error.message)
    }
  }
}
#endif
