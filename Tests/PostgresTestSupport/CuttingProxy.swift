#if PostgreSQL
internal import Foundation
internal import Synchronization

/// Stands between clients and a server on loopback, and cuts connections at the two moments that matter.
package final class CuttingProxy: Sendable {
  package enum Cut: Sendable {
    /// The commit reaches the server; its answer is lost.
    case afterCommit
    /// The commit is lost before it reaches the server.
    case beforeCommit
  }

  private struct State {
    var cuts: [Cut] = []
    var isRandom = false
    var cutCount = 0
    var connectionCount = 0
    var roundTripCount = 0
    var commitCount = 0
    var refuses = false
    var isClosed = false
    var links: [Link] = []
    /// The round trips of all clients until one is cut.
    var roundTripsLeft = 0
    var cutAtRoundTrip = Cut.beforeCommit
    var refusesThen = false
    /// The server of connections from now on.
    var serverPort: UInt16
  }

  private let state: Mutex<State>
  private let listener: Int32
  package let port: UInt16
  private let serverURL: String
  private let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)

  /// Listens on a port of its own.
  package init(before serverURL: String) throws {
    self.serverURL = serverURL
    state = Mutex(State(serverPort: Self.port(of: serverURL)))
    // A write to a socket that is gone gives an error, not a signal.
    signal(SIGPIPE, SIG_IGN)
    (listener, port) = try Loopback.listen()
    let listener = listener
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { break }
        guard let self else {
          Foundation.close(client)
          break
        }
        self.begin(client)
      }
      #if !canImport(Darwin)
      Foundation.close(listener)
      #endif
    }
  }

  deinit { close() }

  package func close() {
    let links = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed ? nil : state.links
    }
    guard let links else { return }
    shutdown(listener, Int32(SHUT_RDWR))
    #if canImport(Darwin)
    // Nothing else ends the accepting. Elsewhere its thread closes the socket, whose number another one may have soon.
    Foundation.close(listener)
    #endif
    for link in links { link.cut() }
  }

  /// The server's URL by way of the proxy; without TLS, so that the proxy can read the messages.
  package var url: String {
    guard var parts = URLComponents(string: serverURL) else { return serverURL }
    parts.port = Int(port)
    parts.queryItems =
      (parts.queryItems ?? []) + [
        URLQueryItem(name: "sslmode", value: "disable"), URLQueryItem(name: "gssencmode", value: "disable"),
      ]
    return parts.string ?? serverURL
  }

  /// How many connections to the server were made, how often clients asked, and how many groups they committed.
  package var connectionCount: Int { state.withLock { $0.connectionCount } }
  package var roundTripCount: Int { state.withLock { $0.roundTripCount } }
  package var commitCount: Int { state.withLock { $0.commitCount } }

  /// How many connections were cut at a commit.
  package var cutCount: Int { state.withLock { $0.cutCount } }

  /// The next groups to commit are cut like that, one each.
  ///
  /// - Parameter meanwhile: Runs after the server has committed and before the client notices that it lost it.
  package func arm(_ cuts: Cut..., meanwhile: (@Sendable () -> Void)? = nil) {
    self.meanwhile.withLock { $0 = meanwhile }
    state.withLock { $0.cuts += cuts }
  }

  /// A later round trip of any client is cut like that, whatever it asks.
  ///
  /// - Parameters:
  ///   - number: Which one, from 1.
  ///   - refusesThen: Whether the server is away from then on.
  package func arm(_ cut: Cut, atRoundTrip number: Int, refusesThen: Bool = false) {
    state.withLock { state in
      (state.roundTripsLeft, state.cutAtRoundTrip, state.refusesThen) = (number, cut, refusesThen)
    }
  }

  /// How many round trips are to come until one is cut.
  package var roundTripsLeft: Int { state.withLock { $0.roundTripsLeft } }

  /// Takes back the cut of a round trip; returns whether it was still to come.
  package func disarm() -> Bool {
    state.withLock { state in
      defer { (state.roundTripsLeft, state.refuses) = (0, false) }
      return state.roundTripsLeft > 0
    }
  }

  /// From now on about every fortieth commit is cut, in either way; false for no more.
  package func cutNowAndThen(_ isOn: Bool) { state.withLock { $0.isRandom = isOn } }

  /// Refuses new connections and cuts the present ones; false lets new ones in again.
  package func refuseAll(_ refuses: Bool) {
    let links = state.withLock { state in
      state.refuses = refuses
      defer { if refuses { state.links = [] } }
      return refuses ? state.links : []
    }
    for link in links { link.cut() }
  }

  /// Connects new clients to another server, as a name that leads to another machine does; present ones stay.
  package func lead(to serverURL: String) { state.withLock { $0.serverPort = Self.port(of: serverURL) } }

  // MARK: Parts

  private static func port(of url: String) -> UInt16 { UInt16(URLComponents(string: url)?.port ?? 5432) }

  private func begin(_ client: Int32) {
    let serverPort = state.withLock { $0.refuses || $0.isClosed ? nil : $0.serverPort }
    guard let serverPort, let server = Loopback.connect(serverPort) else {
      Foundation.close(client)
      return
    }
    let link = Link(client: client, server: server)
    state.withLock { state in
      state.links.removeAll { $0.isOver }
      state.links.append(link)
      state.connectionCount += 1
    }
    Thread.detachNewThread { [weak self] in
      var stream = ClientStream()
      link.pump(from: client, to: server) { bytes in
        let before = stream.roundTrips
        let isCommit = stream.feed(bytes)
        let roundTrips = stream.roundTrips - before
        self?.count(roundTrips, isCommit: isCommit)
        guard let cut = self?.nextCut(after: roundTrips) ?? (isCommit ? self?.nextCut() : nil) else { return .pass }
        if cut == .beforeCommit { return .end }
        link.swallow()
        return .pass
      }
    }
    Thread.detachNewThread { [weak self] in
      link.pump(from: server, to: client) { bytes in
        guard link.swallows else { return .pass }
        // The server is ready for the next question: it has committed.
        guard bytes.suffix(6).starts(with: [UInt8(ascii: "Z"), 0, 0, 0, 5]) else { return .drop }
        self?.meanwhile.withLock { meanwhile in
          defer { meanwhile = nil }
          return meanwhile
        }?()
        return .end
      }
    }
  }

  private func count(_ roundTrips: Int, isCommit: Bool) {
    state.withLock { state in
      state.roundTripCount += roundTrips
      if isCommit { state.commitCount += 1 }
    }
  }

  private func nextCut(after roundTrips: Int) -> Cut? {
    state.withLock { state in
      guard state.roundTripsLeft > 0 else { return nil }
      state.roundTripsLeft = max(0, state.roundTripsLeft - roundTrips)
      guard state.roundTripsLeft == 0 else { return nil }
      state.refuses = state.refusesThen
      return state.cutAtRoundTrip
    }
  }

  private func nextCut() -> Cut? {
    state.withLock { state in
      var cut = state.cuts.isEmpty ? nil : state.cuts.removeFirst()
      if cut == nil, state.isRandom {
        switch Int.random(in: 0..<80) {
        case 0: cut = .afterCommit
        case 1: cut = .beforeCommit
        default: break
        }
      }
      if cut != nil { state.cutCount += 1 }
      return cut
    }
  }
}

/// The two connections of one client, each read by a thread of its own.
private final class Link: Sendable {
  enum Verdict {
    case pass, drop, end
  }

  private struct State {
    var swallows = false
    var pumps = 2
  }

  private let client: Int32
  private let server: Int32
  private let state = Mutex(State())

  init(client: Int32, server: Int32) {
    self.client = client
    self.server = server
  }

  var swallows: Bool { state.withLock { $0.swallows } }
  var isOver: Bool { state.withLock { $0.pumps == 0 } }

  /// Drops all answers of the server from now on.
  func swallow() { state.withLock { $0.swallows = true } }

  func cut() {
    state.withLock { state in
      // The numbers of closed sockets may belong to other sockets by now.
      guard state.pumps > 0 else { return }
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }
  }

  func pump(from source: Int32, to sink: Int32, _ judge: (ArraySlice<UInt8>) -> Verdict) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    loop: while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      switch judge(buffer[..<count]) {
      case .pass: guard Loopback.send(buffer[..<count], to: sink) else { break loop }
      case .drop: break
      case .end: break loop
      }
    }
    cut()
    state.withLock { state in
      state.pumps -= 1
      guard state.pumps == 0 else { return }
      Foundation.close(client)
      Foundation.close(server)
    }
  }
}

private enum Loopback {
  struct Failure: Error {}

  #if canImport(Glibc) || canImport(Musl)
  private static var stream: Int32 { Int32(SOCK_STREAM.rawValue) }
  #else
  private static var stream: Int32 { SOCK_STREAM }
  #endif

  static func listen() throws -> (socket: Int32, port: UInt16) {
    let listener = socket(AF_INET, stream, 0)
    var address = address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && Foundation.listen(listener, 64) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    guard isBound else { throw Failure() }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  static func connect(_ port: UInt16) -> Int32? {
    let connection = socket(AF_INET, stream, 0)
    var address = address(port)
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isConnected { return connection }
    Foundation.close(connection)
    return nil
  }

  static func send(_ bytes: ArraySlice<UInt8>, to sink: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(sink, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
#endif
