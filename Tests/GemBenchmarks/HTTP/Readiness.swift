#if Server
#if canImport(Darwin)
internal import Darwin
#else
internal import CMicroHTTPD
internal import Glibc
#endif

/// Waits for readable sockets: a load that polls all of them each time takes the server's processors.
final class Readiness {
  #if canImport(Darwin)
  private var polls: [pollfd]

  init(of descriptors: [Int32]) { polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) } }

  /// Returns the positions of the ready sockets; none after the timeout.
  func wait(seconds: Int32) -> [Int] {
    guard poll(&polls, nfds_t(polls.count), seconds * 1000) > 0 else { return [] }
    return polls.indices.filter { polls[$0].revents != 0 }
  }
  #else
  private let descriptor = epoll_create1(0)
  private var events: [epoll_event]

  init(of descriptors: [Int32]) {
    events = [epoll_event](repeating: epoll_event(), count: max(1, descriptors.count))
    for (place, socket) in descriptors.enumerated() {
      var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(place)))
      _ = epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event)
    }
  }

  deinit { close(descriptor) }

  /// Returns the positions of the ready sockets; none after the timeout.
  func wait(seconds: Int32) -> [Int] {
    let count = epoll_wait(descriptor, &events, Int32(events.count), seconds * 1000)
    return events.prefix(max(0, Int(count))).map { Int($0.data.u64) }
  }
  #endif
}
#endif
