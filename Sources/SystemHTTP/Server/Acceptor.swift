#if Server
private import Dispatch
private import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Accepts the connections of a listening socket.
final class Acceptor: Sendable {
  typealias Take = @Sendable (_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Void

  private let listening: Int32
  private let hasRoom: @Sendable () -> Bool
  private let take: Take
  private let queue = DispatchQueue(label: "gemledger.accepting")
  // Unchecked: dispatch sources are thread-safe. The source retains this object until it is cancelled.
  private nonisolated(unsafe) let source: any DispatchSourceRead
  private let waitingForTheEnd = Mutex<CheckedContinuation<Void, Never>?>(nil)

  /// - Parameters:
  ///   - listening: The non-blocking socket; `stop()` closes it.
  ///   - hasRoom: Whether to accept another connection; otherwise connections wait in the system's queue.
  ///   - take: Receives each non-blocking connection and the peer's address.
  init(_ listening: Int32, hasRoom: @escaping @Sendable () -> Bool, take: @escaping Take) {
    self.listening = listening
    self.hasRoom = hasRoom
    self.take = take
    source = DispatchSource.makeReadSource(fileDescriptor: listening, queue: queue)
    source.setEventHandler { [self] in acceptAll() }
    source.setCancelHandler { [self] in
      ListenSocket.close(listening)
      waitingForTheEnd.withLock { $0.take() }?.resume()
    }
    source.activate()
  }

  /// Accepts no more connections, and closes the socket; called once.
  func stop() async {
    await withCheckedContinuation { continuation in
      waitingForTheEnd.withLock { $0 = continuation }
      source.cancel()
    }
  }

  private func acceptAll() {
    while !source.isCancelled {
      guard hasRoom() else { return rest() }
      var address = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let failure = withUnsafeMutablePointer(to: &address) { storage in
        storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { acceptOne($0, &length) }
      }
      switch failure {
      case nil, EINTR, ECONNABORTED: continue
      case EAGAIN, EWOULDBLOCK: return
      // No file descriptors or no memory: wait until connections end.
      default: return rest()
      }
    }
  }

  /// - Returns: The error number; nil if a connection was accepted.
  private func acceptOne(_ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t) -> Int32? {
    let socket = accept(listening, address, &length)
    guard socket >= 0 else { return errno }
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    take(socket, address, length)
    return nil
  }

  /// Pauses accepting for a moment.
  private func rest() {
    source.suspend()
    queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in source.resume() }
  }
}
#endif
