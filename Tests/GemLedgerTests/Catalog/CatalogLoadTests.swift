import GemLedger
import GemTestSupport
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

  func testReadsThePoliciesOfCurrenciesAndItems() throws {
    let catalog = try Catalog.load(Array(Self.everything.utf8))
    let gem = try XCTUnwrap(catalog.currency(CurrencyCode("GEM")))
    XCTAssertEqual(gem.initialBalance, 50)
    XCTAssertEqual(gem.recharge, Recharge(amount: 2, every: TimeSpan(seconds: 90), upTo: 30))
    XCTAssertEqual(gem.allowance, Allowance(amount: 70, per: .week, rollover: 20))
    XCTAssertEqual(gem.spendLimit, WindowLimit(amount: 500, per: .day))
    XCTAssertEqual(gem.grantLimit, WindowLimit(amount: 800, per: .month))
    let gold = try XCTUnwrap(catalog.currency(CurrencyCode("gold")))
    XCTAssertEqual([gold.spendLimit, gold.grantLimit], [nil, WindowLimit(amount: 5, per: .week)])
    let hat = try XCTUnwrap(catalog.item(ItemID("hat")))
    XCTAssertEqual([hat.limit, hat.stock], [1, 9])
    XCTAssertEqual(hat.limitPeriod, .day)
  }

  func testOnlyAnInactiveCurrencySaysSo() throws {
    let text = #"{"currencies":[{"code":"A","name":"A","active":false},{"code":"B","name":"B","active":true}]}"#
    let catalog = try Catalog.load(Array(text.utf8))
    XCTAssertEqual(catalog.currencies.map(\.isActive), [false, true])
    XCTAssertEqual(catalog.currencies.map { $0.json()["active"] }, [false, nil])
    XCTAssertEqual(try Currency(json: catalog.currencies[0].json()), catalog.currencies[0])
    let active = try Catalog.load(Array(text.replacing("false", with: "true").utf8))
    let difference = CatalogDifference(from: active, to: catalog)
    XCTAssertEqual(difference.changed.flatMap(\.fields), ["active: none -> false"])
  }

  func testAbsentPoliciesAreNone() throws {
    let text = #"""
      {"currencies":[{"code":"GEM","name":"Gems","allowance":{"amount":1,"per":"day"}},{"code":"OLD","name":"Old"}],
      "items":[{"id":"hat","name":"Hat","price":{"GEM":1}}]}
      """#
    let catalog = try Catalog.load(Array(text.utf8))
    XCTAssertEqual(catalog.currencies[0].allowance, Allowance(amount: 1, per: .day, rollover: 0))
    XCTAssertEqual(catalog.currencies[1], Currency(code: try CurrencyCode("OLD"), name: "Old"))
    XCTAssertNil(CurrencyPolicies(of: catalog.currencies[1]))
    XCTAssertEqual(CurrencyPolicies(of: catalog.currencies[0])?.allowance?.amount, 1)
    XCTAssertEqual(
      catalog.items[0],
      Item(
        id: try ItemID("hat"), name: "Hat", price: [CurrencyAmount(currency: try CurrencyCode("GEM"), amount: 1)]))
  }

  func testRoundTripsThroughJSON() throws {
    for text in [String(decoding: try Fixture.bytes("gems.json"), as: UTF8.self), Self.everything] {
      let catalog = try Catalog.load(Array(text.utf8))
      XCTAssertEqual(try Catalog(json: catalog.json()), catalog)
      XCTAssertEqual(try Catalog.load(Array(catalog.text().utf8)), catalog)
      for product in catalog.products { XCTAssertEqual(try Product(json: product.json()), product) }
      for item in catalog.items { XCTAssertEqual(try Item(json: item.json()), item) }
      for currency in catalog.currencies { XCTAssertEqual(try Currency(json: currency.json()), currency) }
      for offering in catalog.offerings { XCTAssertEqual(try CatalogOffering(json: offering.json()), offering) }
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

  func testChecksPoliciesMadeInCode() throws {
    let gem = try CurrencyCode("GEM")
    let rows: [(line: UInt, currency: Currency, path: String)] = [
      (#line, Currency(code: gem, name: "G", initialBalance: 0), "initial_balance"),
      (
        #line, Currency(code: gem, name: "G", recharge: Recharge(amount: 1, every: TimeSpan(seconds: 0), upTo: 1)),
        "recharge.every"
      ),
      (
        #line, Currency(code: gem, name: "G", recharge: Recharge(amount: 1, every: TimeSpan(seconds: -60), upTo: 1)),
        "recharge.every"
      ),
      (#line, Currency(code: gem, name: "G", spendLimit: WindowLimit(amount: 0, per: .day)), "limits.spend.amount"),
    ]
    for row in rows {
      XCTAssertThrowsError(try Catalog(currencies: [row.currency]), line: row.line) { error in
        let paths = (error as? CatalogProblems)?.problems.map(\.path)
        XCTAssertEqual(paths, ["$.currencies[0].\(row.path)"], line: row.line)
      }
    }
  }

  func testMutatedBytesNeverTrap() throws {
    var mutator = ByteMutator()
    for round in 0..<Tier.current.length(1500, thorough: 10_000) {
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
    "burn_order":"paid_first","refund_policy":"debt","initial_balance":50,
    "recharge":{"amount":2,"every":"90s","up_to":30},"allowance":{"amount":70,"per":"week","rollover":20},
    "limits":{"spend":{"amount":500,"per":"day"},"grant":{"amount":800,"per":"month"}}},
    {"code":"gold","name":"Gold","description":null,"icon":null,"maximum_balance":null,"burn_order":"free_first",
    "refund_policy":"freeze","initial_balance":null,"recharge":null,"allowance":null,
    "limits":{"spend":null,"grant":{"amount":5,"per":"week"}}}],
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
    "items":[
    {"id":"hat","name":"Hat","price":{},"limit":1,"limit_per":"day","stock":9,"available":false},
    {"id":"sword","name":"Sword","price":{"GEM":1,"gold":2},"limit":null,"limit_per":null,
    "stock":null,"available":{"from":"2026-12-01T00:00:00.000Z","until":null}},
    {"id":"bow","name":"Bow","price":{"GEM":1},"limit":4,"limit_per":null,"stock":null,"available":null}],
    "settings":{"project_id":"p1","bundle_id":null,"sandbox_receipts":"listed","logins":"proven"}}
    """#
}
