#if Server
import Foundation
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import SystemCrypto
import SystemHTTP
import XCTest

@testable import GemServer

/// A server with its stores, and a network that misbehaves at chosen calls.
final class ConformanceWorld {
  /// Where the rows are.
  enum Place: String, CaseIterable {
    case memory, sqlite, postgres
  }

  let time = ManualClock()
  private(set) var server: APIWorld
  private(set) var problems: [String] = []
  /// The store's ids of what was paid for.
  private(set) var paidIDs: [String] = []
  /// How each purchase ended on the device.
  private(set) var ends: [String: String] = [:]
  /// The names of the calls so far.
  private(set) var calls: [String] = []
  /// By the number of a call, from 0.
  var faults: [Int: SDKFault] = [:]

  private let storage: CrashingStorage
  private let crashPoint = CrashPoint()
  private let number: Int
  private let google: FakeGoogle
  private let receipts: LocalReceipts
  private let makeServer: (Ledger) throws -> APIWorld
  private var playKey = ""
  private var idCount = 0

  /// - Parameters:
  ///   - number: Tells the store's ids of this world from those of others at the same store.
  ///   - open: Opens the storage, again after each death of the process; nil for one in memory.
  init(
    _ number: Int, google: FakeGoogle, receipts: LocalReceipts, open: (@Sendable () throws -> any LedgerStorage)? = nil
  ) throws {
    (self.number, self.google, self.receipts) = (number, google, receipts)
    storage =
      try open.map { [crashPoint] in try CrashingStorage(crashPoint: crashPoint, open: $0) }
      ?? CrashingStorage(crashPoint: crashPoint)
    let sender = HTTPSender(to: try OutgoingTarget(allowedHosts: ["127.0.0.1"]), threadCount: 1)
    let account = try GoogleServiceAccount(json: Array(JSONValue.object(google.keyFile()).text().utf8))
    let api = try PlayDeveloperAPI(account: account, sender: sender, baseURL: google.url + "/", clock: time.clock)
    makeServer = { ledger in
      try APIWorld(ledger: ledger, playNotices: PlayNotices(api: api, wait: .seconds(30)), verifier: receipts)
    }
    server = try makeServer(Ledger(storage: storage, clock: time.clock))
    try addKey()
    crashPoint.begin()
  }

  private func addKey() throws {
    let key = APIKey.make(.app(.google), at: time.now)
    server.keys.add(key.key)
    playKey = key.text
  }

  func close() { storage.close() }

  func fail(_ problem: String) { problems.append(problem) }

  /// How many commits the run has made.
  var commitCount: Int { crashPoint.stepCount }

  /// The process dies at this commit.
  func die(at step: Int, isAfter: Bool) { crashPoint.begin(deaths: [step: isAfter ? .after : .before]) }

  // MARK: The network

  /// Sends a call of an SDK, unless something is wrong with this one.
  func send(_ call: SDKCall, store: Store) async throws -> SDKReply {
    let fault = faults[calls.count]
    calls.append(call.name)
    switch fault {
    case .offline: return .noConnection
    case .status(let status): return .answer(status: status, body: nil)
    case .page: return .answer(status: 200, body: nil)
    case .answerLost, .killed, nil: break
    }
    if crashPoint.isDead { return .noConnection }
    let key = store == .google ? playKey : server.appKey
    let answer = try await server.send(call.method, call.path, call.body, key: key, headers: call.headers)
    if fault == .answerLost || crashPoint.isDead { return .noConnection }
    check(answer, to: call)
    return .answer(status: answer.status, body: answer.body)
  }

  /// What holds for every answer to an SDK.
  private func check(_ answer: APIWorld.Answer, to call: SDKCall) {
    for name in ["X-Signature", "X-RevenueCat-ETag"] where answer.header(name) != nil { fail("\(call.name): \(name)") }
    if answer.header("Content-Type") != "application/json" { fail("\(call.name): no JSON") }
    guard answer.status >= 400 else { return }
    if call.name == "POST receipts", answer.status < 500 || answer.header("Retry-After") == nil {
      fail("\(call.name): \(answer.status), \(answer.body.text().prefix(200))")
    }
  }

  /// The network works again, the server runs, and its standing work is done.
  func heal() async throws {
    faults = [:]
    if crashPoint.isDead {
      crashPoint.begin()
      try storage.startAgain()
      server = try makeServer(Ledger(storage: storage, clock: time.clock))
      try addKey()
    }
    time.advance(seconds: 3700)
    let watch = ReceiptWatch(server.project, ServerLog(clock: time.clock) { _ in })
    let jobs = [watch.job] + [server.project.playNotices?.completions(of: server.project)].compactMap(\.self)
    _ = try await MaintenanceRunner(backend: server.backend, jobs: jobs).runOnce()
  }

  // MARK: The stores

  func newTransactionID() -> String {
    idCount += 1
    return "\(number)-\(idCount)"
  }

  func newAnonymousID() -> String {
    idCount += 1
    let digits = String(idCount, radix: 16)
    return "$RCAnonymousID:" + String(repeating: "0", count: 32 - digits.count) + digits
  }

  func paid(_ id: String) { paidIDs.append(id) }

  /// What the device does at the end of a purchase: never before the books have it.
  func finished(_ id: String, _ how: String) throws {
    ends[id] = how
    let isCredited = try [StoreEnvironment.production, .localTesting(session: "s1")].contains { environment in
      try [Store.apple, .google].contains { store in
        try server.ledger.purchase(
          store: store, environment: environment, transactionID: StoreTransactionID(id)) != nil
      }
    }
    if !isCredited { fail("\(id) was \(how) before its credit") }
  }

  func appleEvidence(_ id: String, buyer: String) throws -> String {
    let transaction = StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID(id),
      bundleID: "com.example.gems", storeProductID: "gems_300", productType: .consumable, quantity: 1,
      price: Money(minorUnits: 299, currency: "USD"), purchasedAt: time.now, signedAt: time.now)
    return receipts.receipt(for: transaction).text
  }

  /// Whether the server has told Google to consume the purchase, which it does for its credit alone.
  func isConsumedByServer(_ token: String) -> Bool {
    guard google.state.withLock({ $0.completed.contains("consume gems_300 \(token)") }) else { return false }
    do { try finished(token, "consumed") } catch { fail("\(error)") }
    return true
  }

  func setPlayPurchase(_ token: String, buyer: String) throws {
    try google.set(token, buyer: nil)
    // The SDK's own form: standard base64 of SHA-256.
    let hash = Data(try XCTUnwrap(TextDigest.sha256(of: buyer))).base64EncodedString()
    google.state.withLock { state in
      var purchase = state.purchases[token]?.object ?? JSONObject()
      purchase["obfuscatedExternalAccountId"] = .string(hash)
      state.purchases[token] = .object(purchase)
    }
  }

  // MARK: The books

  /// The gems of all customers together.
  func credited() throws -> Int64 {
    try server.ledger.everyCustomer().reduce(0) { sum, customer in
      customer.balances.reduce(sum) { $0 + $1.balance }
    }
  }

  func gems(of customer: String) throws -> Int64 {
    (try? server.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(customer)).balance) ?? 0
  }
}
#endif
