#if PostgreSQL
internal import GemLedger

/// The old rows that a distributed engine leaves on the coordinator when it spreads a table.
///
/// It copies them to the shards. The old rows stay in the coordinator's own table, where no statement sees them and no
/// erasure reaches them.
struct LocalRows {
  private let connection: PostgresConnection
  private let target: PostgresTarget

  init(_ connection: PostgresConnection, _ target: PostgresTarget) {
    self.connection = connection
    self.target = target
  }

  /// Empties the coordinator's own tables, each in a transaction of its own, after the spreading was committed.
  ///
  /// - Returns: The names of those that the engine refused to empty.
  func remove() throws(LedgerError) -> [String] {
    var refused: [String] = []
    for table in try tablesWithRows() {
      do throws(PostgresFailure) {
        try connection.execute(Self.emptying("\(target.schema).\(table)"))
      } catch {
        guard connection.isOpen else { throw error.ledgerError(target.description) }
        _ = try? connection.execute(["ROLLBACK"])
        refused.append(table)
      }
    }
    return refused
  }

  /// A table's size is that of the coordinator's own: nothing else tells of rows that no statement sees.
  ///
  /// The sizes are asked in a step of their own: the planner would else ask those of every table of the database, each
  /// of them from the file system, before it drops the other schemas'.
  private func tablesWithRows() throws(LedgerError) -> [String] {
    let rows = try PostgresStorage.translating(target) { () throws(PostgresFailure) in
      try connection.ask(
        PostgresRequest(
          """
          WITH spread AS MATERIALIZED (
            SELECT c.oid, c.relname::text AS name FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1)
          SELECT name FROM spread WHERE pg_relation_size(oid) > 0 ORDER BY 1
          """
        ) { $0.add(target.schema) })
    }
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  /// The triggers that keep the journal stand in the way; they are put aside in the coordinator's own table alone,
  /// for this transaction.
  private static func emptying(_ table: String) -> [String] {
    let here = "SET LOCAL citus.enable_ddl_propagation = off"
    return [
      "BEGIN", "SET LOCAL statement_timeout = 0", here, "ALTER TABLE \(table) DISABLE TRIGGER USER",
      "SELECT truncate_local_data_after_distributing_table('\(table)')",
      // The engine's function turns it on again when it ends.
      here, "ALTER TABLE \(table) ENABLE TRIGGER USER", "COMMIT",
    ]
  }
}
#endif
