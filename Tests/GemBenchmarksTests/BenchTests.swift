import GemBenchmarks
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

#if PostgreSQL
import PostgresTestSupport
#endif

final class BenchTests: XCTestCase {
  /// Every subject runs, so that none of them rots.
  func testEverySubjectRunsWithTinyInput() throws {
    let directory = try TemporaryDirectory()
    var settings = Bench.Settings(directory: directory.url.path)
    settings.rounds = 1
    settings.customerCount = 50
    settings.operationCount = Tier.current.length(20, thorough: 600)
    settings.entryCount = Tier.current.length(300, thorough: 2000)
    // Those that need a server and a second a round have tests of their own.
    for subject in Bench.Subject.allCases where subject != .postgres && subject != .processes {
      var lines: [String] = []
      try Bench.run(subject, settings) { lines.append($0) }
      XCTAssertGreaterThan(lines.count, 2, subject.rawValue)
    }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.url.path), [])
  }

  #if PostgreSQL
  func testPostgreSQLRunsBesideItsRivals() throws {
    let lines = try onServer(.postgres)
    XCTAssertEqual(lines.filter { $0.contains(" to ") }.count, 4, lines.joined(separator: "\n"))
  }

  func testCallersRunInOneProcessAndInSeveral() throws {
    let lines = try onServer(.processes)
    XCTAssertEqual(lines.filter { $0.contains("to the first: ") }.count, 8, lines.joined(separator: "\n"))
  }

  private func onServer(_ subject: Bench.Subject) throws -> [String] {
    let directory = try TemporaryDirectory()
    var settings = Bench.Settings(directory: directory.url.path)
    settings.rounds = 1
    settings.customerCount = 100
    settings.roundSeconds = 0.1
    settings.storage = try PostgresServer.shared().createDatabase()
    settings.program = try XCTUnwrap(Self.gembench)
    var lines: [String] = []
    try Bench.run(subject, settings) { lines.append($0) }
    return lines
  }

  private static var gembench: String? {
    let bundle = Bundle(for: BenchTests.self).bundleURL
    // On Apple platforms the bundle lies beside the products, elsewhere it is their directory.
    let products = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
    let path = products.appendingPathComponent("gembench").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }
  #endif

  /// The bare loop is a fair anchor only if it leaves the same rows.
  func testTheBareLoopWritesTheRowsThatTheLedgerWrites() throws {
    let directory = try TemporaryDirectory()
    let clock = ManualClock(milliseconds: 1_790_000_000_000)
    let (first, second) = (directory.path("ledger.sqlite"), directory.path("bare.sqlite"))
    let customers = 50
    let opened = try Ledger.createSQLite(at: first, clock: clock.clock, salt: 1)
    try Workload(customerCount: customers).open(opened)
    opened.close()
    try FileManager.default.copyItem(atPath: first, toPath: second)

    var workload = try Workload(customerCount: customers)
    let commands = try workload.next(1000)
    let ledger = try Ledger.openSQLite(at: first, clock: clock.clock)
    let bare = BareLoop(path: second, createdAt: clock.now.milliseconds)
    for start in stride(from: 0, to: commands.count, by: 250) {
      for result in ledger.submit(Array(commands[start..<start + 250])) { _ = try result.get() }
      _ = try bare.book(commands[start..<start + 250].map(BareLoop.Operation.init)[...])
    }
    ledger.close()
    bare.close()
    // The bare loop makes no digests.
    let transactions = "(SELECT number, kind, customer, created_at, first_entry FROM transaction_rows)"
    let plain = """
      (SELECT number, kind, created_at, account, amount, balance, version, previous, lot FROM plain_transactions)
      """
    let others = ["entry_rows", "entry_runs", "keys", "accounts", "allocations", "lots", "notes", "checkpoints"]
    for table in [transactions, plain] + others {
      XCTAssertEqual(try dump(first, table), try dump(second, table), table)
    }
    try assertBooksAddUp(Ledger.openSQLite(at: first, clock: clock.clock))
  }

  private func dump(_ path: String, _ table: String) throws -> [String] { try TableDump.rows(of: table, in: path) }
}
