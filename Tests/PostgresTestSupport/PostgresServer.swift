#if PostgreSQL
internal import CPostgreSQL
internal import Foundation
internal import Synchronization
internal import XCTest

/// A PostgreSQL server for tests.
///
/// Those that start one start `.ci/postgres`; no other cluster is ever touched.
package final class PostgresServer: Sendable {
  /// Its database `postgres`, as a role that logs in with a password over TCP and may make databases, no more.
  package let url: String

  /// Of a cluster of one's own; nil where only its URL is known.
  private let directory: URL?
  private let databases = Mutex<[String]>([])

  init(url: String, directory: URL?) {
    self.url = url
    self.directory = directory
  }

  deinit { remove() }

  // MARK: Which server

  /// The one that `GEMLEDGER_TEST_POSTGRES` names, else one that this process starts and that ends with it.
  ///
  /// - Throws: `XCTSkip` where there is none; an error in its place if `GEMLEDGER_REQUIRE_POSTGRES` is set.
  package static func shared() throws -> PostgresServer {
    try sharedServer.withLock { server in
      if let server { return server }
      let made: PostgresServer
      if let url = environment["GEMLEDGER_TEST_POSTGRES"], !url.isEmpty {
        made = PostgresServer(url: url, directory: nil)
      } else {
        made = try PostgresServer()
      }
      // A process that is killed does not come there: `.ci/postgres` notices by itself.
      XCTestObservationCenter.shared.addTestObserver(Farewell())
      server = made
      return made
    }
  }

  /// Starts a private cluster; it goes with this value, and at the latest with this process.
  ///
  /// It does not sync its files, since no test cuts the machine's power; the setting `fsync` turns that on.
  ///
  /// - Parameter settings: The settings for postgresql.conf, by name.
  /// - Throws: `XCTSkip` where there is no server; an error in its place if `GEMLEDGER_REQUIRE_POSTGRES` is set.
  package convenience init(settings: [String: String] = [:]) throws {
    try Self.requirePrograms()
    // Not in the temporary directory of the user, the path of which is too long for a socket on some systems.
    let directory = URL(fileURLWithPath: "/tmp/gemledger-postgres-\(Self.randomName())")
    let settings = ["fsync": "off"].merging(settings) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
    let process = "\(ProcessInfo.processInfo.processIdentifier)"
    let url = try Self.script(["start", directory.path, "--for", process] + settings)
    self.init(url: url, directory: directory)
  }

  private static let sharedServer = Mutex<PostgresServer?>(nil)

  /// Before the process ends: while it ends, libraries are gone that a connection needs.
  private final class Farewell: NSObject, XCTestObservation {
    func testBundleDidFinish(_ testBundle: Bundle) {
      PostgresServer.sharedServer.withLock { server in
        if let server { server.remove() }
        server = nil
      }
    }
  }

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }

  private static func requirePrograms() throws {
    do {
      _ = try script(["programs"])
    } catch {
      guard environment["GEMLEDGER_REQUIRE_POSTGRES", default: ""].isEmpty else { throw error }
      throw XCTSkip(
        """
        SKIPPED, nothing was tested: there is no PostgreSQL server. Run .ci/test, which installs one, or name one: \
        GEMLEDGER_TEST_POSTGRES=postgres://user:password@host:port/database
        """)
    }
  }

  // MARK: Databases

  /// The URL of another database of this server.
  package func url(database: String) -> String {
    guard var parts = URLComponents(string: url) else { return url }
    parts.path = "/" + database
    return parts.string ?? url
  }

  /// The URL of a database as the superuser, over the socket of a cluster of one's own; nil for another server.
  package func superuserURL(database: String = "postgres") -> String? {
    guard let directory, let port = URLComponents(string: url)?.port else { return nil }
    return "postgres://postgres@/\(database)?host=\(directory.path)&port=\(port)"
  }

  /// Makes an empty database, which goes with the server or with this process; returns its URL.
  ///
  /// - Parameter original: A database without connections that the new one copies.
  package func createDatabase(copying original: String? = nil) throws -> String {
    let name = "gem_test_" + Self.randomName()
    let template = original.flatMap { url in
      databases.withLock { names in names.first { self.url(database: $0) == url } }
    }
    try execute("CREATE DATABASE \(name) \(template.map { "TEMPLATE \($0)" } ?? "")")
    databases.withLock { $0.append(name) }
    return url(database: name)
  }

  /// Drops a database that ``createDatabase()`` made, even while clients are connected to it.
  package func dropDatabase(_ url: String) throws {
    guard let name = databases.withLock({ names in names.first { self.url(database: $0) == url } }) else { return }
    try drop(name)
    databases.withLock { $0.removeAll { $0 == name } }
  }

  /// Drops a database by its name, even while clients are connected to it.
  package func drop(_ name: some StringProtocol) throws {
    var triesLeft = 100
    while true {
      do {
        try execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        return
      } catch let failure as Failure where failure.description.contains("pg_signal_backend") && triesLeft > 0 {
        // The server itself cleans up there, which only a superuser may end; soon it is done.
        triesLeft -= 1
        try execute("SELECT pg_sleep(0.1)")
      }
    }
  }

  /// Runs one statement; gives the first column of its rows, NULL as an empty string.
  @discardableResult
  package func execute(_ statement: String, on url: String? = nil) throws -> [String] {
    let connection = PQconnectdb(url ?? self.url)
    defer { PQfinish(connection) }
    // The server's notices (a database that was not there) are not for the terminal.
    _ = PQsetNoticeProcessor(connection, { _, _ in }, nil)
    let result = PQexec(connection, statement)
    defer { PQclear(result) }
    guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
      throw Failure(description: "\(statement): \(String(cString: PQerrorMessage(connection)))")
    }
    guard PQnfields(result) > 0 else { return [] }
    return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
  }

  // MARK: Its life

  /// Stops the server: connections end, and committed data is written.
  ///
  /// - Parameter immediate: Whether it ends as if the machine had failed, so that the next start recovers from the log.
  package func stop(immediate: Bool = false) throws {
    try Self.script(["stop", own().path] + (immediate ? ["immediate"] : []))
  }

  /// Starts it again, on the same port.
  package func start() throws {
    try Self.script(["start", own().path])
  }

  /// Ends it and leaves nothing behind; of a server that is not one's own, removes the databases made here.
  ///
  /// `GEMLEDGER_TEST_POSTGRES_IS_TEMPORARY` says that the server is removed with all of them soon.
  package func remove() {
    do {
      if let directory {
        try Self.script(["remove", directory.path])
      } else if Self.environment["GEMLEDGER_TEST_POSTGRES_IS_TEMPORARY", default: ""].isEmpty {
        for name in databases.withLock({ $0 }) { try drop(name) }
      }
    } catch {
      FileHandle.standardError.write(Data("PostgreSQL was not cleaned up: \(error)\n".utf8))
    }
  }

  func own() throws -> URL {
    guard let directory else { throw Failure(description: "the shared server belongs to others too; make your own") }
    return directory
  }

  // MARK: The script

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

  @discardableResult
  static func script(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent(".ci/postgres")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    let error = Pipe()
    process.standardOutput = output
    process.standardError = error
    try process.run()
    // The script's output fits into a pipe, so that one pipe may be read after the other.
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let message = error.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: ".ci/postgres \(arguments[0]): " + String(decoding: message, as: UTF8.self))
    }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
#endif
