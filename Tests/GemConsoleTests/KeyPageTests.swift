#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// Keys that people create and revoke, within the bounds of their own key.
final class KeyPageTests: XCTestCase {
  func testAKeyIsCreatedOnceAndShownOnce() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let form = try await browser.open("/console/keys/create")
    let values = [
      "kind": "secret", "scope-customer_information:purchases:read": "yes", "scope-ledger:books:read": "yes",
      "reason": "for the shop",
    ]
    let preview = try await browser.submit(form, nil, values, step: "preview")
    XCTAssertEqual(try world.keys.all().count, 1)
    let done = try await browser.submit(preview, nil, step: "confirm")
    let text = try XCTUnwrap(done.words.firstMatch(of: /sk_[0-9a-z]{44}/)).0
    XCTAssertFalse(done.links.contains { $0.contains(text) })
    let made = try XCTUnwrap(try world.keys.all().first { $0.isText(String(text)) })
    XCTAssertEqual(made.kind, .secret(scopes: [.purchases, .books]))
    let again = try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(again.status, 412)
    XCTAssertEqual(try world.keys.all().count, 2)
    let list = try await browser.open("/console/keys")
    XCTAssertTrue(list.words.contains(made.id) && !list.text.contains(text), list.words)
    XCTAssertTrue(world.log.all.contains { $0.contains("for the shop") && $0.contains(made.id) && !$0.contains(text) })
    let other = Browser(world.site)
    let purchases = try await other.signIn(String(text))
    XCTAssertEqual(purchases.status, 200)
    let customers = try await other.open("/console/customers")
    XCTAssertEqual(customers.status, 403)
  }

  func testAPublicKeyIsForAStoreAndHasNoScopes() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let done = try await browser.act("/console/keys/create", ["kind": "apple"])
    XCTAssertTrue(done.words.contains("appl_"), done.words)
    let form = try await browser.open("/console/keys/create")
    for values in [["kind": "apple", "scope-ledger:books:read": "yes"], ["kind": "other"]] {
      let refused = try await browser.submit(form, nil, values.merging(["reason": "r"]) { $1 }, step: "confirm")
      XCTAssertEqual(refused.status, 400, "\(values)")
    }
  }

  func testASessionGivesOnlyScopesThatItHas() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser("ledger:keys:read_write", "customer_information:customers:read")
    let form = try await browser.open("/console/keys/create")
    XCTAssertFalse(form.text.contains("scope-ledger:books:read"), form.text)
    for (scopes, isAllowed) in [
      (["ledger:books:read"], false), (["customer_information:customers:read_write"], false), ([], false),
      (["customer_information:customers:read", "ledger:webhooks:read"], false),
      (["customer_information:customers:read"], true), (["ledger:keys:read"], true),
    ] as [([String], Bool)] {
      let count = try world.keys.all().count
      let page = try await browser.open("/console/keys/create")
      var values = ["kind": "secret", "reason": "r"]
      for scope in scopes { values["scope-\(scope)"] = "yes" }
      let preview = try await browser.submit(page, nil, values, step: "preview")
      let answer = isAllowed ? try await browser.submit(preview, nil, step: "confirm") : preview
      XCTAssertEqual(answer.status, isAllowed ? 200 : 403, "\(scopes): \(answer.words)")
      XCTAssertEqual(try world.keys.all().count, isAllowed ? count + 1 : count, "\(scopes)")
    }
  }

  func testARevokedKeyEndsItsSessions() async throws {
    let world = try ConsoleWorld()
    let (browser, other) = (try await world.browser(), try await world.browser("ledger:keys:read_write"))
    let own = try XCTUnwrap(
      try world.keys.all().first { $0.kind == .secret(scopes: [Scope("ledger:keys", writes: true)]) })
    let ended = try await other.act("/console/keys/\(own.id)/revoke")
    XCTAssertEqual(ended.title, "GemLedger console")
    XCTAssertNotNil(try world.keys.storedKey(id: own.id)?.revokedAt)
    let after = try await other.open("/console/keys")
    XCTAssertEqual(after.status, 401)
    let list = try await browser.open("/console/keys")
    XCTAssertFalse(list.links.contains("/console/keys/\(own.id)/revoke"))
    let unknown = try await browser.open("/console/keys/000000000000/revoke")
    let refused = try await browser.submit(unknown, nil, ["reason": "r"], step: "confirm")
    XCTAssertEqual(refused.status, 400)
  }

  func testKeysNeedTheirScope() async throws {
    let world = try ConsoleWorld()
    let reader = try await world.browser("ledger:keys:read")
    let list = try await reader.open("/console/keys")
    XCTAssertEqual(list.status, 200)
    XCTAssertFalse(list.links.contains("/console/keys/create"))
    let stranger = try await world.browser("ledger:books:read_write", "customer_information:customers:read_write")
    for (browser, path) in [(reader, "/console/keys/create"), (stranger, "/console/keys")] {
      let refused = try await browser.open(path)
      XCTAssertEqual(refused.status, 403, path)
    }
  }
}
#endif
