internal import Synchronization

/// Sends values to any number of streams.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())
  private let buffer: AsyncStream<Element>.Continuation.BufferingPolicy

  init(buffer: AsyncStream<Element>.Continuation.BufferingPolicy) { self.buffer = buffer }

  var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

  /// Returns a new stream that begins with these values; values sent after they were read follow them.
  func stream(beginningWith values: () -> [Element]) -> AsyncStream<Element> {
    AsyncStream(bufferingPolicy: buffer) { continuation in
      let number = state.withLock { state in
        for value in values() { continuation.yield(value) }
        state.next += 1
        state.listeners[state.next] = continuation
        return state.next
      }
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
      }
    }
  }

  func send(_ value: Element) {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.yield(value) }
  }

  /// Sends the body's value, if any; no other call of this method sends a value between the read and the send.
  func send(found value: () -> Element?) {
    state.withLock { state in
      guard let value = value() else { return }
      for listener in state.listeners.values { listener.yield(value) }
    }
  }

  func finish() {
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
