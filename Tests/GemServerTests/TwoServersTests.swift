#if Server
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import PostgresTestSupport
import StoreBackend
import Synchronization
import XCTest

#if PostgreSQL
import GemLedgerPostgres
#endif

@testable import GemServer

/// Two servers with a ledger of their own each, on one storage: their background work is done once.
final class TwoServersTests: XCTestCase {
  func testOnOneFile() async throws {
    try await onOneFile { try await self.checkWebhooks($0) }
    try await onOneFile { try await self.checkMaintenance($0) }
  }

  func testOnOneDatabase() async throws {
    #if PostgreSQL
    try await onOneDatabase { try await self.checkWebhooks($0) }
    try await onOneDatabase { try await self.checkMaintenance($0) }
    #else
    throw XCTSkip("This build has no PostgreSQL.")
    #endif
  }

  // MARK: Webhooks

  private func checkWebhooks(_ pair: Pair) async throws {
    let endpoint = try pair.first.webhooks.create(url: WebhookWorld.url)
    for number in 0..<40 { try pair.server(number).grant("customer \(number % 7)") }
    try await pair.first.deliver()
    XCTAssertEqual(pair.receivers.taken().count, 40)
    XCTAssertEqual(try pair.second.lease(of: endpoint)?.owner, "first")

    // Both look for events while they come.
    await withTaskGroup { group in
      for server in [pair.first, pair.second] {
        // A server that finds the queue changed tries again with its next look.
        group.addTask { for _ in 0..<10 { _ = try? await server.deliver() } }
      }
      group.addTask { for number in 0..<40 { _ = try? pair.server(number).grant("customer \(number % 7)") } }
    }
    try await pair.first.deliver()
    XCTAssertEqual(pair.receivers.taken().count, 80, "each once")
    XCTAssertEqual(try pair.problems(), [])

    // The one that has the endpoint is gone without a word.
    for number in 0..<20 { try pair.second.grant("customer \(number % 7)") }
    try await pair.second.deliver()
    XCTAssertEqual(pair.receivers.taken().count, 80, "the endpoint is still the other one's")
    pair.time.advance(seconds: 91)
    try await pair.second.deliver()
    XCTAssertEqual(pair.receivers.taken().count, 100)
    XCTAssertEqual(try pair.problems(), [])
    XCTAssertEqual(try pair.second.lease(of: endpoint)?.owner, "second")

    // It stops in order, and the first one, back again, goes on at once.
    let dispatcher = try XCTUnwrap(pair.second.webhooks.dispatcher)
    let running = Task { await dispatcher.run(every: .milliseconds(1)) }
    running.cancel()
    await running.value
    try pair.first.grant("customer 1")
    try await pair.first.deliver()
    XCTAssertEqual(pair.receivers.taken().count, 101)
  }

  // MARK: Deliveries of orders, and ends of holds

  private func checkMaintenance(_ pair: Pair) async throws {
    let (gem, alice) = (try CurrencyCode("GEM"), try CustomerID("alice"))
    var codes: [PurchaseCode] = []
    for number in 0..<12 { codes.append(try await pair.server(number).buy("t\(number)")) }
    for number in 0..<12 {
      try pair.server(number).ledger.hold([Adjustment(gem, 10)], customer: alice, for: .seconds(60))
    }
    XCTAssertEqual(try pair.second.ledger.balance(of: gem, customer: alice).held, 120)
    XCTAssertEqual(pair.gameServer.counts, Dictionary(uniqueKeysWithValues: codes.map { ($0, 1) }))

    pair.gameServer.confirms(true)
    pair.time.advance(seconds: 600)
    let (first, second) = (pair.first.runner, pair.second.runner)
    async let one = first.runOnce()
    async let other = second.runOnce()
    let reports = try await [one, other]
    XCTAssertEqual(reports.flatMap(\.failures).count, 0, "\(reports)")
    XCTAssertEqual(reports.reduce(0) { $0 + ($1.counts("deliveries")["tried"] ?? 0) }, 12)
    XCTAssertEqual(pair.gameServer.counts, Dictionary(uniqueKeysWithValues: codes.map { ($0, 2) }))
    for code in codes { XCTAssertEqual(try pair.second.backend.order(code).status, .success) }
    try checkHolds(pair, ended: 12)

    // One is gone; the other one does all of it.
    codes = []
    pair.gameServer.confirms(false)
    for number in 0..<5 { codes.append(try await pair.first.buy("late\(number)")) }
    try pair.first.ledger.hold([Adjustment(gem, 10)], customer: alice, for: .seconds(60))
    pair.gameServer.confirms(true)
    pair.time.advance(seconds: 600)
    let report = try await second.runOnce()
    XCTAssertEqual(report.counts("deliveries")["confirmed"], 5)
    for code in codes { XCTAssertEqual(pair.gameServer.counts[code], 2) }
    try checkHolds(pair, ended: 13)
    let idle = try await first.runOnce()
    XCTAssertEqual(idle.counts("deliveries")["tried"], 0)
  }

  /// So many holds have ended, each once, and nothing is held any more.
  private func checkHolds(_ pair: Pair, ended count: Int) throws {
    let alice = try CustomerID("alice")
    let kinds = try pair.first.ledger.wholeHistory(of: alice).map(\.booking.kind)
    XCTAssertEqual(kinds.count { $0 == .hold }, count)
    XCTAssertEqual(kinds.count { $0 == .release }, count)
    XCTAssertEqual(try pair.first.ledger.balance(of: CurrencyCode("GEM"), customer: alice).held, 0)
    try assertBooksAddUp(pair.second.ledger)
  }

  // MARK: Storages

  private func onOneFile(_ body: (Pair) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    let time = ManualClock()
    let first = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    defer { first.close() }
    let second = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { second.close() }
    try await body(try Pair(time, first, second))
  }

  #if PostgreSQL
  private func onOneDatabase(_ body: (Pair) async throws -> Void) async throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    let time = ManualClock()
    let first = try Ledger.createPostgres(at: url, clock: time.clock, salt: 1)
    let second = try Ledger.openPostgres(at: url, clock: time.clock)
    try await body(try Pair(time, first, second))
    first.close()
    second.close()
    try server.dropDatabase(url)
  }
  #endif
}

/// Two servers of one project.
private final class Pair: Sendable {
  let time: ManualClock
  let receivers: Receivers
  let gameServer = CountingGameServer()
  let first: BackgroundServer
  let second: BackgroundServer

  init(_ time: ManualClock, _ first: Ledger, _ second: Ledger) throws {
    self.time = time
    receivers = Receivers(time)
    try first.apply(Catalog.load(Fixture.bytes("gems.json")))
    self.first = try BackgroundServer("first", first, receivers, gameServer)
    self.second = try BackgroundServer("second", second, receivers, gameServer)
  }

  func server(_ number: Int) -> BackgroundServer { number.isMultiple(of: 2) ? first : second }

  /// Events that did not come, came twice, or came before an earlier one of their customer.
  func problems() throws -> [String] {
    let taken = receivers.taken()
    var problems: [String] = []
    if Set(taken.map(\.id)).count != taken.count { problems.append("an event came twice") }
    var expected: [String: [String]] = [:]
    for event in try first.ledger.feed(after: nil, limit: 1000).events where event.isSent {
      for customer in event.customers { expected[customer.text, default: []].append("\(try event.transaction())") }
    }
    for (customer, ids) in expected where ids != taken.filter({ $0.customer == customer }).map(\.id) {
      problems.append("the events of \(customer)")
    }
    return problems
  }
}

/// The background work of one server, in steps.
private struct BackgroundServer: Sendable {
  let ledger: Ledger
  let backend: LocalBackend
  let runner: MaintenanceRunner
  let webhooks: Webhooks
  private let receipts: UnsignedReceipts

  init(_ name: String, _ ledger: Ledger, _ receivers: Receivers, _ gameServer: CountingGameServer) throws {
    self.ledger = ledger
    receipts = try UnsignedReceipts(session: "s1")
    backend = LocalBackend(ledger: ledger, verifier: receipts, delivery: gameServer)
    runner = MaintenanceRunner(backend: backend)
    webhooks = Webhooks(ledger, projectID: "default", clock: ledger.clock, sender: receivers, owner: name)
  }

  func grant(_ customer: String) throws { try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer(customer)) }

  func deliver() async throws { try await XCTUnwrap(webhooks.dispatcher).runOnce() }

  func lease(of endpoint: WebhookEndpoint) throws -> WebhookQueue.Lease? {
    try webhooks.store.queue(endpoint.id)?.queue.lease
  }

  /// Pays for an order of alice's.
  func buy(_ id: String) async throws -> PurchaseCode {
    let alice = try CustomerID("alice")
    let order = try await backend.initPayment(
      OrderRequest(customer: alice, product: ProductCode("gems_1200"), store: .apple, bundleID: "com.example.gems"))
    let transaction = StoreTransaction(
      store: .apple, environment: try .localTesting(session: "s1"), id: try StoreTransactionID(id),
      bundleID: "com.example.gems", storeProductID: "gems_1200", productType: .consumable,
      purchasedAt: ledger.clock.now(), signedAt: ledger.clock.now())
    _ = try await backend.completePayment(
      order.code, post: ReceiptPost(receipt: receipts.receipt(for: transaction), customer: alice, source: .purchase))
    return order.code
  }
}

/// A game server that counts what it is told.
private final class CountingGameServer: DeliveryTarget {
  private let state = Mutex<(confirms: Bool, counts: [PurchaseCode: Int])>((false, [:]))

  var counts: [PurchaseCode: Int] { state.withLock(\.counts) }
  func confirms(_ confirms: Bool) { state.withLock { $0.confirms = confirms } }

  func deliver(_ delivery: Delivery) async -> Bool {
    state.withLock { state in
      state.counts[delivery.purchaseCode, default: 0] += 1
      return state.confirms
    }
  }
}

extension MaintenanceReport {
  fileprivate func counts(_ name: String) -> [String: Int] { jobs.first { $0.name == name }?.counts ?? [:] }
}
#endif
