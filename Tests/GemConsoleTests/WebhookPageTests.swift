#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import Synchronization
import XCTest

/// What operators do about webhooks.
final class WebhookPageTests: XCTestCase {
  private func endpoints(_ world: ConsoleWorld) throws -> [WebhookEndpoint] {
    try world.project.webhooks.store.endpoints()
  }

  func testAnEndpointIsCreatedOnceAndItsSecretShownOnce() async throws {
    let world = try ConsoleWorld(sender: Receiver())
    let browser = try await world.browser()
    let form = try await browser.open("/console/webhooks/create")
    let values = [
      "url": "https://example.com/hook", "name": "<b>shop", "authorization": "Bearer hush", "environment": "sandbox",
      "event_types": "virtual_currency_transaction", "reason": "new game server",
    ]
    let preview = try await browser.submit(form, nil, values, step: "preview")
    XCTAssertTrue(try endpoints(world).isEmpty)
    let done = try await browser.submit(preview, nil, step: "confirm")
    let made = try XCTUnwrap(endpoints(world).first)
    XCTAssertTrue(done.words.contains(made.secret), done.words)
    XCTAssertEqual(made.name, "<b>shop")
    XCTAssertEqual(made.authorization, "Bearer hush")
    XCTAssertEqual(made.filter.environment, .sandbox)
    XCTAssertEqual(made.filter.eventTypes, ["virtual_currency_transaction"])
    XCTAssertNil(made.filter.appID)
    let again = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(again.status, 412)
    XCTAssertEqual(try endpoints(world).count, 1)
    for path in ["/console/webhooks", "/console/webhooks/\(made.id)", "/console/webhooks/\(made.id)/change"] {
      let page = try await browser.open(path)
      XCTAssertEqual(page.status, 200, path)
      XCTAssertFalse(
        page.text.contains(made.secret) || page.text.contains("hush") || page.text.contains("<b>shop"), path)
    }
    XCTAssertTrue(world.log.all.contains { $0.contains("new game server") && $0.contains(made.id) })
  }

  func testAnEndpointIsChangedDisabledEnabledAndRemoved() async throws {
    let world = try ConsoleWorld(sender: Receiver())
    let made = try world.project.webhooks.create(url: "https://example.com/a", name: "a", authorization: "Bearer hush")
    let browser = try await world.browser()
    let path = "/console/webhooks/\(made.id)"
    try await browser.act(path + "/change", ["url": "https://example.com/b", "name": "", "app_id": "apple"])
    var changed = try XCTUnwrap(endpoints(world).first)
    XCTAssertEqual(changed.url, "https://example.com/b")
    XCTAssertNil(changed.name)
    XCTAssertEqual(changed.filter.appID, "apple")
    XCTAssertEqual(changed.authorization, "Bearer hush")
    try await browser.act(path + "/change", ["remove_authorization": "yes"])
    try await browser.act(path + "/disable")
    changed = try XCTUnwrap(endpoints(world).first)
    XCTAssertNil(changed.authorization)
    XCTAssertEqual(changed.state, .disabled)
    try await browser.act(path + "/enable")
    XCTAssertEqual(try endpoints(world).first?.state, .active)
    for url in ["ftp://example.com", "https://user:pw@example.com", "https://", "https://example.com/#x"] {
      let form = try await browser.open(path + "/change")
      let refused = try await browser.submit(form, nil, ["url": url, "reason": "r"], step: "confirm")
      XCTAssertEqual(refused.status, 400, url)
    }
    try await browser.act(path + "/remove")
    XCTAssertTrue(try endpoints(world).isEmpty)
    let gone = try await browser.open(path)
    XCTAssertEqual(gone.status, 404)
  }

  func testASecretIsRotated() async throws {
    let world = try ConsoleWorld(sender: Receiver())
    let made = try world.project.webhooks.create(url: "https://example.com/a")
    let browser = try await world.browser()
    let done = try await browser.act("/console/webhooks/\(made.id)/rotate-secret", ["overlap": "3600"])
    let changed = try XCTUnwrap(endpoints(world).first)
    XCTAssertNotEqual(changed.secret, made.secret)
    XCTAssertTrue(done.words.contains(changed.secret), done.words)
    XCTAssertEqual(changed.secrets(at: world.time.now).count, 2)
    XCTAssertEqual(changed.secrets(at: world.time.now.advanced(milliseconds: 3_600_000)).count, 1)
    let form = try await browser.open("/console/webhooks/\(made.id)/rotate-secret")
    let refused = try await browser.submit(form, nil, ["overlap": "-1", "reason": "r"], step: "confirm")
    XCTAssertEqual(refused.status, 400)
  }

  func testGivenUpEventsAreListedAndSentAgain() async throws {
    let world = try ConsoleWorld(sender: Receiver())
    let store = world.project.webhooks.store
    let made = try world.project.webhooks.create(url: "https://example.com/a")
    var events: [String] = []
    for number in 0..<3 {
      let booking = try world.ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("c\(number)"))
      let id = try XCTUnwrap(booking.transactionID)
      events.append(id.description)
      try store.bury(.init(id, next: world.time.now), of: made.id, at: world.time.now)
    }
    let browser = try await world.browser()
    let path = "/console/webhooks/\(made.id)"
    let page = try await browser.open(path)
    for event in events { XCTAssertTrue(page.links.contains("/console/transactions/\(event)"), page.words) }
    try await browser.act("\(path)/replay?event=\(events[1])")
    XCTAssertEqual(try store.queue(made.id)?.queue.waiting.map(\.transaction.description), [events[1]])
    try await browser.act(path + "/replay-given-up")
    XCTAssertEqual(try store.queue(made.id)?.queue.waiting.count, 3)
    let form = try await browser.open(path + "/replay")
    let refused = try await browser.submit(form, nil, ["event": "x", "reason": "r"], step: "confirm")
    XCTAssertEqual(refused.status, 404)
  }

  func testATestMessageShowsTheAnswer() async throws {
    let receiver = Receiver()
    let world = try ConsoleWorld(sender: receiver)
    let made = try world.project.webhooks.create(url: "https://example.com/a")
    let browser = try await world.browser()
    let done = try await browser.act("/console/webhooks/\(made.id)/test")
    XCTAssertTrue(done.words.contains("status 200"), done.words)
    receiver.answer(.failed("<b>no route"))
    let failed = try await browser.act("/console/webhooks/\(made.id)/test")
    XCTAssertTrue(failed.words.contains("<b>no route") && !failed.text.contains("<b>no"), failed.words)
    XCTAssertEqual(receiver.count, 2)
  }

  func testAReaderChangesNothing() async throws {
    let world = try ConsoleWorld(sender: Receiver())
    let made = try world.project.webhooks.create(url: "https://example.com/a")
    let reader = try await world.browser("ledger:webhooks:read")
    let page = try await reader.open("/console/webhooks/\(made.id)")
    XCTAssertEqual(page.status, 200)
    XCTAssertFalse(page.links.contains { $0.hasSuffix("/remove") })
    let stranger = try await world.browser("ledger:books:read_write")
    for (browser, path) in [
      (reader, "/console/webhooks/create"), (reader, "/console/webhooks/\(made.id)/rotate-secret"),
      (stranger, "/console/webhooks"),
    ] {
      let refused = try await browser.open(path)
      XCTAssertEqual(refused.status, 403, path)
    }
  }
}

/// A receiver that answers as a test says.
private final class Receiver: WebhookSender {
  private let state = Mutex<(answer: WebhookAnswer, count: Int)>((.status(200), 0))

  var count: Int { state.withLock(\.count) }
  func answer(_ answer: WebhookAnswer) { state.withLock { $0.answer = answer } }
  func check(_ url: String) throws(LedgerError) {}

  func post(_ url: String, headers: [(name: String, value: String)], body: [UInt8]) async -> WebhookAnswer {
    state.withLock { state in
      state.count += 1
      return state.answer
    }
  }
}
#endif
