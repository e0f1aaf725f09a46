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

  /// A commit that the engine warned of may have left a part on a node whose lanes nobody waits for.
  func testAPartThatIsMissingAfterAWarningIsRecovered() throws {
    XCTAssertTrue(try LaneChange(url: url).distribute(shards: 4).isChanged)
    try server.execute(
      """
      CREATE TABLE gemledger.parked AS TABLE gemledger.aliases WITH NO DATA;
      GRANT ALL ON gemledger.parked TO PUBLIC;
      CREATE FUNCTION gemledger.park() RETURNS trigger LANGUAGE plpgsql SET search_path = gemledger AS $$
      BEGIN
        WITH lost AS (DELETE FROM aliases WHERE id = 'bob' RETURNING *) INSERT INTO parked TABLE lost;
        RAISE WARNING 'failed to commit transaction on 127.0.0.1:5433';
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER parks AFTER INSERT ON gemledger.keys DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.key = 'once'::bytea) EXECUTE FUNCTION gemledger.park();
      """, on: superuser)
    try server.execute(
      """
      CREATE OR REPLACE FUNCTION pg_catalog.recover_prepared_transactions() RETURNS integer
      LANGUAGE sql SECURITY DEFINER SET search_path = gemledger AS $$
        INSERT INTO stand_in_recoveries VALUES (session_user);
        WITH done AS (DELETE FROM parked RETURNING *) INSERT INTO aliases TABLE done RETURNING 1;
      $$;
      GRANT EXECUTE ON FUNCTION recover_prepared_transactions() TO gem
      """, on: superuser)
    let storage = try PostgresStorage(url: url, recovery: PostgresRecovery(retryPolicy: .seconds(5)))
    let ledger = Ledger(storage: storage)
    let bob = try Make.customer("bob")
    let grant = try LedgerCommand.grant([Make.amount("GEM", 7)], customer: bob, key: Make.key("once"))
    XCTAssertFalse(try ledger.book(grant).isReplayed)
    XCTAssertGreaterThan(try recoveries(), 0)
    XCTAssertTrue(try ledger.book(grant).isReplayed)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: bob).balance, 7)
    try assertBooksAddUp(ledger)
    ledger.close()
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
