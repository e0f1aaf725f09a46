import GemLedger
import XCTest

final class CatalogLoadTests: XCTestCase {
  func testLoadsTheFixture() throws {
    let catalog = try Catalog.load(Fixture.bytes("gems.json"))
    let gem = try CurrencyCode("GEM")
    XCTAssertEqual(catalog.currency(gem), Currency(code: gem, name: "Gems", description: "Hard currency"))
    XCTAssertEqual(catalog.products.map(\.code.text), ["gems_300", "gems_1200", "gems_6500"])
    XCTAssertEqual(catalog.products.map(\.grants.first?.amount), [300, 1200, 6500])
    XCTAssertEqual(catalog.currentOffering, try OfferingID("gems"))
    XCTAssertEqual(catalog.offerings.first?.packages.map(\.id), ["small", "medium", "large"])
    XCTAssertEqual(
      catalog.item(try ItemID("extra_life"))?.price, [CurrencyAmount(currency: gem, amount: 50)])
    XCTAssertEqual(catalog.settings, CatalogSettings(bundleID: "com.example.gems"))
    let product = try XCTUnwrap(catalog.product(storeID: "gems_1200", at: "google"))
    XCTAssertEqual(product.code, try ProductCode("gems_1200"))
    let price = try XCTUnwrap(product.prices[XCTUnwrap(StorefrontCode(exactly: "USA"))])
    XCTAssertEqual(price.minorUnits, 999)
    XCTAssertEqual(price.currency.code, "USD")
  }

  func testSmallestCatalogHasTheDefaults() throws {
    let catalog = try Catalog.load(Array(#"{"currencies":[{"code":"GEM","name":"Gems"}]}"#.utf8))
    XCTAssertEqual(catalog, try Catalog(currencies: [Currency(code: CurrencyCode("GEM"), name: "Gems")]))
    XCTAssertEqual(catalog.settings.projectID, "default")
    XCTAssertEqual(catalog.currencies.first?.burnOrder, .freeFirst)
    XCTAssertEqual(catalog.currencies.first?.refundPolicy, .floor)
  }

  func testRoundTripsThroughJSON() throws {
    for text in [String(decoding: try Fixture.bytes("gems.json"), as: UTF8.self), Self.everything] {
      let catalog = try Catalog.load(Array(text.utf8))
      XCTAssertEqual(try Catalog(json: catalog.json()), catalog)
      XCTAssertEqual(try Catalog.load(Array(catalog.text().utf8)), catalog)
      for product in catalog.products { XCTAssertEqual(try Product(json: product.json()), product) }
      for item in catalog.items { XCTAssertEqual(try Item(json: item.json()), item) }
      for currency in catalog.currencies { XCTAssertEqual(try Currency(json: currency.json()), currency) }
      for offering in catalog.offerings { XCTAssertEqual(try Offering(json: offering.json()), offering) }
      XCTAssertEqual(try CatalogSettings(json: catalog.settings.json()), catalog.settings)
    }
  }

  func testWritesWhatItRead() throws {
    let value = try JSONValue.parse(Self.everything)
    XCTAssertEqual(try Catalog(json: value).json(), value)
  }

  func testChecksCatalogsMadeInCode() throws {
    let gem = try CurrencyCode("GEM")
    let twice = [CurrencyAmount(currency: gem, amount: 1), CurrencyAmount(currency: gem, amount: 2)]
    XCTAssertThrowsError(
      try Catalog(
        currencies: [Currency(code: gem, name: "")],
        products: [Product(code: ProductCode("p"), type: .consumable, grants: [Grant(currency: gem, amount: -1)])],
        items: [Item(id: ItemID("i"), name: "I", price: twice)])
    ) { error in
      let paths = (error as? CatalogProblems)?.problems.map(\.path)
      XCTAssertEqual(
        paths, ["$.currencies[0].name", "$.products[0].grants[0].amount", "$.items[0].price.GEM"])
    }
  }

  func testMutatedBytesNeverTrap() throws {
    var mutator = ByteMutator()
    for round in 0..<10_000 {
      guard let catalog = try? Catalog.load(mutator.mutate(Array(Self.everything.utf8))) else { continue }
      XCTAssertEqual(try? Catalog(json: catalog.json()), catalog, "seed \(mutator.seed), round \(round)")
    }
  }

  func testAvailabilityHoldsFromTheFirstInstantUntilBeforeTheLast() throws {
    let from = try XCTUnwrap(Timestamp("2026-12-01T00:00:00Z"))
    let until = try XCTUnwrap(Timestamp("2027-01-01T00:00:00Z"))
    let availability = Availability.between(from, until)
    XCTAssertTrue(availability.holds(at: from))
    XCTAssertFalse(availability.holds(at: Timestamp(milliseconds: from.milliseconds - 1)))
    XCTAssertTrue(availability.holds(at: Timestamp(milliseconds: until.milliseconds - 1)))
    XCTAssertFalse(availability.holds(at: until))
    XCTAssertTrue(Availability.always.holds(at: from))
    XCTAssertFalse(Availability.never.holds(at: from))
  }

  /// A catalog that uses every field, as the writer orders it.
  static let everything = #"""
    {"currencies":[{"code":"GEM","name":"Gems","description":"Hard","icon":"gem.png","maximum_balance":100000,
    "burn_order":"paid_first","refund_policy":"debt"},{"code":"gold","name":"Gold","description":null,"icon":null,
    "maximum_balance":null,"burn_order":"free_first","refund_policy":"freeze"}],
    "products":[{"code":"club","store_ids":{"amazon":"c.a","apple":"c","google":"c","test":"c"},
    "type":"auto_renewable_subscription","active":false,
    "localizations":[{"locale":"en_US","title":"Club","description":""},
    {"locale":"zh-Hans-CN","title":"俱乐部","description":"é"}],
    "prices":{"JPN":"1500","KWT":"4.990","USA":"9.99"},"discount_prices":{"USA":"8.99"},
    "grants":[{"currency":"GEM","amount":0,"bonus":5,"expires_at_cycle_end":true},
    {"currency":"gold","amount":9007199254740991,"bonus":0,"expires_at_cycle_end":false}],
    "item_grants":[{"item":"hat","quantity":2}],"entitlement":"premium","period":"P1Y2M3W4D"}],
    "offerings":[{"id":"o","description":"","metadata":{"b":1.50,"a":[null,"x"]},
    "packages":[{"id":"p","product":"club"}]}],"current_offering":"o",
    "items":[{"id":"hat","name":"Hat","price":{},"limit":1,"available":false},
    {"id":"sword","name":"Sword","price":{"GEM":1,"gold":2},"limit":null,
    "available":{"from":"2026-12-01T00:00:00.000Z","until":null}},
    {"id":"bow","name":"Bow","price":{"GEM":1},"limit":null,"available":null}],
    "settings":{"project_id":"p1","bundle_id":null,"sandbox_receipts":"listed"}}
    """#
}
