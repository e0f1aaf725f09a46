#if Server
import GemLedger
import XCTest

@testable import GemServer

final class MoveRouteTests: XCTestCase {
  private let transfer = "/virtual_currencies/actions/transfer"
  private let exchange = "/virtual_currencies/actions/exchange"

  private func world() throws -> APIWorld {
    let world = try APIWorld()
    try world.define("COIN")
    try world.grant(100, to: "alice")
    try world.grant(1, to: "bob")
    return world
  }

  private func balance(_ code: String, _ customer: String, _ world: APIWorld) throws -> Int64 {
    try world.ledger.balance(of: code, customer: customer).balance
  }

  func testReversesInPartsAndNeverMoreThanThereWas() async throws {
    let world = try world()
    let id = try XCTUnwrap(world.spend(30, by: "alice").transactionID)
    let path = "/virtual_currency_transactions/\(id)/actions/reverse"
    let body: JSONValue = ["adjustments": ["GEM": 10], "reason": "late"]
    let first = try await world.checked("POST", path, body, headers: withKey("r1"))
    XCTAssertEqual(first.body["reverses"]?.text, id.description)
    XCTAssertEqual(first.body["entries"]?.array?.first?["balance"], 80)
    XCTAssertEqual(first.body["reason"], "late")
    XCTAssert(first.body["actor"]?.text?.hasPrefix("key:") ?? false)
    let again = try await world.checked("POST", path, body, headers: withKey("r1"))
    XCTAssertEqual(again.body["id"], first.body["id"])
    XCTAssertEqual(again.body["replayed"], true)
    try await world.refused(
      "POST", path, ["adjustments": ["GEM": 21]], status: 422, code: "exceeds_original")
    let preview = try await world.checked("POST", path + "?dry_run=true", [:])
    XCTAssertEqual(preview.body["id"], .null)
    XCTAssertEqual(preview.body["entries"]?.array?.first?["balance"], 100)
    XCTAssertEqual(try balance("GEM", "alice", world), 80)
    _ = try await world.checked("POST", path, [:])
    try await world.refused("POST", path, [:], status: 422, code: "already_reversed")
    let reversal = try XCTUnwrap(first.body["id"]?.text)
    try await world.refused(
      "POST", "/virtual_currency_transactions/\(reversal)/actions/reverse", [:], status: 422, code: "not_reversible")
    try await world.refused(
      "POST", "/virtual_currency_transactions/x/actions/reverse", [:], status: 404, code: "transaction_not_found")
  }

  func testTransfersOnceForAKey() async throws {
    let world = try world()
    let body: JSONValue = ["from": "alice", "to": "bob", "adjustments": ["GEM": 40], "reference": "gift"]
    let preview = try await world.checked("POST", transfer + "?dry_run=true", body, headers: withKey("t"))
    XCTAssertEqual(preview.body["dry_run"], true)
    XCTAssertEqual(try balance("GEM", "bob", world), 1)
    for isReplay in [false, true] {
      let answer = try await world.checked("POST", transfer, body, headers: withKey("t"))
      XCTAssertEqual(answer.body["replayed"], .bool(isReplay))
      XCTAssertEqual(answer.body["parties"]?.array?.first?["customer_id"], "bob")
      XCTAssertEqual(answer.body["reference"], "gift")
    }
    XCTAssertEqual(try balance("GEM", "alice", world), 60)
    XCTAssertEqual(try balance("GEM", "bob", world), 41)
  }

  func testTransferRefusals() async throws {
    let world = try world()
    func body(_ from: JSONValue, _ to: JSONValue, _ amount: JSONValue) -> JSONValue {
      ["from": from, "to": to, "adjustments": ["GEM": amount]]
    }
    try await world.refused("POST", transfer, body("alice", "alice", 1), status: 422, code: "same_customer")
    try await world.refused("POST", transfer, body("alice", "eve", 1), status: 404, code: "customer_not_found")
    try await world.refused("POST", transfer, body("eve", "alice", 1), status: 404, code: "customer_not_found")
    try await world.refused("POST", transfer, body("bob", "alice", 2), status: 422, code: "insufficient_balance")
    try await world.refused("POST", transfer, body("bob", "alice", -2), status: 400, code: "invalid_request")
    try await world.refused("POST", transfer, body("bob", "", 2), status: 400, code: "invalid_request")
    try await world.refused("POST", transfer, body("bob", "a\u{1}", 2), status: 400, code: "invalid_identifier")
  }

  func testExchanges() async throws {
    let world = try world()
    let rate: JSONValue = ["numerator": 5, "denominator": 2]
    func body(_ amount: JSONValue, _ rate: JSONValue) -> JSONValue {
      ["customer_id": "alice", "from": ["code": "GEM", "amount": amount], "into": "COIN", "rate": rate]
    }
    let answer = try await world.checked("POST", exchange, body(15, rate), headers: withKey("x"))
    XCTAssertEqual(answer.body["kind"], "exchange")
    XCTAssertEqual(try balance("COIN", "alice", world), 37)
    try await world.refused(
      "POST", exchange, body(15, ["numerator": 5, "denominator": 2, "rounding": "up"]), status: 409,
      code: "key_conflict", headers: withKey("x"))
    let up = try await world.checked(
      "POST", exchange + "?dry_run=true", body(15, ["numerator": 5, "denominator": 2, "rounding": "up"]))
    XCTAssertEqual(up.body["entries"]?.array?.first { $0["currency_code"] == "COIN" }?["amount"], 38)
    try await world.refused(
      "POST", exchange, body(1, ["numerator": 1, "denominator": 2]), status: 422, code: "rounds_to_zero")
    try await world.refused(
      "POST", exchange, body(1, ["numerator": 0, "denominator": 2]), status: 400, code: "invalid_request")
    try await world.refused("POST", exchange, body(1000, rate), status: 422, code: "insufficient_balance")
  }
}
#endif
