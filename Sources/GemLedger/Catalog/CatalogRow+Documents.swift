extension Catalog {
  /// The catalog as a storage has it.
  package init(in snapshot: any StorageSnapshot) throws(LedgerError) {
    func rows<Value: CatalogDocument>(
      _ kind: CatalogRow.Kind, _ type: Value.Type
    ) throws(LedgerError) -> [Value] {
      var values: [Value] = []
      for row in try snapshot.catalogRows(kind) { values.append(try CatalogCache.read(row, as: type)) }
      return values
    }
    let settings = try snapshot.catalogRow(.settings, code: CatalogRow.settingsCode)
    let current = try snapshot.catalogRow(.settings, code: CatalogRow.currentOfferingCode)?.document
    self.init(
      unchecked: try rows(.currency, Currency.self), products: try rows(.product, Product.self),
      offerings: try rows(.offering, CatalogOffering.self),
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
  /// - Parameter old: The previous currencies; a currency without a version has never changed.
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
      // Of two versions with one instant, the second replaces the first.
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
