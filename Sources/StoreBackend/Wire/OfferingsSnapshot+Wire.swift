package import GemLedger

extension OfferingsSnapshot: WireValue {
  /// Reads the parts in the format of the catalog's file.
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      offerings: try wire["offerings"].documents(), current: try wire["current_offering"].optional?.identifier(),
      products: try wire["products"].documents(), currencies: try wire["currencies"].documents(),
      items: try wire["items"].documents())
  }

  package static let form = JSONForm<OfferingsSnapshot>([
    .always("offerings", \.offerings, .documents), .always("current_offering", \.current, .nullable(.identifier())),
    .always("products", \.products, .documents), .always("currencies", \.currencies, .documents),
    .always("items", \.items, .documents),
  ])
}

extension JSONKind where Content: Sequence & Sendable, Content.Element: CatalogDocument {
  /// Objects in the format of the catalog's file.
  fileprivate static var documents: Self { Self(.list(.anything)) { .array($0.map { $0.json() }) } }
}
