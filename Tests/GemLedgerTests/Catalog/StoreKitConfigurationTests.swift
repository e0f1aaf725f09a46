import GemLedger
import GemTestSupport
import XCTest

final class StoreKitConfigurationTests: XCTestCase {
  func testLoadsVersions1To5() throws {
    let rows: [(line: UInt, file: String, products: String, storefront: String?, locale: String?)] = [
      (#line, "v1", "gems_300 consumable USD299 | remove_ads non_consumable USD2900", nil, nil),
      (
        #line, "v2",
        "gems_300 consumable USD299 | season_pass non_renewing_subscription USD1499"
          + " | gem_club auto_renewable_subscription USD499 P1M", nil, nil
      ),
      (#line, "v3", "gems_300 consumable JPY450", "JPN", "ja"),
      (
        #line, "v4", "gems_300 consumable VND75000 | gem_club auto_renewable_subscription VND99000 P1W", "VNM", "vi"
      ),
      (#line, "v5", "gems_300 consumable EUR299 | gem_club auto_renewable_subscription EUR499 P1M", "DEU", "de"),
    ]
    for row in rows {
      let configuration = try StoreKitConfiguration.load(Fixture.bytes("storekit/\(row.file).storekit"))
      XCTAssertEqual(configuration.products.map(Self.line).joined(separator: " | "), row.products, line: row.line)
      XCTAssertEqual(configuration.storefront, row.storefront, line: row.line)
      XCTAssertEqual(configuration.locale, row.locale, line: row.line)
      XCTAssertEqual(configuration.notes.filter { $0.contains("not known") }, [], line: row.line)
      XCTAssertTrue(configuration.notes.contains { $0.contains("grants") }, line: row.line)
    }
  }

  private static func line(_ product: Product) -> String {
    let prices = product.prices.values.map { "\($0.currency)\($0.minorUnits)" }
    return ([product.code.text, product.type.description] + prices + [product.period].compactMap(\.self))
      .joined(separator: " ")
  }

  func testReadsWhatIsSwitchedOnForTests() throws {
    let text = #"""
      {"version":{"major":4,"minor":0},"settings":{"_askToBuyEnabled":true,"_billingIssuesEnabled":true,
      "_disableDialogs":false,"_failTransactionsEnabled":true,"_billingGracePeriodEnabled":true,
      "_renewalBillingIssuesEnabled":true,"_timeRate":1004,"_storeKitErrors":[
      {"name":"Purchase","enabled":true,"current":{"index":1,"type":"generic"}},
      {"name":"Load Products","enabled":false,"current":null}]}}
      """#
    let configuration = try StoreKitConfiguration.load(Array(text.utf8))
    var switches = StoreKitConfiguration.Switches()
    switches.askToBuyEnabled = true
    switches.interruptedPurchasesEnabled = true
    switches.disableDialogs = false
    switches.failTransactionsEnabled = true
    switches.billingGracePeriodIsEnabled = true
    switches.shouldEnterBillingRetryOnRenewal = true
    switches.timeRate = 1004
    switches.failingCalls = ["Purchase"]
    XCTAssertEqual(configuration.switches, switches)
    XCTAssertEqual(
      configuration.notes,
      [
        "Purchase fails with an unknown error: the number of its error means nothing outside of Xcode."
      ])
    for file in ["gems.storekit", "storekit/v1.storekit", "storekit/v3.storekit", "storekit/v5.storekit"] {
      let plain = try StoreKitConfiguration.load(Fixture.bytes(file)).switches
      XCTAssertFalse(plain.askToBuyEnabled || plain.failTransactionsEnabled, file)
    }
  }

  /// StoreKit sells such products, and Xcode's editor makes them.
  func testAProductWithoutADisplayNameShowsItsReferenceNameOrItsID() throws {
    let text = #"""
      {"version":{"major":4},"settings":{"_locale":"de"},"products":[
      {"productID":"a","referenceName":"Bag","type":"Consumable","displayPrice":"1",
       "localizations":[{"locale":"en_US","displayName":"","description":"Gems"},{"locale":"ja","displayName":"ジェム"}]},
      {"productID":"b","referenceName":"","type":"Consumable","displayPrice":"1","localizations":[]},
      {"productID":"c","referenceName":"Chest","type":"Consumable","displayPrice":"1"}]}
      """#
    let configuration = try StoreKitConfiguration.load(Array(text.utf8))
    XCTAssertEqual(
      configuration.products.map(\.localizations),
      [
        [
          Localization(locale: "en_US", title: "Bag", description: "Gems"), Localization(locale: "ja", title: "ジェム"),
        ], [Localization(locale: "de", title: "b")], [Localization(locale: "de", title: "Chest")],
      ])
    XCTAssertEqual(
      configuration.notes.prefix(2),
      [
        "The reference name is the title, because there is no display name, for \"a\", \"c\".",
        "The product id shows, because there is no name, for \"b\".",
      ])
    XCTAssertEqual(configuration.products.flatMap { $0.obstacles(at: "apple", storefront: .unitedStates) }, [])
  }

  /// The title of a catalog is written for customers; a reference name is not.
  func testMergingTakesNoReferenceNameForATitle() throws {
    let text = #"""
      {"version":{"major":4},"products":[{"productID":"gems_300","referenceName":"SKU 7","type":"Consumable",
      "displayPrice":"1.99","localizations":[
      {"locale":"en_US","displayName":""},{"locale":"fr","displayName":"Gemmes"}]}]}
      """#
    let catalog = try Catalog.load(Fixture.bytes("gems.json"))
    let merged = try catalog.merging(StoreKitConfiguration.load(Array(text.utf8)))
    let titles = try XCTUnwrap(merged.products.first).localizations
    XCTAssertEqual(titles.map(\.locale), ["fr", "en_US", "ja_JP", "vi_VN", "de_DE"])
    XCTAssertEqual(titles.first { $0.locale == "en_US" }?.title, "300 Gems")
  }

  func testAPriceThatDoesNotFitTheCurrencyTakesOnlyItsProductFromSale() throws {
    let text = #"""
      {"version":{"major":4},"settings":{"_storefront":"JPN"},"products":[
      {"productID":"a","type":"Consumable","displayPrice":"4.99"},
      {"productID":"b","type":"Consumable","displayPrice":"500"}]}
      """#
    let configuration = try StoreKitConfiguration.load(Array(text.utf8))
    let japan = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    XCTAssertEqual(configuration.products.map { $0.prices[japan]?.minorUnits }, [nil, 500])
    XCTAssertTrue(
      configuration.notes.contains(
        "\"a\" cannot be bought in JPN: JPY has 0 digits after the dot; \"4.99\" has more."),
      "\(configuration.notes)")
  }

  /// Files written by hand and by other tools: what StoreKit's own reader takes spoils no product.
  func testNullsByteOrderMarksAndPricesWithACommaSpoilNoFile() throws {
    let text = #"""
      {"version":{"major":4},"settings":{"_storefront":null,"_askToBuyEnabled":null,"_disableDialogs":null,
      "_storeKitErrors":[{"name":"Purchase","enabled":null}]},"products":[
      {"productID":"a","type":"Consumable","displayPrice":"0,99","familyShareable":null,"referenceName":null,
       "localizations":[{"locale":"en_US","displayName":null,"description":null}]},
      {"productID":"b","type":"Consumable","displayPrice":"1,299.00","localizations":null},
      {"productID":"c","type":"Consumable","displayPrice":"0.99"}]}
      """#
    for bytes in [Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8)] {
      let configuration = try StoreKitConfiguration.load(bytes)
      XCTAssertEqual(configuration.products.map(\.code.text), ["a", "b", "c"])
      XCTAssertEqual(configuration.products.map { $0.prices[.unitedStates]?.text }, [nil, nil, "0.99"])
      XCTAssertEqual(configuration.products[0].localizations.map(\.title), ["a"])
      XCTAssertEqual(configuration.switches, StoreKitConfiguration.Switches())
      for code in ["a", "b"] {
        XCTAssertTrue(
          configuration.notes.contains { $0.hasPrefix("\"\(code)\" cannot be bought in USA: ") },
          "\(configuration.notes)")
      }
    }
  }

  func testASubscriptionWithoutAPeriodIsNoted() throws {
    let text = #"""
      {"version":{"major":4},"products":[{"productID":"p","type":"RecurringSubscription","displayPrice":"1"}]}
      """#
    let configuration = try StoreKitConfiguration.load(Array(text.utf8))
    XCTAssertEqual(configuration.products.map(\.period), [nil])
    XCTAssertTrue(
      configuration.notes.contains("There is no period, and a subscription without one cannot be bought, for \"p\"."),
      "\(configuration.notes)")
  }

  func testSaysWhichPartsOfSubscriptionsItLeavesOut() throws {
    let plain = (1...7).map {
      #"""
      {"productID":"p\#($0)","type":"NonConsumable","displayPrice":"1","familyShareable":true,"referenceName":"P"}
      """#
    }
    let text = #"""
      {"version":{"major":5},"products":[\#(plain.joined(separator: ","))],
      "subscriptionGroups":[{"name":"Club","subscriptions":[
      {"productID":"m","type":"RecurringSubscription","displayPrice":"1","recurringSubscriptionPeriod":"P1M",
       "referenceName":"M","introductoryOffer":{"paymentMode":"free"},"adHocOffers":[],"codeOffers":[]},
      {"productID":"y","type":"RecurringSubscription","displayPrice":"9","recurringSubscriptionPeriod":"P1Y",
       "referenceName":"Y","introductoryOffer":null,"billingPlans":[{}]}]}]}
      """#
    let notes = try StoreKitConfiguration.load(Array(text.utf8)).notes
    XCTAssertEqual(
      notes.dropFirst().dropLast(),
      [
        "Offers are left out, and every period has the full price, for \"m\".",
        "Billing plans are left out for \"y\".",
        "Family sharing is left out, and a purchase belongs to its buyer alone, for \"p1\", \"p2\", \"p3\", \"p4\", "
          + "\"p5\" and 2 more.",
        "Subscriptions are sold one by one, without changes from one to another within the group, in \"Club\".",
      ])
  }

  func testAnUnknownLocaleIsNotedAndAFileThatIsTooLargeIsRefused() throws {
    let text = #"{"version":{"major":4},"settings":{"_locale":"","_timeRate":7}}"#
    let configuration = try StoreKitConfiguration.load(Array(text.utf8))
    XCTAssertNil(configuration.locale)
    XCTAssertEqual(
      configuration.notes,
      [
        "The file's locale \"\" is invalid: products are listed in en_US.",
        "The time rate 7 is not known: subscriptions run in real time.",
      ])
    let padded = Array(text.utf8) + [UInt8](repeating: 0x20, count: StoreKitConfiguration.byteCountMax)
    XCTAssertThrowsError(try StoreKitConfiguration.load(padded)) { error in
      XCTAssertTrue("\(error)".contains("the most is 67108864"), "\(error)")
    }
  }

  /// Files of as many products as a catalog has are within the bound.
  func testReadsAFileOfAsManyProductsAsACatalogHas() throws {
    let products = (0..<Limits.productsPerCatalog).map {
      #"{"productID":"p\#($0)","type":"Consumable","displayPrice":"1","referenceName":"Pack \#($0)"}"#
    }
    let text = #"{"version":{"major":4},"products":[\#(products.joined(separator: ","))]}"#
    let configuration = try StoreKitConfiguration.load(Array(text.utf8))
    XCTAssertEqual(configuration.products.count, Limits.productsPerCatalog)
    XCTAssertEqual(configuration.notes.count, 2)
  }

  func testNotesWhatItDoesNotKnowOnce() throws {
    let text = #"""
      {"version":{"major":6,"minor":0},"novelty":1,"settings":{"_novelty":2},"products":[
      {"productID":"a","type":"Consumable","displayPrice":"1","novelty":3,"shine":true,
       "localizations":[{"locale":"en_US","displayName":"A"}]},
      {"productID":"b","type":"Consumable","displayPrice":"1","shine":true,
       "localizations":[{"locale":"en_US","displayName":"B"}]}]}
      """#
    let notes = try StoreKitConfiguration.load(Array(text.utf8)).notes
    XCTAssertEqual(
      notes,
      [
        "The key \"novelty\" is not known, and left out (first at $.novelty).",
        "The file's version is 6, newer than 5: its new parts are left out.",
        "The key \"_novelty\" is not known, and left out (first at $.settings._novelty).",
        "The key \"shine\" is not known, and left out (first at $.products[0].shine).",
        "The file has no grants for its products: add them with a catalog.",
      ])
  }

  func testReportsEveryProblem() throws {
    let text = #"""
      {"version":{"major":0},"settings":{"_storefront":"ZZZ"},"products":[
      {"productID":"a","type":"Consumable","displayPrice":"4,99"},
      {"productID":"a","type":"Gift","displayPrice":4.99},{"type":"Consumable"},7],
      "subscriptionGroups":[{"subscriptions":[{"productID":"a","type":"RecurringSubscription","displayPrice":"12abc",
      "recurringSubscriptionPeriod":"monthly"}]}]}
      """#
    XCTAssertThrowsError(try StoreKitConfiguration.load(Array(text.utf8))) { error in
      XCTAssertEqual(
        (error as? CatalogProblems)?.problems.map(\.path),
        [
          "$.version.major", "$.settings._storefront", "$.products[1].productID",
          "$.products[1].type", "$.products[1].displayPrice", "$.products[2].productID",
          "$.products[2].displayPrice", "$.products[3]", "$.subscriptionGroups[0].subscriptions[0].productID",
          "$.subscriptionGroups[0].subscriptions[0].recurringSubscriptionPeriod",
        ])
    }
    for text in ["", "{}", "[]", "null", #"{"version":4}"#] {
      XCTAssertThrowsError(try StoreKitConfiguration.load(Array(text.utf8)), text)
    }
  }

  func testTheFixtureSaysWhatTheCatalogSays() throws {
    let catalog = try Catalog.load(Fixture.bytes("gems.json"))
    let configuration = try StoreKitConfiguration.load(Fixture.bytes("gems.storekit"))
    XCTAssertEqual(try catalog.merging(configuration), catalog)
  }

  func testMergingKeepsGrantsAndTakesPricesTextsAndTypes() throws {
    let catalog = try Catalog.load(Fixture.bytes("gems.json"))
    let configuration = try StoreKitConfiguration.load(Fixture.bytes("storekit/v4.storekit"))
    let merged = try catalog.merging(configuration)
    XCTAssertEqual(merged.products.map(\.code.text), ["gems_300", "gems_1200", "gems_6500", "gem_club"])
    let old = try XCTUnwrap(catalog.products.first)
    let new = try XCTUnwrap(merged.products.first)
    XCTAssertEqual(new.grants, old.grants)
    XCTAssertEqual(new.prices, old.prices)
    XCTAssertEqual(new.localizations.map(\.locale), ["vi", "en_US", "ja_JP", "vi_VN", "de_DE"])
    XCTAssertEqual(merged.products.last?.grants, [])
    let subscription = try StoreKitConfiguration.load(
      Array(
        #"""
        {"version":{"major":4},"products":[{"productID":"gems_300","type":"NonConsumable","displayPrice":"1.99"}]}
        """#.utf8))
    let changed = try catalog.merging(subscription).products.first
    XCTAssertEqual(changed?.type, .nonConsumable)
    XCTAssertEqual(changed?.prices[.unitedStates]?.text, "1.99")
    XCTAssertEqual(changed?.prices.count, 4)
  }

  func testMergingRefusesACodeThatIsTaken() throws {
    let catalog = try Catalog(
      currencies: [],
      products: [Product(code: ProductCode("gems_300"), storeIDs: ["apple": "other"], type: .consumable)])
    let configuration = try StoreKitConfiguration.load(Fixture.bytes("gems.storekit"))
    XCTAssertThrowsError(try catalog.merging(configuration)) { error in
      XCTAssertEqual((error as? CatalogProblems)?.problems.map(\.path), ["$.products[1].code"])
    }
  }

  func testMutatedBytesNeverTrap() throws {
    let original = try Fixture.bytes("storekit/v4.storekit")
    var mutator = ByteMutator()
    // Most are refused.
    for _ in 0..<Tier.current.length(1500, thorough: 10_000) {
      _ = try? StoreKitConfiguration.load(mutator.mutate(original))
    }
  }
}
