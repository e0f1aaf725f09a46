#if Server
import GemLedger
import GemTestSupport
import SystemHTTP
import XCTest

@testable import GemServer

final class EventRouteTests: XCTestCase {
  func testListsAllEventsAndGoesOnFromAnyOfThem() async throws {
    let world = try APIWorld()
    for index in 0..<5 { try world.grant(Int64(index + 1), to: "customer \(index)") }
    let all = try await world.checked("GET", "/events")
    let items = try XCTUnwrap(all.body["items"]?.array)
    XCTAssertEqual(items.map { $0["transaction"]?["customer_id"]?.text }, (0..<5).map { "customer \($0)" })
    XCTAssertEqual(all.body["next_page"], .null)
    for (index, item) in items.enumerated() {
      let cursor = try XCTUnwrap(item["cursor"]?.text)
      let rest = try await world.checked("GET", "/events?starting_after=\(cursor)&limit=100")
      XCTAssertEqual(rest.body["items"]?.array, Array(items[(index + 1)...]))
    }
    let cursor = try XCTUnwrap(all.body["cursor"]?.text)
    let now = try await world.checked("GET", "/events?starting_after=now")
    XCTAssertEqual(now.body["items"], [])
    try world.grant(9, to: "later")
    for start in [cursor, try XCTUnwrap(now.body["cursor"]?.text)] {
      let later = try await world.checked("GET", "/events?starting_after=\(start)")
      XCTAssertEqual(later.body["items"]?.array?.count, 1)
    }
  }

  func testPagesFollowEachOther() async throws {
    let world = try APIWorld()
    for index in 0..<5 { try world.grant(1, to: "customer \(index)") }
    var (target, count): (String?, Int) = ("/events?limit=2", 0)
    while let page = target {
      let answer = try await world.checked("GET", page)
      count += answer.body["items"]?.array?.count ?? 0
      target = answer.body["next_page"]?.text.map { String($0.dropFirst(APIWorld.projectPath.count)) }
    }
    XCTAssertEqual(count, 5)
  }

  func testRefusesForgedCursorsAndOtherKeys() async throws {
    let world = try APIWorld()
    for target in ["/events", "/events/stream"] {
      try await world.refused("GET", target + "?starting_after=AAAA", status: 400, code: "invalid_request")
      try await world.refused("GET", target, key: world.appKey, status: 403, code: "forbidden")
      try await world.refused("GET", target, key: world.key(for: .purchases), status: 403, code: "forbidden")
    }
    try await world.refused(
      "GET", "/events/stream", status: 400, code: "invalid_request", headers: [("Last-Event-ID", "AAAA")])
    let head = try await world.send("HEAD", APIWorld.projectPath + "/events/stream")
    XCTAssertEqual(head.status, 200)
    XCTAssertEqual(world.project.streams.count, 0)
  }

  func testAStreamGoesOnFromTheLastEvent() async throws {
    let world = try APIWorld()
    for index in 0..<3 { try world.grant(1, to: "customer \(index)") }
    let first = try await stream(world, "/events/stream")
    let events = await first.events(3)
    XCTAssertEqual(events.map(\.customer), ["customer 0", "customer 1", "customer 2"])
    try world.grant(1, to: "customer 3")
    let live = await first.events(1)
    XCTAssertEqual(live.map(\.customer), ["customer 3"])
    let resumed = try await stream(
      world, "/events/stream?starting_after=now", headers: [("Last-Event-ID", events[1].id)])
    let rest = await resumed.events(2)
    XCTAssertEqual(rest.map(\.customer), ["customer 2", "customer 3"])
    try world.grant(1, to: "customer 4")
    for reader in [first, resumed] {
      let event = await reader.events(1)
      XCTAssertEqual(event.map(\.customer), ["customer 4"])
    }
    world.project.streams.stop()
    let end = await first.events(1)
    XCTAssertEqual(end.count, 0)
  }

  func testAStreamEndsWithItsKey() async throws {
    let world = try APIWorld()
    var (key, text) = APIKey.make(.secret(scopes: []), at: world.time.now)
    world.keys.add(key)
    let (reader, other) = (
      try await stream(world, "/events/stream", key: text), try await stream(world, "/events/stream")
    )
    try world.grant(1, to: "customer 1")
    let first = await reader.events(1)
    XCTAssertEqual(first.count, 1)
    key.revokedAt = world.time.now
    world.keys.add(key)
    try world.grant(1, to: "customer 2")
    let later = await reader.events(1)
    XCTAssertEqual(later.count, 0, "An event came after the key was revoked.")
    let rest = await other.events(2)
    XCTAssertEqual(rest.count, 2)
    XCTAssertEqual(world.project.streams.count, 1)
    world.project.streams.stop()
  }

  func testAnIdleStreamEndsWithItsKey() async throws {
    let world = try APIWorld()
    var (key, text) = APIKey.make(.secret(scopes: []), at: world.time.now)
    world.keys.add(key)
    let reader = try await stream(world, "/events/stream", key: text)
    key.revokedAt = world.time.now
    world.keys.add(key)
    // As the check that runs each second does.
    world.project.streams.endRefused()
    let events = await reader.events(1)
    XCTAssertEqual(events.count, 0)
    XCTAssertEqual(world.project.streams.count, 0)
  }

  private func stream(
    _ world: APIWorld, _ target: String, key: String? = nil, headers: [(name: String, value: String)] = []
  ) async throws -> StreamSource {
    let answer = try await world.checked("GET", target, key: key, headers: headers)
    XCTAssertEqual(answer.header("Content-Type"), "text/event-stream")
    guard case .stream(let stream) = answer.response.content else { throw XCTSkip("no stream") }
    return StreamSource(stream)
  }
}
#endif
