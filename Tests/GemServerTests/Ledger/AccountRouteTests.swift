#if Server
import GemLedger
import GemTestSupport
import XCTest

@testable import GemServer

final class AccountRouteTests: XCTestCase {
  private let path = "/customers/alice/virtual_currencies/GEM"

  func testABalanceHasItsParts() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    let end = world.time.now.advanced(milliseconds: 60_000)
    try await world.ledger.book(
      .grant([Adjustment(CurrencyCode("GEM"), 20)], customer: CustomerID("alice"), expiresAt: end))
    try world.ledger.hold([Adjustment(CurrencyCode("GEM"), 30)], customer: CustomerID("alice"))
    let answer = try await world.checked("GET", path)
    XCTAssertEqual(answer.body["balance"], 120)
    XCTAssertEqual(answer.body["held"], 30)
    XCTAssertEqual(answer.body["available"], 90)
    XCTAssertEqual(
      answer.body["expirations"],
      [
        ["expires_at": .integer(end.milliseconds), "available": 0, "held": 20],
        ["expires_at": .null, "available": 90, "held": 10],
      ])
  }

  func testAPastBalanceStaysAsItWas() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    let then = world.time.now
    world.time.advance(seconds: 10)
    try world.spend(40, by: "alice")
    let past = try await world.checked("GET", path + "?at=\(then.milliseconds)")
    XCTAssertEqual(past.body["balance"], 100)
    XCTAssertEqual(past.body["expirations"], .null)
    let now = try await world.checked("GET", path)
    XCTAssertEqual(now.body["balance"], 60)
    try await world.refused(
      "GET", path + "?at=\(world.time.now.milliseconds + 1)", status: 400, code: "invalid_request")
    try await world.refused("GET", path + "?at=-1", status: 400, code: "invalid_request")
    try await world.refused("GET", path + "?at=x", status: 400, code: "invalid_request")
  }

  func testUnknownOnes() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    for code in ["COIN", "actions", "much_too_long", "a-b"] {
      try await world.refused(
        "GET", "/customers/alice/virtual_currencies/\(code)", status: 404, code: "unknown_currency")
    }
    try await world.refused("GET", "/customers/bob/virtual_currencies/GEM", status: 404, code: "customer_not_found")
  }
}
#endif
