package import GemLedger

extension OfferingsSnapshot: WireValue {
  /// Reads the parts in the format of the catalog's file.
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      offerings: try wire.documents("offerings"), current: try wire.optionalIdentifier("current_offering"),
      products: try wire.documents("products"), currencies: try wire.documents("currencies"),
      items: try wire.documents("items"))
  }

  package var wire: JSONValue {
    [
      "offerings": .array(offerings.map { $0.json() }), "current_offering": JSONValue(current),
      "products": .array(products.map { $0.json() }), "currencies": .array(currencies.map { $0.json() }),
      "items": .array(items.map { $0.json() }),
    ]
  }
}
