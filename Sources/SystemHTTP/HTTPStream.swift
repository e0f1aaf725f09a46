#if Server
internal import Synchronization

/// The body of an answer that is written over time, such as a stream of events.
package final class HTTPStream: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var hasEnded = false
    var isClosed = false
    /// Wakes the server, which waits for more bytes.
    var wake: (@Sendable () -> Void)?
  }

  /// The maximum number of bytes that wait for a slow reader.
  private static let limit = 1 << 20

  private let state = Mutex(State())

  package init() {}

  /// Adds bytes; false if the reader has closed, or is too slow and must reconnect.
  @discardableResult
  package func write(_ text: String) -> Bool {
    let wake = state.withLock { state -> (wake: (@Sendable () -> Void)?, isTaken: Bool) in
      guard !state.hasEnded, !state.isClosed else { return (nil, false) }
      guard state.bytes.count < Self.limit else {
        state.hasEnded = true
        return (state.wake.take(), false)
      }
      state.bytes.append(contentsOf: text.utf8)
      return (state.wake.take(), true)
    }
    wake.wake?()
    return wake.isTaken
  }

  /// Ends the body after the written bytes.
  package func end() {
    let wake = state.withLock { state in
      state.hasEnded = true
      return state.wake.take()
    }
    wake?()
  }

  /// The number of bytes that wait for the reader.
  package var byteCount: Int { state.withLock { $0.bytes.count } }

  /// Whether the reader has closed.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: The reading side

  package enum Part {
    case bytes(Int)
    case end
    /// No bytes yet; the reader is woken when there are.
    case later
  }

  /// - Parameter pause: Called if there are no bytes, before the reader can be woken; returns the wake function.
  package func read(into buffer: UnsafeMutableRawBufferPointer, pause: () -> @Sendable () -> Void) -> Part {
    state.withLock { state in
      guard state.bytes.isEmpty else {
        let count = min(buffer.count, state.bytes.count)
        state.bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        state.bytes.removeFirst(count)
        return .bytes(count)
      }
      if state.hasEnded { return .end }
      state.wake = pause()
      return .later
    }
  }

  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.bytes = []
      state.wake = nil
    }
  }
}
#endif
