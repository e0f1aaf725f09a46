#if Server
internal import GemLedger

/// The pauses between tries of failed work: a minute, doubled after each try up to an hour.
enum RetryPauses {
  private static let first: Int64 = 60_000
  private static let longest: Int64 = 3_600_000

  /// Returns the time of the next try.
  ///
  /// - Parameter tries: The number of doublings of the pause; at least 0.
  static func next(after tries: Int64, at now: Timestamp) -> Timestamp {
    now.advanced(milliseconds: min(longest, first << min(tries, 10)))
  }

  /// Returns whether work is due; a time beyond the longest pause was written by a clock that was ahead.
  static func isDue(_ due: Timestamp, at now: Timestamp) -> Bool {
    due <= now || due > now.advanced(milliseconds: longest)
  }
}
#endif
