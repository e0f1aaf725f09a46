#if Server
internal import GemLedger
internal import Synchronization

/// Limits the failed attempts to sign in, for each address and minute.
final class SignInLimiter: Sendable {
  private let perMinute: Int
  private let state = Mutex<(minute: Int64, all: Int, failures: [String: Int])>((0, 0, [:]))

  init(perMinute: Int) { self.perMinute = perMinute }

  /// Counts an attempt before its key is looked at, so that attempts at the same time count too.
  ///
  /// - Throws: `LedgerError` with `rate_limited` if the address, or all addresses together, failed too often.
  func begin(_ client: String, at now: Timestamp) throws(LedgerError) {
    let isOver = state.withLock { state in
      Self.turn(&state, at: now)
      guard state.all < 20 * perMinute, state.failures[client, default: 0] < perMinute else { return true }
      state.all += 1
      state.failures[client, default: 0] += 1
      return false
    }
    guard isOver else { return }
    throw LedgerError(
      .rateLimited, "Too many keys were refused in this minute. Wait until the next one.",
      details: [.integer("retry_after", 60 - now.milliseconds / 1000 % 60)])
  }

  /// Forgets an attempt that succeeded.
  func succeed(_ client: String, at now: Timestamp) {
    state.withLock { state in
      Self.turn(&state, at: now)
      state.all = max(0, state.all - 1)
      state.failures[client] = max(0, state.failures[client, default: 0] - 1)
    }
  }

  private static func turn(_ state: inout (minute: Int64, all: Int, failures: [String: Int]), at now: Timestamp) {
    let minute = now.milliseconds / 60_000
    if state.minute != minute { state = (minute, 0, [:]) }
  }
}
#endif
