#if Server
internal import Dispatch
internal import GemLedger
internal import GemLedgerAudit
internal import GemServer
internal import Synchronization

/// Keeps a project's stored summary up to date while its console is open.
final class SummaryRefresh: Sendable {
  /// The age from which a visit refreshes the summary, in milliseconds.
  private static let staleMilliseconds: Int64 = 30_000
  /// How long a page waits for a refresh that it began, in milliseconds.
  private static let patience = 40

  private let keeper: SummaryKeeper
  private let clock: LedgerClock
  private let log: ServerLog
  private let state = Mutex<(isRunning: Bool, refreshedAt: Timestamp)>((false, Timestamp(milliseconds: 0)))

  init(_ project: ServerProject, _ log: ServerLog) {
    keeper = SummaryKeeper(project.ledger)
    clock = project.clock
    self.log = log
  }

  /// Returns the summary and the time since which it is known; nil until the first step of the first build.
  ///
  /// The page does not wait for long work: it shows the older summary with its age.
  func summary() throws(LedgerError) -> (summary: EconomySummary, at: Timestamp)? {
    let now = clock.now()
    let begins = state.withLock { state in
      guard !state.isRunning, now.milliseconds(since: state.refreshedAt) >= Self.staleMilliseconds else { return false }
      state.isRunning = true
      return true
    }
    if begins {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global(qos: .utility).async {
        self.refresh()
        done.signal()
      }
      _ = done.wait(timeout: .now() + .milliseconds(Self.patience))
    }
    return try keeper.current().map { ($0, state.withLock(\.refreshedAt)) }
  }

  private func refresh() {
    do throws(LedgerError) {
      while true {
        let now = clock.now()
        let summary = try keeper.refresh()
        guard summary.isComplete else { continue }
        return state.withLock { $0 = (false, now) }
      }
    } catch {
      state.withLock { $0.isRunning = false }
      log.error(error, requestID: "console summary")
    }
  }
}
#endif
