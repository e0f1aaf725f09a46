import GemLedger
import StoreClient
import XCTest

final class OfferingsTests: XCTestCase {
  func testShowsWhatTheStoreSellsAndTellsWhatItLeavesOut() throws {
    let offerings = Offerings(of: try ShopFixture.catalog(), in: ShopWindow())
    XCTAssertEqual(offerings.ordered.map(\.id.text), ["o"])
    XCTAssertEqual(offerings.current, offerings.ordered.first)
    XCTAssertEqual(offerings[try OfferingID("o")], offerings.current)
    XCTAssertNil(offerings[try OfferingID("p")])
    XCTAssertEqual(offerings.current?.availablePackages.map(\.id), ["p_gems"])
    XCTAssertEqual(offerings.current?.package(identifier: "p_gems")?.localizedPriceString, "$9.99")
    XCTAssertEqual(
      offerings.leftOut.map { "\($0.product): \($0.why)" },
      ["retired: not active", "unlisted: no id at apple", "free: no price in USA"])
  }

  func testTakesTheTextsOfTheNearestLocale() throws {
    let rows: [(line: UInt, locale: String, title: String)] = [
      (#line, "en_US", "gems in English"),
      (#line, "de_DE", "gems auf Deutsch"),
      (#line, "de-de", "gems auf Deutsch"),
      (#line, "de_AT", "gems auf Deutsch"),
      (#line, "fr_FR", "gems in English"),
    ]
    let product = try XCTUnwrap(try ShopFixture.catalog().products.first)
    for row in rows {
      XCTAssertEqual(ShopWindow(locale: row.locale).listing(of: product)?.localizedTitle, row.title, line: row.line)
    }
  }
}
