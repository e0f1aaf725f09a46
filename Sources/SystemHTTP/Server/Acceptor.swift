#if Server
private import Dispatch
private import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Accepts the connections that come in at a socket.
final class Acceptor: Sendable {
  typealias Take = @Sendable (_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Void

  private let listening: Int32
  private let hasRoom: @Sendable () -> Bool
  private let take: Take
  private let queue = DispatchQueue(label: "gemledger.accepting")
  // Unchecked: a source may be used by any thread. It keeps this object until it is cancelled.
  private nonisolated(unsafe) let source: any DispatchSourceRead
  private let waitingForTheEnd = Mutex<CheckedContinuation<Void, Never>?>(nil)

  /// - Parameters:
  ///   - listening: The socket, which does not block; it is closed with the end.
  ///   - hasRoom: Whether a further connection is wanted; else they wait for the system, or are refused by it.
  ///   - take: Gets each connection, which does not block, and the address of the other end.
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

  /// Accepts no more connections, and closes the socket; once only.
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
      // No files or no memory: connections that end make room.
      default: return rest()
      }
    }
  }

  /// - Returns: The system's number of the failure; nil where a connection was accepted.
  private func acceptOne(_ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t) -> Int32? {
    let socket = accept(listening, address, &length)
    guard socket >= 0 else { return errno }
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    take(socket, address, length)
    return nil
  }

  /// Lets connections wait for a moment.
  private func rest() {
    source.suspend()
    queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in source.resume() }
  }
}
#endif
