#if Server
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// Transactions through RevenueCat's REST API.
final class RESTTransactionTests: XCTestCase {
  private let customer = "/v2/projects/default/customers/alice/virtual_currencies"

  private func world() throws -> APIWorld {
    let world = try APIWorld()
    try world.ledger.define(Currency(code: CurrencyCode("COIN"), name: "Coins"))
    try world.grant(500, to: "alice")
    return world
  }

  private func transact(
    _ world: APIWorld, _ adjustments: JSONValue, key: String? = nil, reference: JSONValue? = nil,
    at ending: String = "transactions"
  ) async throws -> APIWorld.Answer {
    var body: JSONObject = ["adjustments": adjustments]
    body["reference"] = reference
    return try await world.send(
      "POST", "\(customer)/\(ending)", .object(body), headers: key.map { [("Idempotency-Key", $0)] } ?? [])
  }

  func testATransactionAnswersWithItsCurrenciesZerosIncluded() async throws {
    let world = try world()
    let answer = try await transact(world, ["GEM": -500, "COIN": 20])
    XCTAssertEqual(answer.status, 200, "\(answer.body)")
    XCTAssertEqual(
      answer.body,
      [
        "object": "list",
        "items": [
          ["object": "virtual_currency_balance", "currency_code": "COIN", "balance": 20, "name": "Coins"],
          [
            "object": "virtual_currency_balance", "currency_code": "GEM", "balance": 0, "name": "Gems",
            "description": "Hard currency",
          ],
        ], "next_page": nil, "url": .string(customer),
      ])
    let one = try await transact(world, ["COIN": -5])
    XCTAssertEqual(one.body["items"]?.array?.count, 1)
    XCTAssertEqual(one.body["items"]?.array?.first?["balance"], 15)
    XCTAssertEqual(try world.ledger.history(of: CustomerID("alice")).transactions.first?.actor?.text.prefix(4), "key:")
    try assertBooksAddUp(world.ledger)
  }

  func testADryRunAnswersWhatWouldBeAndBooksNothing() async throws {
    let world = try world()
    let before = try world.ledger.history(of: CustomerID("alice")).transactions.count
    let spend = try await transact(world, ["GEM": -30], key: "k", at: "transactions?dry_run=true")
    XCTAssertEqual(spend.body["items"]?.array?.first?["balance"], 470, "\(spend.body)")
    let refusal = try await transact(world, ["GEM": -501], at: "update_balance?dry_run=true")
    XCTAssertEqual(refusal.status, 422)
    XCTAssertEqual(try world.ledger.history(of: CustomerID("alice")).transactions.count, before)
    // The key is as free as before.
    let booked = try await transact(world, ["GEM": -40], key: "k")
    XCTAssertEqual(booked.body["items"]?.array?.first?["balance"], 460)
  }

  func testTooLittleIsRevenueCatsErrorAndTakesNothing() async throws {
    let world = try world()
    let answer = try await transact(world, ["COIN": 20, "GEM": -501])
    XCTAssertEqual(answer.status, 422)
    XCTAssertEqual(answer.body["object"], "error")
    XCTAssertEqual(answer.body["type"], "unprocessable_entity_error")
    XCTAssertEqual(answer.body["message"], "Customer's balance is not enough to perform the transaction.")
    XCTAssertEqual(answer.body["param"], "adjustments")
    XCTAssertEqual(answer.body["retryable"], false)
    XCTAssertEqual(answer.body["doc_url"], "/docs/errors/insufficient_balance")
    XCTAssertEqual(try world.ledger.balances(of: CustomerID("alice")).map(\.balance), [0, 500])
  }

  func testTheSameKeyGivesTheFirstAnswer() async throws {
    let world = try world()
    let first = try await transact(world, ["GEM": -100], key: "k1", reference: "order 1")
    XCTAssertNil(first.header("Idempotent-Replayed"))
    world.time.advance(seconds: 1)
    _ = try await transact(world, ["GEM": -400], key: "k2")
    world.time.advance(seconds: 1)
    // The balance would not cover it any more.
    let again = try await transact(world, ["GEM": -100], key: "k1", reference: "order 1")
    XCTAssertEqual(again.status, 200)
    XCTAssertEqual(again.body, first.body)
    XCTAssertEqual(again.header("Idempotent-Replayed"), "true")
    let quoted = try await transact(world, ["GEM": -100], key: "\"k1\"", reference: "order 1")
    XCTAssertEqual(quoted.body, first.body)
    XCTAssertEqual(try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, 0)
  }

  func testAKeyOfAnotherRequestIsAConflict() async throws {
    let world = try world()
    _ = try await transact(world, ["GEM": -100], key: "k1")
    for (adjustments, reference): (JSONValue, JSONValue?) in [(["GEM": 100], nil), (["GEM": -100], "other")] {
      let answer = try await transact(world, adjustments, key: "k1", reference: reference)
      XCTAssertEqual(answer.status, 409)
      XCTAssertEqual(answer.body["type"], "idempotency_error")
      XCTAssertEqual(answer.body["retryable"], false)
    }
    XCTAssertEqual(try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, 400)
    // A key belongs to its customer.
    try world.grant(500, to: "bob")
    let bob = try await world.send(
      "POST", "/v2/projects/default/customers/bob/virtual_currencies/transactions", ["adjustments": ["GEM": -1]],
      headers: [("Idempotency-Key", "k1")])
    XCTAssertEqual(bob.body["items"]?.array?.first?["balance"], 499)
  }

  func testARefusalIsItsKeysAnswer() async throws {
    let world = try world()
    let refused = try await transact(world, ["GEM": -501], key: "k1")
    XCTAssertEqual(refused.status, 422)
    try world.grant(500, to: "alice")
    let again = try await transact(world, ["GEM": -501], key: "k1")
    XCTAssertEqual(again.status, 422)
    let other = try await transact(world, ["GEM": -501], key: "k2")
    XCTAssertEqual(other.status, 200)
  }

  func testOneKeyAtTheSameInstantIsBookedOnce() async throws {
    let world = try world()
    let customer = customer
    let answers = try await withThrowingTaskGroup(of: APIWorld.Answer.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await world.send(
            "POST", "\(customer)/transactions", ["adjustments": ["GEM": -7]], headers: [("Idempotency-Key", "k")])
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(Set(answers.map(\.body)).count, 1)
    XCTAssertEqual(Set(answers.map(\.status)), [200])
    XCTAssertEqual(try world.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID("alice")).balance, 493)
  }

  func testSpendsAtOnceNeverTakeMoreThanThereIs() async throws {
    let world = try world()
    let customer = customer
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<60 {
        group.addTask { try await world.send("POST", "\(customer)/transactions", ["adjustments": ["GEM": -10]]).status }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(statuses.count { $0 == 200 }, 50)
    XCTAssertEqual(statuses.count { $0 == 422 }, 10)
    try assertBooksAddUp(world.ledger)
  }

  func testAnUpdateIsADeltaUnderTheSameKeys() async throws {
    let world = try world()
    let update = try await transact(world, ["GEM": 50], key: "k", at: "update_balance")
    XCTAssertEqual(update.body["items"]?.array?.first?["balance"], 550)
    XCTAssertEqual(update.body["url"], .string(customer))
    // The same command: the key's answer is the first one.
    let transaction = try await transact(world, ["GEM": 50], key: "k")
    XCTAssertEqual(transaction.body, update.body)
    let other = try await transact(world, ["GEM": 51], key: "k", at: "update_balance")
    XCTAssertEqual(other.status, 409)
    let below = try await transact(world, ["GEM": -551], at: "update_balance")
    XCTAssertEqual(below.status, 422)
  }

  func testWhatHoldsSetAsideIsNotInTheBalance() async throws {
    let world = try world()
    let hold = try world.ledger.hold([Adjustment(CurrencyCode("GEM"), 60)], customer: CustomerID("alice"))
    world.time.advance(seconds: 1)
    let spent = try await transact(world, ["GEM": -40], key: "k")
    XCTAssertEqual(spent.body["items"]?.array?.first?["balance"], 400)
    let list = try await world.send("GET", customer)
    XCTAssertEqual(list.body["items"]?.array?.first?["balance"], 400)
    world.time.advance(seconds: 1)
    try world.ledger.release(XCTUnwrap(hold.hold?.id))
    let released = try await world.send("GET", customer)
    XCTAssertEqual(released.body["items"]?.array?.first?["balance"], 460)
    let again = try await transact(world, ["GEM": -40], key: "k")
    XCTAssertEqual(again.body, spent.body)
    let tooMuch = try await transact(world, ["GEM": -461])
    XCTAssertEqual(tooMuch.status, 422)
  }

  func testBadRequestsAreRefusedAndBookNothing() async throws {
    let world = try world()
    let cases: [(JSONValue, Int, String, String?)] = [
      ([:], 400, "parameter_error", "adjustments"),
      (["adjustments": [:]], 400, "parameter_error", "adjustments"),
      (["adjustments": ["GEM": 0]], 400, "parameter_error", "adjustments"),
      (["adjustments": ["GEM": "5"]], 400, "parameter_error", "adjustments.GEM"),
      (["adjustments": ["GEM": .number("5.0")]], 400, "parameter_error", "adjustments.GEM"),
      (["adjustments": ["GEM": 9_007_199_254_740_992]], 400, "parameter_error", "adjustments.GEM"),
      (["adjustments": ["GEM": .integer(.min)]], 400, "parameter_error", "adjustments.GEM"),
      (["adjustments": ["no code": 5]], 400, "parameter_error", "adjustments"),
      (["adjustments": ["": 5]], 400, "parameter_error", "adjustments"),
      (["adjustments": ["NONE": 5]], 404, "resource_missing", "adjustments"),
      (["adjustments": ["GEM": 5, "NONE": 5]], 404, "resource_missing", "adjustments"),
      (["adjustments": ["GEM": 9_007_199_254_740_991]], 422, "unprocessable_entity_error", "adjustments"),
      (["adjustments": ["GEM": 5], "reference": ""], 400, "parameter_error", "reference"),
      (["adjustments": ["GEM": 5], "reference": "a\nb"], 400, "parameter_error", "reference"),
      (["adjustments": ["GEM": 5], "reason": "x"], 400, "parameter_error", "reason"),
      ([], 400, "parameter_error", nil),
    ]
    for (body, status, type, param) in cases {
      for ending in ["transactions", "update_balance"] {
        let answer = try await world.send("POST", "\(customer)/\(ending)", body)
        XCTAssertEqual(answer.status, status, "\(body) \(answer.body)")
        XCTAssertEqual(answer.body["type"], .string(type), "\(answer.body)")
        XCTAssertEqual(answer.body["param"]?.text, param, "\(answer.body)")
      }
    }
    XCTAssertEqual(try world.ledger.history(of: CustomerID("alice")).transactions.count, 1)
  }

  func testAnUnknownCustomerGetsNothing() async throws {
    let world = try world()
    let path = "/v2/projects/default/customers/nobody/virtual_currencies"
    let grant = try await world.send("POST", "\(path)/transactions", ["adjustments": ["GEM": 5]])
    let list = try await world.send("GET", path)
    for answer in [grant, list] {
      XCTAssertEqual(answer.status, 404)
      XCTAssertEqual(answer.body["type"], "resource_missing")
      XCTAssertEqual(answer.body["code"], "customer_not_found")
    }
    XCTAssertNil(grant.header("Idempotent-Replayed"))
  }

  func testRateLimitsAreRevenueCats() async throws {
    let world = try APIWorld(limits: [.createTransaction: 2])
    try world.grant(500, to: "alice")
    let first = try await transact(world, ["GEM": -1])
    XCTAssertEqual(first.header("RevenueCat-Rate-Limit-Current-Usage"), "1")
    XCTAssertEqual(first.header("RevenueCat-Rate-Limit-Current-Limit"), "2")
    _ = try await transact(world, ["GEM": -1], at: "update_balance")
    let over = try await transact(world, ["GEM": -1])
    XCTAssertEqual(over.status, 429)
    XCTAssertEqual(over.body["type"], "rate_limit_error")
    XCTAssertEqual(over.body["retryable"], true)
    let seconds = try XCTUnwrap(over.header("Retry-After").flatMap(Int64.init))
    XCTAssertEqual(over.body["backoff_ms"], .integer(seconds * 1000))
    let read = try await world.send("GET", customer)
    XCTAssertEqual(read.status, 200)
  }
}
#endif
