internal import GemLedger

/// The wait before a receipt is posted again: it doubles each time up to a bound, and is partly random.
public struct RetryPolicy: Hashable, Sendable {
  /// The longest wait after the first failure.
  public var base: Duration
  /// The longest wait after any failure.
  public var cap: Duration

  /// Creates a policy; by default one second at first and at most a quarter of an hour.
  public init(base: Duration = .seconds(1), cap: Duration = .seconds(900)) {
    self.base = base
    self.cap = cap
  }

  /// The longest wait that a backend can request.
  static let retryAfterSecondsMax: Int64 = 3600

  /// Returns the time of the next try.
  ///
  /// Half of the wait is fixed and half is random, so that many clients do not retry at the same instant. The backend's
  /// `retry_after` is the shortest wait.
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
  /// The outcome is unknown because of this receipt: others may succeed.
  case retry
  /// The outcome is unknown, and the next receipt would fail too.
  case retryLater
  /// It was refused for good.
  case deadLetter

  /// No error of a network, a proxy or a failing server may lose a paid purchase.
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
