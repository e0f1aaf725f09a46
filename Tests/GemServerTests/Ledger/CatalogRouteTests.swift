#if Server
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// The whole catalog over HTTP, its versions, and the conditions of changes.
final class CatalogRouteTests: XCTestCase {
  private let path = "/v2/projects/default/catalog"

  private func renamed(_ world: APIWorld) throws -> JSONValue {
    try world.ledger.currentCatalog().edited { (draft) in draft.currencies[0].name = "Gemmes" }.json()
  }

  private func ifMatch(_ tag: String) -> [(name: String, value: String)] { [("If-Match", tag)] }

  func testTheAnswerIsTakenBack() async throws {
    let world = try APIWorld()
    let shown = try await world.send("GET", path)
    XCTAssertEqual(shown.status, 200)
    XCTAssertEqual(shown.header("ETag"), "\"1\"")
    XCTAssertEqual(shown.body, try world.ledger.currentCatalog().json())
    let answer = try await world.send("PUT", path, shown.body, headers: ifMatch("\"1\""))
    XCTAssertEqual(
      answer.body, ["object": "catalog_change", "version": 1, "changes": ["added": [], "changed": [], "removed": []]])
  }

  func testAChangeNamesItsKeyAndReason() async throws {
    let world = try APIWorld()
    let answer = try await world.send(
      "PUT", "\(path)?reason=A%20typo", renamed(world), headers: ifMatch("W/\"1\""))
    XCTAssertEqual(answer.status, 200, "\(answer.body)")
    XCTAssertEqual(answer.header("ETag"), "\"2\"")
    XCTAssertEqual(answer.body["changes"]?["changed"]?.array?.first?["id"], "GEM")
    XCTAssertEqual(try world.ledger.currentCatalog().currencies[0].name, "Gemmes")
    let versions = try await world.send("GET", "\(path)/versions?limit=1")
    let version = try XCTUnwrap(versions.body["items"]?.array?.first)
    XCTAssertEqual(version["version"], 2)
    XCTAssertEqual(version["actor"], .string("key:\(APIKey.id(in: world.secretKey) ?? "")"))
    XCTAssertEqual(version["reason"], "A typo")
    XCTAssertEqual(version["changes"], answer.body["changes"])
    XCTAssertEqual(version["change_count"], 1)
    XCTAssertEqual(version["applied_at"], .integer(world.time.now.milliseconds))
    let rest = try await world.send("GET", try XCTUnwrap(versions.body["next_page"]?.text))
    XCTAssertEqual(rest.body["items"]?.array?.compactMap { $0["version"] }, [1])
    XCTAssertEqual(rest.body["next_page"], .null)
  }

  func testAnotherVersionIsRefused() async throws {
    let world = try APIWorld()
    let body = try renamed(world)
    let answer = try await world.send("PUT", path, body, headers: ifMatch("\"7\""))
    XCTAssertEqual(answer.status, 412)
    XCTAssertEqual(answer.body["code"], "condition_failed")
    XCTAssertEqual(answer.body["details"], ["expected": 7, "current": 1])
    XCTAssertEqual(try world.ledger.catalogEditor.current().version, 1)
    let any = try await world.send("PUT", path, body, headers: ifMatch("*"))
    XCTAssertEqual(any.body["version"], 2)
  }

  func testBadRequestsAreRefusedAndChangeNothing() async throws {
    let world = try APIWorld()
    let body = try renamed(world)
    let rows: [(line: UInt, target: String, body: JSONValue, tag: String?, code: String, param: JSONValue)] = [
      (#line, path, body, nil, "invalid_request", "If-Match"),
      (#line, path, body, "one", "invalid_request", "If-Match"),
      (#line, "\(path)?reason=", body, "*", "invalid_request", "reason"),
      (#line, "\(path)?force=true", body, "*", "invalid_request", "force"),
      (#line, path, ["currencies": [], "extra": 1], "*", "invalid_catalog", nil),
      (#line, path, ["currencies": []], "*", "invalid_catalog", nil),
    ]
    for row in rows {
      let answer = try await world.send("PUT", row.target, row.body, headers: row.tag.map(ifMatch) ?? [])
      XCTAssertEqual(answer.status, 400, line: row.line)
      XCTAssertEqual(answer.body["code"], .string(row.code), line: row.line)
      XCTAssertEqual(answer.body["param"], row.param, line: row.line)
    }
    let cursor = try await world.send("GET", "\(path)/versions?starting_after=x")
    XCTAssertEqual(cursor.body["param"], "starting_after")
    XCTAssertEqual(try world.ledger.catalogEditor.current().version, 1)
  }

  func testADryRunStatesWhatAChangeConcerns() async throws {
    let world = try APIWorld()
    try world.grant(5, to: "alice")
    let answer = try await world.send("PUT", "\(path)?dry_run=true", renamed(world))
    XCTAssertEqual(answer.status, 200, "\(answer.body)")
    XCTAssertEqual(answer.body["version"], 1)
    XCTAssertEqual(answer.body["changes"]?["changed"]?.array?.count, 1)
    XCTAssertEqual(
      answer.body["impact"],
      [
        "balances": ["GEM": ["count": 1, "is_complete": true]], "open_orders": ["count": 0, "is_complete": true],
        "offerings": [],
      ])
    XCTAssertEqual(try world.ledger.catalogEditor.current().version, 1)
    let stale = try await world.send("PUT", "\(path)?dry_run=true", renamed(world), headers: ifMatch("\"3\""))
    XCTAssertEqual(stale.status, 412)
  }

  func testOnlyTheScopeOfTheCatalogReadsAndWritesIt() async throws {
    let world = try APIWorld()
    func key(_ scopes: Scope...) -> String {
      let made = APIKey.make(.secret(scopes: scopes), at: world.time.now)
      world.keys.add(made.key)
      return made.text
    }
    let parts = key(.products.writing, .offerings.writing, .currencies.writing)
    let (reader, writer) = (key(.catalog), key(.catalog.writing))
    for (key, reads, writes) in [(parts, 403, 403), (reader, 200, 403), (writer, 200, 200), (world.appKey, 403, 403)] {
      let shown = try await world.send("GET", path, key: key)
      XCTAssertEqual(shown.status, reads)
      let put = try await world.send("PUT", path, renamed(world), key: key, headers: ifMatch("*"))
      XCTAssertEqual(put.status, writes)
    }
  }
}
#endif
