#if PostgreSQL
internal import GemLedger

/// Deletions of erased customers' rows.
enum ErasureWrites {
  /// Frees the ids of an erasure before all other writes: an erased id can be reused at once.
  ///
  /// - Parameter ids: All ids of the customers.
  static func freeing(_ ids: [CustomerID], of numbers: [CustomerNumber]) -> PostgresRequest {
    PostgresRequest("DELETE FROM aliases WHERE id = ANY($1) AND customer = ANY($2)", ids.map(\.text), numbers)
  }

  /// Removes the other rows of an erasure, after all other writes of the group.
  static func erasing(_ rows: [ErasureRow], _ changes: borrowing ChangeSet) -> [PostgresRequest] {
    let new = changes.customers.map(\.id) + (changes.cold?.addedIDs ?? []).map(\.id)
    let numbers = rows.flatMap(\.numbers)
    let ids = rows.flatMap(\.ids)
    let transactions = rows.flatMap { row in row.numbers.map { _ in row.transaction } }
    let renaming = [
      PostgresRequest("INSERT INTO aliases (id, customer) SELECT \(BulkInsert.lists(2))", ids.map(\.text), numbers),
      // The rows exist, so nothing is inserted.
      PostgresRequest(
        """
        INSERT INTO customers (customer, id, created_at, erased_by) SELECT \(BulkInsert.lists(4))
        ON CONFLICT (customer) DO UPDATE SET id = excluded.id, erased_by = excluded.erased_by
        """
      ) {
        $0.add(numbers, \.self)
        $0.add(ids, text: \.text)
        $0.add(numbers) { _ in 0 }
        $0.add(transactions, \.self)
      },
    ]
    let emptying = ["added_ids", "notes", "keys"].map { table in
      PostgresRequest("DELETE FROM \(table) WHERE customer = ANY($1)", numbers)
    }
    let orders = PostgresRequest(
      "UPDATE orders SET request = $2, key = NULL WHERE customer = ANY($1)", numbers, OrderRow.erasedRequest)
    return [freeing(new, of: numbers)] + renaming + emptying + [orders]
  }
}
#endif
