#if PostgreSQL
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// How long somebody tries again, and how long they wait between tries.
struct Patience {
  private static let pauseMax = 500_000.0

  private let limit: Duration
  private let start = ContinuousClock.now
  private var pause = 2_000.0

  init(limit: Duration) { self.limit = limit }

  /// Waits a moment, longer each time; false where it was tried for long enough.
  mutating func goesOn(after failure: PostgresFailure) -> Bool {
    guard ContinuousClock.now - start < limit else { return false }
    // Who lost against another transaction meets it no more; who lost the server waits for it.
    let longest = failure.isConnectionLost ? pause : min(pause, 20_000)
    usleep(UInt32(Double.random(in: 0.5...1) * longest))
    pause = min(pause * 2, Self.pauseMax)
    return true
  }
}
#endif
