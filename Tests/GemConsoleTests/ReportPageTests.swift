#if Server
import Dispatch
@testable import GemConsole
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

  func testARefundWithAShortfallIsListed() async throws {
    let world = try world()
    try world.ledger.creditPurchase(Make.purchase("p2"), customer: CustomerID("bob"))
    for id in ["p1", "p2"] { try world.ledger.refund(Make.refund(id)) }
    world.time.advance(seconds: 60)
    let browser = try await world.browser()
    let purchases = try await browser.open("/console/purchases")
    XCTAssertTrue(purchases.links.contains("/console/reports/shortfalls"), purchases.words)
    let page = try await open(browser, "/console/reports/shortfalls")
    let file = try await browser.open(try XCTUnwrap(page.links.first { $0.contains("/csv?") }))
    let rows = file.text.split(separator: "\r\n").dropFirst()
    XCTAssertEqual(rows.count, 1, file.text)
    XCTAssertTrue(rows.first?.contains(",alice,p1,production,GEM,950,0,250") ?? false, file.text)
    let economist = try await world.browser("ledger:books:read")
    let refused = try await economist.open("/console/reports/shortfalls")
    XCTAssertEqual(refused.status, 403)
    let list = try await economist.open("/console/reports")
    XCTAssertFalse(list.links.contains("/console/reports/shortfalls"), list.words)
  }

  func testAMarkAfterASeparatorDoesNotForgeACell() async throws {
    let world = try world()
    // Letter and mark are one character of Swift, and two of a spreadsheet.
    let mark = "\u{301}"
    for (reason, cell) in [
      ("a,\(mark)b", "\"a,\(mark)b\""), ("a\"\(mark),b", "\"a\"\"\(mark),b\""), ("=\(mark)1+1", "'=\(mark)1+1"),
    ] {
      try await world.ledger.book(
        .grant(
          [Adjustment(CurrencyCode("GEM"), 1)], customer: CustomerID("alice"),
          details: CommandDetails(reason: Reason(reason))))
      world.time.advance(seconds: 660)
      let browser = try await world.browser()
      let page = try await open(browser, "/console/reports/statement?customer=alice")
      let file = try await browser.open(try XCTUnwrap(page.links.first { $0.contains("/csv?") }))
      let lines = file.text.utf8.split(separator: UInt8(ascii: "\n")).map { Array($0) }
      XCTAssertTrue(
        lines.contains {
          $0.starts(with: Array("20".utf8)) && Array($0.suffix(cell.utf8.count + 2)) == Array(",\(cell)\r".utf8)
        },
        "\(cell): \(file.text)")
    }
  }

  func testAMarkAfterASignBreaksNoChart() async throws {
    let world = try ConsoleWorld(catalog: try Make.catalog(replacing: "\"extra_life\"", with: "\"<\u{301}b\""))
    try world.ledger.creditPurchase(Make.purchase("p1"), customer: CustomerID("alice"))
    try world.ledger.buyItem(ItemID("<\u{301}b"), customer: CustomerID("alice"))
    world.time.advance(seconds: 60)
    let browser = try await world.browser()
    let page = try await open(browser, "/console/reports/top-items")
    let query = try XCTUnwrap(page.links.first { $0.contains("/csv?") }?.split(separator: "?").last)
    let chart = try await browser.open("/console/reports/top-items/chart.svg?\(query)")
    XCTAssertEqual(chart.header("Content-Type"), "image/svg+xml")
    XCTAssertTrue(chart.text.unicodeScalars.split(separator: "\u{301}").dropLast().allSatisfy { $0.last == ";" })
  }

  func testManyReportsDoNotWaitInLine() throws {
    let runs = ReportRuns(ManualClock().clock, patience: .nanoseconds(0))
    let gate = DispatchSemaphore(value: 0)
    var refusedCount = 0
    for number in 0..<50 {
      let state = runs.state(of: "r\(number)") { _ in
        gate.wait()
        return ReportTable(caption: "", columns: [])
      }
      guard case .failed(let error) = state else { continue }
      XCTAssertEqual(error.code, .inProgress)
      refusedCount += 1
    }
    XCTAssertEqual(refusedCount, 45)
    for _ in 0..<5 { gate.signal() }
  }

  func testAFailedReportIsShownBeforeItIsComputedAgain() throws {
    let time = ManualClock()
    let runs = ReportRuns(time.clock, patience: .never)
    for (seconds, message) in [(0, "first"), (9, "second"), (10, "third")] as [(Int64, String)] {
      time.advance(seconds: seconds)
      let state = runs.state(of: "r") { (_) throws(LedgerError) -> ReportTable in
        // It is computed for longer than its error is shown.
        time.advance(seconds: 60)
        throw LedgerError(.storageUnavailable, message)
      }
      guard case .failed(let error) = state else { return XCTFail("\(state)") }
      XCTAssertEqual(error.message, message == "second" ? "first" : message)
    }
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
