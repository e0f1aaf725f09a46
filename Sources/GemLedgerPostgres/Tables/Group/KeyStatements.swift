#if PostgreSQL
internal import GemLedger

/// Statements for the keys of a group's commands.
enum KeyStatements {
  static func requests(_ keys: [GroupRows.KeyAddress], _ layout: LaneLayout) -> [PostgresRequest] {
    layout.batches(keys, by: \.customer).map(oneStepEach)
  }

  /// Returns the request for keys of the ids' customers, on a single server.
  static func request(_ keys: [(id: CustomerID, key: IdempotencyKey)]) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.* FROM (SELECT unnest($1) AS id, unnest($2) AS wanted) places
      CROSS JOIN LATERAL (SELECT customer AS owner FROM aliases WHERE aliases.id = places.id OFFSET 0) named
      CROSS JOIN LATERAL (
        SELECT \(KeyRow.columns) FROM keys WHERE customer = owner AND key = wanted OFFSET 0
      ) found
      """
    ) {
      $0.add(keys, text: \.id.text)
      $0.add(keys, bytes: { PostgresKey.append($0.key, to: &$1) })
    }
  }

  /// Returns a request with one index step for each key.
  ///
  /// Given two lists, the server would try each customer with each key. Without the offset it would scan all keys while
  /// they are few, and keep this plan when they are many.
  private static func oneStepEach(_ keys: [GroupRows.KeyAddress]) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
        SELECT \(KeyRow.columns) FROM keys WHERE customer = owner AND key = wanted OFFSET 0
      ) found
      """
    ) {
      $0.add(keys, \.customer)
      $0.add(keys, bytes: { PostgresKey.append($0.key, to: &$1) })
    }
  }
}
#endif
