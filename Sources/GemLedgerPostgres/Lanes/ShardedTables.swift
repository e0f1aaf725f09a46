#if PostgreSQL
/// How the tables lie over the nodes of a Citus cluster.
struct ShardedTables {
  private let connection: PostgresConnection
  private let schema: String

  init(_ connection: PostgresConnection, schema: String) {
    self.connection = connection
    self.schema = schema
  }

  /// Before anything else is asked in a transaction that makes or changes tables.
  ///
  /// The triggers that keep the journal go to the shards. One connection to each node: tables of several kinds are
  /// made in one transaction.
  func begin() throws(PostgresFailure) {
    try connection.execute([
      "SET LOCAL citus.enable_unsafe_triggers = on", "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
    ])
  }

  /// Spreads every table that is not spread yet.
  ///
  /// - Parameter shards: How many, where the ledger is not spread at all.
  func spread(shards: Int) throws(PostgresFailure) {
    let done = try spreadTables()
    let first = SchemaTable.placingCustomers
    for table in SchemaTable.all where !done.contains(table.name) {
      let call =
        switch table.distribution {
        case .everyNode: "create_reference_table('\(name(table.name))')"
        case .byCustomer: distributing(table.name, by: "customer", with: table.name == first ? nil : first, shards)
        case .byValue(let column, let other): distributing(table.name, by: column, with: other, shards)
        }
      try connection.execute(["SELECT \(call)"])
    }
  }

  private func distributing(_ table: String, by column: String, with other: String?, _ shards: Int) -> String {
    let neighbours = other.map { "colocate_with := '\(name($0))'" }
    return "create_distributed_table('\(name(table))', '\(column)', "
      + "\(neighbours ?? "shard_count := \(shards), colocate_with := 'none'"))"
  }

  private func name(_ table: String) -> String { "\(schema).\(table)" }

  private func spreadTables() throws(PostgresFailure) -> Set<String> {
    let rows = try connection.ask(
      PostgresRequest(
        """
        SELECT c.relname::text FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1
        """
      ) { $0.add(schema) })
    return Set((0..<rows.count).map { rows.text($0, 0) })
  }
}
#endif
