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
    try changeCatalog { (_) in catalog }
  }

  /// Replaces the catalog by the closure's result.
  private func changeCatalog(
    _ change: (Catalog) throws(CatalogProblems) -> Catalog
  ) throws(LedgerError) -> CatalogDifference {
    let lanes = Array(0..<storage.laneCount)
    return try storage.commit(lanes: lanes) { (session) throws(LedgerError) -> CatalogDifference in
      let old = try Self.catalog(in: session)
      let catalog: Catalog
      do throws(CatalogProblems) { catalog = try change(old) } catch { throw error.ledgerError }
      let problems = catalog.problemsReplacing(old)
      guard problems.isEmpty else { throw CatalogProblems(problems).ledgerError }
      let difference = CatalogDifference(from: old, to: catalog)
      guard !difference.isEmpty else { return difference }
      var changes = ChangeSet()
      let (known, versions) = (try session.catalogRows(.currency), try session.catalogRows(.currencyVersion))
      // Earlier transactions were booked under the version before, so the new one begins no earlier than the journal's
      // end.
      let now = max(try journalTime(in: session), Timestamp(milliseconds: versions.last?.position ?? .min))
      let rows = try CatalogRow.rows(of: catalog, keeping: known)
      changes.catalog =
        rows + CatalogRow.versions(of: rows, replacing: known, after: versions, from: now)
        + (try FormerProducts(in: session).rows(replacing: old, by: catalog, at: now))
      changes.catalogAppliedAt = now
      try session.write(changes)
      return difference
    }
  }

  /// Returns the time of a write made now, by the rules of a group; it is read while no other writer is in between.
  private func journalTime(in session: any StorageSession) throws(LedgerError) -> Timestamp {
    let newest = try session.sequences().createdAt
    clock.goOn(from: newest)
    let now = clock.now()
    if !clock.isAccepted { try ClockRules.check(now, newest: newest) }
    return max(now, newest)
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
    _ = try changeCatalog { (old) throws(CatalogProblems) in
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
    try storage.read { (snapshot) throws(LedgerError) -> Catalog in try Self.catalog(in: snapshot) }
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

  package static func catalog(in snapshot: any StorageSnapshot) throws(LedgerError) -> Catalog {
    func rows<Value: CatalogDocument>(
      _ kind: CatalogRow.Kind, _ type: Value.Type
    ) throws(LedgerError) -> [Value] {
      var values: [Value] = []
      for row in try snapshot.catalogRows(kind) { values.append(try CatalogCache.read(row, as: type)) }
      return values
    }
    let settings = try snapshot.catalogRow(.settings, code: CatalogRow.settingsCode)
    let current = try snapshot.catalogRow(.settings, code: CatalogRow.currentOfferingCode)?.document
    return Catalog(
      unchecked: try rows(.currency, Currency.self), products: try rows(.product, Product.self),
      offerings: try rows(.offering, Offering.self),
      currentOffering: current.map(OfferingID.init(unchecked:)), items: try rows(.item, Item.self),
      settings: try settings.map { (row) throws(LedgerError) in
        try CatalogCache.read(row, as: CatalogSettings.self)
      } ?? CatalogSettings())
  }
}

extension CatalogRow {
  package static let settingsCode = "settings"
  static let currentOfferingCode = "current_offering"

  /// The versions of all currencies: those that are known, and one for each currency that is new or changes.
  ///
  /// - Parameter old: The currencies before; one without a version has been so since ever.
  static func versions(
    of rows: [CatalogRow], replacing old: [CatalogRow], after known: [CatalogRow], from now: Timestamp
  ) -> [CatalogRow] {
    func version(_ row: CatalogRow, from milliseconds: Int64) -> CatalogRow {
      CatalogRow(
        kind: .currencyVersion, code: "\(row.code)@\(milliseconds)", position: milliseconds, document: row.document)
    }
    var versions = known
    for row in rows where row.kind == .currency {
      let before = old.first { $0.code == row.code }
      guard before?.document != row.document else { continue }
      let isVersioned = known.contains { $0.code.hasPrefix("\(row.code)@") }
      if let before, !isVersioned { versions.append(version(before, from: 0)) }
      let new = version(row, from: now.milliseconds)
      // Of two versions of one instant the second was asked for.
      versions.removeAll { $0.code == new.code }
      versions.append(new)
    }
    return versions.sorted { ($0.position, $0.code) < ($1.position, $1.code) }
  }

  /// The catalog as rows; a currency keeps the number it has.
  package static func rows(of catalog: Catalog, keeping known: [CatalogRow]) throws(LedgerError) -> [CatalogRow] {
    var rows: [CatalogRow] = []
    var nextNumber = (known.map(\.position).max() ?? 0) + 1
    for currency in catalog.currencies {
      var number = known.first { $0.code == currency.code.description }?.position
      if number == nil {
        number = nextNumber
        nextNumber += 1
      }
      rows.append(
        CatalogRow(
          kind: .currency, code: currency.code.description, position: number ?? 0, document: currency.json().text()))
    }
    guard nextNumber <= Limits.currenciesPerProject + 1 else {
      throw LedgerError(
        .limitExceeded, "The project would have more than \(Limits.currenciesPerProject) currencies.")
    }
    for (index, product) in catalog.products.enumerated() {
      rows.append(
        CatalogRow(
          kind: .product, code: product.code.text, position: Int64(index), document: product.json().text()))
    }
    for (index, offering) in catalog.offerings.enumerated() {
      rows.append(
        CatalogRow(
          kind: .offering, code: offering.id.text, position: Int64(index), document: offering.json().text()))
    }
    for (index, item) in catalog.items.enumerated() {
      rows.append(
        CatalogRow(kind: .item, code: item.id.text, position: Int64(index), document: item.json().text()))
    }
    rows.append(
      CatalogRow(kind: .settings, code: settingsCode, position: 0, document: catalog.settings.json().text()))
    if let current = catalog.currentOffering {
      rows.append(CatalogRow(kind: .settings, code: currentOfferingCode, position: 1, document: current.text))
    }
    return rows
  }
}
