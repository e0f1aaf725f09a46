#if PostgreSQL
internal import CPostgreSQL
internal import Foundation
internal import GemLedger
internal import GemLedgerPostgres

/// The ledger on a PostgreSQL server against the server's work alone, all on one cluster and in turn.
struct PostgresBench {
  private let bench: SubjectBench
  private var settings: Bench.Settings { bench.settings }
  private var print: (String) -> Void { bench.print }
  private let url: String
  private let seconds: Double
  private static let callers = 32
  private static let processes = 4

  init(_ bench: SubjectBench) throws {
    self.bench = bench
    let settings = bench.settings
    seconds = settings.roundSeconds ?? Double(settings.operationCount ?? 4)
    url = try settings.loadedServer()
  }

  // MARK: The subject

  private struct Contender {
    let name: String
    /// Operations a second.
    let measure: () throws -> Double
  }

  func run() throws {
    let customers = settings.customerCount ?? 100_000
    print("  \(customers) customers, \(seconds) seconds a round; every round measures all in turn")
    try prepare(customers)
    let ledger = try Ledger.openPostgres(at: schemaURL)
    defer { ledger.close() }
    try warmUp(ledger, customers)
    let contenders = contenders(ledger, customers)
    var rates: [[Double]] = contenders.map { _ in [] }
    for round in 0...settings.rounds {
      for (index, contender) in contenders.enumerated() {
        let rate = try contender.measure()
        // The first round warms up.
        if round > 0 { rates[index].append(rate) }
      }
    }
    report(contenders.map(\.name), rates)
  }

  /// Looks up every customer before the measurement, as in a service that has run for more than a few seconds.
  private func warmUp(_ ledger: Ledger, _ customers: Int) throws {
    let gem = try CurrencyCode("GEM")
    for start in stride(from: 0, to: customers, by: 2048) {
      let spends = try (start..<min(start + 2048, customers)).map {
        try LedgerCommand.spend([Adjustment(gem, 1)], customer: CustomerID("customer-\($0)"))
      }
      for result in ledger.submit(spends) { _ = try result.get() }
    }
  }

  private func contenders(_ ledger: Ledger, _ customers: Int) -> [Contender] {
    var round: UInt64 = 0
    func workload() throws -> Workload {
      round += 1
      return try Workload(customerCount: customers, seed: round &* 7919)
    }
    return [
      Contender(name: "pgbench, TPC-B-like, scale \(Self.scale(customers)), 32 clients") {
        try pgbench(["--builtin=tpcb-like"])
      },
      Contender(name: "plpgsql function, one transaction each, 32 clients") {
        try pgbench(["--file=\(try script(customers))"])
      },
      Contender(name: "ledger, 32 callers, one adjustment each") {
        try singles(ledger, workload(), callers: Self.callers)
      },
      Contender(name: "ledger, bulk, groups of 256") { try bulk(ledger, workload(), submitters: 4) },
      Contender(name: "ledger, 4 processes of 8 callers, spread out") { try processes(customers: customers) },
      Contender(name: "ledger, 4 processes of 8 callers, one customer") { try processes(customers: 1) },
    ]
  }

  private func report(_ names: [String], _ rates: [[Double]]) {
    for (name, rates) in zip(names, rates) {
      print("    \(name): \(Spread(rates).text(Figure.whole)) a second")
      bench.add(name, rates.map { 1e9 / $0 })
    }
    func ratio(_ one: Int, _ other: Int) -> String {
      Figure.ratio(Spread(zip(rates[one], rates[other]).map { $0 / $1 }))
    }
    print("    32 callers to pgbench:               \(ratio(2, 0))")
    print("    32 callers to the function:          \(ratio(2, 1))")
    print("    bulk to the function:                \(ratio(3, 1))")
    print("    one hot customer to the spread-out:  \(ratio(5, 4))")
  }

  // MARK: The ledger

  private var schemaURL: String { PostgresSchemas.url(url, schema: "gembench") }

  private func prepare(_ customers: Int) throws {
    try PlainSQL(url).run(["DROP SCHEMA IF EXISTS gembench CASCADE"])
    print("  making the ledger ...")
    let ledger = try Ledger.createPostgres(at: schemaURL)
    try Workload(customerCount: customers).open(ledger)
    ledger.close()
    print("  making pgbench's tables and the function's ...")
    _ = try program("pgbench", ["--initialize", "--scale=\(Self.scale(customers))", "--quiet", url])
    try PlainSQL(url).run(PlainFunction.tables(customers: customers))
    try PlainSQL(url).run(["ANALYZE", "CHECKPOINT"], alone: true)
  }

  /// pgbench has 100,000 accounts a unit of scale.
  private static func scale(_ customers: Int) -> Int { customers < 10_000 ? 1 : 10 }

  private func singles(_ ledger: Ledger, _ workload: Workload, callers: Int) throws -> Double {
    let start = ContinuousClock.now
    let count = try Self.singles(ledger, workload, callers: callers, seconds: seconds)
    return Double(count) / (ContinuousClock.now - start).seconds
  }

  /// - Returns: The number of booked commands.
  static func singles(_ ledger: Ledger, _ workload: Workload, callers: Int, seconds: Double) throws -> Int {
    let deadline = ContinuousClock.now + .seconds(seconds)
    let workloads = workload.split(among: callers, round: UInt64.random(in: 0..<100_000_000))
    return try Blocking.wait {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for workload in workloads {
          group.addTask { try await Self.call(ledger, workload, until: deadline) }
        }
        return try await group.reduce(0, +)
      }
    }
  }

  private static func call(
    _ ledger: Ledger, _ workload: Workload, until deadline: ContinuousClock.Instant
  ) async throws -> Int {
    var workload = workload
    var count = 0
    while ContinuousClock.now < deadline {
      _ = try await ledger.book(try workload.next())
      count += 1
    }
    return count
  }

  private func bulk(_ ledger: Ledger, _ workload: Workload, submitters: Int) throws -> Double {
    let start = ContinuousClock.now
    let count = try Self.bulk(ledger, workload, submitters: submitters, seconds: seconds)
    return Double(count) / (ContinuousClock.now - start).seconds
  }

  /// - Returns: The number of booked commands.
  static func bulk(_ ledger: Ledger, _ workload: Workload, submitters: Int, seconds: Double) throws -> Int {
    let deadline = ContinuousClock.now + .seconds(seconds)
    let group = 256 * max(1, ledger.storage.traits.laneCount) / submitters
    let workloads = workload.split(among: submitters, round: UInt64.random(in: 0..<100_000_000))
    let threads = workloads.map { workload in
      Worker {
        var (workload, count) = (workload, 0)
        while ContinuousClock.now < deadline {
          for result in ledger.submit(try workload.next(group)) { _ = try result.get() }
          count += group
        }
        return count
      }
    }
    return try threads.reduce(0) { $0 + (try $1.join()) }
  }

  /// Runs several processes, each of which opens the ledger and reports the number of its bookings.
  private func processes(customers: Int) throws -> Double {
    let running = try (0..<Self.processes).map { _ in
      try RunningProgram(
        settings.program,
        ["postgres-process", schemaURL, "\(customers)", "\(Self.callers / Self.processes)", "\(seconds)"])
    }
    return try running.reduce(0) { sum, process in sum + (Double(try process.finish()) ?? 0) }
  }

  /// Runs the work of one process: books for the given seconds, and prints the rate.
  static func runProcess(_ arguments: [String]) throws {
    guard arguments.count == 4, let customers = Int(arguments[1]), let callers = Int(arguments[2]),
      let seconds = Double(arguments[3])
    else { throw LedgerError(.invalidRequest, "postgres-process URL CUSTOMERS CALLERS SECONDS") }
    let ledger = try Ledger.openPostgres(at: arguments[0])
    let workload = try Workload(customerCount: customers, seed: .random(in: 0 ... .max))
    let start = ContinuousClock.now
    let count = try singles(ledger, workload, callers: callers, seconds: seconds)
    Swift.print(Double(count) / (ContinuousClock.now - start).seconds)
    ledger.close()
  }

  // MARK: The server's own work alone

  /// - Returns: Transactions a second.
  private func pgbench(_ script: [String]) throws -> Double {
    var output = ""
    // On a machine that is busy with other work, this many clients commit nothing in a short time.
    for length in [max(1, Int(seconds)), 10, 60] {
      output = try program(
        "pgbench",
        ["--no-vacuum", "--protocol=prepared", "--client=\(Self.callers)", "--jobs=2", "--time=\(length)"]
          + script + [url])
      let line = output.split(separator: "\n").first { $0.hasPrefix("tps = ") }
      if let rate = line?.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) }) { return rate }
    }
    throw LedgerError(.unexpected, "pgbench printed no rate: \(output)")
  }

  private func script(_ customers: Int) throws -> String {
    let path = settings.directory + "/gembench-function.sql"
    try PlainFunction.script(customers: customers).write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func program(_ name: String, _ arguments: [String]) throws -> String {
    try RunningProgram("/usr/bin/env", [name] + arguments).finish()
  }
}

extension Bench.Settings {
  /// The server that the benchmarks may load.
  func loadedServer() throws -> String {
    if let url = storage ?? ProcessInfo.processInfo.environment["GEMLEDGER_TEST_POSTGRES"] { return url }
    throw LedgerError(
      .invalidRequest,
      "Name a server that may be loaded: --storage postgres://user:password@127.0.0.1:port/database (.ci/postgres "
        + "starts one).")
  }
}
#endif
