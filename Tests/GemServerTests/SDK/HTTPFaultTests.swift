#if Server
import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreClientHTTP
import StoreTestSupport
import XCTest

/// Networks and servers that fail on the way: what was paid for is credited once, and a spend is booked once.
final class HTTPFaultTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"
  private let order = PurchaseOrder(productID: "gems", context: OrderContext(roleID: "char-12345"))

  private static let badGateway = ClientAnswer(status: 502, body: Array("<html>Bad Gateway</html>".utf8))
  private static let busy = ClientAnswer(status: 503, headers: [("Retry-After", "5")])

  /// Every way in which one request fails, with or without its effect.
  private static let failures: [(name: String, step: ScriptedTransport.Step)] = [
    ("lost before", .lostBefore), ("lost after", .lostAfter), ("cut", .cut), ("502", .answers(badGateway)),
    ("502 after", .answersAfter(badGateway)), ("503", .answers(busy)), ("503 after", .answersAfter(busy)),
    ("429", .answers(ClientAnswer(status: 429, headers: [("Retry-After", "1")]))),
    ("401", .answers(ClientAnswer(status: 401))), ("403 after", .answersAfter(ClientAnswer(status: 403))),
    ("404", .answers(ClientAnswer(status: 404))), ("302", .answers(ClientAnswer(status: 302))),
    ("a portal", .answers(ClientAnswer(status: 200, body: Array("<html>Sign in</html>".utf8)))),
  ]

  private func client(
    _ world: World, at part: String, _ steps: [ScriptedTransport.Step]
  ) throws -> (client: StoreClient, transport: ScriptedTransport) {
    let server = HandlerTransport(world.backend)
    let transport = ScriptedTransport(server, at: part, steps)
    return (try world.client(alice, on: world.phone, backend: server.backend(over: transport)), transport)
  }

  private func assertIsDone(_ world: World, _ client: StoreClient, _ name: String, line: UInt = #line) async throws {
    world.clock.advance(by: .seconds(60))
    await client.syncPurchases()
    XCTAssertEqual(try world.balance(alice), 300, name, line: line)
    XCTAssertTrue(client.queueItems.isEmpty, name, line: line)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [], name, line: line)
    try assertBooksAddUp(world.ledger, line: line)
  }

  func testAReceiptIsCreditedOnceWhateverBecomesOfItsPost() async throws {
    for failure in Self.failures {
      let world = try World()
      let (client, transport) = try client(world, at: "/receipts", Array(repeating: failure.step, count: 3))
      let result = try await client.purchase(try ProductCode("gems"))
      XCTAssertNil(result.customerInfo, failure.name)
      for _ in 0..<3 {
        world.clock.advance(by: .seconds(60))
        await client.syncPurchases()
      }
      try await assertIsDone(world, client, failure.name)
      XCTAssertEqual(transport.requests.filter { $0.target == "/v1/receipts" }.count, 4, failure.name)
    }
  }

  func testATwoStepPurchaseSurvivesEveryFailureOfItsSecondStep() async throws {
    for failure in Self.failures {
      let world = try World()
      let (client, _) = try client(world, at: "/complete", [failure.step])
      let outcome = try await client.purchase(order: order)
      let code = try XCTUnwrap(outcome.order?.code, failure.name)
      try await assertIsDone(world, client, failure.name)
      XCTAssertEqual(try world.backend.order(code).status, .success, failure.name)
    }
  }

  /// The order was opened, and its answer lost: nobody pays for an order that the client does not know.
  func testAnOrderWithALostAnswerIsFoundAgain() async throws {
    for failure in Self.failures {
      let world = try World()
      let (client, _) = try client(world, at: "/v1/orders", [failure.step])
      var order = order
      order.key = try IdempotencyKey("tap-1")
      // How the first try ends is of no interest here.
      _ = try? await client.purchase(order: order)
      let outcome = try await client.purchase(order: order)
      XCTAssertNotNil(outcome.result.customerInfo, failure.name)
      try await assertIsDone(world, client, failure.name)
      XCTAssertEqual(try world.backend.orders(of: CustomerID(alice)).map(\.status), [.success], failure.name)
    }
  }

  /// The second call with the same key is answered as the first should have been.
  func testASpendWithALostAnswerIsBookedOnce() async throws {
    for failure in Self.failures {
      let world = try World()
      let (gem, customer) = (try CurrencyCode("GEM"), try CustomerID(alice))
      try world.ledger.grant([Adjustment(gem, 100)], customer: customer)
      let server = HandlerTransport(world.backend)
      let backend = try server.backend(over: ScriptedTransport(server, [failure.step, failure.step]))
      let key = try IdempotencyKey("tap-1")
      for _ in 0..<2 {
        do {
          _ = try await backend.spend([Adjustment(gem, 100)], customer: customer, key: key)
          XCTFail(failure.name)
        } catch {
          XCTAssertFalse(error.code.isKept, failure.name)
        }
      }
      let booking = try await backend.spend([Adjustment(gem, 100)], customer: customer, key: key)
      XCTAssertEqual(booking.entries.map(\.balance), [0], failure.name)
      XCTAssertEqual(try world.balance(alice), 0, failure.name)
    }
  }

  func testCreditedIsWhatWasPaidForInABadNetwork() async throws {
    var generator = SeededRandom()
    for _ in 0..<4 {
      let world = try World(seed: generator.next())
      let server = HandlerTransport(world.backend)
      var steps: [ScriptedTransport.Step] = []
      for _ in 0..<600 {
        steps.append(generator.percent(35) ? Self.failures[generator.below(Self.failures.count)].step : .works)
      }
      let transport = ScriptedTransport(server, steps)
      let eventLog = RetainedEventLog()
      for _ in 0..<40 {
        let client = try world.client(
          alice, on: world.phone, eventLog: eventLog, backend: server.backend(over: transport))
        _ = try? await client.purchase(try ProductCode(generator.percent(50) ? "gems" : "chest"))
        if generator.percent(30) { await client.syncPurchases() }
        world.clock.advance(by: .seconds(Int64(generator.below(600))))
      }
      let last = try world.client(alice, on: world.phone, eventLog: eventLog, backend: server.backend())
      for item in last.queueItems { XCTAssertNotEqual(item.status, .deadLettered, "\(item)") }
      try await world.phone.sync()
      await last.syncPurchases()
      for item in last.queueItems { XCTFail("\(item)") }
      let paid = world.store.allTransactions().filter { $0.state == .purchased }
      XCTAssertGreaterThan(paid.count, 5)
      XCTAssertEqual(try world.balance(alice), Int64(paid.count) * 300)
      try assertBooksAddUp(world.ledger)
    }
  }
}
#endif
