import GemLedger
import StoreSimulation
import Synchronization

/// `simulate`: a seeded soak test in memory; `books_wrong` with the shortest failing prefix if an invariant breaks.
struct SimulateCommand {
  /// The default number of events.
  private static let eventCount: Int64 = 10_000
  private static let eventCountMax: Int64 = 100_000_000

  let invocation: Invocation

  func run() throws {
    let events = try invocation.parsed.integer("--events", in: 1...Self.eventCountMax) ?? Self.eventCount
    let seed = try invocation.parsed.integer("--seed", in: 0...Int64.max) ?? Int64.random(in: 1...999_999_999)
    let report = try simulate(Simulation.Settings(seed: UInt64(seed), eventCount: Int(events)))
    try invocation.print(Self.json(report), { Self.text(report, style: $0) })
    if let failure = report.failure { throw Self.error(seed: failure.seed, prefix: failure.prefix) }
  }

  private func simulate(_ settings: Simulation.Settings) throws(LedgerError) -> SimulationReport {
    let terminal = invocation.terminal
    return try Blocking.wait { () async throws(LedgerError) in
      let bar = Mutex(ProgressBar("Simulating", total: settings.eventCount, terminal: terminal))
      defer { bar.withLock { $0.finish() } }
      var simulation = Simulation(settings)
      simulation.makeReceipts = { (store, environment) throws(LedgerError) in
        try HomeReceipts.open(store, environment, in: nil)
      }
      return try await simulation.run { done in bar.withLock { $0.advance(to: done) } }
    }
  }

  static func error(seed: UInt64, prefix: Int) -> LedgerError {
    LedgerError(
      .booksWrong,
      "The first \(prefix) events of seed \(seed) break an invariant; to see it again: gemctl simulate --seed \(seed) "
        + "--events \(prefix)",
      details: [.integer("seed", Int64(clamping: seed)), .integer("events", Int64(prefix))])
  }
}

// MARK: For scripts

extension SimulateCommand {
  private static func json(_ report: SimulationReport) -> JSONValue {
    var object = JSONObject(facts(of: report).map { ($0.name, .integer($0.value)) })
    object["ok"] = .bool(report.failure == nil)
    object["seed"] = .integer(Int64(clamping: report.seed))
    object["kinds"] = counts(report.events)
    object["faults"] = counts(report.faults)
    object["virtual_seconds"] = .integer(report.virtualTime.components.seconds)
    if let failure = report.failure { object["failure"] = json(failure) }
    return .object(object)
  }

  private static func json(_ failure: SimulationFailure) -> JSONValue {
    [
      "seed": .integer(Int64(clamping: failure.seed)), "events": .integer(Int64(failure.prefix)),
      "problems": .array(failure.problems.map { .string($0) }),
      "last_events": .array(failure.lastEvents.map { .string($0.description) }),
    ]
  }

  private static func counts(_ counts: [SimulationReport.Count]) -> JSONValue {
    .object(JSONObject(counts.map { ($0.name, .integer(Int64($0.count))) }))
  }

  private static func facts(of report: SimulationReport) -> [(name: String, value: Int64)] {
    [
      ("events", Int64(report.eventCount)), ("process_deaths", Int64(report.deaths)), ("paid", Int64(report.paid)),
      ("renewals", Int64(report.renewals)),
      ("credited", Int64(report.credits)), ("credited_to_poster", Int64(report.creditsWithoutToken)),
      ("refunded", Int64(report.refunds)), ("replayed", Int64(report.replays)),
      ("dead_lettered", Int64(report.deadLetters)), ("customers", Int64(report.customers)),
      ("transactions", report.transactions), ("checks", Int64(report.checks)),
    ]
  }
}

// MARK: For people

extension SimulateCommand {
  private static func text(_ report: SimulationReport, style: Style) -> String {
    var text = table("EVENT", report.events).text(style: style) + "\n"
    if !report.faults.isEmpty { text += table("FAULT", report.faults).text(style: style) + "\n" }
    var summary = Table([.left("SUMMARY"), .right("COUNT")])
    for fact in facts(of: report) { summary.add([words(fact.name), AmountText.grouped(fact.value)]) }
    summary.add(["days passed", AmountText.grouped(report.virtualTime.components.seconds / 86_400)])
    text += summary.text(style: style) + "\n"
    guard let failure = report.failure else {
      return text + style.green("Every paid purchase is credited once") + ": seed \(report.seed), in \(took(report))\n"
    }
    text += style.red("An invariant broke") + ": seed \(failure.seed), first \(failure.prefix) events\n"
    for problem in failure.problems { text += "  \(SafeText.escaped(problem))\n" }
    text += "The last events:\n"
    for event in failure.lastEvents { text += "  \(SafeText.escaped(event.description))\n" }
    return text
  }

  private static func table(_ title: String, _ counts: [SimulationReport.Count]) -> Table {
    var table = Table([.left(title), .right("COUNT")])
    for count in counts { table.add([words(count.name), AmountText.grouped(Int64(count.count))]) }
    return table
  }

  private static func words(_ name: String) -> String { String(name.map { $0 == "_" ? " " : $0 }) }

  private static func took(_ report: SimulationReport) -> String {
    let (seconds, attoseconds) = report.elapsed.components
    return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
  }
}
