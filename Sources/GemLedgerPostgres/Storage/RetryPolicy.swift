#if PostgreSQL
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The retry policy: how long to retry, and the waits between tries.
struct RetryPolicy {
  private static let pauseMax = 500_000.0

  private let limit: Duration
  private let start = ContinuousClock.now
  private var pause = 2_000.0

  init(limit: Duration) { self.limit = limit }

  /// Waits, longer each time; returns false if the time limit has been reached.
  mutating func goesOn(after failure: PostgresFailure) -> Bool {
    guard ContinuousClock.now - start < limit else { return false }
    // A transaction that lost a conflict does not meet it again; after a lost connection, the server needs time.
    let longest = failure.isConnectionLost ? pause : min(pause, 20_000)
    usleep(UInt32(Double.random(in: 0.5...1) * longest))
    pause = min(pause * 2, Self.pauseMax)
    return true
  }
}
#endif
