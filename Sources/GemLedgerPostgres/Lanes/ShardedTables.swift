#if PostgreSQL
  /// How the tables lie over the nodes of a Citus cluster.
  struct ShardedTables {
    /// Small, and read everywhere: each node has all of their rows.
    private static let everywhere = [
      "migrations", "project", "catalog", "catalog_versions", "environments", "purchase_terms", "copy_progress",
    ]

    /// Rows of one customer lie together; `accounts` comes first, and the others follow it.
    private static let byCustomer = [
      "accounts", "customers", "added_ids", "merged_customers", "transactions", "entries", "allocations", "effects",
      "keys", "notes", "item_entries", "lot_terms", "merges", "purchases", "refunds", "refund_parts", "lots",
      "holds", "counts", "owned_items", "anchors", "orders", "entitlements", "lanes", "commit_marks",
    ]

    /// What is unique across customers lies by what is unique; the second table of a pair lies with the first.
    private static let byIdentity: [(table: String, column: String, with: String?)] = [
      ("aliases", "id", nil), ("store_transactions", "store_transaction", nil),
      ("refund_evidence", "store_transaction", "store_transactions"), ("purchase_codes", "code", nil),
      ("account_tokens", "high", nil), ("entitlement_holders", "purchase", nil),
    ]

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
      for table in Self.everywhere where !done.contains(table) {
        try connection.execute(["SELECT create_reference_table('\(name(table))')"])
      }
      for table in Self.byCustomer where !done.contains(table) {
        let place = table == "accounts" ? "shard_count := \(shards), colocate_with := 'none'" : with("accounts")
        try connection.execute(["SELECT create_distributed_table('\(name(table))', 'customer', \(place))"])
      }
      for (table, column, other) in Self.byIdentity where !done.contains(table) {
        let place = other.map(with) ?? "shard_count := \(shards), colocate_with := 'none'"
        try connection.execute(["SELECT create_distributed_table('\(name(table))', '\(column)', \(place))"])
      }
    }

    private func name(_ table: String) -> String { "\(schema).\(table)" }
    private func with(_ table: String) -> String { "colocate_with := '\(name(table))'" }

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
