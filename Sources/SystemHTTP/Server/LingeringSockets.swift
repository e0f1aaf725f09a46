#if Server
private import Dispatch
private import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Keeps sockets open for a moment after a refusal, and discards what their senders still send.
///
/// A socket that is closed while bytes arrive resets its connection, and a sender in the middle of its body then sees a
/// broken pipe in place of the answer. The bounds are for all of them; further sockets are closed at once.
final class LingeringSockets: Sendable {
  private static let socketCountMax = 256
  /// How many bytes of one sender are discarded.
  private static let byteCountMax = 16 * 1024 * 1024
  private static let time = DispatchTimeInterval.seconds(5)

  private let queue = DispatchQueue(label: "gemledger.lingering")
  private let sources = Mutex<[Int32: Source]>([:])

  // Unchecked: a source may be used by any thread, and the rest by the queue alone.
  private final class Source: @unchecked Sendable {
    let reading: any DispatchSourceRead
    var byteCount = 0

    init(_ reading: any DispatchSourceRead) { self.reading = reading }
  }

  /// Keeps a connection open whose socket the caller is about to close.
  func take(_ socket: Int32) {
    let copy = dup(socket)
    guard copy >= 0 else { return }
    _ = fcntl(copy, F_SETFD, FD_CLOEXEC)
    // The sender gets the answer and then the end. From `activate()` on, the queue may close the copy.
    _ = shutdown(copy, Int32(SHUT_WR))
    let source = Source(DispatchSource.makeReadSource(fileDescriptor: copy, queue: queue))
    let isTaken = sources.withLock { sources in
      guard sources.count < Self.socketCountMax else { return false }
      sources[copy] = source
      return true
    }
    source.reading.setEventHandler { [self] in discard(copy, source) }
    source.reading.setCancelHandler { [self] in
      sources.withLock { _ = $0.removeValue(forKey: copy) }
      ListenSocket.close(copy)
    }
    source.reading.activate()
    guard isTaken else { return source.reading.cancel() }
    queue.asyncAfter(deadline: .now() + Self.time) { source.reading.cancel() }
  }

  /// Closes all of them.
  func stop() { for source in sources.withLock({ Array($0.values) }) { source.reading.cancel() } }

  private func discard(_ socket: Int32, _ source: Source) {
    withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { buffer in
      // A few rounds, so that one sender does not keep the others waiting.
      for _ in 0..<16 {
        let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        source.byteCount += max(0, count)
        guard count > 0, source.byteCount < Self.byteCountMax else { return source.reading.cancel() }
      }
    }
  }
}
#endif
