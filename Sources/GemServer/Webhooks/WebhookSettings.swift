#if Server
internal import GemLedger

/// The bounds of the delivery of webhooks.
package struct WebhookSettings: Sendable {
  /// How long after a failure each further attempt waits, in seconds; the first one waits for nothing.
  package var waits: [Int64] = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
  /// How many customers may wait behind a failed event of theirs; with so many the endpoint counts as down.
  package var waitingCountMax = 100
  /// How many events may be asked for again at a time.
  package var replayCountMax = 100
  /// How many events are read at a time.
  package var pageSize = 100
  /// How many messages are under way to one endpoint.
  package var concurrency = 8
  /// How long an endpoint belongs to the process that last worked on it.
  package var lease = Duration.seconds(90)
  /// The time after which a turn begins no further message; a message under way may take half a minute more.
  package var turn = Duration.seconds(30)
  /// The longest pause between two attempts at an endpoint that is down, in seconds.
  package var probeSecondsMax: Int64 = 3600
  /// The longest `Retry-After` that is honoured, in seconds.
  package var pauseSecondsMax: Int64 = 86_400
  /// Returns 0 up to the milliseconds given: by so much an attempt is later, so that not all come at once.
  package var jitter: @Sendable (Int64) -> Int64 = { Int64.random(in: 0...max(0, $0)) }

  package init() {}

  /// When an event is tried again.
  ///
  /// - Parameter failures: How often it failed.
  /// - Returns: Nil where it was tried as often as it may be.
  func next(afterFailures failures: Int, at now: Timestamp) -> Timestamp? {
    guard failures < waits.count else { return nil }
    return later(waits[failures], now)
  }

  /// When an endpoint that is down is tried again.
  func nextProbe(afterFailures failures: Int, at now: Timestamp) -> Timestamp {
    later(min(probeSecondsMax, waits[min(failures + 1, waits.count - 1)]), now)
  }

  private func later(_ seconds: Int64, _ now: Timestamp) -> Timestamp {
    let milliseconds = seconds * 1000
    return now.advanced(milliseconds: milliseconds + jitter(milliseconds / 10))
  }
}
#endif
