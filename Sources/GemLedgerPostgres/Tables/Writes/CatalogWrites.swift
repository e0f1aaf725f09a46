#if PostgreSQL
internal import GemLedger

/// Writes of the catalog.
struct CatalogWrites: SessionPart {
  let session: PostgresSession

  /// - Parameter instant: When the new version comes into force; nil where the versions are written apart.
  func requests(_ rows: [CatalogRow], at instant: Timestamp?) throws(LedgerError) -> [PostgresRequest] {
    let version = try session.catalogVersion() + 1
    let replace = PostgresRequest(
      "INSERT INTO catalog (kind, code, position, document) SELECT \(BulkInsert.lists(4))"
    ) {
      $0.add(rows, \.kind.rawValue)
      $0.add(rows, text: \.code)
      $0.add(rows, \.position)
      $0.add(rows, text: \.document)
    }
    guard let instant else { return [PostgresRequest("DELETE FROM catalog"), replace] }
    let count = PostgresRequest("INSERT INTO catalog_versions (version, applied_at) VALUES ($1, $2)") {
      $0.add(version)
      $0.add(instant.milliseconds)
    }
    let lanes = (group?.lanes ?? []).map { lane in
      PostgresRequest("UPDATE lanes SET catalog_version = $2 WHERE customer = $1") {
        $0.add(layout.heads[lane])
        $0.add(version)
      }
    }
    return [PostgresRequest("DELETE FROM catalog"), replace, count] + lanes
  }
}
#endif
