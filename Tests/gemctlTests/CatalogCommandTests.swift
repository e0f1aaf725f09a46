import GemLedger
import XCTest

@testable import gemctl

/// `catalog show`, `check` and `apply` of the built binary.
final class CatalogCommandTests: XCTestCase {
  private static let broken = """
    {
      "currencies": [{"code": "GEM", "name": ""}],
      "products": [
        {"code": "a", "type": "consumable", "prices": {"USA": "9.999", "XXX": "1"},
         "grants": [{"currency": "GOLD", "amount": 10}]}
      ],
      "curent_offering": "q"
    }
    """

  func testCheckListsEveryProblemWithItsPlace() throws {
    let home = try TestHome()
    try home.write(Self.broken, to: "broken.json")
    let problems = [
      "$.curent_offering: There is no such field. Did you mean \"current_offering\"?",
      "$.currencies[0].name: The text is empty.",
      "$.products[0].prices.USA: USD has 2 digits after the dot; \"9.999\" has more.",
      "$.products[0].prices.XXX: There is no such storefront; codes are like USA, JPN, VNM.",
      "$.products[0].grants[0].currency: The catalog has no currency \"GOLD\".",
    ]
    let text = "error: The catalog has 5 problems:\n\(problems.joined(separator: "\n"))\n"
    try Row.check([Row("gemctl catalog check broken.json", 65, error: text)], in: home)
    let json = try home.run("gemctl catalog check broken.json --json")
    XCTAssertEqual(json.status, 65)
    XCTAssertEqual(json.output, "")
    XCTAssertTrue(json.error.hasPrefix(#"{"error":{"code":"invalid_catalog","message":"The catalog has 5"#), json.error)
  }

  func testCheckAndApplyTellWhatChanges() throws {
    let home = try TestHome()
    let changed = BuiltInCatalog.text.replacing("\"2.99\", \"JPN\"", with: "\"1.99\", \"JPN\"")
      .replacing("\"apple\": \"gems_6500\", ", with: "")
    try home.write(changed, to: "new.json")
    let difference = """
        ~ product gems_300
            prices.USA: "2.99" -> "1.99"
        ~ product gems_6500
            store_ids.apple: "gems_6500" -> none

      """
    let fine = """
      The catalog is fine: 1 currency, 3 products, 1 offering and 2 items.

      LEFT OUT   STORE  STOREFRONT  WHY
      gems_6500  apple  DEU         no id at apple
      gems_6500  apple  JPN         no id at apple
      gems_6500  apple  USA         no id at apple
      gems_6500  apple  VNM         no id at apple

      """
    try Row.check(
      [
        Row("gemctl catalog check new.json", output: fine),
        Row("gemctl init > /dev/null"),
        Row(
          "gemctl catalog check new.json",
          output: "\(fine)\nApplied to the home .gemctl it would change:\n\(difference)"),
        Row(
          "gemctl catalog apply new.json --dry-run",
          output: "Dry run; applying it would change:\n\(difference)Offerings with changed products: gems.\n"),
        Row("gemctl catalog apply new.json", output: "Applied as version 2; this changed:\n\(difference)"),
        Row(
          "gemctl catalog apply new.json --json",
          output: #"{"dry_run":false,"credited_held_purchases":0,"added":[],"changed":[],"removed":[],"version":2}"#
            + "\n"),
        Row(
          "gemctl buy gems_6500", 2,
          error: "error: \"gems_6500\" cannot be bought at apple in USA: no id at apple.\n"),
        Row(
          "gemctl catalog show --json > shown.json && gemctl catalog apply shown.json",
          output: "Nothing changes: the catalog is in force as it is.\n"),
      ], in: home)
  }

  func testAFileWithItsVersionIsAppliedOnce() throws {
    let home = try TestHome()
    let stale = """
      error: The catalog has version 2, and the change is based on version 1. Nothing was changed; read the \
      catalog and make the change again.

      """
    try Row.check(
      [
        Row("gemctl init > /dev/null && gemctl catalog show | head -n 1", output: "Version 1\n"),
        Row(
          "gemctl catalog show --json --with-version > a.json && head -n 2 a.json", output: "{\n  \"version\": 1,\n"),
        Row("gemctl catalog check a.json | head -n 1", output: "The catalog is fine: \(Self.counts).\n"),
        Row("sed 's/\"2.99\"/\"1.99\"/' a.json > b.json"),
        Row("sed 's/\"2.99\"/\"0.99\"/' a.json > c.json"),
        Row(
          "gemctl catalog apply b.json --reason 'Summer' | head -n 1", output: "Applied as version 2; this changed:\n"),
        Row("gemctl catalog apply c.json", 2, error: stale),
        Row("gemctl catalog apply c.json --dry-run", 2, error: stale),
        Row(
          "gemctl catalog apply c.json --if-version 2 --dry-run | head -n 1",
          output: "Dry run; applying it would change:\n"),
        Row(
          "gemctl catalog apply c.json --if-version 2 | head -n 1", output: "Applied as version 3; this changed:\n"),
      ], in: home)
  }

  private static let counts = "1 currency, 3 products, 1 offering and 2 items"

  func testHistoryNamesActorsReasonsAndChanges() throws {
    let home = try TestHome()
    let setUp = """
      gemctl init > /dev/null && gemctl catalog show --json | sed 's/"2.99"/"1.99"/' > a.json \
      && gemctl catalog apply a.json --reason 'Summer prices' > /dev/null
      """
    try Row.check([Row(setUp)], in: home)
    let page = try XCTUnwrap(JSONValue.parse(home.run("gemctl catalog history --limit 1 --json").output))
    XCTAssertEqual(page["next"], 2)
    let version = try XCTUnwrap(page["versions"]?.array?.first)
    XCTAssertEqual(version["version"], 2)
    XCTAssertEqual(version["actor"], "gemctl")
    XCTAssertEqual(version["reason"], "Summer prices")
    XCTAssertEqual(version["change_count"], 1)
    let fields = ["DEU", "USA"].map { JSONValue.string("prices.\($0): \"2.99\" -> \"1.99\"") }
    XCTAssertEqual(
      version["changes"]?["changed"],
      [["part": "product", "id": "gems_300", "fields": .array(fields)]])
    let rest = try XCTUnwrap(JSONValue.parse(home.run("gemctl catalog history --before 2 --json").output))
    XCTAssertEqual(rest["versions"]?.array?.compactMap { $0["version"] }, [1])
    XCTAssertEqual(rest["next"], .null)
    let lines = try home.run("gemctl catalog history").output.split(separator: "\n")
    XCTAssertTrue(lines[1].hasPrefix("      2  "), "\(lines)")
    XCTAssertTrue(lines[1].contains("~ product gems_300") && lines[1].hasSuffix("Summer prices"), "\(lines)")
    let erased = try XCTUnwrap(JSONValue.parse(home.run("gemctl catalog history --erase-author 2 --json").output))
    XCTAssertEqual(erased["versions"]?.array?.first?["actor"], .null)
    XCTAssertEqual(erased["versions"]?.array?.first?["reason"], .null)
  }

  func testACurrencyCannotGo() throws {
    let home = try TestHome()
    try home.write(#"{"currencies": [{"code": "COIN", "name": "Coins"}]}"#, to: "coin.json")
    let answer = try home.run("gemctl init > /dev/null; gemctl catalog apply coin.json")
    XCTAssertEqual(answer.status, 65)
    XCTAssertTrue(answer.error.contains("$.currencies: The currency \"GEM\" is missing."), answer.error)
  }
}
