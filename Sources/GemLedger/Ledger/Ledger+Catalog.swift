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

  /// Adds a currency to the catalog, or replaces the currency with its code.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_catalog` if a catalog cannot have the currency's
  ///   name, text or bounds, `limit_exceeded` if there would be more than ``Limits/currenciesPerProject``.
  public func define(_ currency: Currency) throws(LedgerError) {
    try changeCatalog { (old) throws(LedgerError) in
      var currencies = old.currencies
      if let index = currencies.firstIndex(where: { $0.code == currency.code }) {
        currencies[index] = currency
      } else {
        currencies.append(currency)
      }
      return try old.with(currencies: currencies, products: old.products)
    }
  }

  /// Replaces the catalog by the closure's result; each of several concurrent changes sees the one before.
  ///
  /// - Parameter change: Makes the new catalog. It may be called several times.
  /// - Throws: ``LedgerError`` as ``apply(_:)``, and the errors of the closure.
  @discardableResult
  package func changeCatalog(
    _ change: (Catalog) throws(LedgerError) -> Catalog
  ) throws(LedgerError) -> CatalogDifference {
    try CatalogUpdate(storage: storage, clock: clock).apply(change)
  }

  /// Removes a currency that was never used from the catalog and from the grants of products.
  ///
  /// Writers wait while it reads all accounts; a currency in use is detected earlier.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `unknown_currency`, `not_available` if the currency has
  ///   any booking, or an item has a price in it.
  package func removeCurrency(_ code: CurrencyCode) throws(LedgerError) {
    try storage.read { (snapshot) throws(LedgerError) in try CurrencyUse(in: snapshot).checkIsUnused(code) }
    _ = try CatalogUpdate(storage: storage, clock: clock).apply(removing: code) { (old) throws(LedgerError) in
      if let item = old.items.first(where: { $0.price.contains { $0.currency == code } }) {
        throw LedgerError(
          .notAvailable, "The item \"\(item.id)\" has a price in \(code).", details: [.text("item", item.id.text)])
      }
      let products = old.products.map { product in
        var product = product
        product.grants.removeAll { $0.currency == code }
        return product
      }
      return try old.with(currencies: old.currencies.filter { $0.code != code }, products: products)
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
