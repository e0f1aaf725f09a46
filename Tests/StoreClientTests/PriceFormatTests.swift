import GemLedger
import StoreClient
import XCTest

final class PriceFormatTests: XCTestCase {
  func testWritesPricesAsPeopleOfTheLocaleDo() throws {
    let rows: [(line: UInt, price: String, storefront: String, locale: String, text: String)] = [
      (#line, "9.99", "USA", "en_US", "$9.99"),
      (#line, "0.99", "USA", "en_US", "$0.99"),
      (#line, "10", "USA", "en_US", "$10.00"),
      (#line, "1234567.5", "USA", "en_US", "$1,234,567.50"),
      (#line, "1500", "JPN", "ja_JP", "¥1,500"),
      (#line, "1500", "JPN", "en_US", "¥1,500"),
      (#line, "249000", "VNM", "vi_VN", "249.000 ₫"),
      (#line, "9.99", "DEU", "de_DE", "9,99 €"),
      (#line, "9.99", "DEU", "en_US", "€9.99"),
      (#line, "9.99", "CAN", "fr_CA", "9,99 $"),
      (#line, "1234567.89", "IND", "en_IN", "₹12,34,567.89"),
      (#line, "9.99", "USA", "en-US", "$9.99"),
    ]
    for row in rows {
      let price = try price(row.price, row.storefront)
      XCTAssertEqual(plain(PriceFormat(locale: row.locale).text(price)), row.text, line: row.line)
    }
  }

  func testIsExactWhereBinaryFractionsAreNot() throws {
    // 4.99 and 0.1 have no exact binary form, and this many digits no room in one.
    for text in ["4.99", "0.10", "999999999999.99"] {
      let price = try price(text, "USA")
      let digits = PriceFormat(locale: "en_US").text(price).filter { $0.isNumber || $0 == "." }
      XCTAssertEqual(digits, text)
    }
  }

  private func price(_ text: String, _ storefront: String) throws -> Price {
    try Price(text, in: try XCTUnwrap(StorefrontCode(exactly: storefront)).currency)
  }

  /// With plain spaces for no-break ones, which differ from one version of the tables to the next.
  private func plain(_ text: String) -> String {
    text.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
  }
}
