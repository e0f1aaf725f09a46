#if Server
import GemLedger
import GemTestSupport
import XCTest

@testable import GemServer

final class HistoryRouteTests: XCTestCase {
  private let list = "/customers/alice/virtual_currencies/transactions"

  func testListsTheNewestFirstAndPageByPage() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    for amount in 1...5 { try world.spend(Int64(amount), by: "alice") }
    var (seen, target) = ([Int64](), list + "?limit=2")
    for _ in 0..<4 {
      let answer = try await world.checked("GET", target)
      for item in answer.body["items"]?.array ?? [] {
        seen.append(try XCTUnwrap(item["entries"]?.array?.first?["amount"]?.integer))
      }
      guard let next = answer.body["next_page"]?.text else { break }
      target = String(next.dropFirst(APIWorld.projectPath.count))
    }
    XCTAssertEqual(seen, [-5, -4, -3, -2, -1, 100])
  }

  func testASpendNamesItsLotsAndItsNotes() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    var command = try LedgerCommand.spend(["GEM": 30], customer: "alice")
    command.reference = try Reference("order 1")
    command.actor = try ActorName("shop")
    try await world.ledger.book(command)
    let item = try await world.checked("GET", list + "?limit=1").body["items"]?.array?.first
    XCTAssertEqual(item?["kind"], "spend")
    XCTAssertEqual(item?["reference"], "order 1")
    XCTAssertEqual(item?["actor"], "shop")
    let entry = item?["entries"]?.array?.first
    XCTAssertEqual(entry?["balance"], 70)
    XCTAssertEqual(entry?["lots"]?.array?.first?["amount"], -30)
    XCTAssertEqual(entry?["lots"]?.array?.first?["source"], "admin")
  }

  func testGetsOneTransactionAndNoneOfAnotherProject() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    let id = try XCTUnwrap(world.spend(10, by: "alice").transactionID)
    let answer = try await world.checked("GET", "/virtual_currency_transactions/\(id)")
    XCTAssertEqual(answer.body["id"]?.text, id.description)
    XCTAssertEqual(answer.body["customer_id"], "alice")
    let other = Ledger.inMemory(clock: world.time.clock, salt: 2)
    try other.apply(Catalog.load(Fixture.bytes("gems.json")))
    let foreign = try XCTUnwrap(
      other.grant([Adjustment(CurrencyCode("GEM"), 1)], customer: CustomerID("alice")).transactionID)
    for id in [foreign.description, "nonsense", "019aa3f2-6c1e-7000-8000-00000a51c7e4"] {
      try await world.refused(
        "GET", "/virtual_currency_transactions/\(id)", status: 404, code: "transaction_not_found")
    }
  }

  func testRefusesUnknownCustomersCursorsAndKeys() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    try await world.refused(
      "GET", "/customers/bob/virtual_currencies/transactions", status: 404, code: "customer_not_found")
    try await world.refused("GET", list + "?starting_after=x", status: 400, code: "invalid_request")
    try await world.refused("GET", list + "?limit=all", status: 400, code: "invalid_request")
    try await world.refused("GET", list, key: world.appKey, status: 403, code: "forbidden")
    try await world.refused("GET", list, key: world.key(for: .events), status: 403, code: "forbidden")
    _ = try await world.checked("GET", list, key: world.key(for: .purchases))
  }

  func testAMergedCustomersHistoryIsPartOfTheOthers() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    try world.grant(5, to: "bob")
    try world.ledger.merge(from: CustomerID("bob"), into: CustomerID("alice"))
    let answer = try await world.checked("GET", list)
    XCTAssertEqual(answer.body["items"]?.array?.count, 3)
    let next = try await world.checked("GET", list + "?limit=2").body["next_page"]?.text
    let rest = try await world.checked("GET", String(XCTUnwrap(next).dropFirst(APIWorld.projectPath.count)))
    XCTAssertEqual(rest.body["items"]?.array?.count, 1)
  }
}
#endif
