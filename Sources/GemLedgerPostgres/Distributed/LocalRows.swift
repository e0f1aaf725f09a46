#if PostgreSQL
internal import GemLedger

/// The old rows that remain on the coordinator when a distributed engine distributes a table.
///
/// The engine copies the rows to the shards. The old rows stay in the coordinator's local table, invisible to
/// statements and erasures.
struct LocalRows {
  private let connection: PostgresConnection
  private let target: PostgresTarget

  init(_ connection: PostgresConnection, _ target: PostgresTarget) {
    self.connection = connection
    self.target = target
  }

  /// Empties the coordinator's local tables, each in a separate transaction, after the distribution was committed.
  ///
  /// - Returns: The names of the tables that the engine refused to empty.
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

  /// Returns the local tables with rows, found by size: nothing else shows rows that no statement sees.
  ///
  /// The sizes are queried in a separate step. Otherwise the planner would read the size of every table in the database
  /// from the file system before it filters by schema.
  private func tablesWithRows() throws(LedgerError) -> [String] {
    let rows = try PostgresStorage.translating(target) { () throws(PostgresFailure) in
      try connection.ask(
        PostgresRequest(
          """
          WITH spread AS MATERIALIZED (
            SELECT c.oid, c.relname::text AS name FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1)
          SELECT name FROM spread WHERE pg_relation_size(oid) > 0 ORDER BY 1
          """, target.schema))
    }
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  /// Returns statements that empty a local table.
  ///
  /// They disable the triggers that protect the journal, only in the local table and only in this transaction.
  private static func emptying(_ table: String) -> [String] {
    let here = "SET LOCAL citus.enable_ddl_propagation = off"
    return [
      "BEGIN", "SET LOCAL statement_timeout = 0", here, "ALTER TABLE \(table) DISABLE TRIGGER USER",
      "SELECT truncate_local_data_after_distributing_table('\(table)')",
      // The engine's function enables it again when it ends.
      here, "ALTER TABLE \(table) ENABLE TRIGGER USER", "COMMIT",
    ]
  }
}
#endif
