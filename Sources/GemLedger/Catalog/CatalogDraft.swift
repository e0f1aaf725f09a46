/// The parts of a catalog while they are changed; they are checked at the end.
package struct CatalogDraft: Sendable {
  package var currencies: [Currency]
  package var products: [Product]
  package var offerings: [CatalogOffering]
  package var currentOffering: OfferingID?
  package var items: [Item]
  package var settings: CatalogSettings
}

extension Catalog {
  /// The catalog with the changes that the closure makes.
  ///
  /// - Throws: The closure's errors, then `invalid_catalog` with all problems.
  package func edited(_ edit: (inout CatalogDraft) throws(LedgerError) -> Void) throws(LedgerError) -> Catalog {
    var draft = CatalogDraft(
      currencies: currencies, products: products, offerings: offerings, currentOffering: currentOffering,
      items: items, settings: settings)
    try edit(&draft)
    do throws(CatalogProblems) {
      return try Catalog(
        currencies: draft.currencies, products: draft.products, offerings: draft.offerings,
        currentOffering: draft.currentOffering, items: draft.items, settings: draft.settings)
    } catch {
      throw error.ledgerError
    }
  }
}
