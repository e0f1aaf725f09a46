import GemLedger
import XCTest

final class CatalogDifferenceTests: XCTestCase {
  private func catalog(changing replacements: [(String, String)] = []) throws -> Catalog {
    var text = CatalogLoadTests.everything
    for (old, new) in replacements {
      XCTAssertTrue(text.contains(old))
      text = text.replacing(old, with: new, maxReplacements: 1)
    }
    return try Catalog.load(Array(text.utf8))
  }

  func testEqualCatalogsDoNotDiffer() throws {
    let catalog = try catalog()
    XCTAssertTrue(CatalogDifference(from: catalog, to: catalog).isEmpty)
    XCTAssertEqual(catalog.problemsReplacing(catalog), [])
  }

  func testChangesNameTheFields() throws {
    let rows: [(line: UInt, old: String, new: String, entry: String)] = [
      (#line, #""USA":"9.99""#, #""USA":"9.49""#, #"product club prices.USA: "9.99" -> "9.49""#),
      (#line, #""JPN":"1500","#, "", #"product club prices.JPN: "1500" -> none"#),
      (#line, #""bonus":5"#, #""bonus":6"#, "product club grants[0].bonus: 5 -> 6"),
      (#line, #""name":"Gold""#, #""name":"Geld""#, #"currency gold name: "Gold" -> "Geld""#),
      (#line, #""b":1.50,"#, #""b c":2,"#, "offering o metadata['b c']: none -> 2|metadata.b: 1.50 -> none"),
      (#line, #"{"id":"p","product":"club"}"#, "", #"offering o packages: [{"id":"p","product":"club"}] -> []"#),
      (#line, #""limit":1"#, #""limit":2"#, "item hat limit: 1 -> 2"),
      (#line, #""limit_per":"day""#, #""limit_per":"week""#, #"item hat limit_per: "day" -> "week""#),
      (#line, #""stock":9"#, #""stock":null"#, "item hat stock: 9 -> null"),
      (#line, #""initial_balance":50"#, #""initial_balance":null"#, "currency GEM initial_balance: 50 -> null"),
      (#line, #""90s""#, #""2m""#, #"currency GEM recharge.every: "90s" -> "2m""#),
      (#line, #""rollover":20"#, #""rollover":0"#, "currency GEM allowance.rollover: 20 -> 0"),
      (#line, #""amount":500"#, #""amount":400"#, "currency GEM limits.spend.amount: 500 -> 400"),
      (
        #line, #""current_offering":"o""#, #""current_offering":null"#,
        #"current_offering  current_offering: "o" -> null"#
      ),
      (#line, "listed", "nobody", #"settings  sandbox_receipts: "listed" -> "nobody""#),
      (#line, "proven", "open", #"settings  logins: "proven" -> "open""#),
      (
        #line, #"{"b":1.50,"a":[null,"x"]}"#, #"{"a":[null,"x"],"b":1.50}"#,
        #"offering o metadata: {"b":1.50,"a":[null,"x"]} -> {"a":[null,"x"],"b":1.50}"#
      ),
    ]
    for row in rows {
      let difference = try CatalogDifference(from: catalog(), to: catalog(changing: [(row.old, row.new)]))
      let entries = difference.changed.map { "\($0.part) \($0.id) \($0.fields.joined(separator: "|"))" }
      XCTAssertEqual(entries, [row.entry], line: row.line)
      XCTAssertTrue(difference.added.isEmpty && difference.removed.isEmpty, line: row.line)
    }
  }

  func testTheSameLengthOfTimeIsNoChange() throws {
    let seconds = try catalog(changing: [(#""90s""#, #""7200s""#)])
    let hours = try catalog(changing: [(#""90s""#, #""2h""#)])
    XCTAssertTrue(CatalogDifference(from: seconds, to: hours).isEmpty)
  }

  func testNamesWhatComesAndGoes() throws {
    let without = try catalog(changing: [(#""id":"bow""#, #""id":"axe""#)])
    let difference = try CatalogDifference(from: catalog(), to: without)
    XCTAssertEqual(difference.added.map { "\($0.part) \($0.id)" }, ["item axe"])
    XCTAssertEqual(difference.removed.map { "\($0.part) \($0.id)" }, ["item bow"])
    XCTAssertEqual(difference.changed, [])
  }

  func testTellsComposedFromDecomposedNames() throws {
    let composed = try catalog(changing: [(#""title":"Club""#, "\"title\":\"caf\u{e9}\"")])
    let decomposed = try catalog(changing: [(#""title":"Club""#, "\"title\":\"cafe\u{301}\"")])
    XCTAssertFalse(CatalogDifference(from: composed, to: decomposed).isEmpty)
  }

  func testACurrencyCannotGo() throws {
    let old = try Catalog(currencies: [
      Currency(code: CurrencyCode("GEM"), name: "Gems"), Currency(code: CurrencyCode("OLD"), name: "Old"),
    ])
    let new = try Catalog(currencies: [Currency(code: CurrencyCode("GEM"), name: "Gems")])
    let problems = new.problemsReplacing(old)
    XCTAssertEqual(problems.map(\.path), ["$.currencies"])
    XCTAssertTrue(problems.first?.message.contains("\"OLD\"") ?? false)
    XCTAssertEqual(old.problemsReplacing(new), [])
  }

  func testSaysWhichProductsAStoreLeavesOut() throws {
    let gems = try Catalog.load(Fixture.bytes("gems.json"))
    let korea = try XCTUnwrap(StorefrontCode(exactly: "KOR"))
    XCTAssertEqual(gems.leftOut(at: "apple", storefront: .unitedStates), [])
    XCTAssertEqual(
      gems.leftOut(at: "amazon", storefront: korea).map(\.why),
      Array(repeating: "no id at amazon, no price in KOR", count: 3))
    XCTAssertEqual(try catalog().leftOut(at: "test", storefront: .unitedStates).map(\.why), ["not active"])
    let bare = try Catalog(currencies: [], products: [Product(code: ProductCode("p"), type: .consumable)])
    XCTAssertEqual(
      bare.leftOut(at: "apple", storefront: .unitedStates).map(\.why),
      ["no id at apple, no localization, no price in USA"])
  }
}
