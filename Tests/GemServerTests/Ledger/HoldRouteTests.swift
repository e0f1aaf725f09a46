#if Server
import GemLedger
import GemTestSupport
import XCTest

@testable import GemServer

final class HoldRouteTests: XCTestCase {
  private let holds = "/customers/alice/holds"

  private func world() throws -> APIWorld {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    return world
  }

  private func hold(_ amount: Int64, _ world: APIWorld, key: String = "k") async throws -> String {
    let answer = try await world.checked(
      "POST", holds, ["adjustments": ["GEM": .integer(amount)]], status: 201, headers: withKey(key))
    return try XCTUnwrap(answer.body["id"]?.text)
  }

  func testSetsCurrencyAsideOnceForAKey() async throws {
    let world = try world()
    let body: JSONValue = ["adjustments": ["GEM": 40], "expires_in": 60, "reference": "order 1"]
    let first = try await world.checked("POST", holds, body, status: 201, headers: withKey("k"))
    XCTAssertEqual(first.body["amounts"], ["GEM": 40])
    XCTAssertEqual(first.body["available"], ["GEM": 60])
    XCTAssertEqual(first.body["expires_at"]?.integer, world.time.now.milliseconds + 60_000)
    let second = try await world.checked("POST", holds, body, status: 200, headers: withKey("k"))
    XCTAssertEqual(second.body["id"], first.body["id"])
    XCTAssertEqual(second.body["replayed"], true)
    try await world.refused(
      "POST", holds, ["adjustments": ["GEM": 41]], status: 409, code: "key_conflict", headers: withKey("k"))
    let list = try await world.checked("GET", holds)
    XCTAssertEqual(list.body["items"]?.array?.map { $0["id"] }, [first.body["id"]])
  }

  func testCapturesInPartAndKeepsTheRestOpen() async throws {
    let world = try world()
    let id = try await hold(40, world)
    let part = try await world.checked(
      "POST", "/holds/\(id)/actions/capture", ["adjustments": ["GEM": 10], "keep_open": true],
      headers: withKey("c1"))
    XCTAssertEqual(part.body["kind"], "capture")
    XCTAssertEqual(part.body["hold"]?["amounts"], ["GEM": 30])
    XCTAssertEqual(part.body["entries"]?.array?.first?["amount"], -10)
    let again = try await world.checked(
      "POST", "/holds/\(id)/actions/capture", ["adjustments": ["GEM": 10], "keep_open": true],
      headers: withKey("c1"))
    XCTAssertEqual(again.body["id"], part.body["id"])
    XCTAssertEqual(again.body["replayed"], true)
    try await world.refused(
      "POST", "/holds/\(id)/actions/capture", ["adjustments": ["GEM": 31]], status: 422, code: "exceeds_hold")
    _ = try await world.checked("POST", "/holds/\(id)/actions/capture", [:])
    try await world.refused("POST", "/holds/\(id)/actions/capture", [:], status: 422, code: "hold_ended")
    XCTAssertEqual(try world.ledger.balance(of: "GEM", customer: "alice").balance, 60)
  }

  func testReleasesAndExtends() async throws {
    let world = try world()
    let id = try await hold(40, world)
    let extended = try await world.checked("POST", "/holds/\(id)/actions/extend", ["expires_in": 3600])
    XCTAssertEqual(extended.body["hold"]?["expires_at"]?.integer, world.time.now.milliseconds + 3_600_000)
    try await world.refused(
      "POST", "/holds/\(id)/actions/extend", ["expires_in": 2_592_001], status: 400, code: "invalid_request")
    try await world.refused("POST", "/holds/\(id)/actions/extend", [:], status: 400, code: "invalid_request")
    let released = try await world.checked("POST", "/holds/\(id)/actions/release", [:])
    XCTAssertEqual(released.body["hold"]?["expires_at"], .null)
    XCTAssertEqual(try world.ledger.balance(of: "GEM", customer: "alice").available, 100)
    try await world.refused("POST", "/holds/\(id)/actions/release", [:], status: 422, code: "hold_ended")
  }

  func testRefusals() async throws {
    let world = try world()
    for id in ["nonsense", "019aa3f2-6c1e-7000-8000-00000a51c7e4"] {
      try await world.refused("POST", "/holds/\(id)/actions/release", [:], status: 404, code: "hold_not_found")
    }
    let amounts: JSONValue = ["adjustments": ["GEM": 101]]
    try await world.refused("POST", holds, amounts, status: 422, code: "insufficient_balance")
    try await world.refused("POST", "/customers/bob/holds", amounts, status: 404, code: "customer_not_found")
    for bad: JSONValue in [
      ["adjustments": [:]], ["adjustments": ["GEM": 0]], ["adjustments": ["GEM": -1]], [:],
      ["adjustments": ["GEM": 1], "expires_in": 0], ["adjustments": ["GEM": 9_007_199_254_740_992]],
      ["adjustments": ["GEM": 1], "extra": 1],
    ] {
      try await world.refused("POST", holds, bad, status: 400, code: "invalid_request")
    }
    try await world.refused(
      "POST", holds, ["adjustments": ["NONE": 1]], status: 404, code: "unknown_currency")
    try await world.refused(
      "POST", holds, amounts, key: world.key(for: .purchases), status: 403, code: "forbidden")
  }

  /// Of a name that the operation does not have the refusal says what it is, and which name was probably meant.
  func testAnUnknownNameIsNoUnknownCustomer() async throws {
    let world = try world()
    let field = try await world.checked("POST", holds, ["adjustments": ["GEM": 1], "expire_in": 5], status: 400)
    XCTAssertEqual(
      field.body["message"], "\"expire_in\" is not a field of this request. Did you mean \"expires_in\"?")
    let parameter = try await world.checked(
      "POST", holds + "?customer_id=bob", ["adjustments": ["GEM": 1]], status: 400)
    XCTAssertEqual(parameter.body["message"], "\"customer_id\" is not a query parameter of this request.")
  }

  func testADryRunBooksNothing() async throws {
    let world = try world()
    let answer = try await world.checked("POST", holds + "?dry_run=true", ["adjustments": ["GEM": 40]])
    XCTAssertEqual(answer.body["id"], .null)
    XCTAssertEqual(answer.body["dry_run"], true)
    XCTAssertEqual(answer.body["available"], ["GEM": 60])
    XCTAssertEqual(try world.ledger.holds(of: CustomerID("alice")), [])
    let id = try await hold(40, world)
    let release = try await world.checked("POST", "/holds/\(id)/actions/release?dry_run=true", [:])
    XCTAssertEqual(release.body["dry_run"], true)
    XCTAssertEqual(try world.ledger.holds(of: CustomerID("alice")).count, 1)
  }

  func testConcurrentCallsWithOneKeyHoldOnce() async throws {
    let world = try world()
    let ids = try await withThrowingTaskGroup(of: String?.self) { [holds] group in
      for _ in 0..<20 {
        group.addTask {
          try await world.send(
            "POST", APIWorld.projectPath + holds, ["adjustments": ["GEM": 40]], headers: withKey("k")
          ).body["id"]?.text
        }
      }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    XCTAssertEqual(ids.count, 1)
    XCTAssertEqual(try world.ledger.balance(of: "GEM", customer: "alice").available, 60)
  }
}
#endif
