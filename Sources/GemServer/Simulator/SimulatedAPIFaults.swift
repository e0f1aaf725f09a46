#if Server
internal import GemLedger
internal import Synchronization
internal import SystemHTTP

/// Faults of a store's simulated server, added by clients of the simulator.
final class SimulatedAPIFaults: Sendable {
  /// A fault of a call.
  struct Fault: Hashable, Sendable {
    /// The call; nil for every call.
    var call: String?
    /// The HTTP status of the error response; nil only delays the call.
    var status: Int64?
    var delayMilliseconds: Int64 = 0
    /// Whether the work is done before the error response, as if the response were lost.
    var isAfterWork = false
    /// The number of remaining occurrences; nil for no limit until it is cleared.
    var times: Int64?
  }

  /// The maximum number of faults at a time.
  static let countMax = 100
  static let timesMax: Int64 = 1_000_000
  /// The longest delay, in milliseconds.
  static let delayMax: Int64 = 600_000

  private let armed = Mutex<[Fault]>([])

  /// The remaining faults; a call gets its first match.
  var all: [Fault] { armed.withLock { $0 } }

  /// - Throws: `LedgerError` with `limit_exceeded`.
  func add(_ fault: Fault) throws(LedgerError) {
    let isAdded = armed.withLock { armed in
      guard armed.count < Self.countMax else { return false }
      armed.append(fault)
      return true
    }
    guard isAdded else {
      throw LedgerError(.limitExceeded, "There are \(Self.countMax) faults already. Clear them first.")
    }
  }

  func clear() { armed.withLock { $0 = [] } }

  /// Answers a call, and applies the fault for the call if there is one.
  ///
  /// - Parameter refusal: Returns the store's error response with a status.
  func answer(
    _ call: String, refusal: (Int64) -> HTTPResponse, work: () async -> HTTPResponse
  ) async -> HTTPResponse {
    let fault = occur(at: call)
    if let fault, fault.delayMilliseconds > 0 {
      // Stopping the server ends the delay.
      do { try await Task.sleep(for: .milliseconds(fault.delayMilliseconds)) } catch {}
    }
    if let status = fault?.status, fault?.isAfterWork == false { return refusal(status) }
    let answer = await work()
    return fault?.status.map(refusal) ?? answer
  }

  private func occur(at call: String) -> Fault? {
    armed.withLock { armed in
      guard let place = armed.firstIndex(where: { $0.call == nil || $0.call == call }) else { return nil }
      let fault = armed[place]
      if let times = fault.times {
        if times > 1 { armed[place].times = times - 1 } else { armed.remove(at: place) }
      }
      return fault
    }
  }
}
#endif
