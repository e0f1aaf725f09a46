/// The longest wait for another process that uses a file.
///
/// The wait restarts with every process that gets the file in the meantime. So any number of processes can alternate
/// without a refusal, and the wait for a stopped process ends.
public struct LockTimeout: Sendable {
  /// The longest wait for one process; nil for no wait.
  let limit: Duration?
  /// The time since some fixed instant.
  let now: @Sendable () -> Duration
  let pause: @Sendable (Duration) -> Void

  /// No wait: a file in use is refused at once.
  public static let none = LockTimeout(limit: nil, now: { .zero }, pause: { _ in })

  /// Waits at most the given time for one process; by default ten seconds.
  public static func atMost(_ limit: Duration = .seconds(10)) -> LockTimeout {
    let start = ContinuousClock.now
    return LockTimeout(limit: limit, now: { start.duration(to: .now) }, pause: { SystemCall.pause($0) })
  }

  /// Creates a timeout with the caller's clock.
  package init(
    limit: Duration?, now: @escaping @Sendable () -> Duration, pause: @escaping @Sendable (Duration) -> Void
  ) {
    self.limit = limit
    self.now = now
    self.pause = pause
  }
}

/// One wait for a file's lock.
struct LockWait {
  private static let firstPause = Duration.milliseconds(1)
  private static let longestPause = Duration.milliseconds(50)

  private let timeout: LockTimeout
  private var holder: Int64?
  private var since: Duration?
  private var next = firstPause

  init(_ timeout: LockTimeout) { self.timeout = timeout }

  /// Waits briefly; returns false at the limit.
  mutating func goOn(holder: Int64?) -> Bool {
    guard let limit = timeout.limit else { return false }
    let now = timeout.now()
    if since == nil || holder != self.holder {
      since = now
      self.holder = holder
      next = Self.firstPause
    }
    guard let since, now - since < limit else { return false }
    timeout.pause(next)
    next = min(next * 2, Self.longestPause)
    return true
  }
}
