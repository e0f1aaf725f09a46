import GemLedger
import XCTest

final class CatalogProblemsTests: XCTestCase {
  /// Each row changes one text of a sound catalog, and names the problem that must come of it.
  private typealias Row = (line: UInt, old: String, new: String, path: String, message: String)

  func testReportsEachProblemAtItsPlace() throws {
    for row in Self.fieldRows + Self.valueRows + Self.nameRows + Self.ruleRows + Self.policyRows { try check(row) }
  }

  private func check(_ row: Row) throws {
    XCTAssertTrue(CatalogLoadTests.everything.contains(row.old), "nothing to change", line: row.line)
    let text = CatalogLoadTests.everything.replacing(row.old, with: row.new, maxReplacements: 1)
    XCTAssertThrowsError(try Catalog.load(Array(text.utf8)), line: row.line) { error in
      let problems = (error as? CatalogProblems)?.problems ?? []
      let found = problems.contains { $0.path == row.path && $0.message.contains(row.message) }
      XCTAssertTrue(found, "\(problems)", line: row.line)
    }
  }

  private static let fieldRows: [Row] = [
    (#line, #""maximum_balance":100000"#, #""maximumBalance":1"#, "$.currencies[0].maximumBalance", "maximum_balance"),
    (#line, #""store_ids""#, #""storeIds""#, "$.products[0].storeIds", "Did you mean \"store_ids\"?"),
    (#line, #""settings""#, #""setings""#, "$.setings", "Did you mean \"settings\"?"),
    (#line, #""limit":1"#, #""zzzzzz":1"#, "$.items[0].zzzzzz", "There is no such field."),
    (#line, #""code":"GEM","#, "", "$.currencies[0].code", "missing"),
    (#line, #""name":"Gems","#, "", "$.currencies[0].name", "missing"),
    (#line, #""type":"auto_renewable_subscription","#, "", "$.products[0].type", "missing"),
    (#line, #""amount":0,"#, "", "$.products[0].grants[0].amount", "missing"),
    (#line, #","product":"club""#, "", "$.offerings[0].packages[0].product", "missing"),
    (#line, #""price":{},"#, "", "$.items[0].price", "missing"),
    (#line, #"{"currencies":["#, #"{"current_offering":[],"currencies":["#, "$", "twice"),
    (#line, #"{"currencies":["#, "[", "$", "Only space may follow"),
  ]

  private static let valueRows: [Row] = [
    (#line, #""name":"Gems""#, #""name":null"#, "$.currencies[0].name", "should be a text, but is null"),
    (#line, #""name":"Gems""#, #""name":"""#, "$.currencies[0].name", "empty"),
    (
      #line, #""name":"Gems""#, #""name":"\#(String(repeating: "x", count: 51))""#, "$.currencies[0].name",
      "51 characters"
    ),
    (#line, #""code":"GEM""#, #""code":"GEM-1""#, "$.currencies[0].code", "currency code"),
    (#line, "100000", "0", "$.currencies[0].maximum_balance", "from 1 to"),
    (#line, "100000", "9007199254740992", "$.currencies[0].maximum_balance", "from 1 to"),
    (#line, "100000", "1e3", "$.currencies[0].maximum_balance", "plain digits"),
    (#line, "100000", "\"5\"", "$.currencies[0].maximum_balance", "whole number"),
    (#line, "paid_first", "paid-first", "$.currencies[0].burn_order", "\"paid_first\""),
    (#line, #""refund_policy":"debt""#, #""refund_policy":1"#, "$.currencies[0].refund_policy", "a text"),
    (#line, #""active":false"#, #""active":"no""#, "$.products[0].active", "true or false"),
    (#line, #""amazon":"c.a""#, #""steam":"c.a""#, "$.products[0].store_ids.steam", "no such store"),
    (#line, #""amazon":"c.a""#, #""amazon":"""#, "$.products[0].store_ids.amazon", "empty"),
    (#line, #""zh-Hans-CN""#, #""Chinese?""#, "$.products[0].localizations[1].locale", "locale"),
    (#line, #""title":"Club""#, #""title":"""#, "$.products[0].localizations[0].title", "empty"),
    (#line, #""JPN":"1500""#, #""JPN":"1500.5""#, "$.products[0].prices.JPN", "JPY has 0 digits"),
    (#line, #""KWT":"4.990""#, #""KWT":"4.995""#, "$.products[0].prices.KWT", "USD has 2 digits"),
    (#line, #""KWT":"4.990""#, #""KWT":"4,99""#, "$.products[0].prices.KWT", "not a price"),
    (#line, #""KWT":"4.990""#, #""KWT":4.99"#, "$.products[0].prices.KWT", "as a text"),
    (#line, #""KWT""#, #""XXX""#, "$.products[0].prices.XXX", "storefront"),
    (#line, #""prices":{"#, #""prices":[],"period":{"#, "$.products[0]", "twice"),
    (#line, #""bonus":5"#, #""bonus":-1"#, "$.products[0].grants[0].bonus", "from 0 to"),
    (#line, #""quantity":2"#, #""quantity":0"#, "$.products[0].item_grants[0].quantity", "from 1 to"),
    (#line, #""entitlement":"premium""#, #""entitlement":"a\nb""#, "$.products[0].entitlement", "control"),
    (#line, "P1Y2M3W4D", "1 month", "$.products[0].period", "ISO 8601"),
    (#line, #""metadata":{"b":1.50,"a":[null,"x"]}"#, #""metadata":[]"#, "$.offerings[0].metadata", "an object"),
    (
      #line, #"[null,"x"]"#, "\"\(String(repeating: "x", count: 8200))\"", "$.offerings[0].metadata",
      "the most is 8192"
    ),
    (#line, #""limit":1"#, #""limit":0"#, "$.items[0].limit", "from 1 to"),
    (#line, #""gold":2"#, #""gold":0"#, "$.items[1].price.gold", "from 1 to"),
    (#line, #""available":false"#, #""available":true"#, "$.items[0].available", "null, false"),
    (#line, "2026-12-01T00:00:00.000Z", "tomorrow", "$.items[1].available.from", "not a time"),
    (#line, #""project_id":"p1""#, #""project_id":"""#, "$.settings.project_id", "empty"),
    (#line, "listed", "some", "$.settings.sandbox_receipts", "\"nobody\""),
    (#line, "proven", "closed", "$.settings.logins", "\"open\""),
    (#line, #""settings":{"#, #""settings":null,"x":{"#, "$.settings", "an object"),
  ]

  private static let policyRows: [Row] = [
    (#line, #""initial_balance":50"#, #""initial_balance":0"#, "$.currencies[0].initial_balance", "from 1 to"),
    (
      #line, #""initial_balance":50"#, #""initial_balance":100001"#, "$.currencies[0].initial_balance",
      "above the most that a balance may be, 100000"
    ),
    (#line, #""recharge":{"#, #""recharge":{"cap":1,"#, "$.currencies[0].recharge.cap", "no such field"),
    (#line, #""initial_balance":50,"#, #""initial_balance":"50","#, "$.currencies[0].initial_balance", "whole number"),
    (#line, #""amount":2,"every""#, #""amount":0,"every""#, "$.currencies[0].recharge.amount", "from 1 to"),
    (#line, #","up_to":30"#, "", "$.currencies[0].recharge.up_to", "missing"),
    (#line, #""up_to":30"#, #""up_to":100001"#, "$.currencies[0].recharge.up_to", "is 100001, above the most"),
    (#line, #""90s""#, "90", "$.currencies[0].recharge.every", "as a text"),
    (#line, #""90s""#, #""1h30m""#, "$.currencies[0].recharge.every", "\"90s\", \"5m\", \"1h\" or \"30d\""),
    (#line, #""90s""#, #""0s""#, "$.currencies[0].recharge.every", "not a length of time"),
    (#line, #""90s""#, #""367d""#, "$.currencies[0].recharge.every", "from 1s to 366d, but is 367d"),
    (#line, #""per":"week","rollover""#, #""per":"year","rollover""#, "$.currencies[0].allowance.per", "\"month\""),
    (#line, #""amount":70,"#, "", "$.currencies[0].allowance.amount", "missing"),
    (#line, #""rollover":20"#, #""rollover":-1"#, "$.currencies[0].allowance.rollover", "from 0 to"),
    (#line, #""rollover":20"#, #""rollover":99931"#, "$.currencies[0].allowance", "together are 100001, above"),
    (
      #line, #""limits":{"spend":{"amount":500,"per":"day"},"grant":{"amount":800,"per":"month"}}"#, #""limits":{}"#,
      "$.currencies[0].limits", "limits nothing"
    ),
    (
      #line, #""limits":{"spend":{"amount":500,"per":"day"},"grant":{"amount":800,"per":"month"}}"#,
      #""limits":{"spend":null,"grant":null}"#, "$.currencies[0].limits", "limits nothing"
    ),
    (#line, #""limits":{"spend""#, #""limits":{"spent""#, "$.currencies[0].limits.spent", "Did you mean \"spend\"?"),
    (#line, #""amount":500,"per":"day""#, #""amount":500"#, "$.currencies[0].limits.spend.per", "missing"),
    (#line, #""amount":800"#, #""amount":0"#, "$.currencies[0].limits.grant.amount", "from 1 to"),
    (#line, #""limit_per":"day""#, #""limit_per":"hour""#, "$.items[0].limit_per", "\"day\", \"week\", \"month\""),
    (#line, #""limit":1,"limit_per""#, #""limit":null,"limit_per""#, "$.items[0].limit_per", "no limit"),
    (#line, #""stock":9"#, #""stock":0"#, "$.items[0].stock", "from 1 to"),
  ]

  private static let nameRows: [Row] = [
    (#line, #""code":"gold""#, #""code":"GEM""#, "$.currencies[1].code", "already, at $.currencies[0].code"),
    (#line, #""code":"gold""#, #""code":"silver""#, "$.products[0].grants[1].currency", "no currency \"gold\""),
    (#line, #""code":"gold""#, #""code":"silver""#, "$.items[1].price.gold", "no currency \"gold\""),
    (#line, #""currency":"gold""#, #""currency":"GEM""#, "$.products[0].grants[1]", "in the list already"),
    (#line, #""item":"hat""#, #""item":"cap""#, "$.products[0].item_grants[0].item", "no item \"cap\""),
    (#line, #""product":"club""#, #""product":"pub""#, "$.offerings[0].packages[0].product", "no product \"pub\""),
    (
      #line, #""packages":["#, #""packages":[{"id":"p","product":"club"},"#, "$.offerings[0].packages[1]",
      "in the list already"
    ),
    (#line, #""current_offering":"o""#, #""current_offering":"q""#, "$.current_offering", "no offering \"q\""),
    (#line, #""locale":"zh-Hans-CN""#, #""locale":"en_US""#, "$.products[0].localizations[1]", "already"),
    (#line, #""id":"bow""#, #""id":"hat""#, "$.items[2].id", "already, at $.items[0].id"),
    (
      #line, #""products":["#, #""products":[{"code":"club","type":"consumable"},"#, "$.products[1].code",
      "already, at $.products[0].code"
    ),
    (
      #line, #""products":["#, #""products":[{"code":"x","type":"consumable","store_ids":{"apple":"c"}},"#,
      "$.products[1].store_ids.apple", "\"apple: c\" is there already"
    ),
    (
      #line, #""offerings":["#, #""offerings":[{"id":"o"},"#, "$.offerings[1].id",
      "already, at $.offerings[0].id"
    ),
  ]

  private static let ruleRows: [Row] = [
    (
      #line, #""auto_renewable_subscription""#, #""consumable""#, "$.products[0].grants",
      "App Review Guideline 3.1.1"
    ),
    (#line, #""auto_renewable_subscription""#, #""non_consumable""#, "$.products[0].grants", "Only a grant of a sub"),
    (#line, #""auto_renewable_subscription""#, #""consumable""#, "$.products[0].period", "Only a subscription"),
    (#line, #""period":"P1Y2M3W4D""#, #""period":null"#, "$.products[0].grants", "needs the product's period"),
    (#line, #""bonus":5"#, #""bonus":0"#, "$.products[0].grants[0]", "together should be from 1"),
    (
      #line, #""amount":9007199254740991,"bonus":0"#, #""amount":9007199254740991,"bonus":1"#,
      "$.products[0].grants[1]", "together should be from 1"
    ),
    (#line, #""USA":"8.99""#, #""USA":"10.99""#, "$.products[0].discount_prices.USA", "above the price"),
    (#line, #""USA":"8.99""#, #""DEU":"8.99""#, "$.products[0].discount_prices.DEU", "no price in this storefront"),
    (#line, #""price":{"GEM":1},"#, #""price":{},"#, "$.items[2].price", "needs a price"),
    (#line, #""until":null"#, #""until":"2026-11-01T00:00:00Z""#, "$.items[1].available", "not after"),
  ]

  func testReportsEverythingAtOnce() throws {
    let text = #"""
      {"currencies":[{"code":"GEM!","nam":"x"},{"code":"A","name":"A"},{"code":"A","name":"A"}],
      "products":[{"code":"p","type":"thing","prices":{"USA":"1,5"},"grants":[{"currency":"B","amount":1}]}]}
      """#
    XCTAssertThrowsError(try Catalog.load(Array(text.utf8))) { error in
      let problems = (error as? CatalogProblems)?.problems.map(\.path)
      XCTAssertEqual(
        problems,
        [
          "$.currencies[0].nam", "$.currencies[0].code", "$.currencies[0].name", "$.currencies[2].code",
          "$.products[0].type", "$.products[0].prices.USA", "$.products[0].grants[0].currency",
        ])
    }
  }

  func testBecomesAnErrorOfTheLedger() throws {
    XCTAssertThrowsError(try Catalog.load(Array(#"{"currencies":1,"x":2}"#.utf8))) { error in
      let error = (error as? CatalogProblems)?.ledgerError
      XCTAssertEqual(error?.code, .invalidCatalog)
      let message = """
        The catalog has 2 problems:
        $.x: There is no such field.
        $.currencies: This should be a list, but is a whole number.
        """
      XCTAssertEqual(error?.message, message)
      XCTAssertEqual(error?.text("problems[0]"), "$.x: There is no such field.")
      XCTAssertEqual(error?.text("problems[1]"), "$.currencies: This should be a list, but is a whole number.")
    }
  }

  func testSaysWhereTheTextIsNoJSON() throws {
    XCTAssertThrowsError(try Catalog.load(Array("{\"currencies\":\n[1,]}".utf8))) { error in
      let message = """
        The catalog has a problem:
        $.currencies[1]: A value is missing; found "]". (line 2, column 4)
        """
      XCTAssertEqual("\(error)", message)
    }
  }

  func testBoundsLists() throws {
    let currencies = (0...1000).map { #"{"code":"C\#($0)","name":"C"}"# }.joined(separator: ",")
    let products = (0...10_000).map { #"{"code":"p\#($0)","type":"consumable"}"# }.joined(separator: ",")
    XCTAssertThrowsError(
      try Catalog.load(Array("{\"currencies\":[\(currencies)],\"products\":[\(products)]}".utf8))
    ) { error in
      let problems = (error as? CatalogProblems)?.problems.map(\.description)
      XCTAssertEqual(
        problems,
        [
          "$.currencies: The list has 1001 entries; the most is 1000.",
          "$.products: The list has 10001 entries; the most is 10000.",
        ])
    }
    let id = String(repeating: "x", count: 256)
    XCTAssertThrowsError(
      try Catalog.load(Array(#"{"currencies":[],"products":[{"code":"\#(id)","type":"consumable"}]}"#.utf8)))
  }

  func testProblemsInACurrencyDoNotHideItsCode() throws {
    let text = #"{"currencies":[{"code":"A"}],"items":[{"id":"i","name":"I","price":{"A":1}}]}"#
    XCTAssertThrowsError(try Catalog.load(Array(text.utf8))) { error in
      XCTAssertEqual((error as? CatalogProblems)?.problems.map(\.path), ["$.currencies[0].name"])
    }
  }
}
