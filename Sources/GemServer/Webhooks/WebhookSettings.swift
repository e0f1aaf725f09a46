#if Server
internal import GemLedger

/// The limits of the webhook delivery.
package struct WebhookSettings: Sendable {
  /// The pause before each attempt, in seconds; the first attempt is immediate.
  package var waits: [Int64] = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
  /// The number of waiting customers at which the endpoint counts as down.
  package var waitingCountMax = 100
  /// The maximum number of concurrent replays.
  package var replayCountMax = 100
  /// The number of events read at a time.
  package var pageSize = 100
  /// The number of concurrent messages to one endpoint.
  package var concurrency = 8
  /// The time for which an endpoint belongs to the process that last worked on it.
  package var lease = Duration.seconds(90)
  /// The time after which a turn starts no more messages; a started message may take another half minute.
  package var turn = Duration.seconds(30)
  /// The longest pause between two attempts while an endpoint is down, in seconds.
  package var probeSecondsMax: Int64 = 3600
  /// The longest accepted `Retry-After`, in seconds.
  package var pauseSecondsMax: Int64 = 86_400
  /// Returns a random delay from 0 to the given milliseconds, so that attempts are not all made at once.
  package var jitter: @Sendable (Int64) -> Int64 = { Int64.random(in: 0...max(0, $0)) }

  package init() {}

  /// Returns the time of an event's next try.
  ///
  /// - Parameter failures: The number of failed tries.
  /// - Returns: The time; nil if the event has no tries left.
  func next(afterFailures failures: Int, at now: Timestamp) -> Timestamp? {
    guard failures < waits.count else { return nil }
    return later(waits[failures], now)
  }

  /// Returns the time of the next try of an endpoint that is down.
  func nextProbe(afterFailures failures: Int, at now: Timestamp) -> Timestamp {
    later(min(probeSecondsMax, waits[min(failures + 1, waits.count - 1)]), now)
  }

  private func later(_ seconds: Int64, _ now: Timestamp) -> Timestamp {
    let milliseconds = seconds * 1000
    return now.advanced(milliseconds: milliseconds + jitter(milliseconds / 10))
  }
}
#endif
