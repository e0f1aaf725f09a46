#if Server
internal import GemLedger
internal import Synchronization
internal import SystemHTTP

/// Faults of a store's simulated server, which clients of the simulator add.
final class SimulatedAPIFaults: Sendable {
  /// A call that goes wrong.
  struct Fault: Hashable, Sendable {
    /// The call; nil for every call.
    var call: String?
    /// The status of the refusal; nil for none, so that the call is only delayed.
    var status: Int64?
    var delayMilliseconds: Int64 = 0
    /// Whether the work is done before the refusal, as if the answer were lost.
    var isAfterWork = false
    /// How often it still occurs; nil until it is cleared.
    var times: Int64?
  }

  /// The most faults at once.
  static let countMax = 100
  static let timesMax: Int64 = 1_000_000
  /// The longest delay, in milliseconds.
  static let delayMax: Int64 = 600_000

  private let armed = Mutex<[Fault]>([])

  /// The faults that can still occur; the first one for a call occurs next.
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

  /// Answers a call, with the fault that occurs at it.
  ///
  /// - Parameter refusal: The store's answer with a status.
  func answer(
    _ call: String, refusal: (Int64) -> HTTPResponse, work: () async -> HTTPResponse
  ) async -> HTTPResponse {
    let fault = occur(at: call)
    if let fault, fault.delayMilliseconds > 0 {
      // A server that stops ends the delay.
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
