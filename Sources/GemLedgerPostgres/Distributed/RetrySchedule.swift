#if PostgreSQL
/// The time of the next try after failed tries in a row.
struct RetrySchedule {
  private var failureCount = 0
  private var notBefore: ContinuousClock.Instant?

  func isDue(at now: ContinuousClock.Instant) -> Bool { notBefore.map { now >= $0 } ?? true }

  mutating func fail(at now: ContinuousClock.Instant) {
    failureCount += 1
    notBefore = now + Self.pause(afterFailures: failureCount)
  }

  /// Doubles from one second to about a minute.
  static func pause(afterFailures count: Int) -> Duration { .seconds(1 << min(max(count - 1, 0), 6)) }
}
#endif
