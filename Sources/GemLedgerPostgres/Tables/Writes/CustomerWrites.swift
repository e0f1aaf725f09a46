#if PostgreSQL
internal import GemLedger

/// Writes of customers, their ids and merges.
enum CustomerWrites {
  static func new(_ changes: borrowing ChangeSet) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    if !changes.environments.isEmpty { requests.append(EnvironmentRow.insert(changes.environments)) }
    if !changes.customers.isEmpty {
      let rows = changes.customers.sorted { $0.id < $1.id }
      requests.append(
        PostgresRequest(
          "INSERT INTO aliases (id, customer) SELECT \(BulkInsert.lists(2))", rows.map(\.id.text), rows.map(\.number)))
      requests.append(CustomerRow.insert(rows))
    }
    return requests
  }

  static func change(_ rows: [CustomerRow]) -> PostgresRequest {
    let rows = BulkInsert.last(rows, of: \.number).sorted { $0.number < $1.number }
    // The erasure writes the ids.
    return CustomerRow.insert(rows, conflict: CustomerRow.changing(except: ["id"]))
  }

  static func add(_ rows: [AddedIDRow]) -> [PostgresRequest] {
    ["aliases", "added_ids"].map { table in
      PostgresRequest(
        "INSERT INTO \(table) (customer, id) SELECT \(BulkInsert.lists(2))", rows.map(\.customer), rows.map(\.id.text))
    }
  }

  static func merges(_ cold: ColdChanges) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    let (rows, merged) = (cold.merges, cold.changedCustomers.filter { $0.mergedInto != 0 })
    if !rows.isEmpty {
      requests.append(
        PostgresRequest(
          "INSERT INTO merges (customer, transaction_number, from_customer) SELECT \(BulkInsert.lists(3))",
          rows.map(\.into), rows.map(\.transaction), rows.map(\.from)))
      requests.append(
        PostgresRequest("DELETE FROM merged_customers WHERE customer = ANY($1) AND merged = ANY($2)") {
          $0.add(rows, \.from)
          // An unmerge leaves the survivor with its other parts.
          $0.add(cold.changedCustomers, \.number)
        })
    }
    if !merged.isEmpty {
      requests.append(
        PostgresRequest(
          """
          INSERT INTO merged_customers (customer, merged) SELECT \(BulkInsert.lists(2))
          ON CONFLICT (customer, merged) DO NOTHING
          """, merged.map(\.mergedInto), merged.map(\.number)))
    }
    return requests
  }

  /// Writes a repair's changes of customers' ids.
  static func change(_ changes: IDChanges) -> [PostgresRequest] {
    var requests = changes.removed.map { row in
      PostgresRequest("DELETE FROM aliases WHERE id = $1 AND customer = $2", row.id.text, row.customer)
    }
    if !changes.named.isEmpty {
      requests.append(
        PostgresRequest(
          "INSERT INTO aliases (id, customer) SELECT \(BulkInsert.lists(2))", changes.named.map(\.id.text),
          changes.named.map(\.customer)))
    }
    return requests
      + changes.renamed.map { change in
        PostgresRequest("UPDATE customers SET id = $2 WHERE customer = $1", change.row.number, change.id.text)
      }
  }
}
#endif
