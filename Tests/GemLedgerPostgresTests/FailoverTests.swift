#if PostgreSQL
import Foundation
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Writes while the name of the server leads to one that only reads, and after it leads to the new primary.
final class FailoverTests: XCTestCase {
  /// Two servers with the same rows, the second one a standby, and a name that leads to the first.
  private struct Pair {
    let (first, second): (PostgresServer, PostgresServer)
    let url: String
    let name: CuttingProxy
    let ledger: Ledger

    init() throws {
      first = try PostgresServer()
      url = try first.createDatabase()
      let maker = try Ledger.createPostgres(at: url)
      try maker.apply(Make.catalog())
      try maker.grant([Make.amount("GEM", 100)], customer: Make.customer("alice"))
      maker.close()
      second = try first.standby()
      name = try CuttingProxy(before: url)
      ledger = try Ledger.openPostgres(at: name.url)
    }

    func spend() throws { try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice")) }

    /// Fails unless the write is refused at once, in words that help.
    func assertSpendIsRefused(line: UInt = #line) {
      let start = ContinuousClock.now
      let error = assertRefused(.storageUnavailable, line: line) { try spend() }
      XCTAssertEqual(error?.message.contains("the server is read-only"), true, "\(error as Any)", line: line)
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(5), line: line)
    }

    /// Asks again until the write is booked; returns how long that took.
    func spendPatiently(line: UInt = #line) throws -> Duration {
      let start = ContinuousClock.now
      while true {
        do { try spend() } catch let error as LedgerError where error.code == .storageUnavailable {
          guard ContinuousClock.now - start < .seconds(10) else { throw error }
          usleep(50_000)
          continue
        }
        return ContinuousClock.now - start
      }
    }

    func balance() throws -> Int64 {
      try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("alice")).balance
    }

    /// The ledgers' connections to a server.
    func connectionCount(_ server: PostgresServer) throws -> Int {
      let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gemledger'"
      return try Int(XCTUnwrap(server.execute(count, on: server.superuserURL()).first)) ?? -1
    }

    func waitForTheStandby() throws {
      let superuser = second.superuserURL()
      let end = try first.execute("SELECT pg_current_wal_lsn()", on: first.superuserURL())[0]
      while try second.execute("SELECT pg_last_wal_replay_lsn() >= '\(end)'", on: superuser) != ["t"] { usleep(10_000) }
    }

    func remove() {
      ledger.close()
      name.close()
      second.remove()
      first.remove()
    }
  }

  /// The demoted server keeps its connections, as a managed database does that turns read-only before it is replaced.
  func testWritesResumeOnTheNewPrimaryThoughTheOldOneKeepsItsConnections() throws {
    let pair = try Pair()
    try pair.spend()
    let readOnly = "ALTER SYSTEM SET default_transaction_read_only = "
    try pair.first.execute(readOnly + "on", on: pair.first.superuserURL())
    try pair.first.execute("SELECT pg_reload_conf()", on: pair.first.superuserURL())
    while try pair.first.execute("SHOW default_transaction_read_only") == ["off"] { usleep(10_000) }
    for _ in 0..<3 { pair.assertSpendIsRefused() }
    XCTAssertEqual(try pair.balance(), 99, "reads are answered meanwhile")

    try pair.waitForTheStandby()
    try pair.second.execute("SELECT pg_promote()", on: pair.second.superuserURL())
    pair.name.lead(to: pair.second.url)
    let pause = try pair.spendPatiently()
    XCTAssertLessThan(pause, .seconds(3))
    print("writes resumed \(pause) after the name led to the new primary")
    XCTAssertEqual(try pair.balance(), 98)
    XCTAssertEqual(try pair.connectionCount(pair.first), 0, "no reader stays on the old server")
    try assertBooksAddUp(pair.ledger)
    pair.remove()
  }

  /// The connections are lost first, and the pool reconnects by a name that leads to a standby for a while.
  func testWritesResumeAfterThePoolReconnectedToAStandby() throws {
    let pair = try Pair()
    try pair.spend()
    try pair.waitForTheStandby()
    pair.name.refuseAll(true)
    pair.name.lead(to: pair.second.url)
    pair.name.refuseAll(false)
    for _ in 0..<3 {
      pair.assertSpendIsRefused()
      XCTAssertEqual(try pair.balance(), 99)
    }
    XCTAssertGreaterThan(try pair.connectionCount(pair.second), 0)
    pair.name.lead(to: pair.first.url)
    XCTAssertLessThan(try pair.spendPatiently(), .seconds(3))
    XCTAssertEqual(try pair.balance(), 98)
    XCTAssertEqual(try pair.connectionCount(pair.second), 0)
    try assertBooksAddUp(pair.ledger)
    pair.remove()
  }

  /// Callers of many threads, readers among them, over the whole of it: none is booked twice or lost.
  func testNothingIsLostOrDoubledUnderLoad() throws {
    let pair = try Pair()
    try pair.waitForTheStandby()
    let ledger = pair.ledger
    let results = DispatchGroup()
    for number in 0..<4 {
      DispatchQueue(label: "caller \(number)").async(group: results) {
        do {
          for round in 0..<40 {
            let grant = try LedgerCommand.grant(
              [Make.amount("GEM", 1)], customer: Make.customer("bob"), key: Make.key("\(number) \(round)"))
            let deadline = ContinuousClock.now + .seconds(20)
            while case .failure(let error) = ledger.submit([grant])[0] {
              guard error.code == .storageUnavailable, ContinuousClock.now < deadline else { throw error }
              usleep(20_000)
            }
            // A read does not wait for a server that refuses connections.
            _ = try? ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("alice"))
            usleep(5_000)
          }
        } catch { XCTFail("caller \(number): \(error)") }
      }
    }
    for _ in 0..<2 {
      usleep(100_000)
      pair.name.refuseAll(true)
      pair.name.lead(to: pair.second.url)
      pair.name.refuseAll(false)
      usleep(400_000)
      pair.name.lead(to: pair.first.url)
    }
    results.wait()
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("bob")).balance, 160)
    try assertBooksAddUp(ledger)
    pair.remove()
  }

  /// A server that takes writes again after a time, without another one in its place.
  func testWritesResumeOnTheSameServer() throws {
    let pair = try Pair()
    for isOn in [true, false] {
      let value = isOn ? "on" : "off"
      try pair.first.execute(
        "ALTER SYSTEM SET default_transaction_read_only = \(value)", on: pair.first.superuserURL())
      try pair.first.execute("SELECT pg_reload_conf()", on: pair.first.superuserURL())
      while try pair.first.execute("SHOW default_transaction_read_only") != [value] { usleep(10_000) }
      if isOn { pair.assertSpendIsRefused() } else { XCTAssertLessThan(try pair.spendPatiently(), .seconds(3)) }
    }
    pair.remove()
  }
}
#endif
