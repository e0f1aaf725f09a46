package import GemLedger
import StoreClient
import Synchronization

/// A keychain in memory that fails on command: a write that is refused, one with a lost answer, a process that ends.
package final class FaultyKeychain: KeychainValues {
  package enum Fault: Sendable {
    /// The call fails and changes nothing.
    case refused
    /// The value is changed, and the call fails all the same.
    case answerLost
    /// From this call on nothing is changed: the process has ended.
    case ended
  }

  private struct State {
    var values: [String: [UInt8]] = [:]
    var changeCount = 0
    var largest = 0
    var faults: [Int: Fault] = [:]
    var hasEnded = false
  }

  private let state: Mutex<State>

  package init(_ values: [String: [UInt8]] = [:]) { state = Mutex(State(values: values)) }

  package var values: [String: [UInt8]] {
    get { state.withLock(\.values) }
    set { state.withLock { $0.values = newValue } }
  }

  /// Whether the process has ended.
  package var hasEnded: Bool { state.withLock(\.hasEnded) }

  /// How often a value was written or removed.
  package var changeCount: Int { state.withLock(\.changeCount) }
  /// The bytes of the largest value that was ever written.
  package var largest: Int { state.withLock(\.largest) }

  /// Injects a fault into the change with this number, counted from now.
  package func inject(_ fault: Fault, atChange number: Int = 0) {
    state.withLock { $0.faults[$0.changeCount + number] = fault }
  }

  package func read(_ name: String) throws(LedgerError) -> [UInt8]? { values[name] }

  package func write(_ value: [UInt8], to name: String) throws(LedgerError) {
    try change(name) { state in
      state.largest = max(state.largest, value.count)
      state.values[name] = value
    }
  }

  package func remove(_ name: String) throws(LedgerError) { try change(name) { $0.values[name] = nil } }

  package func names(from prefix: String) throws(LedgerError) -> [String] {
    values.keys.filter { $0.hasPrefix(prefix) }
  }

  private func change(_ name: String, _ body: (inout sending State) -> Void) throws(LedgerError) {
    let isRefused = state.withLock { state -> Bool in
      let fault = state.faults.removeValue(forKey: state.changeCount)
      state.changeCount += 1
      if case .ended? = fault { state.hasEnded = true }
      if state.hasEnded { return true }
      switch fault {
      case .refused: return true
      case .answerLost:
        body(&state)
        return true
      case .ended, nil:
        body(&state)
        return false
      }
    }
    if isRefused { throw LedgerError(.inputOutput, "\"\(name)\" in the keychain cannot be written.") }
  }
}
