package import GemLedger

extension OfferingsSnapshot: WireValue {
  /// Reads the parts in the format of the catalog's file.
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      offerings: try wire["offerings"].documents(), current: try wire["current_offering"].optional?.identifier(),
      products: try wire["products"].documents(), currencies: try wire["currencies"].documents(),
      items: try wire["items"].documents())
  }

  package var wire: JSONValue {
    [
      "offerings": .array(offerings.map { $0.json() }), "current_offering": JSONValue(current),
      "products": .array(products.map { $0.json() }), "currencies": .array(currencies.map { $0.json() }),
      "items": .array(items.map { $0.json() }),
    ]
  }
}
