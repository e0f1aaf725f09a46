#if Server
import GemLedger
import GemTestSupport
import XCTest

@testable import GemServer

final class WebhookQueueTests: XCTestCase {
  func testOutcomes() {
    let expected: [(WebhookAnswer, WebhookOutcome)] = [
      (.status(200), .delivered), (.status(299), .delivered), (.status(301), .refused("status 301")),
      (.status(404), .refused("status 404")), (.status(410), .gone),
      (.status(429, retryAfter: 7), .unavailable("status 429", retryAfter: 7)),
      (.status(503, retryAfter: -7), .unavailable("status 503", retryAfter: 0)),
      (.status(500), .unavailable("status 500")), (.failed("reset"), .unavailable("reset")),
    ]
    for (answer, outcome) in expected { XCTAssertEqual(WebhookOutcome(answer), outcome) }
  }

  func testAQueueReadsBackAsItWasWritten() throws {
    let now = Timestamp(milliseconds: 5000)
    var settings = WebhookSettings()
    settings.jitter = { _ in 0 }
    settings.waitingCountMax = 2
    var queue = WebhookQueue(cursor: FeedCursor("abc"))
    for number in 1...2 {
      let id = TransactionIDMaker(salt: 1).id(number: Int64(number), createdAt: now)
      queue.park(id, .unavailable("a \"quoted\" reason", retryAfter: 3), at: now, settings)
    }
    try queue.replay(TransactionIDMaker(salt: 1).id(number: 3, createdAt: now), at: now, settings)
    queue.judge(at: now, settings)
    queue.lease = .init(owner: "me", until: now)
    XCTAssertNotNil(queue.outage)
    XCTAssertEqual(try WebhookQueue(reading: StoredJSON(queue.json.text(), named: "queue")), queue)
    for damaged: JSONValue in [.null, [:], ["cursor": "a"], ["cursor": "a", "waiting": [[:]]]] {
      XCTAssertThrowsError(try WebhookQueue(reading: StoredJSON(damaged.text(), named: "queue")))
    }
  }

  func testALeaseOfAClockThatWasAheadDoesNotCount() {
    var queue = WebhookQueue(cursor: FeedCursor("abc"))
    let (settings, now) = (WebhookSettings(), Timestamp(milliseconds: 1_000_000))
    for (ahead, isAnothers) in [(0, true), (5000, true), (3_600_000, false)] as [(Int64, Bool)] {
      let taken = now.advanced(milliseconds: ahead)
      queue.lease = .init(owner: "first", until: taken.advanced(by: settings.lease))
      XCTAssertEqual(queue.belongsToAnother(than: "second", at: now, settings), isAnothers)
      XCTAssertFalse(queue.belongsToAnother(than: "first", at: now, settings))
    }
  }

  func testWaitsDoNotOverflowAndAreBounded() {
    var settings = WebhookSettings()
    settings.jitter = { _ in 0 }
    let now = Timestamp(milliseconds: 0)
    XCTAssertEqual(settings.next(afterFailures: 9, at: now)?.milliseconds, 86_400_000)
    XCTAssertNil(settings.next(afterFailures: 10, at: now))
    XCTAssertEqual(settings.nextProbe(afterFailures: 0, at: now).milliseconds, 5000)
    XCTAssertEqual(settings.nextProbe(afterFailures: .max - 1, at: now).milliseconds, 3_600_000)
    var queue = WebhookQueue(cursor: FeedCursor("abc"))
    let id = TransactionIDMaker(salt: 1).id(number: 1, createdAt: now)
    queue.park(id, .unavailable("x", retryAfter: .max), at: now, settings)
    XCTAssertEqual(queue.pausedUntil?.milliseconds, 86_400_000)
  }
}
#endif
