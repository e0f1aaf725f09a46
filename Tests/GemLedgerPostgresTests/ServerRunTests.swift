#if PostgreSQL
import Foundation
import GemLedger
import GemTestSupport
import PostgresTestSupport
import XCTest

@testable import GemLedgerPostgres

/// Caches after a crash of the server that no connection has noticed yet.
final class ServerRunTests: XCTestCase {
  private func makeStorage(_ server: PostgresServer) throws -> PostgresStorage {
    let url = try server.createDatabase()
    try Ledger.createPostgres(at: url).close()
    return try PostgresStorage(url: url)
  }

  private func remember(_ storage: PostgresStorage) throws -> CustomerID {
    let alice = try Make.customer("alice")
    storage.memory.directory.remember(originals: [(alice, 1)], since: storage.memory.epoch)
    XCTAssertNotNil(storage.memory.directory.addresses(of: [alice])[0])
    return alice
  }

  func testTheFirstConnectionAfterACrashClearsTheCaches() throws {
    let server = try PostgresServer()
    let storage = try makeStorage(server)
    defer { storage.close() }
    let alice = try remember(storage)
    let held = [try storage.connect(), try storage.connect()]
    XCTAssertEqual(held[0].serverRun, held[1].serverRun)
    XCTAssertNotNil(storage.memory.directory.addresses(of: [alice])[0])
    try server.stop(immediate: true)
    try server.start()
    _ = try storage.connect()
    XCTAssertNil(storage.memory.directory.addresses(of: [alice])[0])
    withExtendedLifetime(held) {}
  }

  /// The crash of a session ends all sessions, and the server recovers without a restart of its own process.
  func testTheCrashOfASessionStartsAnotherRun() throws {
    let server = try PostgresServer()
    let storage = try makeStorage(server)
    defer { storage.close() }
    let alice = try remember(storage)
    let held = try storage.connect()
    XCTAssertEqual(kill(pid_t(held.announcedProcess), SIGKILL), 0)
    var another: PostgresConnection?
    for _ in 0..<500 where another?.serverRun ?? held.serverRun == held.serverRun {
      usleep(10_000)
      another = try? storage.connections.open()
    }
    XCTAssertNotEqual(another?.serverRun, held.serverRun)
    XCTAssertNil(storage.memory.directory.addresses(of: [alice])[0])
  }
}
#endif
