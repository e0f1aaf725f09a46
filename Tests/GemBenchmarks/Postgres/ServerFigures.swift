#if PostgreSQL
internal import CPostgreSQL
internal import Foundation
internal import GemLedger
internal import Synchronization

/// The server's resource use during a measurement.
struct ServerFigures {
  /// Seconds of processor time of all server processes; zero if the server runs on another machine.
  var processor = 0.0
  /// Syncs of the server's log.
  var syncs = 0.0
  /// The average number of connections in each state: at work, waiting for a lock, or with an open group of a client
  /// that has the turn.
  var states: [String: Double] = [:]

  /// Watches the server on a separate connection.
  final class Watch: Sendable {
    private static let pause: UInt32 = 20_000
    private let isStopped = Atomic(false)
    private let done = DispatchSemaphore(value: 0)
    private let seen = Mutex((counts: [String: Double](), samples: 0.0))
    private let url: String
    private let before: ServerFigures

    init(_ url: String) throws {
      self.url = url
      before = try ServerConnection(url).totals()
      let connection = try ServerConnection(url)
      nonisolated(unsafe) let own = connection
      Thread.detachNewThread { [self] in
        while !isStopped.load(ordering: .relaxed) {
          let states = own.states()
          seen.withLock { seen in
            seen.samples += 1
            for state in states { seen.counts[state, default: 0] += 1 }
          }
          usleep(Self.pause)
        }
        done.signal()
      }
    }

    func stop() throws -> ServerFigures {
      isStopped.store(true, ordering: .relaxed)
      done.wait()
      // The server's processes publish their counts a second after the last change.
      usleep(1_200_000)
      var figures = try ServerConnection(url).totals()
      figures.processor -= before.processor
      figures.syncs -= before.syncs
      let seen = seen.withLock { $0 }
      figures.states = seen.counts.mapValues { $0 / max(1, seen.samples) }
      return figures
    }
  }
}

/// A connection for queries about the server.
private final class ServerConnection {
  private let handle: OpaquePointer?

  init(_ url: String) throws {
    handle = PQconnectdb(url)
    guard PQstatus(handle) == CONNECTION_OK else {
      throw LedgerError(.unexpected, String(cString: PQerrorMessage(handle)))
    }
  }

  deinit { PQfinish(handle) }

  private func column(_ sql: String) -> [String] {
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
  }

  /// Returns the state of each connection; a client that has the turn holds its lanes during its open transaction.
  func states() -> [String] {
    column(
      """
      SELECT CASE WHEN wait_event = 'ClientRead' THEN 'client''s turn' WHEN wait_event_type = 'Lock' THEN 'lock'
        ELSE coalesce(wait_event, 'at work') END
      FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()
      """)
  }

  func totals() -> ServerFigures {
    var figures = ServerFigures()
    figures.syncs = column("SELECT wal_sync FROM pg_stat_wal").first.flatMap { Double($0) } ?? 0
    if let own = column("SELECT pg_backend_pid()").first, let postmaster = ProcessTimes(own)?.parent {
      figures.processor = ProcessTimes.ofAll(under: postmaster)
    }
    return figures
  }
}

/// The processor time of a process of this machine, as Linux lists it.
private struct ProcessTimes {
  let parent: String
  /// Seconds of the process.
  let own: Double
  /// Seconds of its ended children.
  let children: Double

  init?(_ id: String) {
    guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[name...].split(separator: " ")
    guard fields.count > 15 else { return nil }
    parent = String(fields[2])
    func time(_ index: Int) -> Double { (Double(fields[index]) ?? 0) / Double(sysconf(Int32(_SC_CLK_TCK))) }
    own = time(12) + time(13)
    children = time(14) + time(15)
  }

  static func ofAll(under postmaster: String) -> Double {
    let ids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let backends = ids.filter { Int($0) != nil }.compactMap { Self($0) }.filter { $0.parent == postmaster }
    return backends.reduce(Self(postmaster)?.children ?? 0) { $0 + $1.own }
  }
}
#endif
