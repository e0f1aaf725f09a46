import GemLedger
import LedgerCharts
import StoreBackend
import Synchronization

/// `run`: the standing work, round after round.
struct RunCommand {
  let invocation: Invocation

  private static let interval = Duration.seconds(60)

  func run() throws {
    let interval = try invocation.duration("--every")
    let isOnce = invocation.parsed.has("--once")
    try invocation.parsed.checkExcluding("--once", "--every")
    let state = try invocation.clientState()
    let pauses = try HomePauses(invocation)
    let home = try invocation.clientHome()
    try invocation.withLedger(clock: pauses?.clock) { (ledger) throws(LedgerError) in
      let environment = try StoreEnvironment.localTesting(session: state.storeSession)
      let backend = LocalBackend(
        ledger: ledger, verifier: try HomeReceipts.open(state.store, environment, in: home),
        policy: BackendPolicy(sandboxReceipts: .anybody),
        delivery: invocation.settings.deliver.map(CommandDelivery.init))
      let runner = MaintenanceRunner(backend: backend)
      if isOnce { try once(runner) } else { try forever(runner, every: interval ?? Self.interval, pauses) }
    }
  }

  private func once(_ runner: MaintenanceRunner) throws(LedgerError) {
    let report = try Blocking.wait { () async throws(LedgerError) in try await runner.runOnce() }
    try invocation.print(Self.json(report), { Self.table(report).text(style: $0) })
    if let error = report.failures.first?.error { throw error }
  }

  /// Runs rounds until a signal arrives or the reader of the output has closed it.
  private func forever(
    _ runner: MaintenanceRunner, every interval: Duration, _ pauses: HomePauses?
  ) throws(LedgerError) {
    let (terminal, isJSON) = (invocation.terminal, invocation.isJSON)
    let failure = Mutex<LedgerError?>(nil)
    let rounds = Mutex<Task<Void, Never>?>(nil)
    let task = Task.detached {
      let report: @Sendable (MaintenanceReport) -> Void = { report in
        let text = isJSON ? Self.json(report).text() + "\n" : Self.line(report)
        do throws(LedgerError) {
          try terminal.output(text)
        } catch {
          failure.withLock { $0 = $0 ?? error }
          rounds.withLock { $0?.cancel() }
        }
      }
      if let pauses {
        await runner.run(every: interval, clock: pauses, onReport: report)
      } else {
        await runner.run(every: interval, onReport: report)
      }
    }
    rounds.withLock { $0 = task }
    let signals = Signals { task.cancel() }
    defer { signals.forget() }
    try Blocking.wait { () async throws(LedgerError) in await task.value }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  // MARK: Output

  private static func json(_ report: MaintenanceReport) -> JSONValue {
    [
      "started_at": .string(report.startedAt.description), "ok": .bool(report.isOK),
      "jobs": .array(report.jobs) { job in
        [
          "name": .string(job.name),
          "counts": .object(JSONObject(counts(of: job).map { ($0.key, .integer(Int64($0.value))) })),
          "error": job.error.map { ["code": .string($0.code.description), "message": .string($0.message)] } ?? .null,
        ]
      },
    ]
  }

  private static func counts(of job: MaintenanceReport.Job) -> [(key: String, value: Int)] {
    job.counts.sorted { $0.key < $1.key }
  }

  private static func table(_ report: MaintenanceReport) -> Table {
    report.jobs.table([.left("JOB", \.name), .left("RESULT") { result(of: $0) }])
  }

  private static func result(of job: MaintenanceReport.Job) -> String {
    if let error = job.error { return "failed: \(error.code): \(error.message)" }
    return counts(of: job).map { "\($0.key) \(AmountText.grouped(Int64($0.value)))" }.joined(separator: ", ")
  }

  /// A line for a round in which something was done or failed; nothing for any other.
  private static func line(_ report: MaintenanceReport) -> String {
    let jobs = report.jobs.compactMap { job -> String? in
      if job.error != nil { return "\(job.name): \(result(of: job))" }
      // Looking is not doing.
      let done = counts(of: job).filter { $0.value > 0 && $0.key != "customers" && $0.key != "found" }
      guard !done.isEmpty else { return nil }
      return "\(job.name): " + done.map { "\($0.key) \(AmountText.grouped(Int64($0.value)))" }.joined(separator: ", ")
    }
    guard !jobs.isEmpty else { return "" }
    return "\(report.startedAt)  \(SafeText.escaped(jobs.joined(separator: "; ")))\n"
  }
}
