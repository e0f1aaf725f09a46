#if Server
internal import CMicroHTTPD
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The library's threads, each with separate connections.
final class Workers: Sendable {
  // Unchecked: any thread may add a connection, and they are stopped after the last connection was added.
  private nonisolated(unsafe) let daemons: [OpaquePointer]
  private let turn = Atomic(0)

  init(_ daemons: [OpaquePointer]) { self.daemons = daemons }

  /// Adds a connection to the threads in turn.
  ///
  /// If the threads accepted connections themselves, one awake thread would accept a whole burst and keep it.
  func take(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
    let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    // The library closes a connection that it does not accept.
    _ = MHD_add_connection(daemons[turn % daemons.count], socket, address, length)
  }

  func stop() { for daemon in daemons { MHD_stop_daemon(daemon) } }
}
#endif
