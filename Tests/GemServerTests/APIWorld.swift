#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import Synchronization
import SystemHTTP
import XCTest

@testable import GemServer

/// A project with the gem catalog, and a server's handler over it, without a network.
final class APIWorld: Sendable {
  let time = ManualClock()
  let ledger: Ledger
  let backend: LocalBackend
  let receipts: UnsignedReceipts
  let project: ServerProject
  let handler: APIHandler
  let keys: KeysInMemory
  /// A secret key without restrictions, and a public one.
  let secretKey: String
  let appKey: String
  /// A public key of the test store.
  let testKey: String
  let sessions = SessionTokens(projectID: "default", secret: [UInt8](repeating: 7, count: 32))

  init(
    policy: BackendPolicy = BackendPolicy(), delivery: (any DeliveryTarget)? = nil,
    limits: [RateDomain: Int] = [:], ledger: Ledger? = nil, itemGranter: (any ItemGranter)? = nil,
    playNotices: PlayNotices? = nil, verifier: (any ReceiptVerifier)? = nil, appStore: AppStoreReceipts = .none
  ) throws {
    self.ledger = ledger ?? Ledger.inMemory(clock: time.clock, salt: 1)
    try self.ledger.apply(Catalog.load(Fixture.bytes("gems.json")))
    receipts = try UnsignedReceipts(session: "s1")
    backend = LocalBackend(ledger: self.ledger, verifier: verifier ?? receipts, policy: policy, delivery: delivery)
    project = ServerProject(
      ledger: self.ledger, backend: backend, sessions: sessions, itemGranter: itemGranter, playNotices: playNotices,
      appStore: appStore)
    let secret = APIKey.make(.secret(scopes: []), at: time.now)
    let app = APIKey.make(.app(.apple), at: time.now)
    let test = APIKey.make(.app(.test), at: time.now)
    keys = KeysInMemory([secret.key, app.key, test.key])
    (secretKey, appKey, testKey) = (secret.text, app.text, test.text)
    let gate = Gatekeeper([GuardedProject(project, keys: keys)], clock: time.clock)
    handler = APIHandler(
      routes: Routes.all, gatekeeper: gate, limiter: RateLimiter(limits: limits), clock: time.clock)
  }

  /// Sends a request with the secret key, unless another one is given, and waits for the answer.
  func send(
    _ method: String, _ target: String, _ body: JSONValue? = nil, key: String? = nil,
    headers: [(name: String, value: String)] = []
  ) async throws -> Answer {
    let parts = target.split(separator: "?", maxSplits: 1)
    let path = try parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .map { try XCTUnwrap(Percent.decoded($0.utf8)) }
    let query = try parts.dropFirst().first.map { text in
      try text.split(separator: "&").map { pair in
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (
          name: try XCTUnwrap(Percent.decoded(sides[0].utf8)),
          value: try XCTUnwrap(Percent.decoded(sides[1].utf8, plusIsSpace: true))
        )
      }
    }
    var fields = HTTPHeaders(headers)
    fields.add("Authorization", "Bearer \(key ?? secretKey)")
    if body != nil { fields.add("Content-Type", "application/json") }
    let request = HTTPRequest(
      method: method, path: path, query: query ?? [], headers: fields, body: body.map { Array($0.text().utf8) } ?? [],
      id: "r1")
    switch handler.answer(request) {
    case .now(let response): return try Answer(response)
    case .later(let work): return try Answer(await work())
    }
  }

  /// Books a grant, which also makes the customer.
  func grant(_ amount: Int64, _ currency: String = "GEM", to customer: String) throws {
    try ledger.grant([Adjustment(CurrencyCode(currency), amount)], customer: CustomerID(customer))
  }

  /// An answer with its body read.
  struct Answer {
    let status: Int
    let body: JSONValue
    let response: HTTPResponse

    init(_ response: HTTPResponse) throws {
      self.response = response
      status = response.status
      guard case .bytes(let bytes) = response.content else {
        body = .null
        return
      }
      body = bytes.isEmpty ? .null : try JSONValue.parse(bytes)
    }

    func header(_ name: String) -> String? {
      response.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }
}

/// Keys that no storage keeps.
final class KeysInMemory: KeyDirectory {
  private let keys: Mutex<[String: APIKey]>

  init(_ keys: [APIKey]) { self.keys = Mutex(Dictionary(uniqueKeysWithValues: keys.map { ($0.id, $0) })) }

  func key(id: String) -> APIKey? { keys.withLock { $0[id] } }
  func add(_ key: APIKey) { keys.withLock { $0[key.id] = key } }
}

enum Fixture {
  /// A file of the package's folder `Fixtures`.
  static func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

  static func path(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/\(name)").path
  }
}
#endif
