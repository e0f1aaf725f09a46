#if Server
package import GemLedger
internal import Synchronization

/// Counts the requests of each key per minute.
package final class RateLimiter: Sendable {
  private struct Counter: Hashable {
    let keyID: String
    let domain: RateDomain
  }

  /// The usage of a limit after a request.
  package struct Usage: Sendable {
    /// The requests in this minute, including this request.
    package let count: Int
    package let limit: Int
    /// The remaining seconds of the minute.
    package let secondsLeft: Int64

    package var isOver: Bool { count > limit }
  }

  /// The requests per minute; a domain without a number has no limit.
  private let limits: [RateDomain: Int]
  private let state = Mutex<(minute: Int64, counts: [Counter: Int])>((0, [:]))

  package init(limits: [RateDomain: Int]) { self.limits = limits }

  /// Counts a request; returns nil if its domain has no limit.
  package func count(_ keyID: String, _ domain: RateDomain, at now: Timestamp) -> Usage? {
    guard let limit = limits[domain] else { return nil }
    let seconds = now.milliseconds / 1000
    let count = state.withLock { state in
      if state.minute != seconds / 60 { state = (seconds / 60, [:]) }
      state.counts[Counter(keyID: keyID, domain: domain), default: 0] += 1
      return state.counts[Counter(keyID: keyID, domain: domain)] ?? 0
    }
    return Usage(count: count, limit: limit, secondsLeft: 60 - seconds % 60)
  }
}
#endif
