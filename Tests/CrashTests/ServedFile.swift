#if Server
import Foundation
import GemLedger
import GemLedgerSQLite
import GemServer
import GemTestSupport
import StoreBackend
import StoreClientHTTP
import StoreTestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A ledger in a file, and processes of `gemctl serve` over it, one after the other.
final class ServedFile: Sendable {
  /// The gems that each customer has at first.
  static let gems: Int64 = 100_000

  private let directory: TemporaryDirectory
  private let sessions: SessionTokens
  private let appKey: String

  var path: String { directory.path("ledger.sqlite") }

  init(customers: [CustomerID]) throws {
    directory = try TemporaryDirectory()
    let ledger = try Ledger.createSQLite(at: directory.path("ledger.sqlite"), salt: 1)
    defer { ledger.close() }
    let gem = try CurrencyCode("GEM")
    try ledger.define(Currency(code: gem, name: "Gems"))
    for customer in customers { try ledger.grant([Adjustment(gem, Self.gems)], customer: customer) }
    sessions = try SessionTokens(projectID: "default", keptIn: ledger)
    appKey = try KeyRing(ledger).create(.app(.test)).text
  }

  /// Starts a server, and waits until it listens.
  func start() throws -> Running {
    let process = Process()
    let output = Pipe()
    process.executableURL = Runs.productDirectory.appendingPathComponent("gemctl")
    process.arguments = [
      "serve", "--listen", "127.0.0.1:0", "--storage", "sqlite:\(path)", "--home", directory.path("home"),
      "--client-spends",
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var said = ""
    while !said.hasSuffix("\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      said += String(decoding: more, as: UTF8.self)
    }
    let address = try XCTUnwrap(said.firstMatch(of: /http:\/\/[0-9.:]+/)?.output, said)
    return Running(process: process, url: try XCTUnwrap(URL(string: String(address))))
  }

  /// A client of a server.
  func backend(_ server: Running) throws -> HTTPBackend {
    let sessions = sessions
    SpendEndpoint.register()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 16
    return try HTTPBackend(baseURL: server.url, apiKey: appKey, configuration: configuration) { request in
      sessions.make(for: request.customer, until: LedgerClock.system.now().advanced(milliseconds: 3_600_000))
    }
  }

  /// A server that listens.
  struct Running: Sendable {
    let process: Process
    let url: URL

    /// Ends it as `kill -9` does; again, where it has ended, this does nothing.
    func kill() {
      guard process.isRunning else { return }
      Foundation.kill(process.processIdentifier, SIGKILL)
    }

    func waitUntilExit() { process.waitUntilExit() }
  }
}
#endif
