#if Server
internal import CDelayLoad
internal import CMicroHTTPD
package import GemLedger
internal import Synchronization

/// A server over GNU libmicrohttpd: a few threads read requests, and a handler answers them.
///
/// ```swift
/// let server = try HTTPServer(settings, handler: handler)
/// print(server.port)
/// await server.stop()
/// ```
package final class HTTPServer: Sendable {
  let settings: HTTPServerSettings
  let handler: any HTTPHandler
  let watch = ConnectionWatch()
  let bodies: BodyMemory
  private let lingering = LingeringSockets()
  private let newRequestID: @Sendable () -> String
  /// The port of the listening socket.
  package let port: UInt16
  private let state: Mutex<State>
  /// Separate from the state, since every answer reads it.
  private let hasStopBegun = Atomic(false)
  /// The open streams, which end with the server.
  let streams = Mutex<[ObjectIdentifier: HTTPStream]>([:])

  private struct State {
    var workers: Workers?
    var acceptor: Acceptor?
    /// The number of requests in asynchronous work.
    var workCount = 0
    var sweeper: Task<Void, Never>?
  }

  /// Begins to listen.
  ///
  /// - Throws: `LedgerError` with `input_output`.
  package init(
    _ settings: HTTPServerSettings, handler: any HTTPHandler, newRequestID: @escaping @Sendable () -> String
  ) throws(LedgerError) {
    // Without libcurl, a server would start, and fail with its first webhook.
    for library in [GEM_LIBMICROHTTPD, GEM_LIBCURL] {
      if let problem = gem_load_library(library) { throw LedgerError(.inputOutput, String(cString: problem)) }
    }
    self.settings = settings
    self.handler = handler
    bodies = BodyMemory(settings)
    self.newRequestID = newRequestID
    let socket = try ListenSocket(host: settings.host, port: settings.port)
    port = socket.port
    state = Mutex(State())
    guard let workers = DaemonOptions(settings, server: self).start() else {
      DaemonOptions.release(self)
      ListenSocket.close(socket.descriptor)
      let hint = settings.tls == nil ? "" : "; check the files of certificate and key"
      throw LedgerError(.inputOutput, "The HTTP library did not start\(hint).")
    }
    let sweeper = Task { [watch] in
      while !Task.isCancelled {
        watch.sweep()
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      }
    }
    let acceptor = Acceptor(
      socket.descriptor, hasRoom: { [watch] in watch.count < settings.connectionCountMax }, take: workers.take)
    state.withLock { state in
      state.workers = workers
      state.acceptor = acceptor
      state.sweeper = sweeper
    }
  }

  /// The number of open connections.
  package var connectionCount: Int { watch.count }

  /// Whether it has stopped accepting connections.
  package var isStopping: Bool { hasStopBegun.load(ordering: .acquiring) }

  /// The time for streams to end when the server stops; then they are closed unread.
  private static let streamEndTime = Duration.milliseconds(500)

  /// Stops accepting connections, lets open requests finish, ends the streams, and closes.
  ///
  /// - Returns: False if requests exceeded the time limit; they continue until the process ends.
  @discardableResult
  package func stop() async -> Bool {
    hasStopBegun.store(true, ordering: .releasing)
    let acceptor = state.withLock { $0.acceptor.take() }
    guard let acceptor else { return true }
    await acceptor.stop()
    let start = ContinuousClock.now
    for stream in streams.withLock({ Array($0.values) }) { stream.stop() }
    while isWorking, ContinuousClock.now < start + .seconds(settings.stopSeconds) { await Self.pause() }
    // Active readers receive the rest; the library closes the others.
    while hasStreams, ContinuousClock.now < start + Self.streamEndTime { await Self.pause() }
    // The library cannot stop while a connection waits for work.
    guard !isWorking else { return false }
    // Wait a moment for the last answers to be sent.
    for _ in 0..<5 { await Self.pause() }
    let (sweeper, workers) = state.withLock { ($0.sweeper.take(), $0.workers.take()) }
    sweeper?.cancel()
    workers?.stop()
    lingering.stop()
    DaemonOptions.release(self)
    return true
  }

  private var isWorking: Bool { state.withLock { $0.workCount > 0 } }
  private var hasStreams: Bool { !streams.withLock { $0.isEmpty } }

  private static func pause() async {
    do { try await Task.sleep(for: .milliseconds(10)) } catch { await Task.yield() }
  }

  // MARK: Called by the library

  func opened(_ connection: OpaquePointer) -> OpenConnection {
    let opened = OpenConnection(
      socket: gem_mhd_socket(connection), client: Self.address(of: connection),
      until: .now.later(seconds: settings.requestSeconds))
    watch.began(opened)
    return opened
  }

  /// Called before the library closes the connection's socket.
  func closing(_ connection: OpenConnection) {
    watch.ended(connection)
    if connection.lingers { lingering.take(connection.socket) }
  }

  func begin(_ target: UnsafePointer<CChar>, on connection: OpenConnection) -> Exchange {
    Exchange(target: target, id: newRequestID(), connection: connection)
  }

  /// Counts an asynchronous piece of work, which delays a stop.
  func beginWork() { state.withLock { $0.workCount += 1 } }

  func endWork() { state.withLock { $0.workCount -= 1 } }
}
#endif
