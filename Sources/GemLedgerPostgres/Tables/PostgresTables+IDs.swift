#if PostgreSQL
  internal import GemLedger

  extension PostgresTables {
    /// What a repair changes of customers' ids.
    static func change(_ changes: IDChanges) -> [PostgresRequest] {
      var requests = changes.removed.map { row in
        PostgresRequest("DELETE FROM aliases WHERE id = $1 AND customer = $2") {
          $0.add(row.id.text)
          $0.add(row.customer)
        }
      }
      if !changes.named.isEmpty {
        requests.append(
          PostgresRequest("INSERT INTO aliases (id, customer) SELECT \(BulkInsert.lists(2))") {
            $0.add(changes.named, text: \.id.text)
            $0.add(changes.named, \.customer)
          })
      }
      return requests
        + changes.renamed.map { change in
          PostgresRequest("UPDATE customers SET id = $2 WHERE customer = $1") {
            $0.add(change.row.number)
            $0.add(change.id.text)
          }
        }
    }
  }

  extension IDChanges {
    /// The ids of which something changes.
    var ids: [CustomerID] { (removed + named).map(\.id) + renamed.map(\.row.id) }
  }
#endif
