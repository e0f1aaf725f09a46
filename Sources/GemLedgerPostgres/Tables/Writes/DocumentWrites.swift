#if PostgreSQL
internal import GemLedger

/// Writes of documents.
enum DocumentWrites {
  static func requests(_ cold: ColdChanges) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    if !cold.documents.isEmpty {
      requests.append(DocumentRow.insert(cold.documents, conflict: DocumentRow.changing()))
    }
    return requests
      + cold.removedDocuments.map { row in
        PostgresRequest("DELETE FROM documents WHERE name = $1", row.name.text)
      }
  }
}
#endif
