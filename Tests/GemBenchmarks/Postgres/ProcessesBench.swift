#if PostgreSQL
internal import Foundation
internal import GemLedger
internal import GemLedgerPostgres

/// The same callers in one process and in several, all on one cluster and in turn.
struct ProcessesBench {
  private let bench: SubjectBench
  private var settings: Bench.Settings { bench.settings }
  private var print: (String) -> Void { bench.print }
  private let url: String
  private let seconds: Double

  init(_ bench: SubjectBench) throws {
    self.bench = bench
    let settings = bench.settings
    seconds = settings.roundSeconds ?? Double(settings.operationCount ?? 4)
    url = try settings.loadedServer()
  }

  private struct Contender {
    let name: String
    let processes: Int
    let callers: Int
    var work = ProcessWork.Kind.single
    /// Whether all callers book for one customer, and so in one lane.
    var isOfOneCustomer = false
  }

  private static let contenders = [
    Contender(name: "1 process, 32 callers", processes: 1, callers: 32),
    Contender(name: "4 processes, 8 callers each", processes: 4, callers: 8),
    Contender(name: "the same, opened just then", processes: 4, callers: 8, work: .singleUnknown),
    Contender(name: "the same, all for one customer", processes: 4, callers: 8, isOfOneCustomer: true),
    Contender(name: "1 process, 32 callers for one customer", processes: 1, callers: 32, isOfOneCustomer: true),
    Contender(name: "1 process, 8 callers", processes: 1, callers: 8),
    Contender(name: "1 process, 1 caller", processes: 1, callers: 1),
    Contender(name: "1 process, 64 callers", processes: 1, callers: 64),
    Contender(name: "bulk, 4 submitters", processes: 1, callers: 4, work: .bulk),
  ]

  func run() throws {
    let customers = settings.customerCount ?? 100_000
    print("  \(customers) customers, \(seconds) seconds a round; every round measures all in turn")
    let schema = PostgresSchemas.url(url, schema: "gembench")
    try PlainSQL(url).run(["DROP SCHEMA IF EXISTS gembench CASCADE"])
    let ledger = try Ledger.createPostgres(at: schema)
    try Workload(customerCount: customers).open(ledger)
    ledger.close()
    try PlainSQL(url).run(["ANALYZE", "CHECKPOINT"], alone: true)
    var figures: [[ProcessFigures]] = Self.contenders.map { _ in [] }
    for round in 0...settings.rounds {
      for (index, contender) in Self.contenders.enumerated() {
        let measured = try measure(contender, schema, customers)
        // The first round warms up.
        if round > 0 { figures[index].append(measured) }
      }
    }
    report(figures)
  }

  private func measure(_ contender: Contender, _ schema: String, _ customers: Int) throws -> ProcessFigures {
    let running = try (0..<contender.processes).map { _ in
      let work = ProcessWork(
        url: schema, customers: contender.isOfOneCustomer ? 1 : customers, callers: contender.callers, seconds: seconds,
        kind: contender.work)
      return try RunningProgram(settings.program, work.arguments, waits: true)
    }
    for process in running { try process.waitUntilReady() }
    let server = try ServerFigures.Watch(url)
    for process in running { process.goOn() }
    var sum = ProcessFigures()
    for process in running { sum.add(try ProcessFigures(text: try process.finish())) }
    sum.server = try server.stop()
    return sum
  }

  private func report(_ figures: [[ProcessFigures]]) {
    func median(_ index: Int, _ value: (ProcessFigures) -> Double) -> Double {
      Spread(figures[index].map(value)).median
    }
    for (index, contender) in Self.contenders.enumerated() {
      let rates = figures[index].map(\.rate)
      print("    \(contender.name): \(Spread(rates).text(Figure.whole)) a second")
      bench.add(contender.name, rates.map { 1e9 / $0 })
      print(
        "      \(Figure.ratio(median(index, \.commandsPerGroup))) commands a group, "
          + "\(Figure.ratio(median(index, \.roundTripsPerGroup))) round trips a group; a command takes "
          + "\(Int(median(index, \.clientMicroseconds))) us of the clients' processors and "
          + "\(Int(median(index, \.serverMicroseconds))) us of the server's; "
          + "\(Figure.ratio(median(index, \.syncsPerCommand))) syncs")
      let states = Set(figures[index].flatMap(\.server.states.keys)).sorted()
      let shares = states.map { state in
        "\(state) \(Figure.ratio(median(index) { $0.server.states[state] ?? 0 }))"
      }
      print("      connections at work, on average: \(shares.joined(separator: ", "))")
    }
    for index in Self.contenders.indices.dropFirst() {
      let ratios = zip(figures[index], figures[0]).map { $0.rate / $1.rate }
      print("    \(Self.contenders[index].name), to the first: \(Figure.ratio(Spread(ratios)))")
    }
  }
}
#endif
