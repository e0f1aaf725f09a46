#if Server
import GemConsole
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// The catalog's forms: the steps of the codelab's dashboard.
final class CatalogPageTests: XCTestCase {
  private func fill(
    _ browser: Browser, _ path: String, _ values: [String: String]
  ) async throws -> Browser.Page {
    let form = try await browser.open(path)
    let preview = try await browser.submit(
      form, nil, values.merging(["reason": "codelab"]) { first, _ in first }, step: "preview")
    XCTAssertTrue(preview.words.contains("Nothing has changed yet"), preview.words)
    return try await browser.submit(preview, nil, step: "confirm")
  }

  func testTheStepsOfTheDashboard() async throws {
    let world = try ConsoleWorld(catalog: Catalog.load(Array("{\"currencies\": []}".utf8)))
    let browser = try await world.browser()
    _ = try await fill(browser, "/console/catalog/currencies/new", ["code": "GEM", "name": "Gems", "active": "yes"])
    _ = try await fill(
      browser, "/console/catalog/products/new",
      [
        "code": "gems_1200", "type": "consumable", "store_ids": "apple=gems_1200\ngoogle=gems_1200", "active": "yes",
        "localizations": "en_US=1,200 Gems", "prices": "USA=9.99", "grants": "GEM=1200",
      ])
    _ = try await fill(
      browser, "/console/catalog/items/new", ["id": "extra_life", "name": "Extra life", "price": "GEM=50"])
    _ = try await fill(
      browser, "/console/catalog/offerings/new",
      ["id": "gems", "description": "Gem packs", "packages": "medium=gems_1200"])
    let done = try await fill(browser, "/console/catalog/current", ["offering": "gems"])
    XCTAssertTrue(done.words.contains("The catalog has version"), done.words)
    let catalog = try world.ledger.currentCatalog()
    XCTAssertEqual(catalog.currentOffering?.text, "gems")
    XCTAssertEqual(catalog.products.first?.grants.first?.amount, 1200)
    XCTAssertEqual(catalog.products.first?.storeIDs, ["apple": "gems_1200", "google": "gems_1200"])
    try world.ledger.creditPurchase(Make.purchase("p1"), customer: CustomerID("alice"))
    XCTAssertEqual(try world.ledger.balance(of: "GEM", customer: "alice").balance, 1200)
    let versions = try await browser.open("/console/catalog/versions")
    XCTAssertTrue(versions.words.contains("codelab") && versions.words.contains("key:"), versions.words)
  }

  func testAChangeIsPreviewedAndKeepsWhatTheFormDoesNotShow() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let form = try await browser.open("/console/catalog/products/bundle/edit")
    let preview = try await browser.submit(
      form, nil, ["grants": "GEM=600\nCOIN=300", "reason": "more gems"], step: "preview")
    XCTAssertTrue(preview.words.contains("500 -> 600"), preview.words)
    try await browser.submit(preview, nil, step: "confirm")
    let grants = try XCTUnwrap(try world.ledger.product(ProductCode("bundle"))).grants
    XCTAssertEqual(grants.map(\.amount), [600, 300])
    XCTAssertEqual(grants.map(\.bonus), [0, 30], "the bonus has no input, and stays")
  }

  func testAStaleFormIsRefusedAndAnInvalidOneNamesItsProblems() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let form = try await browser.open("/console/catalog/currencies/GEM/edit")
    let wrong = try await browser.submit(form, nil, ["name": "", "reason": "r"], step: "preview")
    XCTAssertEqual(wrong.status, 400)
    XCTAssertTrue(wrong.text.contains("The catalog has a problem:\n$.currencies[0].name"), wrong.words)
    try world.ledger.define(Currency(code: CurrencyCode("NEW"), name: "New"))
    let stale = try await browser.submit(form, nil, ["name": "Jewels", "reason": "r"], step: "confirm")
    XCTAssertEqual(stale.status, 412)
    XCTAssertEqual(try world.ledger.currentCatalog().currency(CurrencyCode("GEM"))?.name, "Gems")
  }

  func testTheWholeDocumentIsChangedAsText() async throws {
    let world = try ConsoleWorld()
    let browser = try await world.browser()
    let form = try await browser.open("/console/catalog/document")
    let text = try world.ledger.currentCatalog().text()
    let preview = try await browser.submit(
      form, nil, ["document": text.replacing("\"Sword\"", with: "\"Long sword\""), "reason": "r"], step: "preview")
    XCTAssertTrue(preview.words.contains("Long sword"), preview.words)
    try await browser.submit(preview, nil, step: "confirm")
    XCTAssertEqual(try world.ledger.currentCatalog().item(ItemID("sword"))?.name, "Long sword")
    let current = try await browser.open("/console/catalog/document")
    let refused = try await browser.submit(current, nil, ["document": "{,}", "reason": "r"], step: "preview")
    XCTAssertEqual(refused.status, 400)
  }
}
#endif
