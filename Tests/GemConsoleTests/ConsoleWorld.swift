#if Server
import Foundation
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import StoreBackend
import Synchronization
import SystemHTTP
import XCTest

/// A project with a console, without a network.
final class ConsoleWorld {
  let time = ManualClock()
  let ledger: Ledger
  let backend: LocalBackend
  let project: ServerProject
  let keys: KeyRing
  let site: HTTPAreas
  /// The lines of the server's log.
  let log = LogLines()

  init(
    _ settings: ConsoleSettings = ConsoleSettings(), ledger: Ledger? = nil, catalog: Catalog? = nil,
    delivery: (any DeliveryTarget)? = nil, sender: (any WebhookSender)? = nil
  ) throws {
    self.ledger = ledger ?? Ledger.inMemory(clock: time.clock, salt: 1)
    try self.ledger.apply(catalog ?? Make.catalog())
    backend = LocalBackend(ledger: self.ledger, verifier: try UnsignedReceipts(session: "s1"), delivery: delivery)
    project = ServerProject(
      ledger: self.ledger, backend: backend,
      sessions: SessionTokens(projectID: "default", secret: [UInt8](repeating: 7, count: 32)), sender: sender)
    keys = KeyRing(self.ledger)
    let console = Console(settings, projects: [project], log: ServerLog(clock: time.clock) { [log] in log.add($0) })
    site = HTTPAreas([console.area], others: NothingElse())
  }

  /// A browser that is signed in with a key of these scopes.
  func browser(_ scopes: String...) async throws -> Browser {
    let made = try keys.create(.secret(scopes: scopes.map { try XCTUnwrap(Scope(text: $0)) }))
    let browser = Browser(site)
    let page = try await browser.signIn(made.text)
    XCTAssertEqual(page.status, 200, page.text)
    return browser
  }
}

extension Browser {
  /// Fills in the form of an action, and confirms its preview.
  @discardableResult
  func act(_ path: String, _ values: [String: String] = [:]) async throws -> Page {
    let form = try await open(path)
    let preview = try await submit(form, nil, ["reason": "r"].merging(values) { $1 }, step: "preview")
    return try await submit(preview, nil, step: "confirm")
  }

  @discardableResult
  func signIn(_ key: String) async throws -> Page {
    let page = try await open("/console/sign-in")
    return try await submit(page, "/console/sign-in", ["key": key])
  }
}

final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

/// What the server answers beside the console.
private struct NothingElse: HTTPHandler {
  func answer(_ request: HTTPRequest) -> HTTPAnswer { .now(HTTPResponse(status: 404)) }
  func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse { HTTPResponse(status: status) }
  func finished(_ summary: HTTPSummary) {}
}
#endif
