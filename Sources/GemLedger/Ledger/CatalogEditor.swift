/// Changes the catalog, each time with an author and on condition, and lists its versions.
///
/// ```swift
/// let details = CatalogChangeDetails(actor: operator, reason: reason, baseVersion: shown.version)
/// try ledger.catalogEditor.change(details) { (old) throws(LedgerError) in
///   try old.edited { (draft) in draft.products.removeAll { $0.code == code } }
/// }
/// ```
package struct CatalogEditor: Sendable {
  let storage: any LedgerStorage
  let clock: LedgerClock

  /// The current catalog with its version; version 0 is the empty catalog of a new project.
  package func current() throws(LedgerError) -> (version: Int64, catalog: Catalog) {
    try storage.read { (snapshot) throws(LedgerError) in
      (try snapshot.catalogVersion(), try Catalog(in: snapshot))
    }
  }

  /// Replaces the catalog by the closure's result; each of several concurrent changes sees the one before.
  ///
  /// A result that does not differ makes no version.
  ///
  /// - Parameter make: Makes the new catalog from the current one. It may be called several times.
  /// - Throws: ``LedgerError`` with, in order of precedence, `condition_failed` (the catalog is not at the base
  ///   version; the details are `expected` and `current`), the closure's errors, `invalid_catalog` if a currency is
  ///   missing, `limit_exceeded` if the project had more than ``Limits/currenciesPerProject``.
  @discardableResult
  package func change(
    _ details: CatalogChangeDetails = CatalogChangeDetails(), _ make: (Catalog) throws(LedgerError) -> Catalog
  ) throws(LedgerError) -> AppliedCatalog {
    try CatalogUpdate(storage: storage, clock: clock, details: details).apply(make)
  }

  /// Returns the changes that ``change(_:_:)`` would make, and what they concern.
  ///
  /// - Throws: ``LedgerError`` as ``change(_:_:)``.
  /// - Complexity: Reads at most ``CatalogImpact/rowsMax`` accounts and orders.
  package func preview(
    _ details: CatalogChangeDetails = CatalogChangeDetails(), _ make: (Catalog) throws(LedgerError) -> Catalog
  ) throws(LedgerError) -> (version: Int64, difference: CatalogDifference, impact: CatalogImpact) {
    let update = CatalogUpdate(storage: storage, clock: clock, details: details)
    return try storage.read { (snapshot) throws(LedgerError) in
      let plan = try update.plan(in: snapshot, make)
      let impact = try CatalogImpact(of: plan.difference, from: plan.old, to: plan.new, in: snapshot)
      return (plan.version, plan.difference, impact)
    }
  }

  /// Removes a currency that was never used from the catalog and from the grants of products.
  ///
  /// Writers wait while it reads all accounts; a currency in use is detected earlier.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `unknown_currency`, `condition_failed`, `not_available` if
  ///   the currency has any booking, or an item has a price in it.
  package func removeCurrency(
    _ code: CurrencyCode, _ details: CatalogChangeDetails = CatalogChangeDetails()
  ) throws(LedgerError) {
    try storage.read { (snapshot) throws(LedgerError) in try CurrencyUse(in: snapshot).checkIsUnused(code) }
    let update = CatalogUpdate(storage: storage, clock: clock, details: details, removed: code)
    _ = try update.apply { (old) throws(LedgerError) in
      if let item = old.items.first(where: { $0.price.contains { $0.currency == code } }) {
        throw LedgerError(
          .notAvailable, "The item \"\(item.id)\" has a price in \(code).", details: [.text("item", item.id.text)])
      }
      return try old.edited { (draft) in
        draft.currencies.removeAll { $0.code == code }
        for index in draft.products.indices { draft.products[index].grants.removeAll { $0.currency == code } }
      }
    }
  }

  /// Lists the versions of the catalog, newest first.
  ///
  /// - Parameters:
  ///   - end: The page begins below this version; nil for the newest.
  ///   - limit: The maximum number of versions, 1 to ``Limits/historyPage``.
  /// - Throws: ``LedgerError`` with `limit_exceeded`.
  package func versions(
    below end: Int64? = nil, limit: Int = 100
  ) throws(LedgerError) -> [CatalogVersion] {
    try Limits.check(page: limit)
    return try storage.read { (snapshot) throws(LedgerError) in
      let newest = try snapshot.catalogVersion()
      let last = min(max(end ?? .max, 1) - 1, newest)
      guard last > 0 else { return [] }
      let start = CatalogVersionRow(version: max(last - Int64(limit), 0), appliedAt: Timestamp(milliseconds: 0))
      let rows = try snapshot.scan().page(after: start, limit: limit).filter { $0.version <= last }
      let keys = rows.map { IndexKey(text: CatalogVersion.documentName($0.version).text) }
      let records = Dictionary(try snapshot.rows(DocumentRow.byName, keys).map { ($0.name, $0) }) { first, _ in first }
      return try rows.reversed().map { (row) throws(LedgerError) in
        try CatalogVersion(row, records[CatalogVersion.documentName(row.version)])
      }
    }
  }

  /// Erases the actor and the reason of a version; its time and its changes stay.
  ///
  /// A version without a record is unchanged.
  ///
  /// - Throws: ``LedgerError`` with `condition_failed` if another process changes the record at the same time.
  package func eraseAuthor(of version: Int64) throws(LedgerError) {
    let documents = LedgerDocuments(storage: storage)
    let name = CatalogVersion.documentName(version).text
    guard let document = try documents.find(named: name), var record = try document.reader().value?.object else {
      return
    }
    (record["actor"], record["reason"]) = (.null, .null)
    try documents.save(name, content: JSONValue.object(record).text(), replacing: document.version)
  }
}

extension Ledger {
  /// Changes of the catalog with author, reason and condition, and its versions.
  package var catalogEditor: CatalogEditor { CatalogEditor(storage: storage, clock: clock) }
}
