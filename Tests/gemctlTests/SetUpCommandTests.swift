import Foundation
import GemLedger
import XCTest

@testable import gemctl

/// `init`, `catalog` and `offerings` of the built binary.
final class SetUpCommandTests: XCTestCase {
  func testInitMakesAPrivateHomeOnce() throws {
    let home = try TestHome()
    let made = """
      Made the home .gemctl with 1 currency, 3 products, 1 offering and 2 items.
      Signed in as <anonymous>, a new anonymous customer.
      Next: gemctl offerings

      """
    let inUse = "error: The home \".gemctl\" is in use already. Name another one with --home.\n"
    try Row.check(
      [
        Row("gemctl init", output: made),
        Row("gemctl init", 2, error: inUse),
        Row("ls .gemctl", output: "home.json\nledger.sqlite\n"),
        Row("ls -l .gemctl | tail -n +2 | cut -c1-10", output: "-rw-------\n-rw-------\n"),
        Row("ls -ld .gemctl | cut -c1-10", output: "drwx------\n"),
        Row(
          "mkdir -m 755 empty; gemctl --home empty init --json; ls -ld empty | cut -c1-10",
          output: """
            {"home":"empty","customer_id":"<anonymous>","currencies":1,"products":3,"offerings":1,"items":2,"notes":[]}
            drwx------

            """),
        Row("gemctl --home a/b/c init | head -1", output: made.replacing(".gemctl", with: "a/b/c").firstLine),
      ], in: home)
  }

  func testInitMakesNothingOfACatalogWithProblems() throws {
    let home = try TestHome()
    try home.write(#"{"currencies": [{"code": "GEM"}]}"#, to: "bad.json")
    try Row.check(
      [
        Row(
          "gemctl init bad.json", 65,
          error: "error: The catalog has a problem:\n$.currencies[0].name: The field is missing.\n"),
        Row("gemctl init none.json", 74, error: "error: \"none.json\" cannot be read: No such file or directory.\n"),
        Row("ls -A", output: "bad.json\n"),
      ], in: home)
  }

  func testTwoInitsAtOnceMakeOneHome() throws {
    let answer = try TestHome().run(
      "for i in 1 2 3 4; do { gemctl init > /dev/null 2>&1; echo $?; } & done | sort; wait; gemctl balance GEM --json")
    XCTAssertTrue(answer.output.hasPrefix("0\n2\n2\n2\n{\"customer_id\":\"<anonymous>\""), answer.output)
  }

  func testWithoutAHomeEveryVerbSaysHowToMakeOne() throws {
    let missing = """
      error: There is no home at ".gemctl". Make one with "gemctl init", or name another with --home.

      """
    let lines = [
      "balance", "history", "customers", "verify", "offerings", "catalog show", "buy gems_300", "spend GEM=1",
      "balance --customer alice",
    ]
    try Row.check(lines.map { Row("gemctl \($0)", 74, error: missing) }, in: TestHome())
  }

  func testTheBuiltInCatalogIsTheFixture() throws {
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fixtures/gems.json")
    XCTAssertEqual(BuiltInCatalog.text, String(decoding: try Data(contentsOf: fixture), as: UTF8.self))
    XCTAssertEqual(try BuiltInCatalog.load().products.count, 3)
  }

  func testOfferingsInTheWindowsOfSeveralCountries() throws {
    let home = try TestHome()
    try Row.check(
      [
        Row("gemctl init > /dev/null"),
        Row(
          "gemctl offerings",
          output: """
            gems (current): Gem packs
            PACKAGE  PRODUCT    TITLE        PRICE  GRANTS
            small    gems_300   300 Gems     $2.99  300 GEM
            medium   gems_1200  1,200 Gems   $9.99  1,200 GEM
            large    gems_6500  6,500 Gems  $49.99  6,500 GEM

            """),
        Row(
          "gemctl offerings gems --storefront FRA",
          output: """
            gems (current): Gem packs
            Nothing to buy.

            Left out at apple in FRA:
              gems_300: no price in FRA
              gems_1200: no price in FRA
              gems_6500: no price in FRA

            """),
        Row(
          "gemctl offerings gem", 5,
          error: "error: There is no offering \"gem\" in the catalog. Did you mean \"gems\"?\n"),
      ], in: home)
    let japan = try home.run("gemctl offerings --json --storefront JPN --locale ja_JP").output
    XCTAssertTrue(
      japan.hasPrefix(
        #"{"current":"gems","offerings":[{"id":"gems","description":"Gem packs","packages":[{"id":"small","#
          + #""product_id":"gems_300","store_id":"gems_300","title":"ジェム300個","description":"ひとつかみのジェム","#
          + #""price":{"amount":"450","currency":"JPY"},"localized_price":"¥450","grants":{"GEM":300}}"#), japan)
  }

  /// The packs that gemctl brings along take no room from a file's products.
  func testAFileMayHaveAsManyProductsAsACatalog() throws {
    let products = (0..<10_000).map {
      #"{"productID":"p\#($0)","type":"Consumable","displayPrice":"1","referenceName":"Pack"}"#
    }
    let home = try TestHome()
    try home.write(#"{"version":{"major":4},"products":[\#(products.joined(separator: ","))]}"#, to: "many.storekit")
    let answer = try home.run("gemctl init --storekit many.storekit | head -1")
    XCTAssertEqual(answer.output, "Made the home .gemctl with 1 currency, 10,000 products, 1 offering and 2 items.\n")
  }

  func testProblemsOfAStoreKitFileNameTheFile() throws {
    let home = try TestHome()
    try home.write(
      #"{"version":{"major":4},"products":[{"productID":"a","type":"Gift","displayPrice":"1"}]}"#, to: "x.storekit")
    let answer = try home.run("gemctl init --storekit x.storekit")
    XCTAssertEqual(answer.status, 65)
    XCTAssertEqual(
      answer.error,
      "error: The file \"x.storekit\" has a problem:\n$.products[0].type: There is no product type \"Gift\".\n")
  }

  func testStoreKitFilesBringProducts() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fixtures/gems.storekit").path
    let answer = try TestHome().run("gemctl init --storekit '\(file)'")
    XCTAssertEqual(answer.status, 0)
    XCTAssertTrue(answer.output.contains("note: The file has no grants for its products"), answer.output)
  }

  /// A file of its own brings its products, and the shop shows them and no others.
  func testAStoreKitFileIsTheShop() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fixtures/storekit/v1.storekit").path
    let home = try TestHome()
    XCTAssertEqual(try home.run("gemctl init --storekit '\(file)'").status, 0)
    let shop = try home.run("gemctl offerings --json").output
    XCTAssertTrue(shop.hasPrefix(#"{"current":"storekit","offerings":[{"id":"storekit""#), shop)
    XCTAssertTrue(shop.contains("remove_ads"), shop)
    XCTAssertFalse(shop.contains("gems_6500"), shop)
  }

  /// What the file switches on for tests holds in the home, with its storefront and its language.
  func testTheSwitchesOfAStoreKitFileHoldInTheHome() throws {
    let home = try TestHome()
    try home.write(
      #"""
      {"version":{"major":4,"minor":0},
       "settings":{"_storefront":"JPN","_locale":"ja","_askToBuyEnabled":true,"_timeRate":13},
       "products":[
        {"productID":"gems_300","type":"Consumable","displayPrice":"500","referenceName":"Gems","localizations":[
         {"locale":"en_US","displayName":"Gems"},{"locale":"ja","displayName":"ジェム"}]},
        {"productID":"gift","type":"Consumable","displayPrice":"4.99","referenceName":"Gift",
         "localizations":[{"locale":"en_US","displayName":""}]}]}
      """#, to: "shop.storekit")
    try Row.check(
      [
        Row(
          "gemctl init --storekit shop.storekit | grep note:",
          output: """
            note: The reference name is the title, because there is no display name, for "gift".
            note: "gift" cannot be bought in JPN: JPY has 0 digits after the dot; "4.99" has more.
            note: The file has no grants for its products: add them with a catalog.
            note: Ask to Buy is on: purchases wait for "gemctl approve".
            note: The file's test switches are in force: "gemctl store settings" shows and changes them.

            """),
        Row(
          "gemctl offerings",
          output: """
            storekit (current): Products of the StoreKit file
            PACKAGE   PRODUCT   TITLE   PRICE  GRANTS
            gems_300  gems_300  ジェム   ¥500  300 GEM

            Left out at apple in JPN:
              gift: no price in JPN

            """),
        Row(
          "gemctl buy gems_300 | head -1",
          output: "Pending: the purchase needs approval (\"gemctl approve ID\" or \"gemctl decline ID\").\n"),
        Row(
          "gemctl store settings ask-to-buy off",
          output: """
            SETTING                VALUE
            ask-to-buy             off
            interrupted-purchases  off
            fail-transactions      off
            grace-period           off
            billing-retry          off
            failing-calls          none
            time-rate              month=5m
            storefront             JPN
            locale                 ja

            """),
        Row("gemctl buy gems_300 --json | grep -o '\"result\":\"[a-z]*\"'", output: "\"result\":\"success\"\n"),
        Row(
          "gemctl store settings failing-calls purchase --json | grep -o '\"failing_calls[^,]*'",
          output: "\"failing_calls\":\"purchase\"\n"),
        Row("gemctl buy gems_300 > /dev/null", 3),
        Row(
          "gemctl store settings storefront USA > /dev/null; gemctl offerings | tail -1",
          output: "  gift: no price in USA\n"),
      ], in: home)
  }

  func testASettingTakesItsOwnValuesOnly() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.run("gemctl init > /dev/null").status, 0)
    try Row.check(
      [
        Row("gemctl store settings ask-to-buy", 64, error: "error: ask-to-buy takes on or off.\n"),
        Row("gemctl store settings ask-to-buy yes", 64, error: "error: ask-to-buy takes on or off; got \"yes\".\n"),
        Row("gemctl store settings time-rate 5", 64, error: "error: time-rate takes real, day=1h"),
        Row(
          "gemctl store settings failing-calls purchase,none", 64, error: "error: failing-calls takes none, or calls"),
        Row("gemctl store settings mood on", 64, error: "error: NAME takes ask-to-buy, "),
        Row("gemctl --home play init --store google > /dev/null"),
        Row("gemctl --home play store settings ask-to-buy on", 2, error: "error: The Google-Play-like store has no"),
        Row(
          "gemctl --home play store settings time-rate day=1s --json | cut -c1-33",
          output: "{\"settings\":{\"time_rate\":\"day=1s\"\n"),
      ], in: home, errorsBegin: true)
  }
}

extension String {
  fileprivate var firstLine: String { String(prefix { $0 != "\n" }) + "\n" }
}
