#if Server
internal import GemLedger
internal import Synchronization

/// What goes wrong with requests to the simulated App Store Server API, on command.
final class SimulatedAppStoreFaults: Sendable {
  enum Effect: String, Sendable, CaseIterable {
    /// The answer comes late.
    case slow
    /// The API knows nothing.
    case notFound = "not_found"
    case serverError = "server_error"
    case unauthorized
    case rateLimited = "rate_limited"
  }

  struct Fault: Hashable, Sendable {
    let effect: Effect
    /// How late the answer is.
    var delayMilliseconds: Int64 = 0
    /// How many requests it still strikes; nil until it is cleared.
    var count: Int64?
  }

  /// Most faults at once.
  static let countMax = 100

  private let armed = Mutex<[Fault]>([])

  var all: [Fault] { armed.withLock { $0 } }

  /// - Throws: `LedgerError` with `limit_exceeded`.
  func add(_ fault: Fault) throws(LedgerError) {
    let isAdded = armed.withLock { armed in
      guard armed.count < Self.countMax else { return false }
      armed.append(fault)
      return true
    }
    guard isAdded else {
      throw LedgerError(.limitExceeded, "There are \(Self.countMax) faults already; clear them first.")
    }
  }

  func clear() { armed.withLock { $0 = [] } }

  /// The fault that strikes a request: the first one that is left.
  func next() -> Fault? {
    armed.withLock { armed in
      guard let fault = armed.first else { return nil }
      if let count = fault.count {
        if count > 1 { armed[0].count = count - 1 } else { armed.removeFirst() }
      }
      return fault
    }
  }
}
#endif
