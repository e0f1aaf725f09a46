#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// What other sites, names and networks can do with a console: nothing.
final class GuardTests: XCTestCase {
  func testEveryAnswerForbidsForeignContent() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    for path in ["/console", "/console/customers", "/console/nothing-here", "/console/style.css", "/console/script.js"]
    {
      let page = try await browser.open(path)
      let policy = try XCTUnwrap(page.header("Content-Security-Policy"), path)
      XCTAssertTrue(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), policy)
      XCTAssertFalse(policy.contains("unsafe"), policy)
      XCTAssertEqual(page.header("X-Content-Type-Options"), "nosniff")
      XCTAssertFalse(
        page.text.contains(" style=\"") || page.text.contains("<script>") || page.text.contains(" onclick"))
    }
  }

  func testAForeignNameIsRefused() async throws {
    let world = try ConsoleWorld()
    let browser = Browser(world.site)
    browser.host = "attacker.example"
    let page = try await browser.open("/console/sign-in")
    XCTAssertEqual(page.status, 403)
    var settings = ConsoleSettings()
    settings.hosts = ["ledger.example"]
    settings.hasTLS = true
    let named = Browser(try ConsoleWorld(settings).site)
    named.host = "ledger.example"
    named.client = "203.0.113.9"
    let taken = try await named.open("/console/sign-in")
    XCTAssertEqual(taken.status, 200)
  }

  func testAFormOfAnotherSiteChangesNothing() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant([Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID("alice"))
    let browser = try await world.browser()
    let page = try await browser.open("/console/customers/alice/freeze")
    let preview = try await browser.submit(page, nil, ["reason": "r"], step: "preview")
    let fields = try XCTUnwrap(preview.forms.first { $0.action.hasSuffix("/freeze") }).fields
    let token = try XCTUnwrap(fields.first { $0.name == "form_token" }?.value)
    let body = (fields.filter { $0.name != "form_token" } + [("step", "confirm")]).map { "\($0.name)=\($0.value)" }
      .joined(separator: "&")
    let path = "/console/customers/alice/freeze"
    let cases: [([String: String], String)] = [
      (["Origin": "https://attacker.example"], "&form_token=\(token)"), ([:], "&form_token=\(token)"),
      (["Origin": "null"], "&form_token=\(token)"), (["Origin": "http://localhost:8383"], ""),
      (["Origin": "http://localhost:8383"], "&form_token=0000"),
      (["Origin": "http://localhost:8383", "Sec-Fetch-Site": "cross-site"], "&form_token=\(token)"),
    ]
    for (fields, end) in cases {
      let refused = try await browser.send("POST", path, fields, body + end)
      XCTAssertEqual(refused.status, 403, "\(fields)")
    }
    XCTAssertFalse(try world.ledger.customer(CustomerID("alice")).isFrozen)
    // The same form, as the page has it.
    let taken = try await browser.send("POST", path, ["Origin": "http://localhost:8383"], body + "&form_token=\(token)")
    XCTAssertEqual(taken.status, 200)
    XCTAssertTrue(try world.ledger.customer(CustomerID("alice")).isFrozen)
  }

  func testPlainTextOverANetworkIsRefused() async throws {
    let world = try ConsoleWorld()
    let browser = Browser(world.site)
    browser.client = "203.0.113.9"
    let page = try await browser.open("/console/sign-in")
    XCTAssertEqual(page.status, 403)
    XCTAssertTrue(page.words.contains("TLS"))
  }

  func testOnlyATrustedProxyIsBelieved() async throws {
    var settings = ConsoleSettings()
    settings.trustedProxies = ["10.0.0.2"]
    settings.hosts = ["ledger.example"]
    let world = try ConsoleWorld(settings)
    let browser = Browser(world.site)
    browser.host = "ledger.example"
    browser.client = "10.0.0.2"
    browser.fields = [("X-Forwarded-Proto", "https"), ("X-Forwarded-For", "127.0.0.1, 203.0.113.9")]
    let page = try await browser.open("/console/sign-in")
    XCTAssertEqual(page.status, 200)
    browser.client = "10.0.0.3"
    let stranger = try await browser.open("/console/sign-in")
    XCTAssertEqual(stranger.status, 403)
    browser.client = "10.0.0.2"
    browser.fields = [("X-Forwarded-Proto", "http"), ("X-Forwarded-For", "203.0.113.9")]
    let plain = try await browser.open("/console/sign-in")
    XCTAssertEqual(plain.status, 403)
  }

  func testHostileTextIsShownAndNeverRun() async throws {
    let world = try ConsoleWorld()
    let names = [
      "<script>alert(1)</script>x", "\"><img src=x onerror=alert(1)>", "a' onmouseover='alert(1)", "\u{202E}gnp.exe",
      "</title><b>", String(repeating: "ü", count: 700), "&lt;b&gt;",
    ]
    for name in names {
      try await world.ledger.book(
        .grant(
          [Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID(name),
          details: CommandDetails(
            reference: Reference(String(name.prefix(100))), reason: Reason(String(name.prefix(100))))))
    }
    let browser = try await world.browser()
    let list = try await browser.open("/console/customers")
    XCTAssertFalse(list.text.contains("<img") || list.text.contains("<script>") || list.text.contains("\u{202E}"))
    let paths = list.links.filter { $0.hasPrefix("/console/customers/") }
    XCTAssertEqual(paths.count, names.count)
    for path in paths {
      for target in [path, path + "/history", path + "/currencies/GEM", path + "/grant"] {
        let page = try await browser.open(target)
        XCTAssertEqual(page.status, 200, target)
        XCTAssertFalse(
          page.text.contains("<img") || page.text.contains("<script>") || page.text.contains("\u{202E}")
            || page.text.contains("<b>"), target)
      }
    }
  }

  func testAnIDOfDotsHasItsOwnPages() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    for id in [".", "..", "~.", "~~..", "..."] {
      try world.ledger.grant([Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID(id))
      let found = try await browser.open("/console/customers?q=\(id)")
      let link = try XCTUnwrap(found.links.first { $0.hasPrefix("/console/customers/") }, id)
      // Browsers resolve parts of one or two dots.
      XCTAssertFalse(link.split(separator: "/").contains { $0 == "." || $0 == ".." }, link)
      let form = try await browser.open(link + "/freeze")
      let preview = try await browser.submit(form, nil, ["reason": "r"], step: "preview")
      XCTAssertEqual(preview.status, 200, preview.words)
      try await browser.submit(preview, nil, step: "confirm")
      XCTAssertTrue(try world.ledger.customer(CustomerID(id)).isFrozen, id)
    }
  }

  func testAnErrorShowsNoMarksOfItsCaller() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let page = try await browser.open("/console/customers/\u{202E}evil")
    XCTAssertEqual(page.status, 404)
    XCTAssertTrue(page.words.contains("\\u{202E}evil"), page.words)
    XCTAssertFalse(page.text.contains("\u{202E}"))
  }

  func testACopyOfALongTextStaysInItsCell() async throws {
    let world = try ConsoleWorld()
    try world.ledger.grant([Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID("alice"))
    let text = String(repeating: "x", count: 130) + "\n\tforged"
    _ = try world.ledger.attributes.change([.init("note", text, at: world.time.now)], of: CustomerID("alice"))
    let browser = try await world.browser()
    let page = try await browser.open("/console/customers/alice")
    XCTAssertTrue(page.text.contains("forged"))
    XCTAssertFalse(page.text.contains("\n\tforged"))
  }
}
#endif
