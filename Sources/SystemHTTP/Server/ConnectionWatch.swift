#if Server
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Closes connections without a complete request in time.
///
/// So a sender of one byte now and then cannot hold a connection for long.
final class ConnectionWatch: Sendable {
  private let connections = Mutex<[ObjectIdentifier: OpenConnection]>([:])

  func began(_ connection: OpenConnection) {
    connections.withLock { $0[ObjectIdentifier(connection)] = connection }
  }

  func ended(_ connection: OpenConnection) {
    connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  var count: Int { connections.withLock { $0.count } }

  /// Shuts down the connections past their deadline; the server's threads then close them.
  func sweep(at now: SteadyTime = .now) {
    // Under the lock, so that the socket's number is not reused by another connection.
    connections.withLock { connections in
      for connection in connections.values where connection.isOver(at: now) {
        _ = shutdown(connection.socket, Int32(SHUT_RDWR))
      }
    }
  }
}

/// An open connection.
final class OpenConnection: Sendable {
  let socket: Int32
  /// The peer's address, without its port.
  let client: String
  let proofs = ConnectionProofs()
  /// The time of the next required progress.
  private let deadline: Atomic<Int64>
  private let wasRefused = Atomic(false)

  /// Whether the request was answered before it was complete, so that more of it may arrive.
  var lingers: Bool { wasRefused.load(ordering: .relaxed) }

  func linger() { wasRefused.store(true, ordering: .relaxed) }

  init(socket: Int32, client: String, until deadline: SteadyTime) {
    self.socket = socket
    self.client = client
    self.deadline = Atomic(deadline.nanoseconds)
  }

  /// Sets the deadline of the next progress.
  func goOn(until deadline: SteadyTime) { self.deadline.store(deadline.nanoseconds, ordering: .relaxed) }

  /// Removes the deadline: the request is complete, and further time is the server's.
  func pause() { deadline.store(.max, ordering: .relaxed) }

  /// Returns whether the deadline has passed; true only once.
  func isOver(at now: SteadyTime) -> Bool {
    let deadline = deadline.load(ordering: .relaxed)
    guard deadline < now.nanoseconds else { return false }
    // A request that became complete in between is not closed.
    return self.deadline.compareExchange(expected: deadline, desired: .max, ordering: .relaxed).exchanged
  }
}

/// A reading of the monotonic clock.
struct SteadyTime {
  let nanoseconds: Int64

  static var now: SteadyTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return SteadyTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Returns the time this number of seconds later.
  func later(seconds: Int) -> SteadyTime { SteadyTime(nanoseconds: nanoseconds + Int64(seconds) * 1_000_000_000) }
}
#endif
