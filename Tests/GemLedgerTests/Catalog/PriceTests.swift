import GemLedger
import XCTest

final class PriceTests: XCTestCase {
  func testPricesAreExactInMinorUnits() throws {
    let rows: [(line: UInt, text: String, currency: String, minorUnits: Int64)] = [
      (#line, "4.99", "USD", 499), (#line, "4", "USD", 400), (#line, "4.9", "USD", 490), (#line, "0.01", "USD", 1),
      (#line, "004.990", "USD", 499), (#line, "1500", "JPY", 1500), (#line, "1500.00", "JPY", 1500),
      (#line, "249000", "VND", 249_000), (#line, "1.234", "KWD", 1234), (#line, "1.2", "BHD", 1200),
      (#line, "999999999999.999", "KWD", 999_999_999_999_999), (#line, "0", "USD", 0), (#line, "5900", "KRW", 5900),
      (#line, "19.99", "EUR", 1999), (#line, "1.005", "TND", 1005), (#line, "990", "CLP", 990),
    ]
    for row in rows {
      let price = try Price(row.text, in: XCTUnwrap(PriceCurrency(exactly: row.currency)))
      XCTAssertEqual(price.minorUnits, row.minorUnits, line: row.line)
      XCTAssertEqual(price.text, row.text, line: row.line)
    }
  }

  func testRefusesWhatIsNoPrice() throws {
    let dollars = try XCTUnwrap(PriceCurrency(exactly: "USD"))
    let texts = [
      "", ".", "4.", ".99", "4,99", " 4.99", "4.99 ", "12abc", "-1", "+1", "1e3", "1.2.3", "1.2345", "4.999",
      "1234567890123", "４.９９", "$4.99", "4.\u{301}99", "1_000", "0x10", "NaN",
    ]
    for text in texts { XCTAssertThrowsError(try Price(text, in: dollars), text) }
    XCTAssertThrowsError(try Price("1.5", in: XCTUnwrap(PriceCurrency(exactly: "JPY"))))
    XCTAssertNil(PriceCurrency(exactly: "usd"))
    XCTAssertNil(PriceCurrency(exactly: "USDX"))
  }

  func testStorefrontsAreThoseOfTheAppStore() throws {
    XCTAssertEqual(StorefrontCode.all.count, 175)
    XCTAssertEqual(Set(StorefrontCode.all.map(\.description)).count, 175)
    XCTAssertEqual(Set(StorefrontCode.all.map(\.region)).count, 175)
    XCTAssertEqual(StorefrontCode.all, StorefrontCode.all.sorted { $0.description < $1.description })
    XCTAssertEqual(Set(StorefrontCode.all.map(\.currency)).count, 43)
    let rows: [(line: UInt, code: String, region: String, currency: String, digits: Int)] = [
      (#line, "USA", "US", "USD", 2), (#line, "JPN", "JP", "JPY", 0), (#line, "VNM", "VN", "VND", 0),
      (#line, "DEU", "DE", "EUR", 2), (#line, "KOR", "KR", "KRW", 0), (#line, "CHL", "CL", "CLP", 0),
      (#line, "GBR", "GB", "GBP", 2), (#line, "BGR", "BG", "EUR", 2), (#line, "ZWE", "ZW", "USD", 2),
    ]
    for row in rows {
      let storefront = try XCTUnwrap(StorefrontCode(exactly: row.code), line: row.line)
      XCTAssertEqual(storefront.region, row.region, line: row.line)
      XCTAssertEqual(storefront.currency.code, row.currency, line: row.line)
      XCTAssertEqual(storefront.currency.minorUnitDigits, row.digits, line: row.line)
    }
    XCTAssertEqual(StorefrontCode.unitedStates.description, "USA")
    for text in ["", "US", "usa", "USAA", "XXX", "PA\u{212A}"] { XCTAssertNil(StorefrontCode(exactly: text), text) }
  }

  func testSpellingFindsTheNearestName() {
    let known = ["code", "store_ids", "expires_at_cycle_end"]
    XCTAssertEqual(Spelling.nearest(to: "Code", among: known), "code")
    XCTAssertEqual(Spelling.nearest(to: "cod", among: known), "code")
    XCTAssertEqual(Spelling.nearest(to: "storeIDs", among: known), "store_ids")
    XCTAssertEqual(Spelling.nearest(to: "expiresAtCycleEnd", among: known), "expires_at_cycle_end")
    XCTAssertNil(Spelling.nearest(to: "price", among: known))
    XCTAssertNil(Spelling.nearest(to: "", among: known))
    XCTAssertNil(Spelling.nearest(to: String(repeating: "c", count: 100_000), among: known))
    XCTAssertNil(Spelling.nearest(to: "x", among: []))
  }
}
