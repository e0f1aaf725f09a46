/// Replaces the catalog of a storage, in a separate commit.
struct CatalogUpdate {
  let storage: any LedgerStorage
  let clock: LedgerClock
  let details: CatalogChangeDetails
  /// A currency that may be missing in the new catalog, if no account has it.
  var removed: CurrencyCode?

  /// A change that is decided and not written.
  struct Plan {
    /// The version that the change replaces.
    let version: Int64
    let old: Catalog
    let new: Catalog
    let difference: CatalogDifference
  }

  /// Replaces the catalog by the closure's result, which may be called several times.
  func apply(_ change: (Catalog) throws(LedgerError) -> Catalog) throws(LedgerError) -> AppliedCatalog {
    let lanes = Array(0..<storage.traits.laneCount)
    return try storage.commit(lanes: lanes) { (session) throws(LedgerError) -> AppliedCatalog in
      let plan = try plan(in: session, change)
      guard !plan.difference.isEmpty else { return AppliedCatalog(version: plan.version, difference: plan.difference) }
      try session.write(try changes(plan, in: session))
      return AppliedCatalog(version: plan.version + 1, difference: plan.difference)
    }
  }

  /// Checks the condition, then the new catalog.
  func plan(
    in snapshot: any StorageSnapshot, _ change: (Catalog) throws(LedgerError) -> Catalog
  ) throws(LedgerError) -> Plan {
    let version = try snapshot.catalogVersion()
    if let expected = details.baseVersion, expected != version { throw Self.changed(expected, current: version) }
    let old = try Catalog(in: snapshot)
    let new = try change(old)
    if let removed { try CurrencyUse(in: snapshot).checkIsUnused(removed) }
    let problems = new.problemsReplacing(old, removing: removed)
    guard problems.isEmpty else { throw CatalogProblems(problems).ledgerError }
    return Plan(version: version, old: old, new: new, difference: CatalogDifference(from: old, to: new))
  }

  private static func changed(_ expected: Int64, current: Int64) -> LedgerError {
    LedgerError(
      .conditionFailed,
      "The catalog has version \(current), and the change is based on version \(expected). Nothing was changed; read "
        + "the catalog and make the change again.",
      details: [.integer("expected", expected), .integer("current", current)])
  }

  private func changes(_ plan: Plan, in session: any StorageSession) throws(LedgerError) -> ChangeSet {
    let known = try session.catalogRows(.currency)
    // A later currency with the code is another one.
    let versions = try session.catalogRows(.currencyVersion).filter { row in
      removed.map { !row.code.hasPrefix("\($0)@") } ?? true
    }
    // Earlier transactions were booked under the version before, so the new one begins no earlier than the journal's
    // end.
    let now = max(try journalTime(in: session), Timestamp(milliseconds: versions.last?.position ?? .min))
    let rows = try CatalogRow.rows(of: plan.new, keeping: known)
    var changes = ChangeSet()
    changes.catalog =
      rows + CatalogRow.versions(of: rows, replacing: known, after: versions, from: now)
      + (try FormerProducts(in: session).rows(replacing: plan.old, by: plan.new, at: now))
    changes.catalogAppliedAt = now
    let name = CatalogVersion.documentName(plan.version + 1)
    let record = CatalogVersion.record(of: plan.difference, details)
    let former = try session.document(name)?.version ?? 0
    changes.ownCold.documents = [DocumentRow(name: name, version: former + 1, content: record.text())]
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
