#if PostgreSQL
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The retry policy: how long to try again, and how long to wait between tries.
struct RetryPolicy {
  private static let pauseMax = 500_000.0

  private let limit: Duration
  private let start = ContinuousClock.now
  private var pause = 2_000.0

  init(limit: Duration) { self.limit = limit }

  /// Waits a moment, longer each time; false where it was tried for long enough.
  mutating func goesOn(after failure: PostgresFailure) -> Bool {
    guard ContinuousClock.now - start < limit else { return false }
    // A transaction that lost against another does not meet it again; after a lost connection, the server needs time.
    let longest = failure.isConnectionLost ? pause : min(pause, 20_000)
    usleep(UInt32(Double.random(in: 0.5...1) * longest))
    pause = min(pause * 2, Self.pauseMax)
    return true
  }
}
#endif
