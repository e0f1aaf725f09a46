#if Server
private import Dispatch
private import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Keeps sockets open for a moment after a refusal, and discards further bytes of their senders.
///
/// Closing a socket while bytes arrive resets the connection, so that the sender sees a broken pipe instead of the
/// answer. The bounds are for all sockets together; further sockets are closed at once.
final class LingeringSockets: Sendable {
  private static let socketCountMax = 256
  /// The maximum number of discarded bytes per sender.
  private static let byteCountMax = 16 * 1024 * 1024
  private static let time = DispatchTimeInterval.seconds(5)

  private let queue = DispatchQueue(label: "gemledger.lingering")
  private let sources = Mutex<[Int32: Source]>([:])

  // Unchecked: dispatch sources are thread-safe, and only the queue uses the rest.
  private final class Source: @unchecked Sendable {
    let reading: any DispatchSourceRead
    var byteCount = 0

    init(_ reading: any DispatchSourceRead) { self.reading = reading }
  }

  /// Keeps a connection open although the caller closes its socket.
  func take(_ socket: Int32) {
    let copy = dup(socket)
    guard copy >= 0 else { return }
    _ = fcntl(copy, F_SETFD, FD_CLOEXEC)
    // The sender receives the answer, then the end. After `activate()` the queue may close the copy.
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

  /// Closes all sockets.
  func stop() { for source in sources.withLock({ Array($0.values) }) { source.reading.cancel() } }

  private func discard(_ socket: Int32, _ source: Source) {
    withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { buffer in
      // A bounded number of rounds, so that one sender does not block the others.
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
