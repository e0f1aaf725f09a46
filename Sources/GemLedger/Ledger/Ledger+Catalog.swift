extension Ledger {
  /// Replaces the catalog.
  ///
  /// Existing transactions keep the definitions under which they were booked.
  ///
  /// - Returns: The difference between the two catalogs.
  /// - Throws: ``LedgerError`` with `invalid_catalog` if a currency of the project is missing: customers may have a
  ///   balance in it.
  @discardableResult
  public func apply(_ catalog: Catalog) throws(LedgerError) -> CatalogDifference {
    try catalogEditor.change { (_) in catalog }.difference
  }

  /// Returns the changes that ``apply(_:)`` would make.
  ///
  /// - Throws: ``LedgerError`` as ``apply(_:)``.
  public func previewApplying(_ catalog: Catalog) throws(LedgerError) -> CatalogDifference {
    let old = try self.currentCatalog()
    let problems = catalog.problemsReplacing(old)
    guard problems.isEmpty else { throw CatalogProblems(problems).ledgerError }
    return CatalogDifference(from: old, to: catalog)
  }

  /// Adds a currency to the catalog, or replaces the currency with its code.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_catalog` if a catalog cannot have the currency's
  ///   name, text or bounds, `limit_exceeded` if there would be more than ``Limits/currenciesPerProject``.
  public func define(_ currency: Currency) throws(LedgerError) {
    try catalogEditor.change { (old) throws(LedgerError) in
      try old.edited { (draft) in
        if let index = draft.currencies.firstIndex(where: { $0.code == currency.code }) {
          draft.currencies[index] = currency
        } else {
          draft.currencies.append(currency)
        }
      }
    }
  }

  /// The current catalog.
  public func currentCatalog() throws(LedgerError) -> Catalog {
    try storage.read { (snapshot) throws(LedgerError) -> Catalog in try Catalog(in: snapshot) }
  }

  /// Returns one product of the catalog.
  ///
  /// - Throws: ``LedgerError`` with `product_not_found`.
  public func product(_ code: ProductCode) throws(LedgerError) -> Product {
    let cache = catalog
    return try storage.read { (snapshot) throws(LedgerError) -> Product in
      try cache.product(code, in: snapshot, definitions: try cache.definitions(in: snapshot)).product
    }
  }
}
