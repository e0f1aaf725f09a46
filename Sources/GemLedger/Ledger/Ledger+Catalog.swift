extension Ledger {
  /// Replaces the catalog.
  ///
  /// History keeps the definitions it was booked under.
  ///
  /// - Returns: The difference between the two catalogs.
  /// - Throws: ``LedgerError`` with `invalid_catalog` when a currency of the project is missing: customers may hold
  ///   balances in it.
  @discardableResult
  public func apply(_ catalog: Catalog) throws(LedgerError) -> CatalogDifference {
    try CatalogUpdate(storage: storage, clock: clock).apply { (_) in catalog }
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

  /// Adds a currency to the catalog, or changes the one with its code.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_catalog` when a catalog may not hold the
  ///   currency's name, text or bounds, `limit_exceeded` when there would be more than ``Limits/currenciesPerProject``.
  public func define(_ currency: Currency) throws(LedgerError) {
    _ = try CatalogUpdate(storage: storage, clock: clock).apply { (old) throws(CatalogProblems) in
      var currencies = old.currencies
      if let index = currencies.firstIndex(where: { $0.code == currency.code }) {
        currencies[index] = currency
      } else {
        currencies.append(currency)
      }
      return try Catalog(
        currencies: currencies, products: old.products, offerings: old.offerings,
        currentOffering: old.currentOffering, items: old.items, settings: old.settings)
    }
  }

  /// The catalog as it is.
  public func currentCatalog() throws(LedgerError) -> Catalog {
    try storage.read { (snapshot) throws(LedgerError) -> Catalog in try Catalog(in: snapshot) }
  }

  /// One product of the catalog.
  ///
  /// - Throws: ``LedgerError`` with `product_not_found`.
  public func product(_ code: ProductCode) throws(LedgerError) -> Product {
    let cache = catalog
    return try storage.read { (snapshot) throws(LedgerError) -> Product in
      try cache.product(code, in: snapshot, definitions: try cache.definitions(in: snapshot)).product
    }
  }
}
