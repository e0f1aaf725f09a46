#if Server
import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import StoreBackend
import SystemHTTP
import XCTest

@testable import GemServer

/// A spend endpoint in Node, written for RevenueCat's API, against the real server on a loopback port.
///
/// The program is `Fixtures/spend.mjs`: address and key are all that it is told of the server.
final class NodeSpendTests: XCTestCase {
  private struct Line {
    let status: Int64?
    let body: JSONValue?
  }

  func testASpendWrittenForRevenueCatWorksUnchanged() async throws {
    let lines = try await run([
      "alice/extra_life/tap-1", "alice/extra_life/tap-1", "alice/no_such_item/tap-2", "alice/legendary_skin/tap-3",
      "nobody/extra_life/tap-4", "alice/extra_life/fail-5", "alice/extra_life/tap-6",
    ])
    XCTAssertEqual(lines.map(\.status), [200, 200, 400, 402, 502, 500, 200])
    XCTAssertEqual(lines[5].body?["returned"]?.integer, 200)
    // 100 at first: two spends of 50, one of them sent twice, and one that came back.
    XCTAssertEqual(balance, 0)
  }

  /// The codelab's own compensation has the key of the spend; that is loud, and no gem is given for nothing.
  func testACompensationUnderTheSpendsKeyIsRefused() async throws {
    let lines = try await run(["alice/extra_life/fail-1"], environment: ["COMPENSATION_KEY": "same"])
    XCTAssertEqual(lines.first?.status, 500)
    XCTAssertEqual(lines.first?.body?["returned"]?.integer, 409)
    XCTAssertEqual(balance, 50)
  }

  private var balance: Int64 = -1

  private func run(_ calls: [String], environment: [String: String] = [:]) async throws -> [Line] {
    let node = ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let node else { throw XCTSkip("Node is not installed; .ci/install node installs it") }
    let directory = try TemporaryDirectory()
    let ledger = try Ledger.createSQLite(at: directory.path("ledger.sqlite"))
    try ledger.apply(Catalog.load(Fixture.bytes("gems.json")))
    try ledger.grant([Adjustment(CurrencyCode("GEM"), 100)], customer: CustomerID("alice"))
    let key = try KeyRing(ledger).create(.secret(scopes: [])).text
    let backend = LocalBackend(ledger: ledger, verifier: StoreVerifiers(apple: nil, google: nil))
    let project = ServerProject(
      ledger: ledger, backend: backend, sessions: try SessionTokens(projectID: "default", keptIn: ledger))
    let server = try GemServer(
      GemServer.Settings(), projects: [project], log: ServerLog(clock: ledger.clock) { _ in })
    let output = try Self.output(
      of: node, [Fixture.path("spend.mjs")] + calls,
      ["BASE_URL": "http://127.0.0.1:\(server.port)", "SECRET_KEY": key].merging(environment) { $1 })
    await server.stop()
    balance = try ledger.balance(of: "GEM", customer: "alice").balance
    ledger.close()
    return try output.split(separator: "\n").map { line in
      let value = try JSONValue.parse(String(line))
      return Line(status: value["status"]?.integer, body: value["body"])
    }
  }

  private static func output(
    of program: String, _ arguments: [String], _ environment: [String: String]
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
    return String(decoding: data, as: UTF8.self)
  }
}
#endif
