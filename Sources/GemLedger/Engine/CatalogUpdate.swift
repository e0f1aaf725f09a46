/// Replaces the catalog of a storage, in a separate commit.
struct CatalogUpdate {
  let storage: any LedgerStorage
  let clock: LedgerClock

  /// Replaces the catalog by the closure's result, which may be called several times.
  ///
  /// - Parameter removed: A currency that may be missing in the new catalog, if no account has it.
  func apply(
    removing removed: CurrencyCode? = nil, _ change: (Catalog) throws(LedgerError) -> Catalog
  ) throws(LedgerError) -> CatalogDifference {
    let lanes = Array(0..<storage.traits.laneCount)
    return try storage.commit(lanes: lanes) { (session) throws(LedgerError) -> CatalogDifference in
      let old = try Catalog(in: session)
      let catalog = try change(old)
      if let removed { try CurrencyUse(in: session).checkIsUnused(removed) }
      let problems = catalog.problemsReplacing(old, removing: removed)
      guard problems.isEmpty else { throw CatalogProblems(problems).ledgerError }
      let difference = CatalogDifference(from: old, to: catalog)
      guard !difference.isEmpty else { return difference }
      try session.write(try changes(from: old, to: catalog, removing: removed, in: session))
      return difference
    }
  }

  private func changes(
    from old: Catalog, to catalog: Catalog, removing removed: CurrencyCode?, in session: any StorageSession
  ) throws(LedgerError) -> ChangeSet {
    let known = try session.catalogRows(.currency)
    // A later currency with the code is another one.
    let versions = try session.catalogRows(.currencyVersion).filter { row in
      removed.map { !row.code.hasPrefix("\($0)@") } ?? true
    }
    // Earlier transactions were booked under the version before, so the new one begins no earlier than the journal's
    // end.
    let now = max(try journalTime(in: session), Timestamp(milliseconds: versions.last?.position ?? .min))
    let rows = try CatalogRow.rows(of: catalog, keeping: known)
    var changes = ChangeSet()
    changes.catalog =
      rows + CatalogRow.versions(of: rows, replacing: known, after: versions, from: now)
      + (try FormerProducts(in: session).rows(replacing: old, by: catalog, at: now))
    changes.catalogAppliedAt = now
    return changes
  }

  /// Returns the time of a write made now, by the rules of a group; it is read while no other writer is in between.
  private func journalTime(in session: any StorageSession) throws(LedgerError) -> Timestamp {
    let newest = try session.sequences().createdAt
    clock.goOn(from: newest)
    let now = clock.now()
    if !clock.isAccepted { try ClockRules.check(now, newest: newest) }
    return max(now, newest)
  }
}
