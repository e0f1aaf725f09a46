#if Server
internal import Dispatch
internal import GemLedger
internal import GemServer
internal import Synchronization

/// Computes reports in the background, since some read the whole journal, and keeps the newest results.
final class ReportRuns: Sendable {
  enum State: Sendable {
    /// The part that is done, in percent.
    case running(Int)
    /// A result, with the time of its beginning.
    case done(ReportTable, at: Timestamp)
    case failed(LedgerError)
  }

  private struct Run {
    var state = State.running(0)
    /// Nil while it is running.
    var endedAt: Timestamp?

    /// Whether it is computed again for the next page: a result after ten minutes, an error after ten seconds.
    func isOld(at now: Timestamp) -> Bool {
      guard let endedAt else { return false }
      let age = now.milliseconds(since: endedAt)
      return if case .failed = state { age >= 10_000 } else { age >= 600_000 }
    }
  }

  /// The number of kept results.
  private static let countMax = 20
  /// The number of reports that are computed or wait for it.
  private static let runningCountMax = 5

  private let clock: LedgerClock
  /// How long a page waits for a report that it began.
  private let patience: DispatchTimeInterval
  private let runs = Mutex<[String: Run]>([:])
  /// One at a time: each reads all that it can.
  private let queue = DispatchQueue(label: "console.reports", qos: .utility)

  init(_ clock: LedgerClock, patience: DispatchTimeInterval = .milliseconds(700)) {
    self.clock = clock
    self.patience = patience
  }

  /// Returns the state of a report, and begins it if there is no fresh result.
  ///
  /// It fails with `in_progress` if too many other reports are running.
  ///
  /// - Parameter name: The report with its parameters.
  func state(
    of name: String,
    _ compute: @escaping @Sendable (_ progress: (Int64, Int64) -> Void) throws(LedgerError) -> ReportTable
  ) -> State {
    let now = clock.now()
    let known = runs.withLock { runs -> State? in
      if let run = runs[name], !run.isOld(at: now) { return run.state }
      let ended = runs.compactMap { name, run in run.endedAt.map { (name: name, at: $0) } }
      guard runs.count - ended.count < Self.runningCountMax else {
        return .failed(
          LedgerError(.inProgress, "Other reports are being computed. Open this page again in a minute."))
      }
      if runs.count >= Self.countMax { ended.min { $0.at < $1.at }.map { runs[$0.name] = nil } }
      runs[name] = Run()
      return nil
    }
    if let known { return known }
    let done = DispatchSemaphore(value: 0)
    queue.async { [self] in
      let result = Result { () throws(LedgerError) in
        try compute { read, total in set(name, Run(state: .running(Int(100 * read / max(1, total))))) }
      }
      switch result {
      case .success(let table): set(name, Run(state: .done(table, at: now), endedAt: clock.now()))
      case .failure(let error): set(name, Run(state: .failed(error), endedAt: clock.now()))
      }
      done.signal()
    }
    _ = done.wait(timeout: .now() + patience)
    return runs.withLock { $0[name]?.state } ?? .running(0)
  }

  private func set(_ name: String, _ run: Run) { runs.withLock { $0[name] = run } }
}
#endif
