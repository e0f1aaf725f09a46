#if PostgreSQL
internal import GemLedger

/// Writes used only for a copy of a whole ledger.
enum CopyWrites {
  static func requests(_ copy: CopyChanges) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    if !copy.formerLotAttributes.isEmpty {
      requests.append(
        ProjectionWrites.attributes(copy.formerLotAttributes.map { ($0.attributes, $0.customer) }, ifMissing: true))
    }
    let versions = copy.catalogVersions
    if let last = versions.last {
      requests.append(CatalogVersionRow.insert(versions))
      requests.append(PostgresRequest("UPDATE lanes SET catalog_version = $1", last.version))
    }
    guard let progress = copy.progress else { return requests + [PostgresRequest("DELETE FROM copy_progress")] }
    requests.append(
      PostgresRequest(
        """
        INSERT INTO copy_progress (one, step, pages, source) VALUES (1, $1, $2, $3)
        ON CONFLICT (one) DO UPDATE SET step = excluded.step, pages = excluded.pages, source = excluded.source
        """, progress.step, progress.pages, progress.source))
    return requests
  }
}
#endif
