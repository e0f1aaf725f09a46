#if Server
internal import Synchronization

/// The body of an answer that grows for as long as both ends want, such as a stream of events.
package final class HTTPStream: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var hasEnded = false
    var isClosed = false
    /// Wakes the server, which waits for more.
    var wake: (@Sendable () -> Void)?
  }

  /// How many bytes may wait for a slow reader.
  private static let limit = 1 << 20

  private let state = Mutex(State())

  package init() {}

  /// Adds bytes; false where the reader is gone, or so slow that it must come again.
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

  /// Ends the body behind what was written.
  package func end() {
    let wake = state.withLock { state in
      state.hasEnded = true
      return state.wake.take()
    }
    wake?()
  }

  /// How many bytes wait for the reader.
  package var byteCount: Int { state.withLock { $0.bytes.count } }

  /// Whether nobody reads any more.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: The reading side

  package enum Part {
    case bytes(Int)
    case end
    /// Nothing for now; the reader is woken once there is.
    case later
  }

  /// - Parameter pause: Called where there is nothing, before anybody can wake the reader; returns how to wake it.
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
