#if Server
private import Dispatch

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
  // Unchecked: a source may be used by any thread.
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// - Parameters:
  ///   - listening: The socket, which does not block; it is closed with the end.
  ///   - hasRoom: Whether a further connection is wanted; else they wait for the system, or are refused by it.
  ///   - take: Gets each connection, which does not block, and the address of the other end.
  init(_ listening: Int32, hasRoom: @escaping @Sendable () -> Bool, take: @escaping Take) {
    self.listening = listening
    self.hasRoom = hasRoom
    self.take = take
    source = DispatchSource.makeReadSource(fileDescriptor: listening, queue: queue)
    source.setEventHandler { [unowned self] in acceptAll() }
    source.activate()
  }

  /// Accepts no more connections, and closes the socket.
  func stop() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        source.setCancelHandler { [self] in
          ListenSocket.close(listening)
          continuation.resume()
        }
        source.cancel()
      }
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
