#if Server
internal import Dispatch
internal import Synchronization

/// The body of an answer that is written over time, such as a stream of events.
package final class HTTPStream: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var hasEnded = false
    /// Whether the body is not whole, so that the connection breaks instead of ending.
    var hasFailed = false
    var isClosed = false
    /// Wakes a writer that waits for room.
    var room: DispatchSemaphore?
    /// Wakes the server, which waits for more bytes.
    var wake: (@Sendable () -> Void)?
  }

  /// The maximum number of bytes that wait for a slow reader.
  private static let limit = 1 << 20

  private let state = Mutex(State())

  /// Whether the body is a file, which is useless unless it is whole.
  private let isFile: Bool

  package init(isFile: Bool = false) { self.isFile = isFile }

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

  /// Adds bytes once a slow reader has taken earlier ones; blocks its thread meanwhile.
  ///
  /// - Returns: False if the reader has closed, or took nothing for the patience in seconds.
  package func write(_ bytes: [UInt8], patience: Int = 60) -> Bool {
    while true {
      let room = DispatchSemaphore(value: 0)
      let (isOver, isFull, wake) = state.withLock { state -> (Bool, Bool, (@Sendable () -> Void)?) in
        guard !state.hasEnded, !state.isClosed else { return (true, false, nil) }
        guard state.bytes.count < Self.limit else {
          state.room = room
          return (false, true, nil)
        }
        state.bytes += bytes
        return (false, false, state.wake.take())
      }
      wake?()
      guard isFull else { return !isOver }
      guard room.wait(timeout: .now() + .seconds(patience)) == .success else {
        fail()
        return false
      }
    }
  }

  /// Breaks the connection, so that the reader does not take a part for the whole.
  package func fail() {
    state.withLock { state in if !state.hasEnded { state.hasFailed = true } }
    end()
  }

  /// Ends the body because the server stops.
  package func stop() { if isFile { fail() } else { end() } }

  /// Ends the body after the written bytes.
  package func end() {
    let wake = state.withLock { state in
      state.hasEnded = true
      state.room.take()?.signal()
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
    /// The rest is missing.
    case failed
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
        state.room.take()?.signal()
        return .bytes(count)
      }
      if state.hasEnded { return state.hasFailed ? .failed : .end }
      state.wake = pause()
      return .later
    }
  }

  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.bytes = []
      state.room.take()?.signal()
      state.wake = nil
    }
  }
}
#endif
