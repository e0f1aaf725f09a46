#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// The reports, as pages and as files.
final class ReportPageTests: XCTestCase {
  private func world() throws -> ConsoleWorld {
    let world = try ConsoleWorld()
    try world.ledger.creditPurchase(Make.purchase("p1"), customer: CustomerID("alice"))
    try world.ledger.spend([Adjustment(CurrencyCode("GEM"), 200)], customer: CustomerID("alice"))
    try world.ledger.buyItem(ItemID("extra_life"), customer: CustomerID("alice"))
    return world
  }

  /// Opens a page until its report is computed.
  private func open(_ browser: Browser, _ path: String) async throws -> Browser.Page {
    var page = try await browser.open(path)
    while page.words.contains("The journal is being read") { page = try await browser.open(path) }
    return page
  }

  func testEveryReportIsAPageAndAFile() async throws {
    let world = try world()
    world.time.advance(seconds: 60)
    let browser = try await world.browser()
    for (name, expected) in [
      ("flows", "purchase"), ("unspent", "9.99"), ("statement?customer=alice", "spend"), ("top-items", "extra_life"),
      ("cohorts", "production"),
    ] {
      let page = try await open(browser, "/console/reports/\(name)")
      XCTAssertEqual(page.status, 200, name)
      let link = try XCTUnwrap(page.links.first { $0.contains("/csv?") }, "\(name): \(page.words)")
      let file = try await browser.open(link)
      XCTAssertEqual(file.header("Content-Type"), "text/csv; charset=utf-8")
      XCTAssertTrue(file.text.contains(name == "unspent" ? "7.91 USD" : expected), file.text)
    }
    let flows = try await open(browser, "/console/reports/flows?zone=Asia/Tokyo")
    XCTAssertTrue(flows.text.contains("<img src=\"/console/reports/flows/chart.svg?"), flows.text)
    let wrong = try await browser.open("/console/reports/flows?zone=Mars/Base")
    XCTAssertEqual(wrong.status, 400)
    let turned = try await browser.open("/console/reports/flows?from=2026-02-01&until=2026-01-01")
    XCTAssertEqual(turned.status, 400)
  }

  func testAFileHasNoFormulasOfStrangers() async throws {
    let world = try world()
    try await world.ledger.book(
      .grant(
        [Adjustment(CurrencyCode("GEM"), 1)], customer: CustomerID("alice"),
        details: CommandDetails(reason: Reason("=HYPERLINK(\"http://x\",\"a,b\")"))))
    world.time.advance(seconds: 60)
    let browser = try await world.browser()
    _ = try await open(browser, "/console/reports/statement?customer=alice")
    let page = try await open(browser, "/console/reports/statement?customer=alice")
    let file = try await browser.open(try XCTUnwrap(page.links.first { $0.contains("/csv?") }))
    XCTAssertTrue(file.text.contains("\"'=HYPERLINK(\"\"http://x\"\",\"\"a,b\"\")\""), file.text)
  }

  func testTheOverviewHasTheTotals() async throws {
    let world = try world()
    let browser = try await world.browser()
    var page = try await browser.open("/console")
    while page.words.contains("for the first time") { page = try await browser.open("/console") }
    XCTAssertTrue(page.words.contains("GEM production 950"), page.words)
    XCTAssertTrue(page.words.contains("Purchases, production 1"), page.words)
  }
}
#endif
