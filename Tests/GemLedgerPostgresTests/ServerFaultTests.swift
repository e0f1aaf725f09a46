#if PostgreSQL
import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Servers that are down, refuse, or only read: the errors that users see, and the work that continues by itself.
final class ServerFaultTests: XCTestCase {
  private func make(at url: String) throws {
    let ledger = try Ledger.createPostgres(at: url)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer("alice"))
    ledger.close()
  }

  private func changed(_ url: String, _ change: (inout URLComponents) -> Void) throws -> String {
    var parts = try XCTUnwrap(URLComponents(string: url))
    change(&parts)
    return try XCTUnwrap(parts.string)
  }

  /// Fails unless it is refused like that, at once, in words that help and tell no secret.
  private func assertUnavailable(
    _ url: String, says words: String, line: UInt = #line, _ body: (String) throws -> Void
  ) throws {
    let start = ContinuousClock.now
    let error = assertRefused(.storageUnavailable, line: line) { try body(url) }
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(30), "it waited for long", line: line)
    XCTAssertEqual(error?.code.exitStatus, 69, line: line)
    let message = error.map { "\($0.message) \($0.details)" } ?? ""
    XCTAssertTrue(message.contains(words), message, line: line)
    let password = try XCTUnwrap(URLComponents(string: url)?.password)
    XCTAssertFalse(message.contains(password), message, line: line)
  }

  func testRefusedLoginsAndUnknownDatabases() throws {
    let url = try PostgresServer.shared().createDatabase()
    try make(at: url)
    let open = { (url: String) in _ = try Ledger.openPostgres(at: url) }
    let wrongPassword = try changed(url) { $0.password = "sesame-open" }
    try assertUnavailable(wrongPassword, says: "Check user, password and pg_hba.conf", open)
    try assertUnavailable(
      try changed(url) { $0.user = "nobody_at_all" }, says: "Check user, password and pg_hba.conf", open)
    let wrongDatabase = try changed(url) { $0.path = "/no_such_database" }
    try assertUnavailable(wrongDatabase, says: "Create the database, or specify another one", open)
    try assertUnavailable(wrongDatabase, says: "Create the database") { _ = try Ledger.createPostgres(at: $0) }
  }

  func testAURLThatCannotBeReadIsRefusedWithoutItsPassword() throws {
    let urls = [
      "postgres://gem:sesame@[::1/db", "postgres://gem:ses%ame@localhost/db", "postgres://gem:sesame/1@localhost/db",
      "postgres://gem:sesame@localhost:/db%", "postgres://gem:sesame@localhost/db?sslmod=require",
      "postgres://gem:sesame@localhost/db?schema=No",
    ]
    for url in urls {
      let error = assertRefused(.invalidRequest) { try Ledger.openPostgres(at: url) }
      XCTAssertEqual(error?.code.exitStatus, 64)
      XCTAssertFalse(error?.message.contains("ses") ?? true, error?.message ?? "")
    }
  }

  func testAServerThatIsDownIsReportedAtOnce() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    try make(at: url)
    try server.stop()
    try assertUnavailable(url, says: "the server cannot be reached") { _ = try Ledger.openPostgres(at: $0) }
    try assertUnavailable(url, says: "the server cannot be reached") { _ = try Ledger.createPostgres(at: $0) }
    try server.start()
    let ledger = try Ledger.openPostgres(at: url)
    try assertBooksAddUp(ledger)
    ledger.close()
    server.remove()
  }

  func testARestartWhileNobodyAsksIsNotNoticed() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    try make(at: url)
    let ledger = try Ledger.openPostgres(at: url)
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    let gem = try CurrencyCode("GEM")
    XCTAssertEqual(try ledger.spend([Adjustment(gem, 1)], customer: alice).balance(gem), 9)
    for isImmediate in [false, true] {
      try server.stop(immediate: isImmediate)
      try server.start()
      XCTAssertEqual(try ledger.grant([Adjustment(gem, 1)], customer: alice).entries.count, 1)
      try server.stop(immediate: isImmediate)
      try server.start()
      XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, isImmediate ? 11 : 10)
      try server.stop(immediate: isImmediate)
      try server.start()
      // The lane of this customer is not known yet.
      XCTAssertNotNil(try ledger.grant([Adjustment(gem, 1)], customer: bob).transactionID)
    }
    try assertBooksAddUp(ledger)
    ledger.close()
    server.remove()
  }

  /// A command of an unknown customer waits for the server just like one of a known customer.
  func testCommandsWaitForAServerThatRestarts() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    try make(at: url)
    let ledger = try Ledger.openPostgres(at: url)
    try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    try server.stop(immediate: true)
    let answers = DispatchGroup()
    for name in ["alice", "new one", "newer one"] {
      let grant = LedgerCommand.grant([try Make.amount("GEM", 5)], customer: try Make.customer(name))
      DispatchQueue.global().async(group: answers) {
        if case .failure(let error) = ledger.submit([grant])[0] { XCTFail("\(name): \(error)") }
      }
    }
    try server.start()
    answers.wait()
    XCTAssertEqual(try ledger.verify().transactions, 5)
    try assertBooksAddUp(ledger)
    ledger.close()
    server.remove()
  }

  func testAStandbyReadsAndNamesThePrimary() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    try make(at: url)
    let standby = try server.standby()
    let copy = standby.url(database: try XCTUnwrap(URLComponents(string: url)).path.replacing("/", with: ""))
    let (alice, gem) = (try Make.customer("alice"), try CurrencyCode("GEM"))
    let ledger = try Ledger.openPostgres(at: copy)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 10)
    try assertBooksAddUp(ledger)
    try assertUnavailable(copy, says: "Specify the primary in the URL") { _ in
      try ledger.spend([Adjustment(gem, 1)], customer: alice)
    }
    try assertUnavailable(copy, says: "Specify the primary in the URL") { _ in
      _ = try Ledger.createPostgres(at: "\(copy)?schema=other")
    }
    ledger.close()
    // Both hosts, and the one that writes is found.
    let port = try XCTUnwrap(URLComponents(string: url)?.port)
    let standbyPort = try XCTUnwrap(URLComponents(string: copy)?.port)
    let hosts = url.replacing("127.0.0.1:\(port)", with: "127.0.0.1:\(standbyPort),127.0.0.1:\(port)")
    let both = try Ledger.openPostgres(at: hosts + "?target_session_attrs=read-write")
    XCTAssertEqual(try both.spend([Adjustment(gem, 1)], customer: alice).balance(gem), 9)
    try assertBooksAddUp(both)
    both.close()
    standby.remove()
    server.remove()
  }

  func testADatabaseThatIsSetToReadOnly() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    try make(at: url)
    let name = try XCTUnwrap(URLComponents(string: url)).path.dropFirst()
    try server.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
    let ledger = try Ledger.openPostgres(at: url)
    try assertUnavailable(url, says: "Specify the primary in the URL") { _ in
      try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testAServerThatWantsTLS() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    try make(at: url)
    try server.requireTLS()
    try assertUnavailable(url + "?sslmode=disable", says: "Add sslmode=require to the URL") {
      _ = try Ledger.openPostgres(at: $0)
    }
    let ledger = try Ledger.openPostgres(at: url + "?sslmode=require")
    try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    try assertBooksAddUp(ledger)
    ledger.close()
    server.remove()
  }

  /// Customers and frozen definitions that a process remembers do not outlive the database that they came from.
  func testABackupRestoredBehindARunningProcess() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    let name = try XCTUnwrap(URLComponents(string: url)).path.dropFirst()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try make(at: url)
    try server.execute("CREATE DATABASE \(name)_kept TEMPLATE \(name)")
    let ledger = try Ledger.openPostgres(at: url)
    let sandbox = try StoreEnvironment.xcode(session: "one")
    try ledger.grant([Make.amount("GEM", 5)], customer: bob)
    try ledger.creditPurchase(Make.purchase("t", environment: sandbox), customer: bob)
    try ledger.merge(from: alice, into: bob)
    try server.drop(name)
    try server.execute("ALTER DATABASE \(name)_kept RENAME TO \(name)")
    XCTAssertEqual(try ledger.spend([Make.amount("GEM", 1)], customer: alice).entries.map(\.balance), [9])
    assertRefused(.customerNotFound) { try ledger.spend([Make.amount("GEM", 1)], customer: bob) }
    XCTAssertFalse(try ledger.creditPurchase(Make.purchase("t", environment: sandbox), customer: bob).isReplayed)
    XCTAssertEqual(try ledger.purchases(of: bob).purchases.count, 1)
    try ledger.merge(from: bob, into: alice)
    XCTAssertEqual(try ledger.customerIDs(of: bob), [alice, bob])
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
#endif
