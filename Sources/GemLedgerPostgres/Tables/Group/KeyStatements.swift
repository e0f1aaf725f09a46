#if PostgreSQL
internal import GemLedger

/// Statements for the keys of a group's commands.
enum KeyStatements {
  private static let columns = "customer, key, request_digest, qualifier_digest, transaction_number, refusal"

  /// Returns the requests; a distributed engine joins a list only with the tables of one lane.
  static func requests(_ keys: [GroupRows.KeyAddress], _ layout: LaneLayout) -> [PostgresRequest] {
    guard layout.isDistributed else { return [oneStepEach(keys)] }
    return Dictionary(grouping: keys) { layout.lane(of: $0.customer) }.values.map(oneStepEach)
  }

  /// Returns a request with one index step for each key.
  ///
  /// Given two lists, the server would try each customer with each key. Without the offset it would scan all keys while
  /// they are few, and keep this plan when they are many.
  private static func oneStepEach(_ keys: [GroupRows.KeyAddress]) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
        SELECT \(columns) FROM keys WHERE customer = owner AND key = wanted OFFSET 0
      ) found
      """
    ) {
      $0.add(keys, \.customer)
      $0.add(keys, bytes: { PostgresKey.append($0.key, to: &$1) })
    }
  }

  static func read(_ rows: PostgresRows, _ row: Int, _ storageName: String) throws(LedgerError) -> KeyRow {
    KeyRow(
      customer: rows.integer(row, 0), key: rows.withBytes(row, 1) { PostgresKey.key($0) },
      fingerprint: Fingerprint(asked: rows.integer(row, 2), qualifiers: rows.integer(row, 3)),
      outcome: try rows.keyOutcome(row, 4, storageName))
  }
}
#endif
