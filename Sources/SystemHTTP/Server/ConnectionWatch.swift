#if Server
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Cuts connections whose request does not come in time.
///
/// A sender of one byte now and then thus holds no connection for long.
final class ConnectionWatch: Sendable {
  /// By socket: until when the connection may go on as it is; nil while its request is worked on.
  private let deadlines = Mutex<[Int32: ContinuousClock.Instant?]>([:])

  func began(_ socket: Int32, until deadline: ContinuousClock.Instant) {
    deadlines.withLock { $0[socket] = .some(deadline) }
  }

  /// The request is whole, so that the server is to blame from now on.
  func pause(_ socket: Int32) {
    deadlines.withLock { deadlines in
      guard deadlines[socket] != nil else { return }
      deadlines[socket] = .some(nil)
    }
  }

  func ended(_ socket: Int32) { deadlines.withLock { _ = $0.removeValue(forKey: socket) } }

  var count: Int { deadlines.withLock { $0.count } }

  /// Shuts the connections down whose time is over; the server's threads then close them.
  func sweep(at now: ContinuousClock.Instant = .now) {
    // Under the lock, so that no other connection gets the number of the socket meanwhile.
    deadlines.withLock { deadlines in
      for (socket, deadline) in deadlines {
        guard let deadline, deadline < now else { continue }
        _ = shutdown(socket, Int32(SHUT_RDWR))
        deadlines[socket] = .some(nil)
      }
    }
  }
}
#endif
