#if PostgreSQL && Server
import Foundation
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

@testable import GemServer

/// `/readyz` of a server over a database whose server fails over.
final class ReadinessTests: XCTestCase {
  /// A server over a name that leads to a database, which may lead elsewhere later.
  private struct Stage {
    let time = ManualClock()
    let database: PostgresServer
    let name: CuttingProxy
    let ledger: Ledger
    let server: GemServer

    init() throws {
      database = try PostgresServer()
      let url = try database.createDatabase()
      try Ledger.createPostgres(at: url, salt: 1).close()
      name = try CuttingProxy(before: url)
      ledger = try Ledger.openPostgres(at: name.url, clock: time.clock)
      server = try GemServer(
        GemServer.Settings(), projects: [APIWorld(ledger: ledger).project], log: ServerLog(clock: time.clock) { _ in })
    }

    /// Returns the status of an answer to a probe that comes later than the last one counts.
    func probe() throws -> Substring {
      time.advance(seconds: 6)
      let client = try RawClient(port: server.port)
      client.send("GET /readyz HTTP/1.1\r\nHost: h\r\n\r\n")
      return client.readAnswer().split(separator: " ").dropFirst().first ?? "no answer"
    }

    func remove() async {
      await server.stop()
      ledger.close()
      name.close()
      database.remove()
    }
  }

  func testAServerIsNotReadyWhileItsDatabaseOnlyReads() async throws {
    let stage = try Stage()
    let standby = try stage.database.standby()
    XCTAssertEqual(try stage.probe(), "200")
    // A failover, and the name leads to a standby for a while.
    stage.name.refuseAll(true)
    stage.name.lead(to: standby.url)
    stage.name.refuseAll(false)
    for _ in 0..<3 { XCTAssertEqual(try stage.probe(), "503") }
    let names = try stage.ledger.currentCatalog().currencies.map(\.code.description)
    XCTAssertEqual(names, ["GEM"], "reads are answered meanwhile")
    stage.name.lead(to: stage.database.url)
    for _ in 0..<3 { XCTAssertEqual(try stage.probe(), "200") }
    await stage.remove()
    standby.remove()
  }

  /// A write waits up to 30 seconds for a database that is away; who asks for readiness does not.
  func testAServerIsNotReadyWhileItsDatabaseIsAway() async throws {
    let stage = try Stage()
    XCTAssertEqual(try stage.probe(), "200")
    stage.name.refuseAll(true)
    let start = ContinuousClock.now
    XCTAssertEqual(try stage.probe(), "503")
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(8))
    stage.name.refuseAll(false)
    // The write that waited may be the one that finds the database back.
    let deadline = ContinuousClock.now + .seconds(20)
    while try stage.probe() != "200" { XCTAssertLessThan(ContinuousClock.now, deadline) }
    await stage.remove()
  }
}
#endif
