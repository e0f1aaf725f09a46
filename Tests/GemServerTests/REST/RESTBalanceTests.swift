#if Server
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// Lists of balances through RevenueCat's REST API.
final class RESTBalanceTests: XCTestCase {
  private let path = "/v2/projects/default/customers/alice/virtual_currencies"

  private func codes(_ answer: APIWorld.Answer) -> [String] {
    (answer.body["items"]?.array ?? []).compactMap { $0["currency_code"]?.text }
  }

  private func world() throws -> APIWorld {
    let world = try APIWorld()
    for code in ["A", "B", "C", "D"] { try world.ledger.define(Currency(code: CurrencyCode(code), name: "\(code)s")) }
    try world.grant(5, "A", to: "alice")
    for code in ["C", "D"] { try world.grant(7, code, to: "alice") }
    try world.grant(1000, to: "bob")
    return world
  }

  func testEmptyBalancesAreListedOnlyWhenAskedFor() async throws {
    let world = try world()
    let plain = try await world.send("GET", path)
    XCTAssertEqual(codes(plain), ["A", "C", "D"])
    XCTAssertEqual(
      plain.body["items"]?.array?.first,
      ["object": "virtual_currency_balance", "currency_code": "A", "balance": 5, "name": "As"])
    let all = try await world.send("GET", "\(path)?include_empty_balances=true")
    XCTAssertEqual(codes(all), ["A", "B", "C", "D", "GEM"])
    XCTAssertEqual(all.body["items"]?.array?.last?["balance"], 0)
    let bad = try await world.send("GET", "\(path)?include_empty_balances=1")
    XCTAssertEqual(bad.status, 400)
    XCTAssertEqual(bad.body["param"], "include_empty_balances")
  }

  func testPagesGoOnBehindTheCode() async throws {
    let world = try world()
    let first = try await world.send("GET", "\(path)?limit=2&include_empty_balances=true")
    XCTAssertEqual(codes(first), ["A", "B"])
    let next = try XCTUnwrap(first.body["next_page"]?.text)
    XCTAssertEqual(next, "\(path)?limit=2&include_empty_balances=true&starting_after=B")
    let second = try await world.send("GET", next)
    XCTAssertEqual(codes(second), ["C", "D"])
    let third = try await world.send("GET", try XCTUnwrap(second.body["next_page"]?.text))
    XCTAssertEqual(codes(third), ["GEM"])
    XCTAssertEqual(third.body["next_page"], .null)
    // A page has as many items as there may be, as RevenueCat's has.
    for (limit, count) in [("0", 1), ("-7", 1), ("101", 5), ("9223372036854775807", 5)] {
      let page = try await world.send("GET", "\(path)?include_empty_balances=true&limit=\(limit)")
      XCTAssertEqual(page.body["items"]?.array?.count, count, limit)
    }
    // The last item of a page was spent before the next one was asked for.
    let two = try await world.send("GET", "\(path)?limit=2")
    XCTAssertEqual(codes(two), ["A", "C"])
    try world.ledger.spend([Adjustment(CurrencyCode("C"), 7)], customer: CustomerID("alice"))
    let rest = try await world.send("GET", try XCTUnwrap(two.body["next_page"]?.text))
    XCTAssertEqual(codes(rest), ["D"])
    for query in ["limit=1.5", "limit=x", "starting_after=no%20code", "page=2", "limit=1&limit=2"] {
      let answer = try await world.send("GET", "\(path)?\(query)")
      XCTAssertEqual(answer.status, 400, query)
      XCTAssertEqual(answer.body["type"], "parameter_error")
    }
  }

  func testIDsAreBytesInPathsAndLinks() async throws {
    let world = try world()
    let id = "a/b café $RC:ü"
    try world.grant(3, to: id)
    let encoded = "a%2Fb%20caf%C3%A9%20%24RC%3A%C3%BC"
    let answer = try await world.send("GET", "/v2/projects/default/customers/\(encoded)/virtual_currencies")
    XCTAssertEqual(answer.body["items"]?.array?.first?["balance"], 3)
    XCTAssertEqual(
      answer.body["url"], .string("/v2/projects/default/customers/\(encoded)/virtual_currencies"))
    let decomposed = try await world.send(
      "GET", "/v2/projects/default/customers/a%2Fb%20cafe%CC%81%20%24RC%3A%C3%BC/virtual_currencies")
    XCTAssertEqual(decomposed.status, 404)
  }

  func testTextsAreEscaped() async throws {
    let world = try world()
    try world.ledger.define(
      Currency(code: CurrencyCode("A"), name: "\"A\" \\ 💎", description: "</script>\"\\"))
    let answer = try await world.send("GET", "\(path)?limit=1")
    XCTAssertEqual(answer.body["items"]?.array?.first?["name"], "\"A\" \\ 💎")
    XCTAssertEqual(answer.body["items"]?.array?.first?["description"], "</script>\"\\")
  }
}
#endif
