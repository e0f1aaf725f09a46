#if Server
import GemLedger
import GemTestSupport
import XCTest

@testable import GemServer

final class WebhookDeliveryTests: XCTestCase {
  private let settings = WebhookSettings()

  private func world(customers: Int = 0, events: Int = 0) throws -> (WebhookWorld, WebhookEndpoint) {
    let world = try WebhookWorld()
    let endpoint = try world.first.create(url: WebhookWorld.url)
    for _ in 0..<events { for number in 0..<customers { try world.grant("customer \(number)") } }
    return (world, endpoint)
  }

  private func queue(_ world: WebhookWorld, _ endpoint: WebhookEndpoint) throws -> WebhookQueue {
    try XCTUnwrap(world.first.store.queue(endpoint.id)).queue
  }

  func testAnEndpointGetsWhatComesAfterItWasMade() async throws {
    let world = try WebhookWorld()
    try world.grant("before")
    _ = try world.first.create(url: WebhookWorld.url)
    try world.grant("after")
    try await world.deliver()
    XCTAssertEqual(world.receivers.messages.map(\.customer), ["after"])
    let saves = world.documents.saves
    try await world.deliver()
    XCTAssertEqual(world.receivers.messages.count, 1)
    XCTAssertEqual(world.documents.saves, saves, "an idle endpoint costs no commit")
  }

  func testAnEndpointGetsTheEventsOfItsFilterOnly() async throws {
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    try ledger.creditPurchase(Make.purchase("t1", environment: .production), customer: alice)
    try ledger.creditPurchase(Make.purchase("t2", environment: .sandbox), customer: alice)
    let events = try ledger.feed().events.filter(\.isSent)
    let rows: [(line: UInt, json: JSONValue, taken: [Bool])] = [
      (#line, [:], [true, true, true]), (#line, ["environment": "production"], [true, true, false]),
      (#line, ["environment": "sandbox"], [false, false, true]),
      (#line, ["event_types": ["renewal", "virtual_currency_transaction"]], [true, true, true]),
      (#line, ["event_types": ["renewal"]], [false, false, false]), (#line, ["app_id": "apple"], [false, true, true]),
      (#line, ["app_id": "google"], [false, false, false]),
    ]
    for row in rows { XCTAssertEqual(events.map(WebhookFilter(row.json).takes), row.taken, line: row.line) }
    let world = try WebhookWorld()
    let other = try world.first.create(url: "https://example.com/other", filter: WebhookFilter(rows[4].json))
    _ = try world.first.create(url: WebhookWorld.url)
    try world.grant("alice")
    try await world.deliver()
    XCTAssertEqual(world.receivers.messages.map(\.url), [WebhookWorld.url])
    // What it does not get is not kept for it either.
    XCTAssertEqual(try queue(world, other).cursor, try world.ledger.feedPlaces.end())
  }

  func testDeliversAllInOrder() async throws {
    let (world, _) = try world(customers: 50, events: 5)
    try await world.deliver()
    XCTAssertEqual(world.receivers.messages.count, 250)
    XCTAssertEqual(try world.problems(), [])
  }

  func testAFailedEventHoldsUpItsCustomerOnly() async throws {
    let (world, endpoint) = try world(customers: 3, events: 3)
    let bad = try world.ledger.feed().events[1].transaction().description
    world.receivers.answer { _, event in event["id"]?.text == bad ? .status(400) : .status(204) }
    try await world.deliver()
    XCTAssertEqual(world.receivers.taken().count, 6)
    XCTAssertFalse(world.receivers.taken().contains { $0.customer == "customer 1" })
    XCTAssertEqual(try queue(world, endpoint).waiting.count, 1)
    world.receivers.answer { _, _ in .status(200) }
    try world.grant("customer 1")
    world.time.advance(seconds: 5)
    try await world.deliver()
    XCTAssertEqual(try world.problems(), [])
    XCTAssertEqual(try queue(world, endpoint).waiting, [])
    XCTAssertEqual(world.receivers.taken().count, 10)
  }

  func testAPoisonedEventIsTriedTenTimesThenKept() async throws {
    let (world, endpoint) = try world(customers: 2, events: 2)
    let bad = try world.ledger.feed().events[0].transaction()
    world.receivers.answer { _, event in event["id"]?.text == bad.description ? .status(302) : .status(200) }
    let start = world.time.now
    try await world.deliver()
    try await world.pass(seconds: 60, step: 5)
    try await world.pass(seconds: 4 * 86_400, step: 300)
    let attempts = world.receivers.messages.filter { $0.id == bad.description }
    XCTAssertEqual(attempts.count, 10)
    var due = start
    for (attempt, wait) in zip(attempts, settings.waits) {
      due = due.advanced(milliseconds: wait * 1000)
      let late = attempt.at.milliseconds(since: due)
      XCTAssert((0...300_000).contains(late), "\(wait): \(late)")
      due = attempt.at
    }
    let letters = try world.first.store.deadLetters(of: endpoint.id, limit: 10)
    XCTAssertEqual(letters.map(\.transaction), [bad])
    XCTAssertEqual(letters[0].failures, 10)
    XCTAssertEqual(letters[0].reason, "status 302")
    XCTAssertEqual(try world.problems(without: [bad.description]), [])
    // A replay delivers it, and then it is no dead letter.
    world.receivers.answer { _, _ in .status(200) }
    try world.first.replay(bad, to: endpoint.id)
    try await world.deliver()
    XCTAssertEqual(world.receivers.taken().last?.id, bad.description)
    XCTAssertEqual(try world.first.store.deadLetters(of: endpoint.id, limit: 10), [])
    XCTAssertEqual(try queue(world, endpoint).waiting, [])
  }

  func testAnEndpointThatIsDownForDaysGetsAllOfIt() async throws {
    let (world, endpoint) = try world(customers: 150, events: 3)
    world.receivers.answer { _, _ in .failed("connection refused") }
    try await world.deliver()
    let down = try queue(world, endpoint)
    XCTAssertEqual(down.customerCount, 100)
    XCTAssertNotNil(down.outage)
    XCTAssertLessThan(down.json.text().utf8.count, 32_768)
    let before = world.receivers.messages.count
    try await world.pass(seconds: 10 * 86_400, step: 1800)
    for _ in 0..<2 { for number in 100..<150 { try world.grant("customer \(number)") } }
    // One probe an hour at most.
    XCTAssertLessThan(world.receivers.messages.count - before, 10 * 24 + 10)
    XCTAssertEqual(try queue(world, endpoint).cursor, down.cursor)
    XCTAssertEqual(try world.first.store.deadLetters(of: endpoint.id, limit: 10), [])
    world.receivers.answer { _, _ in .status(200) }
    world.time.advance(seconds: 3600)
    try await world.deliver()
    XCTAssertEqual(try world.problems(), [])
    XCTAssertNil(try queue(world, endpoint).outage)
    XCTAssertEqual(world.receivers.taken().count, 550)
  }

  func testACrashBetweenSendingAndSavingRepeatsAndLosesNothing() async throws {
    let (world, _) = try world(customers: 5, events: 4)
    // The lease is saved, then nothing more.
    world.documents.fail(after: 1)
    let failures = try await world.deliver()
    XCTAssertEqual(failures.count, 1)
    XCTAssertEqual(world.receivers.taken().count, 20)
    world.documents.fail(after: nil)
    let second = world.process("second")
    try await world.deliver(second)
    XCTAssertEqual(world.receivers.taken().count, 20, "the lease of the dead process still runs")
    world.time.advance(seconds: 91)
    try await world.deliver(second)
    XCTAssertEqual(world.receivers.taken().count, 40)
    XCTAssertEqual(try world.problems(), [])
  }

  func testProcessesSideBySideLoseNothing() async throws {
    let (world, endpoint) = try world(customers: 20, events: 5)
    let processes = (0..<4).map { world.process("process \($0)") }
    await withTaskGroup { group in
      for process in processes {
        group.addTask { for _ in 0..<10 { _ = try? await world.deliver(process) } }
      }
      group.addTask { for number in 0..<50 { _ = try? world.grant("customer \(number)") } }
    }
    try await world.deliver(processes[0])
    for process in processes { try await world.deliver(process) }
    XCTAssertEqual(try world.problems(), [])
    XCTAssertEqual(world.receivers.taken().count, 150, "one process at a time")
    XCTAssertNotNil(try queue(world, endpoint).lease)
  }

  func testAStoppedProcessGivesItsEndpointsUp() async throws {
    let (world, endpoint) = try world(customers: 1, events: 1)
    let dispatcher = try XCTUnwrap(world.first.dispatcher)
    try await world.deliver()
    XCTAssertEqual(try queue(world, endpoint).lease?.owner, "first")
    let task = Task { await dispatcher.run(every: .milliseconds(1)) }
    task.cancel()
    await task.value
    XCTAssertNil(try queue(world, endpoint).lease)
    try world.grant("customer 0")
    try await world.deliver(world.process("second"))
    XCTAssertEqual(world.receivers.taken().count, 2)
  }

  func testEndpointsAreIndependent() async throws {
    let (world, endpoint) = try world()
    let other = "https://example.org/other"
    _ = try world.first.create(url: other)
    for number in 0..<10 { try world.grant("customer \(number)") }
    world.receivers.answer { url, _ in url == other ? .status(503) : .status(200) }
    try await world.deliver()
    XCTAssertEqual(world.receivers.taken().count, 10)
    XCTAssertEqual(world.receivers.taken(other).count, 0)
    XCTAssertEqual(try queue(world, endpoint).waiting, [])
    world.receivers.answer { _, _ in .status(200) }
    world.time.advance(seconds: 5)
    try await world.deliver()
    XCTAssertEqual(try world.problems(of: other), [])
    XCTAssertEqual(world.receivers.taken().count, 10)
  }

  func testGoneDisablesAndActivationGoesOn() async throws {
    let (world, endpoint) = try world(customers: 2, events: 2)
    world.receivers.answer { _, _ in .status(410) }
    try await world.deliver()
    XCTAssertEqual(try world.first.store.endpoint(endpoint.id)?.state, .disabled)
    let count = world.receivers.messages.count
    try await world.pass(seconds: 86_400, step: 3600)
    XCTAssertEqual(world.receivers.messages.count, count)
    world.receivers.answer { _, _ in .status(200) }
    _ = try world.first.store.change(endpoint.id) { $0.state = .active }
    try await world.deliver()
    XCTAssertEqual(try world.problems(), [])
  }

  func testRetryAfterPausesTheEndpoint() async throws {
    let (world, endpoint) = try world(customers: 1, events: 1)
    world.receivers.answer { _, _ in .status(429, retryAfter: 600) }
    try await world.deliver()
    try world.grant("other")
    world.receivers.answer { _, _ in .status(200) }
    try await world.pass(seconds: 590, step: 10)
    XCTAssertEqual(world.receivers.messages.count, 1)
    XCTAssertNotNil(try queue(world, endpoint).pausedUntil)
    try await world.pass(seconds: 10, step: 10)
    XCTAssertEqual(world.receivers.taken().count, 2)
    XCTAssertEqual(try world.problems(), [])
  }

  func testReplaysFromACursor() async throws {
    let (world, endpoint) = try world(customers: 3, events: 2)
    try await world.deliver()
    let start = try world.ledger.feed(limit: 2).next
    try world.first.replay(from: start, to: endpoint.id)
    try await world.deliver()
    XCTAssertEqual(world.receivers.taken().count, 10)
    XCTAssertEqual(try world.problems(after: start), [])
    XCTAssertThrowsError(try world.first.replay(from: FeedCursor("AAAA"), to: endpoint.id))
  }

  func testAMergeWaitsForBothCustomers() async throws {
    let (world, _) = try world(customers: 2, events: 1)
    world.receivers.answer { _, event in event["app_user_id"] == "customer 0" ? .status(400) : .status(200) }
    try world.ledger.merge(from: Make.customer("customer 0"), into: Make.customer("customer 1"))
    try world.grant("customer 1")
    try await world.deliver()
    XCTAssertEqual(world.receivers.taken().map(\.customer), ["customer 1"])
    world.receivers.answer { _, _ in .status(200) }
    try await world.pass(seconds: 10, step: 1)
    XCTAssertEqual(try world.problems(), [])
    XCTAssertEqual(world.receivers.taken().count, 4)
  }

  func testABacklogIsTheJournalAlone() async throws {
    let (world, endpoint) = try world()
    world.receivers.answer { _, _ in .failed("down") }
    let alice = try Make.customer("alice")
    try world.grant("alice", 1_000_000)
    let count = 1000
    for _ in 0..<count / 1000 {
      _ = world.ledger.submit(try (0..<1000).map { _ in try .spend([Adjustment(.gem, 1)], customer: alice) })
    }
    try await world.deliver()
    XCTAssertLessThan(try queue(world, endpoint).json.text().utf8.count, 1000)
    world.receivers.answer { _, _ in .status(200) }
    world.time.advance(seconds: 5)
    try await world.deliver()
    let taken = world.receivers.taken()
    XCTAssertEqual(taken.count, count + 1)
    let balances = taken.compactMap { $0.event["virtual_currencies"]?["GEM"]?["balance"]?.integer }
    XCTAssertEqual(balances, (0...count).map { 1_000_000 - Int64($0) })
  }
}

extension CurrencyCode {
  fileprivate static var gem: CurrencyCode {
    guard let code = CurrencyCode(exactly: "GEM") else { preconditionFailure("GEM is a code") }
    return code
  }
}
#endif
