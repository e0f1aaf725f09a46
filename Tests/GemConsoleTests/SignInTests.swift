#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// Who gets into the console, and for how long.
final class SignInTests: XCTestCase {
  func testOnlyASecretKeyOpensASession() async throws {
    let world = try ConsoleWorld()
    let browser = Browser(world.site)
    let stranger = try await browser.open("/console/customers")
    XCTAssertEqual(stranger.status, 401)
    XCTAssertTrue(stranger.words.contains("Secret key"))
    let wrong = try await browser.signIn("sk_" + String(repeating: "0", count: 44))
    XCTAssertEqual(wrong.status, 401)
    XCTAssertTrue(world.log.all.contains { $0.contains("was refused") && $0.contains("127.0.0.1") })
    let app = try world.keys.create(.app(.apple))
    let refused = try await browser.signIn(app.text)
    XCTAssertEqual(refused.status, 403)
    XCTAssertTrue(refused.words.contains("public key of an app"), refused.words)
    let key = try world.keys.create(.secret(scopes: []))
    let page = try await browser.signIn(key.text)
    XCTAssertEqual(page.status, 200)
    XCTAssertEqual(page.title, "Overview")
    XCTAssertFalse(world.log.all.joined().contains(key.text), "the log has no keys")
  }

  func testARevokedKeyEndsItsSessionAtOnce() async throws {
    let world = try ConsoleWorld()
    let made = try world.keys.create(.secret(scopes: []))
    let browser = Browser(world.site)
    try await browser.signIn(made.text)
    let before = try await browser.open("/console/customers")
    XCTAssertEqual(before.status, 200)
    try world.keys.revoke(made.key.id)
    let after = try await browser.open("/console/customers")
    XCTAssertEqual(after.status, 401)
  }

  func testASessionEndsAfterItsIdleAndItsAbsoluteTime() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    world.time.advance(seconds: 29 * 60)
    let used = try await browser.open("/console/customers")
    XCTAssertEqual(used.status, 200)
    world.time.advance(seconds: 30 * 60)
    let idle = try await browser.open("/console/customers")
    XCTAssertEqual(idle.status, 401)

    let other = try await world.browser()
    for _ in 0..<25 {
      world.time.advance(seconds: 29 * 60)
      try await other.open("/console/customers")
    }
    XCTAssertEqual(other.last?.status, 401, "12 hours have passed, without 30 idle minutes")
  }

  func testSignOutEndsTheSession() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let page = try await browser.open("/console/customers")
    let left = try await browser.submit(page, "/console/sign-out")
    XCTAssertEqual(left.title, "GemLedger console")
    let after = try await browser.open("/console/customers")
    XCTAssertEqual(after.status, 401)
  }

  func testAttemptsAreLimited() async throws {
    let world = try ConsoleWorld()
    let browser = Browser(world.site)
    for _ in 0..<10 { try await browser.signIn("sk_wrong") }
    let key = try world.keys.create(.secret(scopes: []))
    let refused = try await browser.signIn(key.text)
    XCTAssertEqual(refused.status, 429)
    XCTAssertNotNil(refused.header("Retry-After"))
    world.time.advance(seconds: 60)
    let taken = try await browser.signIn(key.text)
    XCTAssertEqual(taken.status, 200)
  }

  func testAPageThatReloadsItselfDoesNotKeepItsSessionAlive() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let script = try await browser.open("/console/script.js")
    XCTAssertTrue(script.text.contains("X-Console-Live"))
    for _ in 0..<3 {
      world.time.advance(seconds: 14 * 60)
      _ = try await browser.send("GET", "/console/customers", ["X-Console-Live": "1"])
    }
    XCTAssertEqual(browser.last?.status, 401)
  }

  func testARevocationStopsARequestWhoseBodyIsStillSent() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant([Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID("alice"))
    let made = try world.keys.create(.secret(scopes: []))
    let browser = Browser(world.site)
    try await browser.signIn(made.text)
    browser.betweenHeadAndBody = { _ = try? world.keys.revoke(made.key.id) }
    let refused = try await browser.open("/console/customers/alice")
    XCTAssertEqual(refused.status, 401)
  }

  func testANewSignInEndsTheEarlierSession() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let earlier = try XCTUnwrap(browser.cookie)
    let key = try world.keys.create(.secret(scopes: []))
    try await browser.signIn(key.text)
    let other = Browser(world.site)
    other.fields = [("Cookie", earlier)]
    let refused = try await other.open("/console/customers")
    XCTAssertEqual(refused.status, 401)
  }

  func testManySessionsOfOneKeyDoNotEndThoseOfOthers() async throws {
    let world = try ConsoleWorld()
    let (first, other) = (Browser(world.site), try await world.browser())
    let made = try world.keys.create(.secret(scopes: [.books]))
    try await first.signIn(made.text)
    for _ in 0..<1000 {
      world.time.advance(seconds: 1)
      _ = try await Browser(world.site).send(
        "POST", "/console/sign-in", ["Origin": "http://localhost:8383"], "key=\(made.text)&next=/console/style.css")
    }
    let kept = try await other.open("/console/customers")
    XCTAssertEqual(kept.status, 200)
    let ended = try await first.open("/console")
    XCTAssertEqual(ended.status, 401)
  }

  func testTheNewestFieldOfAProxyNamesTheClient() async throws {
    var settings = ConsoleSettings()
    settings.trustedProxies = ["10.0.0.2"]
    settings.hosts = ["ledger.example"]
    let browser = Browser(try ConsoleWorld(settings).site)
    browser.host = "ledger.example"
    browser.client = "10.0.0.2"
    for attempt in 0...10 {
      // Some proxies add a field after the one that the client invented.
      browser.fields = [
        ("X-Forwarded-Proto", "https"), ("X-Forwarded-For", "198.51.100.\(attempt)"),
        ("X-Forwarded-For", "203.0.113.9"), ("Origin", "https://ledger.example"),
      ]
      _ = try await browser.send("POST", "/console/sign-in", [:], "key=sk_wrong")
    }
    XCTAssertEqual(browser.last?.status, 429)
  }

  func testSignInAndTimeZoneLeadBackToThePage() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant([Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID("a b/c"))
    let key = try world.keys.create(.secret(scopes: []))
    let browser = Browser(world.site)
    let stranger = try await browser.open("/console/customers/a%20b%2Fc?key=k1")
    let page = try await browser.submit(stranger, "/console/sign-in", ["key": key.text])
    XCTAssertTrue(page.title == "Customer" && page.words.contains("No request of this customer"), page.words)
    let zoned = try await browser.submit(page, "/console/zone", ["zone": "Asia/Tokyo"])
    XCTAssertTrue(zoned.title == "Customer" && zoned.words.contains("No request of this customer"), zoned.words)
    for back in ["/console/../v2", "//evil.example", "/consolex", "https://evil.example", "/console/a\r\nX: y"] {
      let home = try await browser.submit(page, "/console/zone", ["back": back])
      XCTAssertEqual(home.title, "Overview", back)
    }
  }

  func testAnUnknownTimeZoneOfABrowserIsUTC() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let page = try await browser.open("/console/customers")
    XCTAssertTrue(page.text.contains("data-zone"))
    // The script would otherwise name it again on every page, and load the page again.
    let zoned = try await browser.submit(page, "/console/zone", ["zone": "Mars/Base"])
    XCTAssertFalse(zoned.text.contains("data-zone"))
  }

  func testAPageNeedsItsScopeAndSaysWhich() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant([Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID("alice"))
    let browser = try await world.browser("customer_information:customers:read")
    let customer = try await browser.open("/console/customers/alice")
    XCTAssertEqual(customer.status, 200)
    XCTAssertFalse(customer.links.contains { $0.hasSuffix("/grant") || $0.hasSuffix("/freeze") })
    for path in [
      "/console/customers/alice/grant", "/console/customers/alice/erase", "/console/customers/alice/history",
    ] {
      let refused = try await browser.open(path)
      XCTAssertEqual(refused.status, 403, path)
      XCTAssertTrue(refused.words.contains("lacks the scope customer_information:"), refused.words)
    }
  }
}
#endif
