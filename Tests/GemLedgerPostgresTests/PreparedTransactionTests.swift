#if PostgreSQL
import Foundation
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A prepared transaction that holds lanes of a distributed ledger, as a commit that was cut between its phases does.
///
/// The stand-in for the engine records that it was asked to recover such transactions.
final class PreparedTransactionTests: XCTestCase {
  private var server: PostgresServer!
  private var url = ""
  private var superuser = ""

  override func setUpWithError() throws {
    server = try PostgresServer(settings: ["max_prepared_transactions": "4"])
    url = try server.createDatabase()
    superuser = try XCTUnwrap(server.superuserURL(database: String(url.split(separator: "/").last ?? "")))
    try server.standInForAnEngine(in: url)
    let ledger = try Ledger.createPostgres(at: url)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer("alice"))
    ledger.close()
  }

  override func tearDown() { server.remove() }

  private func holdAllLanes() throws {
    try server.execute(
      "BEGIN; SELECT FROM gemledger.lanes FOR UPDATE; PREPARE TRANSACTION 'cut'", on: superuser)
  }

  private func recoveries() throws -> Int { try server.execute("TABLE stand_in_recoveries", on: superuser).count }

  /// Spends while a prepared transaction holds the lanes, and ends that once `isOver` returns true.
  private func spend(_ ledger: Ledger, until isOver: () throws -> Bool) throws -> Duration {
    try holdAllLanes()
    let start = ContinuousClock.now
    let callers = DispatchGroup()
    for amount in 1...2 {
      DispatchQueue.global().async(group: callers) {
        do {
          try ledger.spend([Make.amount("GEM", Int64(amount))], customer: Make.customer("alice"))
        } catch { XCTFail("\(error)") }
      }
    }
    while try !isOver(), ContinuousClock.now - start < .seconds(12) { usleep(20_000) }
    let duration = ContinuousClock.now - start
    try server.execute("COMMIT PREPARED 'cut'", on: superuser)
    callers.wait()
    XCTAssertEqual(
      try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("alice")).balance, 7)
    try assertBooksAddUp(ledger)
    ledger.close()
    return duration
  }

  func testALaneThatIsHeldForASecondHasPreparedTransactionsRecovered() throws {
    XCTAssertTrue(try LaneChange(url: url).distribute(shards: 4).isChanged)
    try server.execute("GRANT EXECUTE ON FUNCTION recover_prepared_transactions() TO gem", on: superuser)
    let duration = try spend(Ledger.openPostgres(at: url)) { try recoveries() > 0 }
    XCTAssertEqual(try server.execute("TABLE stand_in_recoveries", on: superuser).first, "gem")
    XCTAssertGreaterThan(duration, .milliseconds(900), "a lane that is held for an instant is waited for")
    XCTAssertLessThan(duration, .seconds(4))
  }

  /// It asks again after a second: the engine leaves out transactions that were still under way.
  func testItAsksAgainWhileItWaits() throws {
    XCTAssertTrue(try LaneChange(url: url).distribute(shards: 4).isChanged)
    try server.execute("GRANT EXECUTE ON FUNCTION recover_prepared_transactions() TO gem", on: superuser)
    let duration = try spend(Ledger.openPostgres(at: url)) { try recoveries() > 2 }
    XCTAssertLessThan(duration, .seconds(8))
  }

  /// A role without the right waits for the engine's own daemon.
  func testARefusalIsIgnored() throws {
    XCTAssertTrue(try LaneChange(url: url).distribute(shards: 4).isChanged)
    let start = ContinuousClock.now
    _ = try spend(Ledger.openPostgres(at: url)) { ContinuousClock.now - start > .seconds(3) }
    XCTAssertEqual(try recoveries(), 0)
  }

  /// On a single server a prepared transaction is somebody else's.
  func testASingleServerIsNotAsked() throws {
    try server.execute("GRANT EXECUTE ON FUNCTION recover_prepared_transactions() TO gem", on: superuser)
    let start = ContinuousClock.now
    _ = try spend(Ledger.openPostgres(at: url)) { ContinuousClock.now - start > .seconds(3) }
    XCTAssertEqual(try recoveries(), 0)
  }
}
#endif
