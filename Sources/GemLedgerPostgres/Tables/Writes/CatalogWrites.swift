#if PostgreSQL
internal import GemLedger

/// Writes of the catalog.
struct CatalogWrites: SessionPart {
  let session: PostgresSession

  /// - Parameter instant: The time from which the new version is valid; nil if the versions are written separately.
  func requests(_ rows: [CatalogRow], at instant: Timestamp?) throws(LedgerError) -> [PostgresRequest] {
    let version = try session.catalogVersion() + 1
    let replacing = [PostgresRequest("DELETE FROM catalog")] + (rows.isEmpty ? [] : [CatalogRow.insert(rows)])
    guard let instant else { return replacing }
    let count = CatalogVersionRow.insert([CatalogVersionRow(version: version, appliedAt: instant)])
    let lanes = (group?.lanes ?? []).map { lane in
      PostgresRequest("UPDATE lanes SET catalog_version = $2 WHERE customer = $1", layout.heads[lane], version)
    }
    return replacing + [count] + lanes
  }
}
#endif
