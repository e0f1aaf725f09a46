#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// A key sees and changes in the console what its scopes allow in the API, and nothing else.
final class ScopeTests: XCTestCase {
  private let customers = "customer_information:customers:read"

  private func world() throws -> ConsoleWorld {
    let world = try ConsoleWorld()
    try world.ledger.creditPurchase(Make.purchase("p1"), customer: CustomerID("alice"))
    return world
  }

  func testBalancesNeedTheScopeOfPurchases() async throws {
    let world = try world()
    let (reader, full) = (try await world.browser(customers), try await world.browser())
    for path in ["/console/customers", "/console/customers/alice"] {
      let shown = try await full.open(path)
      XCTAssertTrue(shown.words.contains("1,200"), shown.words)
      let hidden = try await reader.open(path)
      XCTAssertEqual(hidden.status, 200)
      XCTAssertFalse(hidden.words.contains("1,200"), hidden.words)
    }
  }

  func testASearchByPurchaseOrTransactionNeedsTheScopeOfPurchases() async throws {
    let world = try world()
    let id = try XCTUnwrap(world.ledger.history(of: CustomerID("alice")).transactions.first?.booking.transactionID)
    let (reader, full) = (try await world.browser(customers), try await world.browser())
    for text in ["p1", "\(id)"] {
      let found = try await full.open("/console/customers?q=\(text)")
      XCTAssertTrue(found.links.contains("/console/customers/alice"), found.words)
      let hidden = try await reader.open("/console/customers?q=\(text)")
      XCTAssertFalse(hidden.links.contains("/console/customers/alice"), hidden.words)
    }
    let byID = try await reader.open("/console/customers?q=alice")
    XCTAssertTrue(byID.links.contains("/console/customers/alice"), byID.words)
  }

  func testAStatementNeedsTheScopeOfPurchases() async throws {
    let world = try world()
    let reader = try await world.browser("ledger:books:read")
    for path in ["statement", "statement?customer=alice", "statement/csv?customer=alice"] {
      let refused = try await reader.open("/console/reports/\(path)")
      XCTAssertEqual(refused.status, 403, path)
    }
    let list = try await reader.open("/console/reports")
    XCTAssertEqual(list.status, 200)
    XCTAssertFalse(list.links.contains("/console/reports/statement"))
    XCTAssertTrue(list.links.contains("/console/reports/flows"))
  }

  func testTheWholeCatalogNeedsItsOwnScope() async throws {
    let world = try world()
    let areas = ["virtual_currencies", "products", "offerings"].map { "project_configuration:\($0):read_write" }
    let editor = try await world.browser(areas[0], areas[1], areas[2])
    // The document has settings, such as the receipts that are credited.
    for path in ["document", "file", "versions", "items/new", "items/sword/edit", "items/sword/remove"] {
      let refused = try await editor.open("/console/catalog/\(path)")
      XCTAssertEqual(refused.status, 403, path)
    }
    let page = try await editor.open("/console/catalog")
    XCTAssertEqual(page.status, 200)
    XCTAssertFalse(page.words.contains("Sword"), page.words)
    XCTAssertFalse(page.links.contains { $0.hasSuffix("/document") || $0.contains("/items/") }, "\(page.links)")
    let done = try await editor.act("/console/catalog/currencies/GEM/edit", ["name": "Jewels"])
    XCTAssertEqual(done.status, 200, done.words)
    let owner = try await world.browser("project_configuration:catalog:read_write")
    let text = try world.ledger.currentCatalog().text().replacing("\"Sword\"", with: "\"Long sword\"")
    let changed = try await owner.act("/console/catalog/document", ["document": text])
    XCTAssertTrue(changed.title == "Catalog" && changed.words.contains("Long sword"), changed.words)
  }

  func testAPartOfTheCatalogNeedsItsScope() async throws {
    let world = try world()
    let reader = try await world.browser("project_configuration:products:read")
    let page = try await reader.open("/console/catalog")
    XCTAssertEqual(page.status, 200)
    XCTAssertTrue(page.words.contains("Products") && !page.words.contains("Offerings"), page.words)
    let products = try await world.browser("project_configuration:products:read_write")
    let refused = try await products.open("/console/catalog/offerings/new")
    XCTAssertEqual(refused.status, 403)
  }

  func testAChangeByAKeyWithoutThePurchasesEndsOnTheCustomersPage() async throws {
    let world = try world()
    try world.ledger.grant([Adjustment(CurrencyCode("GEM"), 5)], customer: CustomerID("bob"))
    let browser = try await world.browser("customer_information:customers:read_write")
    let frozen = try await browser.act("/console/customers/bob/freeze")
    XCTAssertEqual(frozen.status, 200, frozen.words)
    XCTAssertTrue(frozen.title == "Customer" && frozen.words.contains("Done."), frozen.words)
  }

  func testAMergeMovesCurrencyAndNeedsBothScopes() async throws {
    let world = try world()
    let browser = try await world.browser("customer_information:customers:read_write")
    for part in ["merge", "unmerge"] {
      let refused = try await browser.open("/console/customers/alice/\(part)")
      XCTAssertEqual(refused.status, 403, part)
    }
    let page = try await browser.open("/console/customers/alice")
    XCTAssertFalse(page.links.contains { $0.hasSuffix("merge") }, "\(page.links)")
  }
}
#endif
