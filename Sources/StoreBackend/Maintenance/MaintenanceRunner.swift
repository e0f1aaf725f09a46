public import GemLedger

/// Runs the standing work of a backend, round after round: scheduled effects, held receipts, order holds, deliveries.
///
/// ```swift
/// let runner = MaintenanceRunner(backend: backend)
/// let maintenance = Task { await runner.run(every: .seconds(60)) { report in log(report) } }
/// // At the end of the service:
/// maintenance.cancel()
/// ```
///
/// Balances never depend on it. It keeps the journal current for readers of the feed, repeats deliveries to game
/// servers, and completes interrupted work after a crash. A failed job does not stop the others, and the next round
/// repeats it. Any number of processes may run one runner each on one ledger.
public final class MaintenanceRunner: Sendable {
  private let backend: LocalBackend
  private let jobs: [MaintenanceJob]

  /// A runner.
  ///
  /// - Parameters:
  ///   - backend: Provides the ledger, clock, policy and delivery target.
  ///   - jobs: The caller's jobs, to run after the standing jobs.
  public init(backend: LocalBackend, jobs: [MaintenanceJob] = []) {
    self.backend = backend
    self.jobs = jobs
  }

  /// Runs every job once, one after another, and returns a report.
  ///
  /// A cancelled task stops between two pages or orders of the current job, and starts no other job.
  ///
  /// - Parameter now: The instant up to which deliveries are due; nil for the clock's time.
  /// - Throws: `LedgerError` with `in_progress` if this process already runs a round on the ledger, through this runner
  ///   or another. A job's failure is in the report.
  @concurrent
  public func runOnce(now: Timestamp? = nil) async throws(LedgerError) -> MaintenanceReport {
    guard let turn = MaintenanceTurn(of: backend.ledger) else {
      throw LedgerError(
        .inProgress, "This process already runs a maintenance round on this ledger. Try again after the round.")
    }
    let startedAt = now ?? backend.context.clock.now()
    var results: [MaintenanceReport.Job] = []
    for job in MaintenanceJob.standing(of: backend) + jobs {
      guard !Task.isCancelled else { break }
      results.append(await Self.result(of: job, at: startedAt))
    }
    // The turn must last until the end of the round.
    extendLifetime(turn)
    return MaintenanceReport(startedAt: startedAt, jobs: results)
  }

  /// Runs rounds until the task is cancelled, with a pause between them.
  ///
  /// A round that overlaps another runner's round on the ledger is skipped.
  ///
  /// - Parameters:
  ///   - interval: The pause; more than zero.
  ///   - clock: The clock of the pause.
  ///   - onReport: Called after each round.
  @concurrent
  public func run(
    every interval: Duration = .seconds(60), clock: some Clock<Duration> = ContinuousClock(),
    onReport: @Sendable (MaintenanceReport) -> Void = { _ in }
  ) async {
    precondition(interval > .zero, "The pause between rounds must be longer than zero, not \(interval).")
    while !Task.isCancelled {
      do throws(LedgerError) {
        onReport(try await runOnce())
      } catch {
        // Another runner does the work.
      }
      do { try await clock.sleep(for: interval) } catch { return }
    }
  }

  private static func result(of job: MaintenanceJob, at now: Timestamp) async -> MaintenanceReport.Job {
    do throws(LedgerError) {
      return MaintenanceReport.Job(name: job.name, counts: try await job.work(now), error: nil)
    } catch {
      return MaintenanceReport.Job(name: job.name, counts: [:], error: error)
    }
  }
}

extension LocalBackend {
  /// Does the due standing work, for example after a change of the clock.
  ///
  /// Unlike a ``MaintenanceRunner``, it does not wait for a running round, which may have started before the change.
  /// The ledger assigns each piece of work once, so nothing is done twice.
  ///
  /// - Returns: The number of customers with due effects.
  /// - Throws: `LedgerError` of the first failed job; the remaining jobs are skipped.
  package func doDueWork() async throws(LedgerError) -> Int {
    var settled = 0
    for job in MaintenanceJob.standing(of: self) {
      let counts = try await job.work(context.clock.now())
      settled += counts["settled"] ?? 0
    }
    return settled
  }
}
