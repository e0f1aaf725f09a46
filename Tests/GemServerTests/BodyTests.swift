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

  func testAKeyHas1To255Characters() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    let path = "/v2/projects/default/customers/alice/virtual_currencies/transactions"
    for (key, isTaken) in [
      ("", false), ("\"\"", false), (String(repeating: "k", count: 256), false),
      ("\"" + String(repeating: "q", count: 256) + "\"", false),
      ("\"" + String(repeating: "q", count: 255) + "\"", true),
    ] {
      let answer = try await world.send(
        "POST", path, ["adjustments": ["GEM": 1]], headers: [("Idempotency-Key", key)])
      XCTAssertEqual(answer.status, isTaken ? 200 : 400, answer.body.text())
      if !isTaken { XCTAssertTrue(answer.body["message"]?.text?.contains("1 to 255 characters") == true) }
    }
  }

  func testAFailureOfTheServerSaysWhenToComeAgain() throws {
    let error = LedgerError(.inputOutput, "The disk is full.")
    for style in [ErrorStyle.rest, .sdk] {
      let answer = try APIWorld.Answer(style.response(error, requestID: "r1"))
      XCTAssertEqual(answer.status, 500)
      XCTAssertEqual(answer.header("Retry-After"), "1")
    }
  }

  func testWhereNothingHasToBeSaidNothingHasToBeSent() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    let answer = try await send(world, "v2/projects/default/customers/alice/session_tokens", "", type: nil)
    XCTAssertEqual(answer.status, 201)
  }
}
#endif
