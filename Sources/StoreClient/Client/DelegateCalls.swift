internal import Synchronization

/// Calls the app's listener on the main actor, in the order of the events.
final class DelegateCalls: Sendable {
  typealias Call = @MainActor @Sendable (any StoreClientDelegate) -> Void

  /// A listener that is not retained.
  struct Listener: Sendable {
    // A weak reference is read and written as a copy of this value under the lock, and its object is called only on the
    // main actor.
    nonisolated(unsafe) weak var object: (any StoreClientDelegate)?
  }

  private struct State {
    var listener = Listener()
    var waiting: [Call] = []
    var isCalling = false
  }

  private let state = Mutex(State())

  /// The listener.
  var listener: Listener {
    get { state.withLock { $0.listener } }
    set { state.withLock { $0.listener = newValue } }
  }

  /// Calls the listener, if there is one.
  func send(_ call: @escaping Call) {
    // Outside of the lock, since the last reference may be released here, and the listener's deinit may call back.
    guard listener.object != nil else { return }
    let isFirst = state.withLock { state in
      state.waiting.append(call)
      defer { state.isCalling = true }
      return !state.isCalling
    }
    if isFirst { Task { @MainActor in callAll() } }
  }

  @MainActor private func callAll() {
    while let call = next() {
      if let object = listener.object { call(object) }
    }
  }

  private func next() -> Call? {
    state.withLock { state in
      state.isCalling = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
  }
}
