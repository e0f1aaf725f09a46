#if Server
import GemLedger
import GemTestSupport
import Synchronization
import XCTest

@testable import GemServer

/// Random changes, failures, crashes and replays: in the end each receiver has everything, in order.
final class WebhookSoakTests: XCTestCase {
  func testNothingIsLostAndEachCustomersOrderIsKept() async throws {
    let rounds = ProcessInfo.processInfo.environment["GEM_WEBHOOK_ROUNDS"].flatMap { Int($0) } ?? 6
    for round in 0..<rounds {
      let world = try WebhookWorld()
      var random = SeededRandom()
      try await soak(world, &random, steps: 60)
      XCTAssertEqual(try world.problems(), [], "round \(round), seed \(random.seed)")
    }
  }

  func testTheCheckFindsALostAndAMisplacedEvent() async throws {
    let world = try WebhookWorld()
    _ = try world.first.create(url: WebhookWorld.url)
    let ids = try (0..<3).map { _ in try world.grant("alice").description }
    // A receiver that takes the second event and forgets it, then the third and at last the second again.
    world.receivers.answer { _, event in event["id"]?.text == ids[1] ? .status(500) : .status(200) }
    try await world.deliver()
    XCTAssertEqual(try world.problems(), ["\(ids[1]) is missing", "\(ids[2]) is missing"])
    world.receivers.answer { _, _ in .status(200) }
    // Out of order, as a dispatcher without waiting customers would send them.
    for id in [ids[2], ids[1]] {
      _ = await world.receivers.post(
        WebhookWorld.url, headers: [],
        body: Array(#"{"event":{"id":"\#(id)","app_user_id":"alice"}}"#.utf8))
    }
    XCTAssertEqual(try world.problems(), ["\(ids[2]) came before \(ids[1])"])
  }

  private func soak(_ world: WebhookWorld, _ random: inout SeededRandom, steps: Int) async throws {
    let endpoint = try world.first.create(url: WebhookWorld.url)
    var processes = [world.first]
    for step in 0..<steps {
      for _ in 0..<random.below(8) { try book(world, &random) }
      fail(world, percent: random.one(of: [0, 0, 20, 60, 100]), seed: random.next())
      if random.percent(15) { world.documents.fail(after: random.below(3)) }
      try await world.deliver(random.one(of: processes))
      world.documents.fail(after: nil)
      // A process that died comes back under another name.
      if random.percent(20) { processes = [world.process("process \(step)"), processes[0]] }
      if random.percent(5) { try replay(world, endpoint, count: 1 + random.below(20)) }
      world.time.advance(seconds: Int64(random.one(of: [1, 5, 60, 400])))
    }
    world.receivers.answer { _, _ in .status(200) }
    for _ in 0..<30 {
      world.time.advance(seconds: 86_400)
      try await world.deliver(processes[0])
    }
    XCTAssertEqual(try world.first.store.queue(endpoint.id)?.queue.waiting, [], "seed \(random.seed)")
  }

  /// Goes back to one of the first events; a cursor that is further ahead would leave out events.
  private func replay(_ world: WebhookWorld, _ endpoint: WebhookEndpoint, count: Int) throws {
    let page = try world.ledger.feed(limit: count)
    let queue = try XCTUnwrap(world.first.store.queue(endpoint.id)).queue
    let position = try world.ledger.feedPlaces.position(at: queue.cursor)
    guard try page.events.allSatisfy({ position.covers(try $0.transaction().unprovenNumber) }) else { return }
    try world.first.replay(from: page.next, to: endpoint.id)
  }

  private func book(_ world: WebhookWorld, _ random: inout SeededRandom) throws {
    let (one, other) = (random.below(12), random.below(12))
    switch random.below(20) {
    case 0:
      do throws(LedgerError) {
        try world.ledger.merge(from: CustomerID("customer \(one)"), into: CustomerID("customer \(other)"))
      } catch {}
    case 1..<6:
      do throws(LedgerError) {
        try world.ledger.transfer(
          [Adjustment(CurrencyCode("GEM"), 1)], from: CustomerID("customer \(one)"),
          to: CustomerID("customer \(other)"))
      } catch {}
    default: try world.grant("customer \(one)", 5)
    }
  }

  private func fail(_ world: WebhookWorld, percent: Int, seed: UInt64) {
    let random = Mutex(SeededRandom(seed: seed, for: "receiver"))
    world.receivers.answer { _, _ in
      random.withLock { random in
        guard random.percent(percent) else { return .status(200) }
        return random.one(of: [.failed("reset"), .status(500), .status(400), .status(503, retryAfter: 30)])
      }
    }
  }
}
#endif
