#if Server
internal import CMicroHTTPD
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The library's threads, each with connections of its own.
final class Workers: Sendable {
  // Unchecked: the library lets any thread give a connection to one, and they are stopped when nobody does.
  private nonisolated(unsafe) let daemons: [OpaquePointer]
  private let turn = Atomic(0)

  init(_ daemons: [OpaquePointer]) { self.daemons = daemons }

  /// Gives a connection to the thread whose turn it is.
  ///
  /// Where the threads take connections themselves, one that is awake takes all of a burst, and keeps them.
  func take(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
    let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    // One that the library does not take is closed by it.
    _ = MHD_add_connection(daemons[turn % daemons.count], socket, address, length)
  }

  func stop() { for daemon in daemons { MHD_stop_daemon(daemon) } }
}
#endif
