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
  private let connections = Mutex<[ObjectIdentifier: OpenConnection]>([:])

  func began(_ connection: OpenConnection) {
    connections.withLock { $0[ObjectIdentifier(connection)] = connection }
  }

  func ended(_ connection: OpenConnection) {
    connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  var count: Int { connections.withLock { $0.count } }

  /// Shuts the connections down whose time is over; the server's threads then close them.
  func sweep(at now: SteadyTime = .now) {
    // Under the lock, so that no other connection gets the number of the socket meanwhile.
    connections.withLock { connections in
      for connection in connections.values where connection.isOver(at: now) {
        _ = shutdown(connection.socket, Int32(SHUT_RDWR))
      }
    }
  }
}

/// A connection, for as long as it is open.
final class OpenConnection: Sendable {
  let socket: Int32
  /// The address of the other end, without its port.
  let client: String
  /// Until when it may go on as it is.
  private let deadline: Atomic<Int64>
  private let wasRefused = Atomic(false)

  /// Whether an answer left before the whole request came, so that more of it may come.
  var lingers: Bool { wasRefused.load(ordering: .relaxed) }

  func linger() { wasRefused.store(true, ordering: .relaxed) }

  init(socket: Int32, client: String, until deadline: SteadyTime) {
    self.socket = socket
    self.client = client
    self.deadline = Atomic(deadline.nanoseconds)
  }

  /// Has to go on before the deadline.
  func goOn(until deadline: SteadyTime) { self.deadline.store(deadline.nanoseconds, ordering: .relaxed) }

  /// The request is whole, so that the server is to blame from now on.
  func pause() { deadline.store(.max, ordering: .relaxed) }

  /// Whether its time is over; says so once.
  func isOver(at now: SteadyTime) -> Bool {
    let deadline = deadline.load(ordering: .relaxed)
    guard deadline < now.nanoseconds else { return false }
    // A request may have become whole in between, and is not cut then.
    return self.deadline.compareExchange(expected: deadline, desired: .max, ordering: .relaxed).exchanged
  }
}

/// A reading of the clock that goes on steadily, whatever the time of day is set to.
struct SteadyTime {
  let nanoseconds: Int64

  static var now: SteadyTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return SteadyTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// So many seconds later.
  func later(seconds: Int) -> SteadyTime { SteadyTime(nanoseconds: nanoseconds + Int64(seconds) * 1_000_000_000) }
}
#endif
