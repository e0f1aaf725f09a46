#if PostgreSQL
import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

@testable import gemstress

/// Several processes on one server, which fails again and again, as its connections and the processes do.
final class StressTests: XCTestCase {
  private let initial: Int64 = 10_000
  private let count = 6

  private func customers() throws -> [CustomerID] { try (0..<count).map { try Make.customer("customer \($0)") } }

  private func make(at url: String) throws {
    let ledger = try Ledger.createPostgres(at: url + "?lanes=4")
    try ledger.apply(Make.catalog())
    for customer in try customers() { try ledger.grant([Make.amount("GEM", initial)], customer: customer) }
    ledger.close()
  }

  func testWhatIsAcknowledgedIsBookedOnceWhateverFails() throws {
    let server = try PostgresServer(settings: ["max_connections": "200"])
    let directory = try TemporaryDirectory()
    let url = try server.createDatabase()
    try make(at: url)
    let proxy = try CuttingProxy(before: url)
    proxy.cutNowAndThen(true)
    var runs: [StressRun] = []
    func begin(_ name: String) throws -> StressRun {
      let plan = StressPlan(customers: try customers(), name: name, isPartlyUnkeyed: true)
      let run = try StressRun(proxy.url, plan, in: directory)
      runs.append(run)
      return run
    }
    var running = try (0..<4).map { try begin("p\($0)") }
    let roundCount = Tier.current.length(2, thorough: 4)
    for round in 0..<roundCount {
      try assertAllGoOn(running)
      try server.stop(immediate: true)
      try server.start()
      try assertAllGoOn(running)
      running[round % 4].kill()
      running[round % 4] = try begin("r\(round)")
    }
    try assertAllGoOn(running)
    for run in running { run.kill() }
    proxy.cutNowAndThen(false)
    for run in runs { XCTAssertEqual(try run.complaints(), "") }
    XCTAssertEqual(try problems(of: runs, at: url), [])
    let acknowledged = try runs.reduce(0) { try $0 + $1.acknowledged().count }
    print("\(acknowledged) commands acknowledged, \(proxy.cutCount) connections cut, \(roundCount) restarts")
    proxy.close()
    server.remove()
  }

  /// Control: processes that do not look up the outcome of a commit are caught.
  func testProcessesThatDoNotAskAreCaught() throws {
    let directory = try TemporaryDirectory()
    let url = try PostgresServer.shared().createDatabase()
    try make(at: url)
    let proxy = try CuttingProxy(before: url)
    proxy.cutNowAndThen(true)
    let plan = StressPlan(customers: try customers(), name: "forgetful", isPartlyUnkeyed: true)
    let run = try StressRun(proxy.url, plan, isForgetful: true, in: directory)
    let history = { try PostgresServer.shared().execute(Self.duplicates, on: url) }
    XCTAssertTrue(try eventually { try history() != ["0"] })
    XCTAssertEqual(try run.complaints(), "")
    XCTAssertGreaterThan(try run.lines().count, 0)
    run.kill()
    proxy.close()
    let found = try problems(of: [run], at: url)
    XCTAssertTrue(found.contains { $0.contains("is booked 2 times") }, "\(found)")
  }

  private static let duplicates = """
    SELECT count(*) FROM (SELECT 1 FROM gemledger.notes WHERE reference IS NOT NULL
      GROUP BY customer, reference HAVING count(*) > 1) d
    """

  /// Each of them books something more, and all of them live.
  private func assertAllGoOn(_ runs: [StressRun], line: UInt = #line) throws {
    let before = try runs.map { try $0.lines().count }
    let go = try eventually {
      try zip(runs, before).allSatisfy { try !$0.isRunning || $0.lines().count > $1 + 20 }
    }
    XCTAssertTrue(go, "they stand still: \(before)", line: line)
    for run in runs {
      let complaints = try run.complaints()
      XCTAssertTrue(run.isRunning, "\(run.plan.name): \(complaints)", line: line)
    }
  }

  /// Returns the problems of the books, after all unacknowledged commands were sent once more.
  private func problems(of runs: [StressRun], at url: String) throws -> [String] {
    // The last commit of a killed process may still be under way.
    let others = """
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND backend_type = 'client backend'
      """
    XCTAssertTrue(try eventually { try PostgresServer.shared().execute(others, on: url) == ["0"] })
    let ledger = try Ledger.openPostgres(at: url)
    defer { ledger.close() }
    var problems = try ledger.verify().problems.map(\.description)
    let before = try booked(in: ledger)
    for run in runs {
      let acknowledged = try run.acknowledged()
      for (number, transaction) in acknowledged where before[run.plan.name(number)] != [transaction] {
        let found = before[run.plan.name(number)] ?? []
        problems.append(
          "\(run.plan.name(number)) was acknowledged as \(transaction) and is booked \(found.count) times: \(found)")
      }
      // Each thread may have sent one more command; the few beyond that were never sent.
      let keyed = (0..<(acknowledged.keys.max() ?? 0) + 2 * run.threads).filter(run.plan.hasKey)
      let answers = try ledger.submit(keyed.map(run.plan.command))
      for (number, answer) in zip(keyed, answers) {
        let booking = try answer.get()
        let name = run.plan.name(number)
        if booking.isReplayed != (before[name] != nil) { problems.append("\(name) is answered as if it was not so") }
        guard let first = before[name]?.first, first != booking.transactionID?.description else { continue }
        problems.append("\(name) was \(first) and is answered as \(String(describing: booking.transactionID))")
      }
    }
    let after = try booked(in: ledger)
    for (name, transactions) in after where transactions.count != 1 {
      problems.append("\(name) is booked \(transactions.count) times")
    }
    for customer in try customers() {
      let effects = runs.flatMap { run in
        after.keys.compactMap { name -> Int64? in
          guard name.hasPrefix(run.plan.name + "-"), let number = Int(name.dropFirst(run.plan.name.count + 1)),
            run.plan.customer(number) == customer
          else { return nil }
          return run.plan.effect(number)
        }
      }
      let balance = try ledger.balance(of: CurrencyCode("GEM"), customer: customer).balance
      let expected = initial + effects.reduce(0, +)
      if balance != expected { problems.append("\(customer) has \(balance) GEM instead of \(expected)") }
    }
    return problems + (try ledger.verify().problems.map(\.description))
  }

  /// The transactions of each command, by its name.
  private func booked(in ledger: Ledger) throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    for customer in try customers() {
      for record in try ledger.wholeHistory(of: customer) {
        guard let name = record.reference?.text else { continue }
        found[name, default: []].append(record.booking.transactionID?.description ?? "-")
      }
    }
    return found
  }

  /// Ten processes on an empty database: one makes the ledger, and all open it.
  func testOfTenProcessesThatMakeALedgerOneDoes() throws {
    let directory = try TemporaryDirectory()
    for round in 0..<3 {
      let url = try PostgresServer.shared().createDatabase()
      let runs = try (0..<10).map { try StressRun(making: url, name: "m\(round)-\($0)", in: directory) }
      var said: [String: Int] = [:]
      for run in runs {
        XCTAssertEqual(run.finish(), 0)
        XCTAssertEqual(try run.complaints(), "")
        for line in try run.lines() { said[line, default: 0] += 1 }
      }
      XCTAssertEqual(said, ["made": 1, "already_exists": 9])
      let ledger = try Ledger.openPostgres(at: url)
      XCTAssertEqual(try ledger.everyCustomer().count, 10)
      try assertBooksAddUp(ledger)
      ledger.close()
    }
  }
}
#endif
