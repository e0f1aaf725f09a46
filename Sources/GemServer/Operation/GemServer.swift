#if Server
package import GemLedger
internal import StoreBackend
package import SystemHTTP
internal import Synchronization

/// A server for one or more ledgers: routes, background work and operation.
package final class GemServer: Sendable {
  /// The settings of a server.
  package struct Settings: Sendable {
    package var http = HTTPServerSettings()
    /// The requests per minute and key, by domain; a domain without a number has no limit.
    package var rateLimits: [RateDomain: Int] = [:]
    /// The pause between rounds of background work; nil for no background work.
    package var maintenanceInterval: Duration? = .seconds(60)

    package init() {}
  }

  package let projects: [ServerProject]
  private let http: HTTPServer
  private let log: ServerLog
  private let state: ServerState
  private let background: [Task<Void, Never>]
  private let stopSeconds: Int

  /// The port on which it listens.
  package var port: UInt16 { http.port }

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - simulator: The simulated store that clients may control; nil for none, without its paths.
  ///   - areas: Parts with their own answers, such as the console.
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_request` if two projects share their secrets,
  ///   `input_output`, and those of the storages.
  package init(
    _ settings: Settings, projects: [ServerProject], simulator: Simulator? = nil, areas: [HTTPArea] = [],
    log: ServerLog
  ) throws(LedgerError) {
    try Self.checkSecrets(of: projects)
    self.projects = projects
    self.log = log
    let state = ServerState()
    self.state = state
    stopSeconds = settings.http.stopSeconds
    let clock = projects.first?.clock ?? .system
    let guarded = projects.map { GuardedProject($0, keys: KeyRing($0.ledger, clock: $0.clock)) }
    let metrics = Metrics()
    let inverseConflicts = metrics.addCounter(
      "gemledger_inverse_conflicts_total", "Refused requests for the inverse of their key's transaction.")
    let operation = OperationRoutes(metrics: metrics, projects: projects, state: state) { error in
      log.error(error, requestID: "readyz")
    }
    let google = try simulator.flatMap { (simulator) throws(LedgerError) in
      try SimulatedGoogle(
        simulator, sender: HTTPSender(to: OutgoingTarget(allowedHosts: ["127.0.0.1", "localhost", "[::1]"])),
        scheme: settings.http.tls == nil ? "http" : "https")
    }
    let routes = Routes.all + (simulator.map { SimulatorRoutes($0, google: google).all } ?? [])
    let handler = APIHandler(
      routes: routes + operation.all(describing: routes), gatekeeper: Gatekeeper(guarded, clock: clock),
      limiter: RateLimiter(limits: settings.rateLimits), clock: clock,
      onFinish: { summary in
        metrics.count(summary)
        log.request(summary)
      }, onError: { error, id in log.error(error, requestID: id) },
      onWarning: { error, id in
        inverseConflicts.increment()
        log.warning(error, requestID: id)
      })
    let requestIDs = RequestIDs(seed: .random(in: 0 ... .max))
    let areas = HTTPAreas(areas + [google?.area].compactMap(\.self), others: handler)
    let http = try HTTPServer(settings.http, handler: areas) { requestIDs.next(at: clock.now()) }
    self.http = http
    metrics.addGauge("gemledger_connections", "Open connections.") { Int64(http.connectionCount) }
    let following = simulator.map { simulator in
      simulator.follow { error in log.error(error, requestID: "simulator") }
    }
    let redelivering = google.flatMap { _ in settings.maintenanceInterval }.flatMap { _ in
      simulator.map(Self.redeliver)
    }
    background =
      projects.flatMap { project in
        let watch = ReceiptWatch(project, log)
        metrics.addGauges("gemledger_held_receipts", "Paid purchases that are held, by reason.") { watch.counts }
        metrics.addGauges(
          "gemledger_foreign_receipts", "Receipts of apps and environments that are not credited, since the start."
        ) { watch.foreignCounts }
        metrics.addGauge("gemledger_quarantine", "Bodies that cannot be verified yet.", of: project.id) {
          Int64(project.quarantine.count)
        }
        let maintenance = settings.maintenanceInterval.map { Self.maintain(project, every: $0, watch, log) }
        return [maintenance, Self.deliver(project, log)].compactMap { $0 }
      } + [following, redelivering].compactMap(\.self)
  }

  /// Refuses two projects with one storage or a copy of it, since keys and tokens of one would open the other.
  private static func checkSecrets(of projects: [ServerProject]) throws(LedgerError) {
    for (place, project) in projects.enumerated() {
      guard let other = projects[..<place].first(where: { $0.sessions.haveSecret(of: project.sessions) }) else {
        continue
      }
      throw .invalid(
        "The projects \"\(other.id)\" and \"\(project.id)\" have the same storage, or a copy of it. Give "
          + "each project a separate storage.")
    }
  }

  /// Ends the background work, waits for running requests, and closes the server.
  ///
  /// - Returns: False if work exceeded the time limit, which is logged.
  @discardableResult
  package func stop() async -> Bool {
    state.stop()
    for task in background { task.cancel() }
    for project in projects { project.streams.stop() }
    let deadline = ContinuousClock.now + .seconds(stopSeconds)
    let isClean = await http.stop()
    guard await hasEnded(background, before: deadline), isClean else {
      log.event(
        .warning, "The server stops before all its work has ended. All acknowledged work is durable.",
        ["requests_ended": .bool(isClean)])
      return false
    }
    return true
  }

  /// Waits for cancelled tasks, which may be in the middle of a delivery.
  private func hasEnded(_ tasks: [Task<Void, Never>], before deadline: ContinuousClock.Instant) async -> Bool {
    let hasEnded = ServerState()
    Task {
      for task in tasks { await task.value }
      hasEnded.stop()
    }
    while !hasEnded.isStopping {
      guard ContinuousClock.now < deadline else { return false }
      do { try await Task.sleep(for: .milliseconds(10)) } catch { await Task.yield() }
    }
    return true
  }

  /// Delivers webhooks; returns nil if the project sends none.
  private static func deliver(_ project: ServerProject, _ log: ServerLog) -> Task<Void, Never>? {
    project.webhooks.dispatcher.map { dispatcher in
      Task {
        await dispatcher.run { error in
          log.event(
            .error, "The delivery of webhooks failed and is tried again.",
            [
              "project": .string(project.id), "code": .string("\(error.code)"), "reason": .string(error.message),
            ])
        }
      }
    }
  }

  /// Delivers waiting notices again, as Pub/Sub does.
  private static func redeliver(_ simulator: Simulator) -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        do { try await Task.sleep(for: .seconds(10)) } catch { return }
        // The next control reports the reason for the failure.
        try? await simulator.deliverNotices()
      }
    }
  }

  private static func maintain(
    _ project: ServerProject, every interval: Duration, _ watch: ReceiptWatch, _ log: ServerLog
  ) -> Task<Void, Never> {
    let play = project.playNotices.map { [$0.completions(of: project), $0.voids(of: project)] } ?? []
    let runner = MaintenanceRunner(
      backend: project.backend,
      jobs: [
        watch.job, AccountTokenWalk(project.backend).job, .attributeIndexing(of: project.ledger),
      ] + play)
    return Task {
      await runner.run(every: interval) { report in
        for failure in report.failures {
          guard let error = failure.error else { continue }
          log.event(
            .error, "Background work failed and is tried again.",
            [
              "job": .string(failure.name), "project": .string(project.id), "code": .string("\(error.code)"),
              "reason": .string(error.message),
            ])
        }
      }
    }
  }
}

/// Whether the server takes new work.
final class ServerState: Sendable {
  private let hasStopped = Atomic(false)

  var isStopping: Bool { hasStopped.load(ordering: .acquiring) }

  func stop() { hasStopped.store(true, ordering: .releasing) }
}
#endif
