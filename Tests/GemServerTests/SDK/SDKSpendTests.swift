#if Server
import GemLedger
import StoreBackend
import XCTest

@testable import GemServer

/// Spends from the app.
final class SDKSpendTests: XCTestCase {
  private let spendPath = "/v1/customer/virtual_currencies/spend"
  private let itemPath = "/v1/customer/items/buy"

  private func shop(_ spending: ClientSpending = .anyAmount) throws -> SDKShop {
    let shop = try SDKShop(policy: BackendPolicy(clientSpending: spending))
    try shop.world.grant(500, to: shop.alice)
    return shop
  }

  func testASpendTakesEitherSignAndAnswersAllBalances() async throws {
    let shop = try shop()
    for (number, amount) in [42, -42].enumerated() {
      let answer = try await shop.send(
        "POST", spendPath, ["amounts": ["GEM": .integer(Int64(amount))], "reference": "level 3"],
        key: try shop.token(shop.alice), idempotencyKey: "k\(number)")
      XCTAssertEqual(answer.status, 200, "\(answer.body)")
      XCTAssertEqual(
        answer.body["virtual_currencies"]?["GEM"]?["balance"]?.integer, 500 - 42 * Int64(number + 1))
      XCTAssertEqual(answer.body["booking"]?["entries"]?.array?.first?["amount"]?.integer, -42)
    }
    let own = try await shop.send("GET", "/v1/customer/virtual_currencies", key: try shop.token(shop.alice))
    XCTAssertEqual(own.body["virtual_currencies"]?["GEM"]?["balance"]?.integer, 416)
  }

  func testASecondSpendUnderTheKeyIsTheFirst() async throws {
    let shop = try shop()
    let token = try shop.token(shop.alice)
    func spend(_ body: JSONValue, header: String? = "k") async throws -> APIWorld.Answer {
      try await shop.send("POST", spendPath, body, key: token, idempotencyKey: header)
    }
    let first = try await spend(["amounts": ["GEM": 500]])
    let again = try await spend(["amounts": ["GEM": 500]])
    XCTAssertEqual(again.status, 200, "the spend that empties the wallet is repeated, and not refused")
    XCTAssertEqual(again.body["booking"]?["replayed"]?.bool, true)
    XCTAssertEqual(again.body["booking"]?["transaction_id"], first.body["booking"]?["transaction_id"])
    // The key may also come in the body, or in quotes.
    let inBody = try await spend(["amounts": ["GEM": 500], "idempotency_key": "k"], header: nil)
    XCTAssertEqual(inBody.body["booking"]?["replayed"]?.bool, true)
    let quoted = try await spend(["amounts": ["GEM": 500]], header: "\"k\"")
    XCTAssertEqual(quoted.body["booking"]?["replayed"]?.bool, true)
    let other = try await spend(["amounts": ["GEM": 1]])
    shop.assertRefused(other, 409, .keyConflict, number: 7226)
    let refused = try await spend(["amounts": ["GEM": 1]], header: "k2")
    shop.assertRefused(refused, 422, .insufficientBalance, number: 7226)
    XCTAssertEqual(refused.body["error"]?["details"]?["available"]?.integer, 0)
    let kept = try await spend(["amounts": ["GEM": 1]], header: "k2")
    XCTAssertEqual(kept.body["error"]?["replayed"]?.bool, true)
  }

  func testOneKeyAtTheSameInstantIsOneSpend() async throws {
    let shop = try shop(.itemsOnly)
    let token = try shop.token(shop.alice)
    let path = itemPath
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await shop.send("POST", path, ["item_id": "extra_life"], key: token, idempotencyKey: "tap").status
        }
      }
      for try await status in group { XCTAssertEqual(status, 200) }
    }
    XCTAssertEqual(try shop.balance(shop.alice), 450)
  }

  func testAnAmountOfTheAppsChoiceIsOffUnlessAllowed() async throws {
    let shop = try shop(.itemsOnly)
    let answer = try await shop.send(
      "POST", spendPath, ["amounts": ["GEM": 1]], key: try shop.token(shop.alice), idempotencyKey: "k")
    shop.assertRefused(answer, 403, .forbidden, number: 7224)
    XCTAssertEqual(answer.body["error"]?["details"]?["client_spending"]?.text, "items_only")
    let item = try await shop.send(
      "POST", itemPath, ["item_id": "extra_life", "quantity": 2], key: try shop.token(shop.alice),
      idempotencyKey: "k")
    XCTAssertEqual(item.status, 200)
    XCTAssertEqual(try shop.balance(shop.alice), 400)
  }

  func testAKeyThatEverybodyKnowsSpendsNothing() async throws {
    let shop = try shop()
    for key in [shop.world.appKey, shop.world.secretKey] {
      let spends: [(path: String, body: JSONValue)] = [
        (spendPath, ["amounts": ["GEM": 1]]), (itemPath, ["item_id": "extra_life"]),
      ]
      for (path, body) in spends {
        let answer = try await shop.send("POST", path, body, key: key, idempotencyKey: "k")
        shop.assertRefused(answer, 403, .forbidden, number: 7224)
      }
    }
    XCTAssertEqual(try shop.balance(shop.alice), 500)
  }

  func testRefusesBodiesThatAreNoSpend() async throws {
    let shop = try shop()
    let rows: [(body: JSONValue, key: String?, status: Int)] = [
      (["amounts": [:]], "k", 400), (["amounts": ["GEM": 0]], "k", 400), (["amounts": ["NOPE": 1]], "k", 404),
      (["amounts": ["GEM": .integer(.min)]], "k", 400), (["amounts": ["GEM": .integer(.max)]], "k", 400),
      (["amounts": ["GEM": "5"]], "k", 400), (["amounts": ["GEM": .number("5.0")]], "k", 400),
      (["amounts": ["GEM": 5], "extra": 1], "k", 400), (["amounts": ["GEM": 5]], nil, 400),
      (["amounts": ["GEM": 5], "idempotency_key": "other"], "k", 400), (["amounts": ["": 5]], "k", 400),
      (["amounts": ["GEM": 5]], String(repeating: "k", count: 256), 400),
    ]
    for row in rows {
      let answer = try await shop.send(
        "POST", spendPath, row.body, key: try shop.token(shop.alice), idempotencyKey: row.key)
      XCTAssertEqual(answer.status, row.status, "\(row.body) \(row.key ?? "-")")
    }
    for quantity in [0, -1, Int64.min, Int64.max] {
      let answer = try await shop.send(
        "POST", itemPath, ["item_id": "extra_life", "quantity": .integer(quantity)], key: try shop.token(shop.alice),
        idempotencyKey: "k")
      shop.assertRefused(answer, 400, .amountOutOfRange, number: 7226)
    }
    XCTAssertEqual(try shop.balance(shop.alice), 500)
  }
}
#endif
