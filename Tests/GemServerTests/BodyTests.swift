#if Server
import GemLedger
import SystemHTTP
import XCTest

@testable import GemServer

/// What the handler takes for a body.
final class BodyTests: XCTestCase {
  private func send(_ world: APIWorld, _ path: String, _ body: String, type: String?) async throws -> APIWorld.Answer {
    var fields = HTTPHeaders([("Authorization", "Bearer \(world.secretKey)")])
    if let type { fields.add("Content-Type", type) }
    let parts = path.split(separator: "/").map(String.init)
    let request = HTTPRequest(method: "POST", path: parts, headers: fields, body: Array(body.utf8), id: "r1")
    switch world.handler.answer(request) {
    case .now(let response): return try APIWorld.Answer(response)
    case .later(let work): return try APIWorld.Answer(await work())
    }
  }

  func testBodiesAreStrict() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    let path = "v2/projects/default/customers/alice/virtual_currencies/transactions"
    for body in [
      #"{"adjustments":{"GEM":1,"GEM":-5}}"#, #"{"adjustments":{"GEM":1e1}}"#, #"{"adjustments":{"GEM":1.0}}"#,
      #"{"adjustments":{"GEM":1},}"#, "\u{FEFF}" + #"{"adjustments":{"GEM":1}}"#, #"{"adjustments":{"GEM":1}} x"#,
      #"{"adjustments":{"GEM":1},"refrence":"a"}"#, #"{"adjustments":{"GEM":"1"}}"#, #"{"adjustments":{"GEM":0}}"#,
      #"{"adjustments":{}}"#, "[]", "", "{}",
    ] {
      let answer = try await send(world, path, body, type: "application/json")
      XCTAssertEqual(answer.status, 400, body)
    }
    for type in [nil, "text/plain", "application/jsonp", "application/x-www-form-urlencoded"] {
      let answer = try await send(world, path, #"{"adjustments":{"GEM":1}}"#, type: type)
      XCTAssertEqual(answer.status, 400, type ?? "none")
    }
    let good = try await send(world, path, #"{"adjustments":{"GEM":1}}"#, type: "Application/JSON; charset=utf-8")
    XCTAssertEqual(good.status, 200)
    XCTAssertEqual(try world.ledger.balance(of: "GEM", customer: "alice").balance, 101)
  }

  func testWhereNothingHasToBeSaidNothingHasToBeSent() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    let answer = try await send(world, "v2/projects/default/customers/alice/session_tokens", "", type: nil)
    XCTAssertEqual(answer.status, 201)
  }
}
#endif
