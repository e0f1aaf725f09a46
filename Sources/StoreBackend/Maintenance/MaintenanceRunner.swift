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
/// Balances never depend on it. It keeps the journal current for readers of the feed, tells game servers of paid orders
/// again, and completes what a crash interrupted. A failing job stops no other one, and the next round tries it again.
/// Any number of processes may run one each on one ledger.
public final class MaintenanceRunner: Sendable {
  private let backend: LocalBackend
  private let jobs: [MaintenanceJob]

  /// A runner.
  ///
  /// - Parameters:
  ///   - backend: Its ledger, clock, policy and delivery target are used.
  ///   - jobs: Jobs of the caller's own, after the standing ones.
  public init(backend: LocalBackend, jobs: [MaintenanceJob] = []) {
    self.backend = backend
    self.jobs = jobs
  }

  /// Runs every job once, one after the other, and reports on them.
  ///
  /// A cancelled task stops between two pages or orders of the job under way, and begins no other job.
  ///
  /// - Parameter now: The instant up to which deliveries are due; nil for the clock's time.
  /// - Throws: `LedgerError` with `in_progress` where a round on the same ledger is under way in this process, through
  ///   this runner or another one. A failure of a job is in the report.
  @concurrent
  public func runOnce(now: Timestamp? = nil) async throws(LedgerError) -> MaintenanceReport {
    guard let turn = MaintenanceTurn(of: backend.ledger) else {
      throw LedgerError(
        .inProgress, "A round of maintenance of this ledger is under way in this process; ask again when it has ended.")
    }
    let startedAt = now ?? backend.context.clock.now()
    var results: [MaintenanceReport.Job] = []
    for job in MaintenanceJob.standing(of: backend) + jobs {
      guard !Task.isCancelled else { break }
      results.append(await Self.result(of: job, at: startedAt))
    }
    // The round holds its turn to its very end.
    extendLifetime(turn)
    return MaintenanceReport(startedAt: startedAt, jobs: results)
  }

  /// Runs rounds until the task is cancelled, with a pause between the end of one and the beginning of the next.
  ///
  /// A round that falls into another runner's on the same ledger is left out.
  ///
  /// - Parameters:
  ///   - interval: The pause; more than zero.
  ///   - clock: Waits for it.
  ///   - onReport: Called after each round.
  @concurrent
  public func run(
    every interval: Duration = .seconds(60), clock: some Clock<Duration> = ContinuousClock(),
    onReport: @Sendable (MaintenanceReport) -> Void = { _ in }
  ) async {
    precondition(interval > .zero, "A pause between rounds is longer than zero, not \(interval).")
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
  /// Does the standing work that is due, as after a clock was moved.
  ///
  /// Unlike a round of a ``MaintenanceRunner`` it does not wait for one under way, which may have begun before the
  /// clock moved. The pieces of work are claimed in the ledger, so none of them is done twice.
  ///
  /// - Returns: For how many customers something was due.
  /// - Throws: `LedgerError` of the first job that failed; the jobs after it are not done.
  package func doDueWork() async throws(LedgerError) -> Int {
    var settled = 0
    for job in MaintenanceJob.standing(of: self) {
      let counts = try await job.work(context.clock.now())
      settled += counts["settled"] ?? 0
    }
    return settled
  }
}
