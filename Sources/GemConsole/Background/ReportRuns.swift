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
    case done(ReportTable, at: Timestamp)
    case failed(LedgerError)
  }

  /// The number of kept results.
  private static let countMax = 20
  /// How long a result is shown before it is computed again, in milliseconds.
  private static let freshMilliseconds: Int64 = 600_000
  /// How long a page waits for a report that it began, in milliseconds.
  private static let patience = 700

  private let states = Mutex<[String: State]>([:])
  /// One at a time: each reads all that it can.
  private let queue = DispatchQueue(label: "console.reports", qos: .utility)

  /// Returns the state of a report, and begins it if there is no fresh result.
  ///
  /// - Parameter name: The report with its parameters.
  func state(
    of name: String, at now: Timestamp,
    _ compute: @escaping @Sendable (_ progress: (Int64, Int64) -> Void) throws(LedgerError) -> ReportTable
  ) -> State {
    let known = states.withLock { states -> State? in
      if case .done(_, let at) = states[name], now.milliseconds(since: at) >= Self.freshMilliseconds {
        states[name] = nil
      }
      if let state = states[name] {
        // An error is shown once; loading the page again tries again.
        if case .failed = state { states[name] = nil }
        return state
      }
      if states.count >= Self.countMax, let oldest = Self.oldest(states) { states[oldest] = nil }
      states[name] = .running(0)
      return nil
    }
    if let known { return known }
    let done = DispatchSemaphore(value: 0)
    queue.async { [self] in
      let result = Result { () throws(LedgerError) in
        try compute { read, total in set(name, .running(Int(100 * read / max(1, total)))) }
      }
      switch result {
      case .success(let table): set(name, .done(table, at: now))
      case .failure(let error): set(name, .failed(error))
      }
      done.signal()
    }
    _ = done.wait(timeout: .now() + .milliseconds(Self.patience))
    return states.withLock { $0[name] } ?? .running(0)
  }

  private func set(_ name: String, _ state: State) { states.withLock { $0[name] = state } }

  private static func oldest(_ states: [String: State]) -> String? {
    states.compactMap { name, state in
      if case .done(_, let at) = state { (name, at) } else { nil }
    }.min { $0.1 < $1.1 }?.0
  }
}
#endif
