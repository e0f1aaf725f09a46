internal import GemLedger

/// How long a receipt waits before it is posted again: twice as long each time, up to a bound, with some chance in it.
public struct RetryPolicy: Hashable, Sendable {
  /// The longest wait after the first failure.
  public var base: Duration
  /// The longest wait of all.
  public var cap: Duration

  /// A policy; a second at first and a quarter of an hour at most, unless said otherwise.
  public init(base: Duration = .seconds(1), cap: Duration = .seconds(900)) {
    self.base = base
    self.cap = cap
  }

  /// The longest that a backend can ask for.
  static let retryAfterSecondsMax: Int64 = 3600

  /// Returns when to try again.
  ///
  /// Half of the wait is certain and half is chance, so that many clients do not come back at the same instant. The
  /// backend's `retry_after` is the least wait.
  func nextAttempt(after error: LedgerError, count: Int, now: Timestamp, random: UInt64) -> Timestamp {
    let (grown, overflow) = base.wholeMilliseconds.multipliedReportingOverflow(by: 1 << min(max(count, 1) - 1, 20))
    let longest = min(cap.wholeMilliseconds, overflow ? .max : grown)
    let chance = Int64(random % UInt64(max(longest / 2, 0) + 1))
    let asked = min(max(error.integer("retry_after") ?? 0, 0), Self.retryAfterSecondsMax) * 1000
    return now.advanced(milliseconds: max(longest - longest / 2 + chance, asked))
  }
}

/// The meaning of a backend's refusal for the receipt.
enum PostVerdict: Hashable, Sendable {
  /// Nothing is known, and it is about this receipt: others may go through.
  case retry
  /// Nothing is known, and the next receipt would fare the same.
  case retryLater
  /// It was refused for good.
  case deadLetter

  /// No error that a network, a gate or a failing server makes may cost a paid purchase.
  init(_ code: LedgerError.Code) {
    self =
      switch code.kind {
      case .backendUnreachable, .timedOut, .rateLimited, .unauthenticated, .forbidden, .storageUnavailable,
        .storageDamaged, .storageForeign, .storageNewer, .booksWrong, .clockImplausible:
        .retryLater
      case .inProgress, .validationPending, .outcomeUnknown, .inputOutput, .unexpected: .retry
      default: .deadLetter
      }
  }
}
