internal import GemLedger
internal import StoreBackend

/// A code that a store gave out: an offer code of the App Store, a promo code of Google Play.
struct OfferCode: Hashable, Sendable {
  var productID: String
  /// The id of the offer in receipts.
  var identifier: String
  /// The price of one unit; nil for nothing.
  var price: Price?

  func total(in storefront: StorefrontCode) -> Money {
    Money(minorUnits: price?.minorUnits ?? 0, currency: (price?.currency ?? storefront.currency).code)
  }
}

extension OfferCode {
  func record() -> JSONValue {
    var writer = ShopRecordWriter()
    writer.put("product", productID)
    writer.put("id", identifier)
    if let price { writer["price"] = price.record() }
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init(
      productID: try record["product"].text(), identifier: try record["id"].text(),
      price: try record["price"].optional.map(Price.init(reading:)))
  }
}

extension Price {
  func record() -> JSONValue {
    var writer = ShopRecordWriter()
    writer.put("amount", text)
    writer.put("currency", currency.code)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    guard let currency = PriceCurrency(exactly: try record["currency"].text()) else {
      throw ShopRecordReader.damaged("there is no such currency of prices")
    }
    try self.init(try record["amount"].text(), in: currency)
  }
}
